"""How the dimensions of a rubric become one number: named functions of (normalised scores, weights).

A rollup gets the dimensions that apply and have a weight above 0, each normalised to [0, 1], and returns a
number in [0, 1]. One that passes or fails declares a keyword `threshold` and gets the rubric's.

The arithmetic is part of the contract, because the vectorised scorer and the kit that verifiers carry must
give the same bits: sums run from the first dimension to the last, one addition after the other (not
`sum()`, which compensates from Python 3.12 on, and not pairwise as numpy does), and a comparison with a
threshold is made on the number rounded to 4 decimals.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from adjudge.contracts import Rubric
from adjudge.errors import RubricError

DECIMALS = 4
Rollup = Callable[..., float]
"""fn(normalised, weights) or fn(normalised, weights, *, threshold)."""


class _Registered(Struct, frozen=True):
    function: Rollup
    wants_threshold: bool


_ROLLUPS: dict[str, _Registered] = {}


def register_rollup(name: str, function: Rollup) -> None:
    """Make a rollup known by a name. A name that is taken is refused: a rubric must mean one thing."""
    if name in _ROLLUPS:
        raise RubricError("a rollup of this name is registered already", found=name, allowed="a new name")
    wants = "threshold" in inspect.signature(function).parameters
    _ROLLUPS[name] = _Registered(function, wants)


def rollup_names() -> list[str]:
    """The names a rubric may use."""
    return list(_ROLLUPS)


def check_rollup(rubric: Rubric) -> None:
    """Raise `RubricError` if the rubric's rollup is not known or its weights cannot be added up."""
    if rubric.rollup not in _ROLLUPS:
        raise RubricError(
            "no such rollup",
            field="rollup",
            found=rubric.rollup,
            allowed=", ".join(_ROLLUPS),
            remedy="Register your own with adjudge.register_rollup.",
        )
    weight_sum = 0.0
    for dimension in rubric.dimensions:
        weight_sum += dimension.weight
    if math.isinf(weight_sum):
        raise RubricError("the weights add up to infinity", allowed="weights with a finite sum")


def roll_up(rubric: Rubric, normalised: Sequence[float], weights: Sequence[float]) -> float:
    """The reward, rounded to 4 decimals; raises `RubricError` if a rollup leaves [0, 1]."""
    check_rollup(rubric)
    entry = _ROLLUPS[rubric.rollup]
    extra = {"threshold": rubric.threshold} if entry.wants_threshold else {}
    value = entry.function(normalised, weights, **extra)
    reward = round(float(value), DECIMALS)
    if not 0 <= reward <= 1:
        raise RubricError(
            f"the rollup {rubric.rollup!r} left the range of rewards", found=value, allowed="0.0 to 1.0"
        )
    return reward + 0.0  # one zero, not two


def weighted_mean(normalised: Sequence[float], weights: Sequence[float]) -> float:
    """sum(normalised * weight) / sum(weight)."""
    total = weight_sum = 0.0
    for value, weight in zip(normalised, weights, strict=True):
        total += value * weight
        weight_sum += weight
    return min(total / weight_sum, 1.0)  # a mean of ones may round to just above one


def minimum(normalised: Sequence[float], weights: Sequence[float]) -> float:
    """The worst dimension wins."""
    return min(normalised)


def geometric_mean(normalised: Sequence[float], weights: Sequence[float]) -> float:
    """exp(sum(weight * log(normalised)) / sum(weight)); 0 if any dimension is 0."""
    if min(normalised) == 0:
        return 0.0
    total = weight_sum = 0.0
    for value, weight in zip(normalised, weights, strict=True):
        total += math.log(value) * weight
        weight_sum += weight
    return min(math.exp(total / weight_sum), 1.0)


def all_pass(normalised: Sequence[float], weights: Sequence[float], *, threshold: float) -> float:
    """1 if every dimension reaches the threshold, else 0."""
    return 1.0 if all(round(value, DECIMALS) >= threshold for value in normalised) else 0.0


def threshold_mean(normalised: Sequence[float], weights: Sequence[float], *, threshold: float) -> float:
    """1 if the weighted mean reaches the threshold, else 0."""
    return 1.0 if round(weighted_mean(normalised, weights), DECIMALS) >= threshold else 0.0


register_rollup("weighted_mean", weighted_mean)
register_rollup("min", minimum)
register_rollup("geometric_mean", geometric_mean)
register_rollup("all_pass", all_pass)
register_rollup("threshold", threshold_mean)
