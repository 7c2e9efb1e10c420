"""Say after the fact why fields are wrong, from any breakdown that names expected and actual values.

The kit explains a wrong answer while it verifies; most verifiers do not. If their `details.json` names
what was expected and what was found, the same rules (`adjudge_kit.diagnose`, written once) give the same
tags. An entry is looked at when its own verdict says that credit was lost. Without a verdict nobody knows the
tolerance, so a rounded value is not held against it; without a tolerance there is no near miss. Tags that
the verifier wrote itself are not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

import adjudge_kit as kit
from adjudge.contracts import ErrorSource, ErrorTag, EvaluationResult
from adjudge.scoring.breakdown import breakdown_rows

_EXPECTED = (
    *("expected", "expected_value", "reference", "reference_value", "want", "wanted", "target", "truth"),
    *("ground_truth", "gold", "golden", "correct_value", "correct_answer", "should_be"),
)
_ACTUAL = (
    *("actual", "actual_value", "answer", "got", "given", "found", "received", "submitted", "observed"),
    *("agent", "agent_value", "agent_answer", "output", "predicted", "prediction", "value"),
)
_EITHER = frozenset(_EXPECTED + _ACTUAL)
_REL = ("rel", "rel_tol", "rtol", "relative_tolerance", "tolerance_rel")
_ABS = ("abs", "abs_tol", "atol", "absolute_tolerance", "tolerance_abs", "tolerance")
_NAMES = ("name", "field", "id", "criterion", "check", "dimension", "metric", "key", "label")
_NESTED = (dict, list)
_MAX_ENTRIES = 2_000
_MAX_TAGS = 50


class ComparedField(Struct, frozen=True):
    """One entry of a breakdown that names both values; `wrong` is None if it gives no verdict."""

    field: str
    expected: Any
    actual: Any
    wrong: bool | None
    unit: str | None
    rel: float | None
    abs: float | None

    @property
    def tolerance(self) -> float:
        """How near another field's value must be to count as this one's; one in a thousand if unstated."""
        return max(self.abs or 0.0, (self.rel or (0.0 if self.abs else 1e-3)) * abs(float(self.expected)))


def diagnose_result(result: EvaluationResult) -> list[ErrorTag]:
    """The tags that a result's breakdown implies and its taxonomy lacks; empty without a breakdown."""
    return diagnose_breakdown(result.breakdown, known=result.error_taxonomy or ())


def diagnose_breakdown(
    breakdown: Mapping[str, Any] | None, *, known: Sequence[ErrorTag] = ()
) -> list[ErrorTag]:
    """Why the wrong fields of a breakdown are wrong, one tag for each field that can be explained.

    Those that are `known` are left out.
    """
    if not breakdown or not _may_compare(breakdown):
        return []
    said = {_gist(tag) for tag in known}
    return [tag for tag in _diagnose(breakdown) if _gist(tag) not in said]


def _gist(tag: ErrorTag) -> tuple[str, str]:
    return tag.category, (tag.description or "").partition(":")[0]


def _may_compare(breakdown: Mapping[str, Any]) -> bool:
    """May any entry name an expected or an actual value? A quick look; most breakdowns have none."""
    nodes: list[Any] = [breakdown]
    for node in islice(nodes, _MAX_ENTRIES):
        if isinstance(node, dict):
            if not _EITHER.isdisjoint(node):
                return True
            nodes += node.values()
        elif isinstance(node, list):
            nodes += node
    return len(nodes) > _MAX_ENTRIES


def _diagnose(breakdown: Mapping[str, Any]) -> list[ErrorTag]:
    entries = [entry for entry in comparisons(breakdown) if entry.wrong is not False]
    pairs = kit.swapped(
        [
            (entry.field, (float(entry.expected), float(entry.actual), entry.tolerance))
            for entry in entries
            if kit.is_number(entry.expected)
            and kit.is_number(entry.actual)
            and entry.expected != entry.actual
        ]
    )
    tags = [_tag(kit.SWAPPED, f"{one} and {other} exchanged?") for one, other in pairs]
    explained = {field for pair in pairs for field in pair}
    causes = [(entry, _cause(entry)) for entry in entries if entry.field not in explained]
    wrong = [
        (entry.field, cause, _ratio(entry))
        for entry, cause in causes
        if entry.wrong and kit.is_number(entry.expected)
    ]
    doubtful = kit.unsupported(wrong)
    for entry, cause in causes:
        if cause is not None and entry.field not in doubtful:
            tags.append(_tag(cause.category, f"{entry.field}: {cause.describe()}"))
    return tags[:_MAX_TAGS]


