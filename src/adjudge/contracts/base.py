"""What every contract shares: strict, frozen, finite, and the same after a trip through JSON.

`StrictModel` refuses unknown fields and never converts: a bool is not a number, a string is not a
number, NaN and infinity are not values. Free-form JSON (`JsonObject`) is checked to be JSON all the
way down, because what cannot be written back cannot be kept.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import SchemaValidator, core_schema

from adjudge.contracts.plain_json import check_json

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


class StrictModel(BaseModel):
    """The base of every contract."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        defer_build=True,
        ser_json_timedelta="float",
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema, with each field's docstring as its description.

        Pydantic can do this itself, but reads the source for it at every start, not only when asked.
        """
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in _docstrings(cls).items():
            if name in properties:
                properties[name].setdefault("description", text)
        return schema


def no_items() -> list[Any]:
    """The default of a list: pydantic reads a factory's signature, and that of `list` takes it 5 ms."""
    return []


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The strings that stand right below the fields in a model's source; none if there is no source."""
    import ast
    import inspect
    import textwrap

    try:
        [node] = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    except (OSError, TypeError):
        return {}
    found = {}
    for field, below in pairwise(getattr(node, "body", [])):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
        ):
            text = ast.literal_eval(below.value) if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = inspect.cleandoc(text)
    return found


CHECKED_JSON = {"json": "checked"}
"""As the context of a validation: its free-form JSON was just read by a parser that checks the same."""


def _checked(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    if value and info.context is not CHECKED_JSON:
        check_json(value)
    return value


def _no_negative_zero(value: object) -> object:
    """-0.0 and 0.0 compare equal but are written differently; there is one zero."""
    return 0.0 if isinstance(value, float) and value == 0 else value


JsonObject = Annotated[dict[str, Any], AfterValidator(_checked)]
"""A JSON object: finite numbers, string keys, bounded depth."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]
"""Something a person called something: never empty."""

UnitInterval = Annotated[float, BeforeValidator(_no_negative_zero)]
"""A float with one zero; pair it with `Field(ge=0, le=1)`."""


class _IsoText:
    """A time may be given as its ISO 8601 text, from Python as from JSON; never as a number."""

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return core_schema.json_or_python_schema(
            json_schema=schema,
            python_schema=core_schema.no_info_before_validator_function(_moment, schema),
        )


def _moment(value: object) -> object:
    return _ISO.validate_json(json.dumps(value)) if type(value) is str else value


_ISO = SchemaValidator(core_schema.datetime_schema(strict=True))

Timestamp = Annotated[AwareDatetime, _IsoText]
"""A moment in time; a timestamp without a time zone is refused."""
