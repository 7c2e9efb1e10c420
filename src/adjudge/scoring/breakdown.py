"""Read a breakdown, whatever its shape, as one table of fields.

`EvaluationResult.breakdown` is kept exactly as the verifier wrote it; this adapter is how people and
reports read it. It never fails and never changes anything: what it does not recognise is left out of the
table and stays in the breakdown. It knows

    {"field": {"score": 0.95, "max_score": 1.0, "evidence": "…"}}      the specification's
    {"field": 0.5, "other": true}                                      flat numbers; true is a pass
    {"group": {"field": …}}                                            groups, at any depth: `group.field`
    {"field": {"score": 4, "reason": "…"}}, {"passed": …}, {"status": "fail"}, {"correct": 3, "total": 5}
    {"criteria": [{"name": "…", "score": …}]}                          lists of named entries
    {"reward": {"score": …, "criteria": [{"name", "value", "raw", "weight", "reasoning"}]}}
    {"…": {"kind": "group", "components": [{"name", "weight", "detail": …}]}}      rewardkit's

An entry that has a score of its own and entries below it is a heading: its entries are the rows.
A score whose maximum is not stated is out of 1 when it and its neighbours are all within [0, 1]; else its
maximum is unknown (None), because drawing 7 of an unknown 10 as a full bar would be a guess.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

_DEEPEST = 64
_SCORE_KEYS = (
    "score",
    "points",
    "points_earned",
    "points_awarded",
    "earned",
    "normalized_score",
    "normalised",
)
_PASS_KEYS = (
    "passed",
    "pass",
    "ok",
    "success",
    "correct",
    "is_correct",
    "match",
    "matched",
    "met",
    "satisfied",
)
_STATUS_KEYS = ("status", "verdict", "result", "outcome", "judgment", "judgement")
_MAX_KEYS = ("max_score", "max", "maximum", "max_points", "points_possible", "possible", "out_of", "total")
_NAME_KEYS = (
    "name",
    "field",
    "id",
    "criterion",
    "check",
    "dimension",
    "metric",
    "test",
    "title",
    "key",
    "label",
)
_EVIDENCE_KEYS = (
    *("evidence", "reason", "reasoning", "rationale", "explanation", "justification", "feedback"),
    *("message", "msg", "notes", "note", "comments", "comment", "details", "detail", "description"),
)
_STATUS = dict.fromkeys(("pass", "passed", "ok", "success", "correct", "met", "true"), 1.0) | dict.fromkeys(
    ("fail", "failed", "error", "failure", "incorrect", "wrong", "unmet", "missing", "false"), 0.0
)
_NOT_APPLICABLE = frozenset({"na", "n/a", "not applicable", "not_applicable", "skipped"})
_CONTAINERS = frozenset(
    {
        "fields",
        "scores",
        "field_scores",
        "per_field",
        "criteria",
        "checks",
        "components",
        "dimensions",
        "items",
    }
    | {
        "breakdown",
        "details",
        "detail",
        "results",
        "metrics",
        "subscores",
        "sub_scores",
        "tests",
        "assertions",
    }
)
"""Keys that only hold the entries; they are left out of a field's name."""
_MEASURED = frozenset({"expected", "actual", "got", "reference", "tolerance", "rel_tol", "abs_tol", "tol"})
"""Keys of what was measured: numbers beside them are no scores."""
_HEADLINES = frozenset(
    {
        "reward",
        "total",
        "total_score",
        "overall",
        "overall_score",
        "final_score",
        "score",
        "max_score",
        "mean",
    }
    | {"average", "weight", "weights", "threshold", "pass_rate", "count", "passed", "success", "version"}
)
"""Numbers about the table, if they stand beside entries or text."""


class FieldScore(Struct, frozen=True):
    """One row: `score` is None for "not applicable", `max_score` is None if nobody can tell."""

    field: str
    score: float | None
    max_score: float | None = 1.0
    evidence: str | None = None
    weight: float | None = None
    bare: bool = False
    """A number or bool on its own, without a word that says it is a score."""

    @property
    def normalised(self) -> float | None:
        """score / max_score, clamped to [0, 1]; None if either is unknown."""
        if self.score is None or self.max_score is None:
            return None
        return min(max(self.score / self.max_score, 0.0), 1.0)


class _Row(Struct):
    path: tuple[str, ...]
    score: float | None
    max_score: float | None
    evidence: str | None = None
    weight: float | None = None
    bare: bool = False


def breakdown_rows(breakdown: Mapping[str, Any] | None) -> list[FieldScore]:
    """The table of a breakdown, in the file's order; empty for None and if nothing looks like a score."""
    if not breakdown:
        return []
    rows = list(_entries((), breakdown, 0))
    if not rows and (row := _field(("score",), breakdown)) is not None:
        rows = [row]
    _settle_maxima(rows)
    return [FieldScore(_name(r.path), r.score, r.max_score, r.evidence, r.weight, r.bare) for r in rows]


def _name(path: tuple[str, ...]) -> str:
    """What a field is called in every table; an empty key is shown as one, so that no field has no name."""
    return ".".join(key or '""' for key in path)


