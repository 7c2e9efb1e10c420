"""What a model refused, in plain words: a pydantic error becomes a `Problem`.

Pydantic words its errors for programmers. People who wrote a manifest, a rubric or an annotation are told
which field, what was found and what is allowed; this is the one place that translates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from adjudge.errors import Problem, show

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_SIMPLE: dict[str, tuple[str, str | None]] = {
    "string_type": ("not a text", "a text"),
    "int_type": ("not a whole number", "a whole number"),
    "int_from_float": ("not a whole number", "a whole number"),
    "float_type": ("not a number", "a number"),
    "bool_type": ("neither true nor false", "true or false"),
    "list_type": ("not a list", "a list"),
    "tuple_type": ("not a list", "a list"),
    "dict_type": ("not an object", "an object"),
    "model_type": ("not an object", "an object"),
    "model_attributes_type": ("not an object", "an object"),
    "finite_number": ("not a finite number", "a finite number"),
    "none_required": ("must be left empty", "null"),
    "timezone_aware": ("a time without a time zone", "a time such as 2026-01-31T09:30:00Z"),
    "datetime_type": ("not a time", "a time such as 2026-01-31T09:30:00Z"),
    "datetime_parsing": ("not a time", "a time such as 2026-01-31T09:30:00Z"),
    "datetime_from_date_parsing": ("not a time", "a time such as 2026-01-31T09:30:00Z"),
}
_BOUNDS: dict[str, tuple[str, str, str]] = {  # type of error -> what, what is allowed, the bound's key
    "greater_than": ("too small", "more than {}", "gt"),
    "greater_than_equal": ("too small", "at least {}", "ge"),
    "less_than": ("too large", "less than {}", "lt"),
    "less_than_equal": ("too large", "at most {}", "le"),
    "string_too_short": ("too short", "at least {} characters", "min_length"),
    "string_too_long": ("too long", "at most {} characters", "max_length"),
    "string_pattern_mismatch": ("not of the expected form", "what fits {}", "pattern"),
    "too_short": ("too few entries", "at least {}", "min_length"),
    "too_long": ("too many entries", "at most {}", "max_length"),
    "enum": ("no such choice", "{}", "expected"),
    "literal_error": ("no such choice", "{}", "expected"),
}


class Refused(ValueError):  # noqa: N818 - reads as what happened to the value
    """What a rule of ours found in a field and what is allowed, apart from the sentence that refuses it."""

    def __init__(self, what: str, *, found: object, allowed: str) -> None:
        super().__init__(what)
        self.found = found
        self.allowed = allowed


def problem_of(
    error: ValidationError,
    *,
    file: object = None,
    field: str | None = None,
    model: type[BaseModel] | None = None,
    named: Callable[[str], str] = str,
) -> Problem:
    """The first thing that is wrong. `field` is where the validated value itself stands in its file.

    With `model`, a field that is unknown or missing is told with those that exist. `named` turns the name
    of a field into what the reader calls it: an option of a command, for instance.
    """
    return problems_of(error, file=file, field=field, model=model, named=named)[0]


def problems_of(
    error: ValidationError,
    *,
    file: object = None,
    field: str | None = None,
    model: type[BaseModel] | None = None,
    named: Callable[[str], str] = str,
) -> list[Problem]:
    """Everything that is wrong, in the order of the fields; never empty."""
    found = error.errors(include_url=False)
    return [_worded(one, model, named).at(file=file, field=field) for one in found]


def _worded(one: ErrorDetails, model: type[BaseModel] | None, named: Callable[[str], str]) -> Problem:
    kind, place, value = one["type"], _place(one["loc"], named), one["input"]
    if kind == "missing":
        there = list(value) if isinstance(value, Mapping) else value
        return Problem("this field is missing", field=place, found=there, allowed=_fields(model, one["loc"]))
    if kind == "extra_forbidden":
        allowed = _fields(model, one["loc"])
        return Problem("no such field" + _meant(model, one["loc"]), field=place, found=value, allowed=allowed)
    refused = one.get("ctx", {}).get("error")
    if isinstance(refused, Refused):
        return Problem(str(refused), field=place, found=refused.found, allowed=refused.allowed)
    what, allowed = _words(kind, one.get("ctx", {}), one["msg"])
    if kind == "value_error" and _is_whole(value):
        return Problem(what, field=place)
    return Problem(what, field=place, found=value, allowed=allowed)


def _words(kind: str, context: Mapping[str, object], said: str) -> tuple[str, str | None]:
    """What is wrong and what is allowed instead; pydantic's own words only for the rarest kinds."""
    if kind == "value_error":
        return str(context["error"]), None  # one of our own rules, in our own words
    if kind == "string_too_short" and context["min_length"] == 1:
        return "is empty", "at least one character"
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in _BOUNDS:
        what, form, bound = _BOUNDS[kind]
        return what, form.format(context[bound])
    return said[:1].lower() + said[1:], None


def _is_whole(value: object) -> bool:
    """Is this a whole model or object? A rule about it names the parts that matter; all of it says less."""
    return isinstance(value, Mapping) or hasattr(type(value), "model_fields")


def _place(location: tuple[int | str, ...], named: Callable[[str], str]) -> str | None:
    text = ""
    for number, step in enumerate(location):
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = step if step.isprintable() and len(step) <= 200 else show(step)
            text += named(name) if number == 0 else f".{name}"
    return text or None


def _fields(model: type[BaseModel] | None, location: tuple[int | str, ...]) -> str | None:
    """The fields of the model itself; of a model within a model nothing is said."""
    return ", ".join(model.model_fields) if model is not None and len(location) == 1 else None


def _meant(model: type[BaseModel] | None, location: tuple[int | str, ...]) -> str:
    if model is None or len(location) != 1:
        return ""
    from difflib import get_close_matches

    near = get_close_matches(str(location[0]), list(model.model_fields), n=1)
    return f"; did you mean {near[0]}?" if near else ""
