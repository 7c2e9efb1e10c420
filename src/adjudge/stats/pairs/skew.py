"""How far a mean difference may lie if the differences lean to one side.

A few large losses among many small gains: Student's interval, and flips that are inverted away from zero,
end too close to the mean on the side of the long tail, because most of the tail is unseen. So pseudo-groups
as far out as the farthest group seen join that side. Their weight is the skewness of the groups, at most 1
+ 20/groups and 1.5. Differences of two equal agents are symmetric, so the correction costs no power there.
Chosen by simulation: with it a candidate that has lost the margin passes a gate in at most (1 - level)/2 of
cases (benchmarks/simulated_errors.py); without it, in up to 4.5 %.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.means.errors import standard_error
from adjudge.stats.means.quantiles import two_sided_t
from adjudge.stats.trial_table import FloatArray, IntArray


def skewed_ends(
    values: FloatArray, mean: float, codes: IntArray | None, level: float
) -> tuple[float, float] | None:
    """Both ends at this level, not cut off at the range; None if the groups (two or more) show no spread."""
    error, df = standard_error(values, mean, codes)
    if error is None:
        return None
    left = values - mean
    if codes is not None:
        left = cluster_sums(left, codes)
    sizes = np.ones(len(values)) if codes is None else np.bincount(codes).astype(np.float64)
    n, groups = len(values), len(left)
    spread = math.sqrt(math.fsum((left**2).tolist()) / (groups - 1))
    lean = math.fsum((left**3).tolist()) / groups / spread**3 if spread > 0 else 0.0
    critical = two_sided_t(level, df)

    def end(side: int) -> float:
        weight = min(max(0.0, side * lean), most_pseudo_groups(groups))
        at = int(np.argmax(side * left))
        far, total = float(left[at]), n + weight * float(sizes[at])
        return mean + (weight * far + side * critical * math.sqrt((n * error) ** 2 + weight * far**2)) / total

    return end(-1), end(1)


def most_pseudo_groups(groups: int) -> float:
    """The largest weight that groups which were not seen may have."""
    return min(1.5, 1 + 20 / groups)