def _entries(path: tuple[str, ...], node: Mapping[str, Any], depth: int) -> Iterator[_Row]:
    """The rows of a group: its bare numbers and all that lies below."""
    if depth > _DEEPEST:
        return
    bare = all(_number(value) is not None for value in node.values())
    measured = (bool(path) or not bare) and not _MEASURED.isdisjoint(node)
    for key, value in node.items():
        inner = (*path, key)
        if isinstance(value, dict):
            yield from _below(path if key in _CONTAINERS else inner, value, depth + 1)
        elif isinstance(value, list):
            yield from _listed(path if key in _CONTAINERS else inner, value, depth + 1)
        elif measured or key == "reward" or (key in _HEADLINES and not bare):
            continue
        elif (number := _number(value)) is not None:
            yield _Row(inner, number, 1.0 if isinstance(value, bool) else None, bare=True)


def _below(path: tuple[str, ...], node: Mapping[str, Any], depth: int) -> Iterator[_Row]:
    """The rows of one entry: those below it if it is a heading, else the entry itself, else its group."""
    row = _field(path, node)
    if row is None:
        yield from _entries(path, node, depth)
        return
    heads = False
    if depth <= _DEEPEST:
        for key, value in node.items():
            inner: Iterator[_Row] = iter(())
            if isinstance(value, dict) and (key in _CONTAINERS or _field(path, value) is not None):
                inner = _below(path if key in _CONTAINERS else (*path, key), value, depth + 1)
            elif isinstance(value, list) and key in _CONTAINERS:
                inner = _listed(path, value, depth + 1)
            for below in inner:
                if not below.bare:
                    heads = True
                    yield below
    if not heads:
        yield row


def _listed(path: tuple[str, ...], items: list[Any], depth: int) -> Iterator[_Row]:
    """The rows of a list of entries; a list of anything else is data, not scores."""
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            continue
        name = next((str(item[k]) for k in _NAME_KEYS if isinstance(item.get(k), (str, int))), f"#{number}")
        node = item
        if isinstance(detail := item.get("detail"), dict):  # rewardkit's components
            node = {key: value for key, value in {**item, **detail}.items() if key != "detail"}
        if _field((), node) is not None:
            yield from _below((*path, name), node, depth)


def _field(path: tuple[str, ...], node: Mapping[str, Any]) -> _Row | None:
    """The entry as a row; None if nothing in it says what it scored."""
    key: str | None
    stated = next((m for k in _MAX_KEYS if (m := _number(node.get(k))) is not None and m > 0), None)
    for key in _SCORE_KEYS:
        if key in node and (node[key] is None or _number(node[key]) is not None):
            score = _number(node[key])
            break
    else:
        key, score = _verdict(node, stated)
        if key is None:
            return None
    if isinstance(node.get(key), (bool, str)):
        stated = 1.0  # a verdict is out of one, whatever else is counted beside it
    weight = _number(node.get("weight"))
    weight = weight if weight is not None and weight >= 0 else None
    return _Row(path or ("score",), score, stated, _evidence(node, key), weight)


def _verdict(node: Mapping[str, Any], stated: float | None) -> tuple[str | None, float | None]:
    """The key and the score of an entry that passes, fails or counts rather than scores."""
    for key in _PASS_KEYS:
        value = node.get(key)
        if isinstance(value, bool) or (stated is not None and _number(value) is not None):
            return key, _number(value)
    for key in _STATUS_KEYS:
        if isinstance(value := node.get(key), str):
            word = value.strip().lower()
            if word in _STATUS or word in _NOT_APPLICABLE:
                return key, _STATUS.get(word)
    value = _number(node.get("value"))
    if (
        value is not None
        and ("raw" in node or "weight" in node or _MEASURED.isdisjoint(node))
        and 0 <= value <= 1
    ):
        return "value", value
    return None, None


def _evidence(node: Mapping[str, Any], used: str) -> str | None:
    """What the verifier says about an entry, in one string."""
    parts = [text for key in _EVIDENCE_KEYS if key != used and (text := _text(node.get(key))) is not None][:1]
    if (error := _text(node.get("error"))) is not None:
        parts.append(f"error: {error}")
    if not parts:
        parts = [
            f"{key} {text}"
            for key in ("expected", "reference", "actual", "got", "found")
            if key in node and (text := _text(node[key])) is not None
        ]
    return "; ".join(parts) or None


def _text(value: object) -> str | None:
    """A value as a phrase; None for nothing."""
    if value is None or value in ("", [], {}):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


def _number(value: object) -> float | None:
    """A finite number (a bool counts as 0 or 1); None for everything else."""
    if not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _settle_maxima(rows: list[_Row]) -> None:
    """Fill in the maxima nobody stated, group by group: 1 if all are within [0, 1], else unknown."""
    groups: dict[tuple[str, ...], list[_Row]] = {}
    for row in rows:
        if row.max_score is None:
            groups.setdefault(row.path[:-1], []).append(row)
    for group in groups.values():
        if all(row.score is None or 0 <= row.score <= 1 for row in group):
            for row in group:
                row.max_score = 1.0
