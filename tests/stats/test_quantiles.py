"""Quantiles and tails worked out here, against those of scipy 1.17."""

from __future__ import annotations

import pytest

from adjudge.stats.means.quantiles import coin_tail, student_tail, two_sided_t


@pytest.mark.parametrize(
    ("level", "df", "expected"),
    [  # scipy.stats.t.isf((1 - level) / 2, df)
        (0.95, 1, 12.706204736174694),
        (0.95, 2, 4.302652729749462),
        (0.95, 11, 2.200985160091639),
        (0.5, 3, 0.7648923284043444),
        (0.9, 30, 1.6972608865939576),
        (0.999, 5, 6.868826625881109),
        (0.9999, 4, 15.544100581546113),
        (0.95, 3.5, 2.9400886379827296),
        (0.95, 1999, 1.9611514201705613),
        (0.95, 2000, 1.9611508260994377),
        (0.95, 2001, 1.9611502326224413),  # from here on in powers of 1/df
        (0.99, 100_000, 2.575878469908375),
    ],
)
def test_student(level: float, df: float, expected: float) -> None:
    assert two_sided_t(level, df) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [  # scipy.stats.binom.cdf(k, n, 0.5)
        (0, 0, 1.0),
        (0, 1, 0.5),
        (3, 11, 0.11328125),  # (1 + 11 + 55 + 165) / 2^11
        (5, 11, 0.5),
        (40, 100, 0.028443966820490444),
        (450, 1000, 0.0008652680424881513),
        (4800, 10_000, 3.2967577993361714e-05),
        (0, 1000, 9.332636185032189e-302),
    ],
)
def test_a_fair_coin(k: int, n: int, expected: float) -> None:
    assert coin_tail(k, n) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("t", "df", "expected"),
    [  # 2 * scipy.stats.t.sf(t, df)
        (0.3, 7.7, 0.7721158163766952),
        (2.1, 4.7, 0.09330682794372014),
        (30, 3.2, 4.959023836007541e-05),
        (5, 1000, 6.767256364648635e-07),
    ],
)
def test_students_tail(t: float, df: float, expected: float) -> None:
    assert student_tail(t, df) == pytest.approx(expected, rel=1e-11)