def _ratio(entry: ComparedField) -> float:
    """Answer / reference; NaN if one of them is no number, or the reference is 0."""
    known = kit.is_number(entry.actual) and entry.expected
    return float(entry.actual) / float(entry.expected) if known else math.nan


def comparisons(breakdown: Mapping[str, Any]) -> Iterator[ComparedField]:
    """Every entry, at any depth, that names an expected and an actual value. Iterative, and bounded."""
    stack: list[tuple[str, Any]] = [("", breakdown)]
    for _ in range(_MAX_ENTRIES):
        if not stack:
            return
        path, node = stack.pop()
        if isinstance(node, dict):
            if not _EITHER.isdisjoint(node):  # most entries name neither, and this asks all names at once
                expected, actual = _first(node, _EXPECTED), _first(node, _ACTUAL)
                if expected is not None and actual is not None:
                    yield _compared(path or "answer", node, node[expected], node[actual])
                    continue
            children = [
                (f"{path}.{key}" if path else key, value)
                for key, value in node.items()
                if isinstance(value, _NESTED)
            ]
        else:
            children = [
                (_named(path, number, value), value)
                for number, value in enumerate(node)
                if isinstance(value, _NESTED)
            ]
        stack.extend(reversed(children))


def _compared(field: str, node: Mapping[str, Any], expected: Any, actual: Any) -> ComparedField:
    unit = node.get("unit", node.get("units"))
    absolute = _tolerance(node, _ABS)
    if isinstance(expected, str) and (parts := kit.split_number(expected, thousands=True)):
        expected, unit = parts[0], parts[1] or unit
    if absolute is not None and kit.is_number(expected) and absolute > abs(expected) / 2 and expected:
        absolute = None  # more likely a relative tolerance by the same name
    return ComparedField(
        kit.show(field, 120),
        expected,
        actual,
        _wrong(node),
        unit if isinstance(unit, str) and unit.strip() else None,
        _tolerance(node, _REL),
        absolute,
    )


def _cause(entry: ComparedField) -> kit.Diagnosis | None:
    actual = entry.actual
    parts = kit.split_number(actual, thousands=True) if isinstance(actual, str) else None
    if parts and kit.is_number(entry.expected) and entry.unit is None:
        # A number in text: wrong for its form if the value is right, else wrong for its value.
        right = abs(parts[0] - entry.expected) <= entry.tolerance
        actual = actual if right else parts[0]
    cause = kit.diagnose(
        entry.expected, actual, name=entry.field, unit=entry.unit, rel=entry.rel, abs=entry.abs
    )
    unsure = entry.wrong is None and cause is not None and cause.category in (kit.ROUNDING, kit.NEAR_MISS)
    return None if unsure else cause


def _wrong(node: Mapping[str, Any]) -> bool | None:
    """Did this entry lose credit? Read by the same adapter that draws its bar."""
    verdict = {key: value for key, value in node.items() if key not in _EXPECTED + _ACTUAL}
    rows = breakdown_rows({"entry": verdict})
    if len(rows) != 1 or rows[0].bare:
        return None
    normalised = rows[0].normalised
    return None if normalised is None else normalised < 1


def _first(node: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in node), None)


def _named(path: str, number: int, value: Any) -> str:
    key = _first(value, _NAMES) if isinstance(value, dict) else None
    name = value[key] if key is not None and isinstance(value[key], str) else f"#{number + 1}"
    return f"{path}.{name}" if path else name


def _tolerance(node: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    return next((float(node[key]) for key in keys if kit.is_number(node.get(key)) and node[key] >= 0), None)


def _tag(category: str, description: str) -> ErrorTag:
    return ErrorTag(category=category, description=kit.show(description, 400), source=ErrorSource.MECHANICAL)
