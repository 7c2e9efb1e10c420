"""What every route of the API has in common: its prefix, its errors, its filter, JSON of our own models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, TypeAdapter

from adjudge.contracts import Outcome
from adjudge.ledger import Sort, TrialFilter, kind_of
from adjudge.web.sent import SentModel

T = TypeVar("T")

PREFIX = "/api/v1"
MOST_LIMIT = 1_000
_LONG_WAITS = 8


class ApiProblem(SentModel):
    """One thing that is wrong, in its parts; null for those that are not known."""

    what: str
    file: str | None
    field: str | None
    found: str | None
    allowed: str | None
    remedy: str | None


class ApiFailure(SentModel):
    """The body of every answer that is no success."""

    error: ApiProblem
    status: int


ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ApiFailure, "description": words}
    for status, words in {
        400: "What was asked cannot mean anything.",
        401: "Nobody is logged in, and no token was sent.",
        403: "The role is not enough, or another site sent this.",
        404: "There is no such thing, or not for this role.",
        408: "The request did not arrive in time.",
        409: "The trial waits for your blind verdict.",
        413: "The request is too large.",
        421: "This server does not answer to this name.",
        422: "The request does not have the documented form.",
        503: "The ledger or the sandbox cannot be used now.",
    }.items()
}


def api_router() -> APIRouter:
    """A router under the prefix, whose routes document every error."""
    return APIRouter(prefix=PREFIX, responses=ERRORS)


def json_answer(value: BaseModel | Sequence[BaseModel] | dict[str, Any] | list[Any]) -> Response:
    """A value as JSON, as its own model writes it."""
    return Response(TypeAdapter(Any).dump_json(value), media_type="application/json")


async def worked_out(request: Request, ask: Callable[[], T]) -> T:
    """An answer that may take long: few threads wait for such answers, and the others serve everybody."""
    state = request.app.state
    if not hasattr(state, "long_waits"):
        state.long_waits = CapacityLimiter(_LONG_WAITS)
    return await to_thread.run_sync(ask, limiter=state.long_waits)


def shown_as(name: str, words: str, *, many: bool = False) -> dict[int | str, dict[str, Any]]:
    """How a success of ours is documented: a model of the contracts, by its name."""
    one = {"$ref": f"#/components/schemas/{name}"}
    schema: dict[str, Any] = {"type": "array", "items": one} if many else one
    return {200: {"description": words, "content": {"application/json": {"schema": schema}}}}


_TYPES: dict[type, dict[str, Any]] = {
    str: {"type": "array", "items": {"type": "string"}},
    float: {"type": "number", "minimum": 0, "maximum": 1},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]},
}
_OUTCOMES = {"type": "array", "items": {"enum": [outcome.value for outcome in Outcome]}}
FILTER_PARAMETERS: list[dict[str, Any]] = [
    {
        "name": name,
        "in": "query",
        "required": False,
        "description": str(field.description),
        "schema": _OUTCOMES if name == "outcome" else _TYPES[kind_of(name)],
    }
    for name, field in TrialFilter.model_fields.items()
]
"""The one filter, as OpenAPI describes it."""


OrderWord = Annotated[str, Query(json_schema_extra={"enum": [order.value for order in Sort]})]
"""In which order. Another word is refused where orders are made of words."""


def filter_from(request: Request, *own: str) -> TrialFilter:
    """The filter of a query string; `own` are the route's other parameters."""
    pairs = request.query_params.multi_items()
    return TrialFilter.from_query((name, text) for name, text in pairs if name not in own)
