"""Tolerances are heard in the words of a task, and only where it grants them of the answer."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import Margin, granted_margins, granted_times

GRANTED = [
    ("Values within 2 % are accepted.", "x", Margin((0.02,))),
    ("Tolerance 1 % of the value; give at least four significant digits.", "x", Margin((0.01,))),
    (
        "- `p`: to four decimals (a value that is off by more than 0.0002 is of no use)",
        "p",
        Margin((), (2e-4,)),
    ),
    ("All numbers are checked with ± 0.5.", "x", Margin((), (0.5,))),
    ("Half a millimetre off is fine.", "gap_mm", Margin((), (0.5,))),
    ("Half a millimetre off is fine.", "gap_m", Margin((), (0.0005,))),
    (
        "0.1 % or 0.001 kN, whichever is more, is tolerated.",
        "load_kN",
        Margin((0.001,), (0.001,), larger=True),
    ),
    ("Amounts may differ from ours by a cent.", "total_eur", Margin((), (0.01,))),
    ("A deviation of up to 0.3 K is tolerated.", "t_K", Margin((), (0.3,))),
    ("Two minutes either way do not matter.", "wait_min", Margin((), (2.0,))),
    ("Credit for each value with a relative error below 1e-3.", "x", Margin((0.001,))),
    ("An error of less than 0.01 mm is fine.", "d_mm", Margin((), (0.01,))),
    ("`x` is graded within 0.02, `y` within 1.", "x", Margin((), (0.02,))),
    ("`x` is graded within 0.02, `y` within 1.", "y", Margin((), (1.0,))),
    ("- `x` within 0.02\n- `y` within 1", "y", Margin((), (1.0,))),
    ("| `x` | ± 0.5 |", "x", Margin((), (0.5,))),
    ("Each hit with the right yield (within 0.2 points) gives credit.", "yield", Margin((), (0.2,))),
    ("Correct to within 5 per cent.", "x", Margin((0.05,))),
    ("A value counts as right if it is no more than 3 % off.", "x", Margin((0.03,))),
    ("Plus or minus one minute is fine.", "dur_min", Margin((), (1.0,))),
    ("Numbers are compared with a tolerance of 10^-4.", "x", Margin((), (1e-4,))),
    ("Anything within 50 ppm of the reference is right.", "x", Margin((5e-5,))),
    ("Within 1 % of ours a value gets full credit, within 5 % half.", "x", Margin((0.01, 0.05))),
    ("Velocities are compared to within 1 %, losses to within 2 %.", "velocity_m_s", Margin((0.01,))),
    ("A force is right if it is within 1 % of the reference.", "x", Margin((0.01,))),
    ("All figures to within 0.01.", "x", Margin((), (0.01,))),
    ("Numbers must match to within 0.5%.", "x", Margin((0.005,))),
    ("A value counts if its relative error is below 0.001.", "x", Margin((0.001,))),
    ("Amounts must agree to the cent.", "amount_eur", Margin((), (0.01,))),
    ("The grader allows a deviation of 2 %.", "x", Margin((0.02,))),
    ("The grader allows 2 % deviation.", "x", Margin((0.02,))),
    ("Accuracy of 0.1 mm is required.", "gap_mm", Margin((), (0.1,))),
    ("Give degrees to the nearest 0.1; ±0.2 is accepted.", "x", Margin((), (0.2,))),
    ("Scored right when |given − expected| ≤ 0.5.", "x", Margin((), (0.5,))),
    ("`abs(answer - expected) <= 0.01` counts as correct.", "x", Margin((), (0.01,))),
    ("A value is right if abs(x - ref) / ref <= 0.01.", "x", Margin((0.01,))),
    ("Full marks within 2 % of the reference, half within 5 %.", "x", Margin((0.02, 0.05))),
    ("Deviations of less than 0.5 % are not penalised.", "x", Margin((0.005,))),
    ("A count within 1 of the true one is accepted.", "count", Margin((), (1.0,))),
    ("Rounding differences up to 0.01 are ignored.", "x", Margin((), (0.01,))),
    ("Numbers are compared at 1% relative tolerance.", "x", Margin((0.01,))),
    ("All quantities: 0.5 % tolerance.", "x", Margin((0.005,))),
    ("We check with `rel_tol=0.01`.", "x", Margin((0.01,))),
    ("Values are compared with atol 1e-3.", "x", Margin((), (0.001,))),
    ("Every value must be within 0.1 of the exact value.", "x", Margin((), (0.1,))),
]
NOT_OF_ANSWERS = [
    "Flag rows that are off by more than 2 %.",
    "The sensor is accurate to ± 0.5 K.",
    "Match transactions whose amounts differ by at most 0.05.",
    "R1 is a 4.7 kOhm resistor with a tolerance of 5 %.",
    "Iterate until the residual is within 1e-6.",
    "Reorder when the stock is within 10 % of the limit.",
    "Within 3 days of delivery, invoices are paid.",
    "Bore 40 ± 0.5 mm, length 200 mm.",
    "A tank holds 40 l, within 2 % of its nominal volume.",
    "The allowed deviation is ± 0.5 mm.",
    "Report `depth` if it is more than 3 % off the budget.",
    "Velocities are compared to within 1 %.",
    "Masses and heights are graded with a tolerance of 2 %.",
    "Compute the mean with an error bar of ± 0.2.",
    "The scale has an accuracy of 0.1 g.",
    "Give `depth` with an accuracy of three digits.",
    "The depth must be within 2 % of 400 m.",
    "Readings have a 5 % deviation.",
    "Plot a tolerance band of 5 %.",
    "Wells count if they are within 100 m of the fault.",
    "Paired amounts must agree to the cent.",
]


@pytest.mark.parametrize(("said", "key", "margin"), GRANTED)
def test_what_is_granted(said: str, key: str, margin: Margin) -> None:
    [found] = granted_margins(said, key, sorted({"x", "y", "p", key}))
    assert found.larger is margin.larger
    assert found.shares == pytest.approx(margin.shares)
    assert found.amounts == pytest.approx(margin.amounts)


@pytest.mark.parametrize("said", NOT_OF_ANSWERS)
def test_what_grants_nothing(said: str) -> None:
    assert granted_margins(said, "depth", ["depth", "width"]) == []


def test_the_wider_of_two() -> None:
    either = Margin((0.01,), (0.2,), larger=True)
    assert either.narrowest(10.0) == 0.2
    assert either.narrowest(100.0) == 1.0
    assert Margin((0.01,), (0.2,)).narrowest(10.0) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("A time is right if it is within 5 minutes of ours.", [300.0]),
        ("Dates may be off by one day.", [86400.0]),
        ("`start` counts as right within ± 30 s.", [30.0]),
        ("Full marks within 2 h, half within a day.", [7200.0, 86400.0]),
        ("Peaks within 5 minutes of each other are one.", []),
        ("Pay within 14 days of the due date.", []),
        ("`end` is graded within a minute.", []),
        ("Flag times that are off by more than 10 minutes.", []),
        ("A value is right within 2 %.", []),
    ],
)
def test_what_is_granted_of_times(said: str, seconds: list[float]) -> None:
    assert granted_times(said, "start", ["end", "start"]) == seconds
