"""Adjusted p-values: frozen from statsmodels and scipy, and undefined ones left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from adjudge import UsageError
from adjudge.stats.pairs.multiplicity import benjamini_hochberg, holm

P = [0.01, 0.04, 0.03, 0.005, 0.5, 0.04]


def test_holm() -> None:
    """statsmodels multipletests(P, method="holm"); sorted: 0.005*6, 0.01*5, 0.03*4, never less, 0.5*1."""
    assert holm(P) == pytest.approx([0.05, 0.12, 0.12, 0.03, 0.5, 0.12])


def test_benjamini_hochberg() -> None:
    """scipy false_discovery_control(P) = [0.03, 0.048, 0.048, 0.03, 0.5, 0.048], as does statsmodels."""
    assert benjamini_hochberg(P) == pytest.approx([0.03, 0.048, 0.048, 0.03, 0.5, 0.048])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_undefined_is_no_test(adjust: Callable[[Sequence[float | None]], list[float | None]]) -> None:
    """A None neither gets a number nor makes the family larger."""
    assert adjust([None, 0.02, None, 0.5]) == [None, pytest.approx(adjust([0.02, 0.5])[0]), None, 0.5]
    assert adjust([]) == []
    assert adjust([None]) == [None]
    with pytest.raises(UsageError, match="between 0 and 1"):
        adjust([1.2])
