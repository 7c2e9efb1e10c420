"""Errors and degrees of freedom for clusters of unequal size, against the matrices that define them."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.means.errors import degrees_of_freedom, effective_clusters, standard_error

REWARDS = np.array([1, 0.5, 0.75, 0, 1, 0.25, 1, 1, 0.5, 0.9])
CLUSTERS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3])

FROZEN = [
    # sizes of the clusters, correlation within them, degrees of freedom by `by_definition`
    ([3, 2, 3, 2], 0.0, 2.861313869),
    ([3, 2, 3, 2], 0.5, 2.694699785),
    ([20, 10, 7, 5, 4, 3, 3, 2, 2, 2], 0.0, 4.640203957),
    ([50, *[2] * 25], 0.0, 3.6995377503852085),
    ([50, *[2] * 25], 1.0, 1.152883605145338),
    ([5] * 10, 0.3, 9.0),
    ([1] * 12, 0.0, 11.0),
]


def by_definition(sizes: list[int], correlation: float) -> tuple[np.ndarray, float]:
    """The matrix G with CR2 error² = |G' x|², and Satterthwaite's degrees of freedom, from n x n matrices.

    CR2: sum over clusters of (1' (I - H_gg)^(-1/2) e_g)²/n², H = 11'/n. Its expectation under a covariance V
    is tr(G' V G), and its degrees of freedom are tr(G' V G)²/tr((G' V G)²) (Bell and McCaffrey; V as in
    Imbens and Kolesár).
    """
    n = sum(sizes)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    makes_residuals = np.eye(n) - np.ones((n, n)) / n
    columns = []
    for code in range(len(sizes)):
        mine = np.flatnonzero(cluster == code)
        values, vectors = np.linalg.eigh(np.eye(len(mine)) - np.ones((len(mine), len(mine))) / n)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(makes_residuals[:, mine] @ root @ np.ones(len(mine)) / n)
    g = np.array(columns).T
    v = np.where(cluster[:, None] == cluster[None, :], correlation, 0.0)
    np.fill_diagonal(v, 1.0)
    middle = g.T @ v @ g
    return g, float(np.trace(middle) ** 2 / np.trace(middle @ middle))


@pytest.mark.parametrize(("sizes", "correlation", "frozen"), FROZEN)
def test_degrees_of_freedom_are_satterthwaites(sizes: list[int], correlation: float, frozen: float) -> None:
    found = degrees_of_freedom(np.array(sizes, float), correlation)
    assert found == pytest.approx(by_definition(sizes, correlation)[1], rel=1e-9)
    assert found == pytest.approx(frozen, rel=1e-8)


def test_the_error_is_cr2() -> None:
    g, _ = by_definition([3, 2, 3, 2], 0.0)
    error, df = standard_error(REWARDS, float(REWARDS.mean()), CLUSTERS)
    assert error == pytest.approx(float(np.linalg.norm(g.T @ REWARDS)), rel=1e-12)
    assert 1 < df < 3


def test_one_large_cluster_leaves_few_degrees_of_freedom() -> None:
    """26 clusters, but half of the tasks are in one: like four clusters, and like one if they go together."""
    sizes = np.array([50.0, *[2] * 25])
    assert degrees_of_freedom(sizes, 0.0) < 4
    assert degrees_of_freedom(sizes, 1.0) < 1.2
    assert effective_clusters(np.repeat(np.arange(26), sizes.astype(int))) == pytest.approx(
        100**2 / (2500 + 25 * 4)
    )


def test_names_of_clusters_do_not_matter() -> None:
    renamed = np.array([2, 0, 3, 1])[CLUSTERS]
    assert standard_error(REWARDS, 0.69, CLUSTERS) == standard_error(REWARDS, 0.69, renamed)
