"""The standard error of a mean and its degrees of freedom, with clusters as unequal as templates are.

Without clusters: s/sqrt(n) and n - 1. With them, the bias-reduced error (CR2): a cluster of m tasks adds the
square of its sum of residuals, divided by 1 - m/n, because the mean follows a large cluster and takes its
residuals away. The degrees of freedom are Satterthwaite's (Bell and McCaffrey), for tasks that correlate
within a cluster as much as these do (Imbens and Kolesár). So one large template among many small ones leaves
few degrees of freedom, as it should. With clusters of equal size this is the usual clustered error, with one
degree of freedom less than there are clusters.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.trial_table import FloatArray, IntArray

NO_SPREAD = 1e-12


def standard_error(
    values: FloatArray, mean: float, codes: IntArray | None = None
) -> tuple[float | None, float]:
    """The error of the mean of two groups or more, and its degrees of freedom.

    No error, with the degrees of freedom it would have, if the groups show no spread, rounding aside.
    """
    residuals = values - mean
    n = len(values)
    if codes is None:
        error = math.sqrt(math.fsum((residuals**2).tolist()) / (n - 1) / n)
        return (error if error > NO_SPREAD else None), float(n - 1)
    sizes = np.bincount(codes).astype(np.float64)
    squares = cluster_sums(residuals, codes) ** 2
    error = math.sqrt(math.fsum((squares / (1 - sizes / n)).tolist())) / n
    df = degrees_of_freedom(sizes, _correlation(squares, residuals, sizes))
    return (error if error > NO_SPREAD else None), df


def degrees_of_freedom(sizes: FloatArray, correlation: float) -> float:
    """Satterthwaite's degrees of freedom for the CR2 error of a mean, if tasks of a cluster correlate so.

    The error is a quadratic form in the cluster totals: its degrees of freedom are tr(B)²/tr(B²), where B is
    its matrix times the covariance of the residual sums, diag(v) - v p' - p v' + p p' sum(v). Never below 1.
    """
    sizes = np.sort(sizes)  # so that names cannot change the last digit
    n = float(sizes.sum())
    share = sizes / n
    weight = 1 / (n * n * (1 - share))
    variance = sizes * (1 + (sizes - 1) * correlation)
    total = float(variance.sum())
    # Everything but diag(v) has rank two: [v p] K [v p]'.
    inner = np.stack((variance, share), axis=1)
    k = np.array([[0.0, -1.0], [-1.0, total]])
    gram = k @ (inner.T @ (inner * weight[:, None]))
    low_rank = -2 * variance * share + share**2 * total
    trace = float((weight * (variance + low_rank)).sum())
    squares = float(np.trace(gram @ gram) + (weight**2 * (variance**2 + 2 * variance * low_rank)).sum())
    return max(1.0, float(f"{trace * trace / squares:.10g}"))


def effective_clusters(codes: IntArray) -> float:
    """How many clusters of equal size weigh as much as these: n²/sum of squared sizes (Kish)."""
    sizes = np.bincount(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _correlation(squares: FloatArray, residuals: FloatArray, sizes: FloatArray) -> float:
    """How much the tasks of a cluster correlate, by moments, from 0 to 1; 0 if each is its own cluster."""
    pairs = float((sizes * (sizes - 1)).sum())
    spread = math.fsum((residuals**2).tolist())
    if pairs == 0 or spread <= NO_SPREAD:
        return 0.0
    together = math.fsum(squares.tolist()) - spread
    return min(1.0, max(0.0, together / pairs / (spread / len(residuals))))
