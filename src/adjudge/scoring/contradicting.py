"""Does the table of fields contradict the reward?

The reward of `reward.json` counts whatever this finds; a contradiction earns a tag for a person to look
at. An alarm that is sometimes false would soon be ignored, so a reward is only called contradictory when
no usual way of combining the fields gives it, within the rounding of two decimals:

- the mean, the weighted mean, points over maximum points, minimum, product, geometric mean, plain sum;
- a mean under weights the file does not state, as long as they differ at most tenfold (if the
  file states every weight, those are taken at their word);
- a reward of 1 if the fields reach one half or more on average (a pass mark), and a reward of 0 if any
  field falls short (everything had to be right);
- any of these over the file's top-level groups instead of over its fields.

If the file names a rule of its own (an aggregation, a gate, a penalty), or a number may not be a score
at all (a bare bool, a bare number among other content, a name such as `error_rate`), nothing is concluded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge._lazy import late_pattern
from adjudge.scoring.breakdown import FieldScore, breakdown_rows

TOLERANCE = 0.005 + 1e-9
"""Verifiers round rewards to two decimals: 2/3 is written 0.67."""
_WEIGHT_RATIO = 10.0
_PASS_MARK = 0.5
_OWN_RULE = late_pattern(
    r"aggregat|rollup|gate|penal|bonus|multiplier|cap$|deduct|guard|threshold", re.IGNORECASE
)
_NO_SCORE = late_pattern(
    r"err|fail|miss|penal|loss|diff|delta|dist|viol|invalid|tol|thresh|weight|rate|time|sec|count|num|^n_|^min|^max",
    re.IGNORECASE,
)


def contradiction(reward: float, breakdown: Mapping[str, Any] | None) -> str | None:
    """Why the breakdown contradicts the reward, in a sentence; None if it does not, or if nobody can tell."""
    if breakdown is None:
        return None
    own = breakdown.get("reward")
    if (
        isinstance(own, float | int)
        and not isinstance(own, bool)
        and 0 <= own <= 1
        and abs(own - reward) > TOLERANCE
    ):
        return f"their own reward is {own:.4g}"
    if _plainly_agrees(reward, breakdown):
        return None
    rows = [row for row in breakdown_rows(breakdown) if row.score is not None]
    values = [value for row in rows if (value := row.normalised) is not None]
    if (
        not values
        or len(values) < len(rows)
        or any(_OWN_RULE.search(key) for key in _keys(breakdown))
        or not _only_scores(breakdown, rows)
        or _explains(reward, values, rows)
        or _explains(reward, _groups(breakdown))
    ):
        return None
    if len(values) == 1:
        return f"the one field is {values[0]:.4g}"
    mean = math.fsum(values) / len(values)
    return (
        f"its {len(values)} fields have mean {mean:.4g}, lowest {min(values):.4g}, highest {max(values):.4g}"
    )


def _plainly_agrees(reward: float, breakdown: Mapping[str, Any]) -> bool:
    """Is the reward the mean of the top-level fields? So it mostly is, and no table needs to be made."""
    total = 0.0
    for value in breakdown.values():
        score, maximum = value, 1.0
        if type(value) is dict:
            score, maximum = value.get("score"), value.get("max_score", 1.0)
        if (
            type(score) not in (float, int)
            or type(maximum) not in (float, int)
            or not 0 <= score <= maximum <= 1e9
        ):
            return False
        total += score / (maximum or 1.0)
    return bool(breakdown) and abs(total / len(breakdown) - reward) <= TOLERANCE


def _keys(breakdown: Mapping[str, Any]) -> set[str]:
    """The keys of the two uppermost levels."""
    keys = set(breakdown)
    for value in breakdown.values():
        if isinstance(value, dict):
            keys.update(value)
    return keys


def _only_scores(breakdown: Mapping[str, Any], rows: Sequence[FieldScore]) -> bool:
    """Can every row be trusted to be a score? Bare numbers only count in a table of nothing else."""
    if not any(row.bare for row in rows):
        return True
    stack: list[Any] = [breakdown]
    while stack:
        node = stack.pop()
        for key, value in node.items():
            if isinstance(value, dict):
                stack.append(value)
            elif isinstance(value, bool) or not isinstance(value, (int, float)) or _NO_SCORE.search(key):
                return False
    return all(row.bare for row in rows)


def _groups(breakdown: Mapping[str, Any]) -> list[float]:
    """One value per top-level entry: its own score if it has one, else the mean of its rows."""
    table = []
    for key, value in breakdown.items():
        if not isinstance(value, dict):
            continue
        own = value.get("score")
        inner = [n for row in breakdown_rows({key: value}) if (n := row.normalised) is not None]
        if isinstance(own, float | int) and not isinstance(own, bool) and 0 <= own <= 1:
            table.append(float(own))
        elif inner:
            table.append(math.fsum(inner) / len(inner))
    return table


def _explains(reward: float, values: Sequence[float], rows: Sequence[FieldScore] = ()) -> bool:
    """Is there a usual way from these normalised values (of these rows) to the reward?"""
    if not values:
        return False
    mean = weighted = math.fsum(values) / len(values)
    product = math.prod(values)
    usual = [mean, min(values), product, product ** (1 / len(values))]
    scores = [row.score or 0.0 for row in rows] or list(values)
    usual.append(math.fsum(scores) / (math.fsum(row.max_score or 1.0 for row in rows) or len(values)))
    if max(scores) < 1 - TOLERANCE:  # shares of the reward that were weighted already
        usual.append(math.fsum(scores))
    weights = [row.weight for row in rows if row.weight is not None]
    if weights and len(weights) == len(values) and (total := math.fsum(weights)) > 0:
        weighted = math.fsum(v * w for v, w in zip(values, weights, strict=True)) / total
        usual += [weighted, weighted * total]
        low = high = weighted
    else:
        low, high = _reach(values)
    if (
        any(abs(reward - value) <= TOLERANCE for value in usual)
        or low - TOLERANCE <= reward <= high + TOLERANCE
    ):
        return True
    if reward >= 1 - TOLERANCE:
        return max(mean, weighted) >= _PASS_MARK
    return reward <= TOLERANCE and min(values) < 1 - TOLERANCE


def _reach(values: Sequence[float]) -> tuple[float, float]:
    """The lowest and highest mean that weights differing at most tenfold can give.

    The extreme has full weight on one side of a cut through the sorted values, so every cut is tried.
    """
    ordered = sorted(values)
    total, n = math.fsum(ordered), len(ordered)
    low = high = total / n
    below = 0.0
    for k, value in enumerate(ordered[:-1], 1):
        below += value
        above = total - below
        low = min(low, (_WEIGHT_RATIO * below + above) / (_WEIGHT_RATIO * k + n - k))
        high = max(high, (below + _WEIGHT_RATIO * above) / (k + _WEIGHT_RATIO * (n - k)))
    return low, high
