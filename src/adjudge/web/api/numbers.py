"""Reports and comparisons: the same models as `adjudge report --json` and `adjudge compare --json`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response

from adjudge.errors import UsageError
from adjudge.reports import Choices
from adjudge.web.access.who import Here, Viewer
from adjudge.web.api.shapes import (
    FILTER_PARAMETERS,
    api_router,
    filter_from,
    json_answer,
    shown_as,
    worked_out,
)

router = api_router()
WITH_FILTER = {"parameters": FILTER_PARAMETERS}


@router.get("/report", openapi_extra=WITH_FILTER, responses=shown_as("Report", "The report."))
async def report(
    request: Request,
    site: Here,
    visitor: Viewer,
    group_by: Annotated[str, Query(max_length=200)] = "agent",
) -> Response:
    """What the matching trials say, perhaps of a moment ago: X-Ledger-Row says as of which row."""
    wanted = filter_from(request, "group_by")
    choices = Choices(group_by=group_by, threshold=wanted.threshold)
    answer = await worked_out(request, lambda: site.report(visitor, wanted, choices))
    made = json_answer(answer.value)
    made.headers["x-ledger-row"] = str(answer.row)
    return made


@router.get("/compare", openapi_extra=WITH_FILTER, responses=shown_as("Comparison", "The comparison."))
async def compare(
    request: Request,
    site: Here,
    visitor: Viewer,
    side: Annotated[list[str] | None, Query(max_length=20)] = None,
) -> Response:
    """Two or more agents on the tasks they share; all there are without `side`."""
    wanted = filter_from(request, "side")
    answer = await worked_out(request, lambda: site.comparison(visitor, wanted, tuple(side or ())))
    if isinstance(answer.value, UsageError):
        raise UsageError(answer.value.problem)
    made = json_answer(answer.value)
    made.headers["x-ledger-row"] = str(answer.row)
    return made
