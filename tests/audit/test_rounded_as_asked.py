"""Numbers are rounded as a task asks, and only where it asks it of the answer."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import any_order, free_order, open_document
from adjudge.audit.sections.layouts.rounded import rounded_as_asked
from adjudge.contracts import OutputFormat

ANSWER = b'{"x": 1234.5678, "y": 0.012345, "n": 3}'


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Give all numbers to three significant figures.", '"x": 1230,'),
        ("All values rounded to two decimals.", '"x": 1234.57,'),
        ("Round `x` to the nearest 10; `y` to four decimals.", '"y": 0.0123'),
        ("Amounts to the cent.", '"x": 1234.57,'),
        ("- `x`: to one decimal place\n- `y`: 2 s.f.", '"x": 1234.6,\n  "y": 0.012'),
        ("Report values with at least three decimals.", '"x": 1234.568,'),
        ("Values to the nearest hundred.", '"x": 1200,'),
        ("Give `x` as whole euros.", '"x": 1235,'),
    ],
)
def test_as_asked(said: str, written: str) -> None:
    document = open_document(ANSWER, OutputFormat.JSON)
    assert document is not None
    [made] = rounded_as_asked(said, document)
    assert written in made.data.decode()


@pytest.mark.parametrize(
    "said",
    [
        "Do not round; intermediate values with four decimals.",
        "The table gives all values to one decimal.",
        "All values have exactly two decimals.",
        "Give `n` to two decimals.",
    ],
)
def test_not_asked(said: str) -> None:
    document = open_document(ANSWER, OutputFormat.JSON)
    assert document is not None
    assert list(rounded_as_asked(said, document)) == []


def test_a_tie_is_left_as_it_is() -> None:
    document = open_document(b'{"x": 2.5, "y": 3.5}', OutputFormat.JSON)
    assert document is not None
    assert list(rounded_as_asked("All values to the nearest whole number.", document)) == []


@pytest.mark.parametrize(
    ("said", "free"),
    [
        ("Rows may come in any order.", True),
        ("The order is free.", True),
        ("An unordered list.", True),
        ("The order of the lines makes no difference.", True),
        ("One row for each site and a last row `Total`; otherwise the order is free.", False),
        ("In the order of the table.", False),
    ],
)
def test_a_free_order(said: str, free: bool) -> None:
    assert free_order(said) is free
    assert any_order(said) or not free
