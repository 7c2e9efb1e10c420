"""Whose trial it is: what a manifest row and a `trial.json` have in common, and how a bad one is worded."""

from __future__ import annotations

from pydantic import Field, TypeAdapter, ValidationError

from adjudge.contracts import Cost, JsonObject, Name, StrictModel
from adjudge.contracts.trial import TrialId
from adjudge.errors import UsageError, describe

_NAME: TypeAdapter[str] = TypeAdapter(Name)


class TrialLabel(StrictModel):
    """Which task, by whom, and which attempt."""

    task: Name
    agent: Name
    model: str | None = None
    attempt: int = Field(default=1, ge=1, lt=1 << 63)
    trial_id: TrialId | None = None
    cost: Cost | None = None
    metadata: JsonObject = Field(default_factory=dict)


def check_name(option: str, name: str) -> None:
    """UsageError where this cannot be the name of anything."""
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"], field=option, found=name) from None


def bad_label(error: ValidationError, file: object, fields: type[TrialLabel]) -> str:
    """The first thing that is wrong with a label, in words."""
    first = error.errors(include_url=False)[0]
    place = first["loc"]
    about_keys = not place or (len(place) == 1 and first["type"] in ("missing", "extra_forbidden"))
    return describe(
        first["msg"],
        file=file,
        field=".".join(str(part) for part in place) or None,
        found=first["input"],
        allowed="a JSON object with " + ", ".join(fields.model_fields) if about_keys else None,
    )
