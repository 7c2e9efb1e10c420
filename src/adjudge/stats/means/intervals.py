"""Intervals for a proportion and for the mean of bounded values, and the rule that picks one.

`score_interval` is the default for means, because the simulation says so (docs/statistics.md). It is
Wilson's interval with the effective sample size n* = m(1 - m)/SE²: the number of coin
flips that would have the standard error at hand. It stays inside the range, leans away from its edge
as it should, and takes any standard error, clustered or not. For 0/1 values of independent tasks
it is Wilson's own interval. If most values are one and the same, `mean_of_units` widens the error a
little first. Values that are all equal have no standard error to speak of; then
`equal_values_interval` bounds the share of tasks that would differ.
"""

from __future__ import annotations

import math

from adjudge.contracts import Interval
from adjudge.errors import UsageError
from adjudge.stats.means.quantiles import beta_quantile, two_sided_t, two_sided_z


def wilson_interval(successes: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion. `n` of zero is refused: there is no proportion."""
    _check_counts(successes, n)
    low, high = _wilson(successes / n, n, two_sided_z(level))
    return Interval(
        low=0.0 if successes == 0 else low, high=1.0 if successes == n else high, level=level, method="Wilson"
    )


def wide_wilson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's interval, let out near 0 and 1, where it covers too little (Brown, Cai and DasGupta 2001).

    With one or two successes (three of 20 tries or more) its lower end lies too high for rates that are that
    rare; Poisson's limit for so few takes its place. Likewise the upper end with as few failures.
    """
    plain = wilson_interval(successes, n, level=level)
    few = 2 if n < 20 else 3
    low = _poisson_lower(successes, 1 - level) / n if 1 <= successes <= few else plain.low
    failures = n - successes
    high = 1 - _poisson_lower(failures, 1 - level) / n if 1 <= failures <= few else plain.high
    low, high = min(low, plain.low), max(high, plain.high)
    if (low, high) == (plain.low, plain.high):
        return plain
    return Interval(low=low, high=high, level=level, method="Wilson, let out near 0 and 1")


def _poisson_lower(count: int, tail: float) -> float:
    """The mean of a Poisson count that reaches `count`, 1 to 3, with probability `tail`."""
    low, high = 0.0, float(count)
    while high - low > 1e-13:
        middle = (low + high) / 2
        below = math.exp(-middle) * sum(middle**j / math.factorial(j) for j in range(count))
        low, high = (middle, high) if 1 - below < tail else (low, middle)
    return float(f"{low:.11g}")


def clopper_pearson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The exact interval for a proportion: covers at least `level`, and so is wider than need be."""
    _check_counts(successes, n)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else beta_quantile(tail, successes, n - successes + 1)
    high = 1.0 if successes == n else beta_quantile(1 - tail, successes + 1, n - successes)
    return Interval(low=low, high=high, level=level, method="Clopper-Pearson")


def t_interval(
    mean: float, standard_error: float, df: float, *, level: float = 0.95, low: float, high: float
) -> Interval:
    """Student's interval, cut off at the range that values can take. `standard_error` is above zero."""
    half = two_sided_t(level, df) * standard_error
    return Interval(
        low=max(low, mean - half), high=min(high, mean + half), level=level, method=f"Student t, {df:.4g} df"
    )


def score_interval(
    mean: float, standard_error: float, df: float, *, level: float = 0.95, low: float, high: float
) -> Interval:
    """Wilson's interval at the effective sample size. `standard_error` is above zero, hence `mean` inside."""
    width = high - low
    share = (mean - low) / width
    effective_n = share * (1 - share) / (standard_error / width) ** 2
    left, right = _wilson(share, effective_n, two_sided_t(level, df))
    return Interval(
        low=low + width * left,
        high=low + width * right,
        level=level,
        method=f"score at effective n, t {df:.4g} df",
    )


def equal_values_interval(
    value: float, n: float, *, level: float = 0.95, low: float, high: float
) -> Interval:
    """For `n` observations that are all `value`: how far the mean may lie from it.

    Each of those that would differ could lie anywhere in the range. At the range's edge this is Wilson's
    interval for n of n.
    """
    share = share_that_differs(n, level)
    return Interval(
        low=value - share * (value - low),
        high=value + share * (high - value),
        level=level,
        method="equal values, Wilson bound on the share that differs",
    )


def share_that_differs(n: float, level: float) -> float:
    """How many may be of another kind if none of `n` was: Wilson's upper end for 0 of n, z²/(n + z²)."""
    z = two_sided_z(level)
    return z * z / (n + z * z)


def _wilson(share: float, n: float, q: float) -> tuple[float, float]:
    centre = (share + q * q / (2 * n)) / (1 + q * q / n)
    half = q / (1 + q * q / n) * math.sqrt(share * (1 - share) / n + q * q / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def _check_counts(successes: float, n: float) -> None:
    if not (n > 0 and 0 <= successes <= n):
        raise UsageError(
            "a proportion needs successes out of a positive number",
            found=(successes, n),
            allowed="0 <= successes <= n and n > 0",
        )
