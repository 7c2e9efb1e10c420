"""Score many trials by one rubric at once, giving the same numbers as `score_rubric`, bit for bit.

The work is done column by column in the rubric's order, so that each trial's sum is built by the same
additions in the same order as the scalar scorer's. Two of numpy's shortcuts would break that and are avoided:
`np.round` (multiply, round, divide) errs near ties, where Python's `round` decides by the exact value;
`np.log` and `np.exp` may differ from the C library's in the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjudge.contracts import Rubric
from adjudge.errors import RubricError
from adjudge.scoring.rollups import DECIMALS, check_rollup, roll_up

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]


def score_rubric_many(
    rubric: Rubric, matrix: npt.ArrayLike, *, missing: npt.ArrayLike | None = None
) -> Array:
    """Rewards of many trials: one row per trial, one column per dimension, in the rubric's order.

    NaN is "not applicable"; True in `missing` is "not scored", which counts 0. A trial to which no counting
    dimension applies gets NaN, the array's word for undefined (`score_rubric` refuses it).
    """
    import numpy as np

    check_rollup(rubric)
    scores = np.asarray(matrix)
    if scores.dtype.kind not in "iuf":
        raise RubricError("scores must be numbers", found=str(scores.dtype), allowed="an array of numbers")
    scores = scores.astype(np.float64)
    width = len(rubric.dimensions)
    if scores.ndim != 2 or scores.shape[1] != width:
        raise RubricError(
            "wrong shape", found=scores.shape, allowed=f"(trials, {width}): one column per dimension"
        )
    if missing is not None:
        mask = np.asarray(missing, dtype=np.bool_)
        if mask.shape != scores.shape:
            raise RubricError("wrong shape", field="missing", found=mask.shape, allowed=repr(scores.shape))
        scores = np.where(mask, 0.0, scores)
    if np.isinf(scores).any():
        raise RubricError(
            "not a finite number", found=math.inf, allowed="finite numbers; NaN: not applicable"
        )

    counting = [place for place, dimension in enumerate(rubric.dimensions) if dimension.weight > 0]
    weights = [rubric.dimensions[place].weight for place in counting]
    maxima = np.array([rubric.dimensions[place].max_score for place in counting])
    with np.errstate(over="ignore"):  # as in Python, where a quotient past the largest float is just infinite
        normalised = np.minimum(np.maximum(scores[:, counting] / maxima, 0.0), 1.0)
    applies = ~np.isnan(normalised)
    rewards = np.full(len(scores), np.nan)
    defined = applies.any(axis=1)
    roll = _VECTORISED.get(rubric.rollup, _row_by_row)
    with np.errstate(over="ignore"):
        rewards[defined] = roll(rubric, normalised[defined], applies[defined], weights)
    return rewards + 0.0  # one zero, not two


def round_many(values: Array) -> Array:
    """Python's `round(value, 4)` for values in [0, 1]; the few next to a tie are rounded by Python itself."""
    import numpy as np

    scaled = values * 10.0**DECIMALS
    rounded: Array = np.rint(scaled) / 10.0**DECIMALS
    near_tie = np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) < 1e-6
    for place in np.flatnonzero(near_tie):
        rounded[place] = round(float(values[place]), DECIMALS)
    return rounded


def _sums(values: Array, applies: Mask, weights: list[float]) -> Array:
    """sum(value * weight) / sum(weight) over what applies, added up column by column."""
    import numpy as np

    total = np.zeros(len(values))
    weight_sum = np.zeros(len(values))
    for column, weight in enumerate(weights):
        here = applies[:, column]
        total = np.where(here, total + values[:, column] * weight, total)
        weight_sum = np.where(here, weight_sum + weight, weight_sum)
    return total / weight_sum


def _weighted_mean(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    import numpy as np

    return round_many(np.minimum(_sums(values, applies, weights), 1.0))


def _minimum(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    import numpy as np

    return round_many(np.where(applies, values, np.inf).min(axis=1))


def _geometric_mean(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    import numpy as np

    lowest = np.where(applies, values, np.inf).min(axis=1)
    positive = np.where(applies & (values > 0), values, 1.0)
    logs = np.array([math.log(value) for value in positive.ravel().tolist()]).reshape(values.shape)
    means = np.array([math.exp(value) for value in _sums(logs, applies, weights).tolist()])
    return np.where(lowest == 0, 0.0, round_many(np.minimum(means, 1.0)))


def _all_pass(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    import numpy as np

    reached = round_many(np.where(applies, values, 1.0).ravel()).reshape(values.shape) >= rubric.threshold
    return np.where((reached | ~applies).all(axis=1), 1.0, 0.0)


def _threshold(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    import numpy as np

    return np.where(_weighted_mean(rubric, values, applies, weights) >= rubric.threshold, 1.0, 0.0)


def _row_by_row(rubric: Rubric, values: Array, applies: Mask, weights: list[float]) -> Array:
    """For a rollup of the user's own, which is a function of one trial."""
    import numpy as np

    rewards = []
    for row, here in zip(values.tolist(), applies.tolist(), strict=True):
        kept = [(value, weight) for value, weight, yes in zip(row, weights, here, strict=True) if yes]
        rewards.append(roll_up(rubric, [value for value, _ in kept], [weight for _, weight in kept]))
    return np.array(rewards, dtype=np.float64)


_VECTORISED: dict[str, Callable[[Rubric, Array, Mask, list[float]], Array]] = {
    "weighted_mean": _weighted_mean,
    "min": _minimum,
    "geometric_mean": _geometric_mean,
    "all_pass": _all_pass,
    "threshold": _threshold,
}
