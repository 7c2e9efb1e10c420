"""What every contract shares: strict, frozen, finite, and the same after a trip through JSON.

`StrictModel` refuses unknown fields and never converts: a bool is not a number, a string is not a
number, NaN and infinity are not values. Free-form JSON (`JsonObject`) is checked to be JSON all the
way down, because what cannot be written back cannot be kept.
"""

from __future__ import annotations

import json
import math
from enum import StrEnum
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
from pydantic_core import PydanticKnownError, SchemaValidator, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

MAX_JSON_DEPTH = 64


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


class Choice(StrEnum):
    """The base of every enum of the contracts. Its members may be given by their values, as JSON gives them.

    Strict models would otherwise take a member only from Python, and `model_validate` would refuse what
    `model_validate_json` reads. Nothing but a text that is one of the values is taken.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        by_value: Any = {**handler(source), "strict": False}
        return core_schema.no_info_before_validator_function(_text, by_value)


def _text(value: object) -> object:
    """Refuse what is no text before an enum looks at it: it would take bytes for their text."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


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


def check_json(value: object) -> None:
    """Raise ValueError, with the place, if `value` is not plain, finite JSON of bounded depth.

    Iterative on purpose: a hostile nest of lists must not exhaust the interpreter's stack.
    """
    if not _is_plain_json(value):
        _find_what_is_not_json(value)


def _is_plain_json(value: object) -> bool:
    """The quick look, level by level; if it says no, the slow one finds the place, or that all is well."""
    level: list[Any] = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is dict:
                if not all(type(key) is str and key.isascii() for key in node):
                    return False
                below.extend(node.values())
            elif kind is list:
                below.extend(node)
            elif not (
                (kind is str and node.isascii())
                or (kind is float and math.isfinite(node))
                or kind is int
                or kind is bool
                or node is None
            ):
                return False
        if not below:
            return True
        level = below
    return False


def _find_what_is_not_json(value: object) -> None:
    stack: list[tuple[str, object, int]] = [("$", value, 0)]
    while stack:
        where, node, depth = stack.pop()
        if depth > MAX_JSON_DEPTH:
            raise ValueError(f"{where[:80]}: nested deeper than {MAX_JSON_DEPTH} levels")
        if isinstance(node, dict):
            for key, child in node.items():
                if not isinstance(key, str):
                    raise ValueError(f"{where}: a key is {type(key).__name__}, not a string")
                _check_text(where, key)
                stack.append((f"{where}.{key}", child, depth + 1))
        elif isinstance(node, list):
            stack.extend((f"{where}[{i}]", child, depth + 1) for i, child in enumerate(node))
        elif isinstance(node, str):
            _check_text(where, node)
        elif isinstance(node, float):
            if not math.isfinite(node):
                raise ValueError(f"{where}: {node} is not a finite number")
        elif node is not None and not isinstance(node, (bool, int)):
            raise ValueError(f"{where}: {type(node).__name__} is not a JSON value")


def _check_text(where: str, text: str) -> None:
    """Raise ValueError for a string that UTF-8 cannot carry (half of a surrogate pair)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{where[:80]}: a string holds half of a surrogate pair") from None


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
