"""Quantiles and tails of the few distributions in use.

Normal and Student quantiles and the fair coin are worked out here, because scipy takes longer to load
than a report to make; only the exact interval of a proportion asks for it. Results are rounded to twelve
significant digits: mathematics libraries differ in the last few, and the same data must give the same
number on every machine.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from adjudge.errors import MissingExtra

_SERIES_BEYOND = 2000
"""Degrees of freedom; beyond, four terms in 1/df are exact to all digits kept."""
_MOST_STEPS = 200
_ASYMPTOTIC_FROM = 100


def normal_quantile(p: float) -> float:
    """z with P(Z <= z) = p, for 0 < p < 1."""
    return steady(NormalDist().inv_cdf(p))


def normal_tail(z: float) -> float:
    """P(Z <= z)."""
    return steady(NormalDist().cdf(z))


def two_sided_z(level: float) -> float:
    """The half-width, in standard errors, of a normal interval at this level."""
    return normal_quantile(0.5 + level / 2)


@lru_cache(maxsize=4096)
def two_sided_t(level: float, df: float) -> float:
    """The half-width, in standard errors, of a Student interval at this level; `df` is at least 1."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    if df > _SERIES_BEYOND:
        return steady(_near_normal(z, df))
    # P(|T| <= t), as a function of the angle atan(t / sqrt(df)), rises ever more slowly. So Newton's steps
    # from the normal quantile, which is too small, come ever closer and never overshoot.
    angle = math.atan(z / math.sqrt(df))
    slope = 2 / math.sqrt(math.pi) * _gamma_ratio(df / 2)
    for _ in range(_MOST_STEPS):
        step = (level - _share_within(angle, df)) / (slope * math.cos(angle) ** (df - 1))
        angle += step
        if abs(step) <= 1e-14 * angle:
            break
    return steady(math.tan(angle) * math.sqrt(df))


def student_tail(t: float, df: float) -> float:
    """P(|T| >= t) for t of zero or more; `df` is at least 1."""
    return steady(1 - _share_within(math.atan(t / math.sqrt(df)), df)) if t < 1 else steady(_beyond(t, df))


def _share_within(angle: float, df: float) -> float:
    """P(|T| <= t) at t = sqrt(df) tan(angle)."""
    t = math.tan(angle) * math.sqrt(df)
    if t > 1:
        return 1 - _beyond(t, df)
    square = math.sin(angle) ** 2
    front = math.sin(angle) * math.cos(angle) ** df * 2 / math.sqrt(math.pi) * _gamma_ratio(df / 2)
    return float(front / _beta_fraction(0.5, df / 2, square))


def _beyond(t: float, df: float) -> float:
    """P(|T| >= t) for t above 1, with all digits however small it is."""
    square = df / (df + t * t)
    front = square ** (df / 2) * math.sqrt(1 - square) / (df / 2) / math.sqrt(math.pi) * _gamma_ratio(df / 2)
    return float(front / _beta_fraction(df / 2, 0.5, square))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction below P(Beta(a, b) <= x), for x up to about the mean (A. and S. 26.5.8).

    Lentz's method: it is the product of the ratios upper * lower, which tend to 1.
    """
    upper, lower, value = 1.0, 0.0, 1.0
    for step in range(1, _MOST_STEPS):
        k = step // 2
        if step % 2:
            part = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        else:
            part = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        lower = 1 / (1 + part * lower)
        upper = 1 + part / upper
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value


def _gamma_ratio(x: float) -> float:
    """Gamma(x + 1/2) / Gamma(x). `math.lgamma` loses three digits at a thousand degrees of freedom."""
    shrink = 1.0
    while x < _ASYMPTOTIC_FROM:
        shrink *= x / (x + 0.5)
        x += 1
    y = 1 / x
    return shrink * math.sqrt(x) * (1 - y / 8 * (1 - y / 16 * (1 + y * 5 / 8 * (1 - y * 21 / 160))))


def _near_normal(z: float, df: float) -> float:
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
