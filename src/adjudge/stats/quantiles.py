"""Quantiles and tails of the few distributions in use: the one place that needs scipy.

`scipy.special` loads in a fraction of the time of `scipy.stats`. Results are rounded to twelve significant
digits: mathematics libraries differ in the last few, and the same data must give the same number on
every machine.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from adjudge.errors import MissingExtra, UsageError


def check_level(level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(
            "a confidence level is a share", found=level, allowed="a number between 0 and 1, such as 0.95"
        )


def normal_quantile(p: float) -> float:
    """z with P(Z <= z) = p, for 0 < p < 1."""
    return _steady(NormalDist().inv_cdf(p))


def normal_tail(z: float) -> float:
    """P(Z <= z)."""
    return _steady(NormalDist().cdf(z))


def two_sided_z(level: float) -> float:
    """The half-width, in standard errors, of a normal interval at this level."""
    return normal_quantile(0.5 + level / 2)


def two_sided_t(level: float, df: int) -> float:
    """The half-width, in standard errors, of a Student interval at this level; `df` is at least 1."""
    # t² / (df + t²) is Beta(1/2, df/2); older releases of scipy invert Student's t to ten digits only.
    share = float(_special().betaincinv(0.5, df / 2, level))
    return _steady(math.sqrt(df * share / (1 - share)))


def beta_quantile(p: float, a: float, b: float) -> float:
    """x with P(Beta(a, b) <= x) = p."""
    return _steady(float(_special().betaincinv(a, b, p)))


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(Binomial(n, p) <= k)."""
    return _steady(float(_special().bdtr(k, n, p)))


def _steady(x: float) -> float:
    return float(f"{x:.12g}")


def _special() -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]  # scipy ships no types
    except ModuleNotFoundError as error:
        raise MissingExtra("stats", needed_for="an interval or a p-value") from error
    return special
