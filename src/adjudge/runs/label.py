"""Whose trial it is: what a manifest row and a `trial.json` have in common, and how a bad one is worded."""

from __future__ import annotations

from typing import TypeVar

from pydantic import Field, TypeAdapter, ValidationError, field_validator
from pydantic_core import PydanticSerializationError

from adjudge.contracts import BadJson, Cost, JsonObject, Name, StrictModel, TrialId, load_json, problem_of
from adjudge.errors import UsageError, describe
from adjudge.ledger import unstorable_cost

LABEL_BYTES = 1 << 20
NAME: TypeAdapter[str] = TypeAdapter(Name)


class TrialLabel(StrictModel):
    """Which task, by whom, and which attempt."""

    task: Name
    agent: Name
    model: str | None = None
    attempt: int = Field(default=1, ge=1, lt=1 << 63)
    trial_id: TrialId | None = None
    cost: Cost | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @field_validator("cost")
    @classmethod
    def _fits(cls, cost: Cost | None) -> Cost | None:
        if cost is not None and (problem := unstorable_cost(cost)):
            raise ValueError(problem)
        return cost


Label = TypeVar("Label", bound=TrialLabel)


def check_name(option: str, name: str) -> None:
    """UsageError if this cannot be the name of anything."""
    try:
        NAME.validate_python(name)
    except ValidationError as error:
        raise UsageError(problem_of(error, field=option)) from None


def read_label(data: bytes, file: object, kind: type[Label]) -> Label | str:
    """The label in a line or a file, or what is wrong with it: JSON in which no key stands twice."""
    try:
        label = kind.model_validate(load_json(data.rstrip(b"\r\n"), max_bytes=LABEL_BYTES))
        if b"\\u" in data:  # only an escape can bring in what no file can carry
            label.model_dump_json()
    except PydanticSerializationError:
        return describe("a text in it holds half of a surrogate pair, which no file can carry", file=file)
    except BadJson as error:
        return error.worded(file=file)
    except ValidationError as error:
        return str(problem_of(error, file=file, model=kind))
    return label
