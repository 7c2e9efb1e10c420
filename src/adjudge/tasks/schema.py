"""JSON Schema: refuse one that cannot be used, and word what an instance does wrong.

References are only ever resolved inside the schema itself; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from adjudge.errors import printable, show

if TYPE_CHECKING:
    import jsonschema_rs

MAX_PROBLEMS = 10
_MAX_NAMES = 12
_LARGE = 20_000


class SchemaProblem(Struct, frozen=True):
    """One place where an instance differs from its schema: `$.pumps[2].flow`, and what is wrong there."""

    path: str
    what: str


def check_schema(schema: object) -> str | None:
    """Why `schema` cannot be used as a JSON Schema; None if it can."""
    import jsonschema_rs

    if not isinstance(schema, dict):
        return f"a JSON Schema is an object; found {show(schema)}"
    try:
        _compile(schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        where = _json_path(getattr(error, "instance_path", []))
        return f"not a usable JSON Schema: at {where}: {_plain(error)}"
    except (ValueError, RecursionError) as error:
        return f"not a usable JSON Schema: {_plain(error)}"
    return None


def schema_problems(schema: dict[str, Any], instance: object) -> tuple[list[SchemaProblem], bool]:
    """The first few differences, by place, and whether there may be more. None at all: the instance is valid.

    `instance` is plain JSON; `schema` passed `check_schema`. Of a large instance only the first difference
    is told: a million wrong rows have a million errors, and the library makes them all at once.
    """
    validator = _compile(schema)
    if validator.is_valid(instance):
        return [], False
    large = _is_large(instance)
    errors = [_first_error(validator, instance)] if large else list(validator.iter_errors(instance))
    problems = [_worded(error) for error in errors if error.kind.name != "required"]
    problems += _missing([error for error in errors if error.kind.name == "required"])
    problems.sort(key=lambda p: (p.path, p.what))
    return problems[:MAX_PROBLEMS], large or len(problems) > MAX_PROBLEMS


def _first_error(validator: jsonschema_rs.Validator, instance: object) -> jsonschema_rs.ValidationError:
    import jsonschema_rs

    try:
        validator.validate(instance)
    except jsonschema_rs.ValidationError as error:
        return error
    raise AssertionError("an instance that is not valid has an error")


def _is_large(instance: object) -> bool:
    """Are there more than `_LARGE` values?"""
    pending = [instance]
    seen = 0
    while pending and seen <= _LARGE:
        node = pending.pop()
        seen += 1
        if isinstance(node, dict | list):
            pending.extend(islice(node.values() if isinstance(node, dict) else node, _LARGE + 1))
    return seen > _LARGE


def _compile(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema, retriever=_refuse)


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema, and nothing is fetched")


def _worded(error: jsonschema_rs.ValidationError) -> SchemaProblem:
    rule, value = error.kind.name, error.kind.value
    found = _brief(error.instance)
    if rule in ("additionalProperties", "unevaluatedProperties"):
        what = f"the schema does not know these keys; found {_names(value)}"
    elif rule == "type":
        allowed = " or ".join(value)
        what = f"is {_type_name(error.instance)}, not {allowed}; found {found}; allowed: {allowed}"
    elif rule == "enum":
        what = f"is not one of the allowed values; found {found}; allowed: {show(value)}"
    else:
        what = f"breaks a rule of the schema; found {found}; allowed: {_rule(rule, value)}"
    return SchemaProblem(_json_path(error.instance_path), what)


def _missing(errors: list[jsonschema_rs.ValidationError]) -> list[SchemaProblem]:
    """One problem for each object that lacks keys; the keys it has show a misspelling at a glance."""
    lacking: dict[str, tuple[object, list[str]]] = {}
    for error in errors:
        _, keys = lacking.setdefault(_json_path(error.instance_path), (error.instance, []))
        keys.append(str(error.kind.value))
    return [
        SchemaProblem(path, f"keys are missing: {_names(keys)}; found {_brief(instance)}")
        for path, (instance, keys) in lacking.items()
    ]


def _brief(value: object) -> str:
    """What was found, in a few words: a whole output may stand here, so nothing large is ever spelled out."""
    if isinstance(value, dict):
        return f"an object with the keys {_names(value)}" if value else "an object without keys"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    return show(value)


def _names(keys: Iterable[str]) -> str:
    names = list(keys)
    shown = ", ".join(show(name) for name in names[:_MAX_NAMES])
    return shown if len(names) <= _MAX_NAMES else f"{shown} and {len(names) - _MAX_NAMES} more"


def _rule(rule: str, value: object) -> str:
    """`minimum 3`; for rules made of further schemas only their name, since their value is no value."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return f"{rule} {show(value)}"
    return f"what the schema's {rule} says"


def _type_name(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), type(value).__name__)


def _json_path(steps: list[str | int]) -> str:
    return "$" + "".join(map(_step, steps))


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() and len(step) <= 60 else f"[{show(step)}]"


def _plain(error: Exception) -> str:
    """The library's own words on one line; they may quote a whole schema."""
    words = " ".join(str(getattr(error, "message", error)).split())
    return printable(words[:300])
