"""Quantiles and tails of the few distributions in use.

Normal and Student quantiles and the fair coin are worked out here, because scipy takes longer to load
than a report to make; only the exact interval of a proportion asks for it. Results are rounded to twelve
significant digits: mathematics libraries differ in the last few, and the same data must give the same
number on every machine.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from adjudge.errors import MissingExtra

_SERIES_UP_TO = 2000
"""Degrees of freedom; beyond, four terms in 1/df are exact to all digits kept."""


def normal_quantile(p: float) -> float:
    """z with P(Z <= z) = p, for 0 < p < 1."""
    return steady(NormalDist().inv_cdf(p))


def normal_tail(z: float) -> float:
    """P(Z <= z)."""
    return steady(NormalDist().cdf(z))


def two_sided_z(level: float) -> float:
    """The half-width, in standard errors, of a normal interval at this level."""
    return normal_quantile(0.5 + level / 2)


def two_sided_t(level: float, df: int) -> float:
    """The half-width, in standard errors, of a Student interval at this level; `df` is at least 1."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    if df > _SERIES_UP_TO:
        return steady(_near_normal(z, df))
    # P(|T| <= t), as a function of the angle atan(t / sqrt(df)), rises ever more slowly. So Newton's steps
    # from the normal quantile, which is too small, come ever closer and never overshoot.
    angle = math.atan(z / math.sqrt(df))
    slope = _slope_at_zero(df)
    step = angle
    while step > 1e-15 * angle:
        step = (level - _share_within(angle, df)) / (slope * math.cos(angle) ** (df - 1))
        angle += step
    return steady(math.tan(angle) * math.sqrt(df))


def _share_within(angle: float, df: int) -> float:
    """P(|T| <= t) at t = sqrt(df) tan(angle): a sum of df/2 terms (Abramowitz, Stegun 26.7.3)."""
    square = math.cos(angle) ** 2
    if df % 2:
        terms, term, above = [angle], math.sin(angle) * math.cos(angle), 2
    else:
        terms, term, above = [], math.sin(angle), 1
    for _ in range(df // 2):
        terms.append(term)
        term *= above / (above + 1) * square
        above += 2
    return math.fsum(terms) * (2 / math.pi if df % 2 else 1.0)


def _slope_at_zero(df: int) -> float:
    """d/d(angle) of that share at angle 0; elsewhere it is this times cos(angle)^(df - 1)."""
    slope = 2 / math.pi if df % 2 else 1.0
    for below in range(2 - df % 2, df, 2):
        slope *= (below + 1) / below
    return slope


def _near_normal(z: float, df: int) -> float:
    """Student's quantile from the normal one, in powers of 1/df (Abramowitz, Stegun 26.7.5)."""
    return (
        z
        + (z**3 + z) / (4 * df)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * df**4)
    )


def coin_tail(k: int, n: int) -> float:
    """P(at most k heads in n throws of a fair coin), for 0 <= k <= n/2."""
    # Each term is smaller than the one before, going down from k; a whole number holds the first exactly.
    term = total = 1.0
    for below in range(k, 0, -1):
        term *= below / (n - below + 1)
        total += term
        if term < 1e-17 * total:
            break
    ways = math.comb(n, k)
    spare = max(0, ways.bit_length() - 64)
    return steady(math.ldexp(float(ways >> spare), spare - n) * total)


def beta_quantile(p: float, a: float, b: float) -> float:
    """x with P(Beta(a, b) <= x) = p. MissingExtra without scipy."""
    try:
        from scipy import special  # type: ignore[import-untyped]  # scipy ships no types
    except ModuleNotFoundError as error:
        raise MissingExtra("stats", needed_for="an exact (Clopper-Pearson) interval") from error
    return steady(float(special.betaincinv(a, b, p)))


def steady(x: float) -> float:
    """Twelve significant digits."""
    return float(f"{x:.12g}")
