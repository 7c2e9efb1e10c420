"""Bounds in words and in code: who counts the number itself with which side."""

from __future__ import annotations

import ast

import pytest

from adjudge.audit.causes import Cause
from adjudge.audit.reading.amounts import read_bounds
from adjudge.audit.reading.flow import Flow
from adjudge.audit.reading.module import Module
from adjudge.contracts import Severity

FROM = ["500 EUR or more pays a fee.", "A value of at least 500 pays a fee.", "A value < 500 pays no fee."]
OVER = ["A value over 500 pays a fee.", "Up to 500 EUR there is no fee.", "A value of 500 or less is free."]
FROM_CODE = ["value >= 500", "value < 500", "500 <= value", "not value < Decimal('500')"]
OVER_CODE = ["value > 500", "value <= 500", "500 < value", "0 < value <= 500"]


def remarks(
    instruction: str, test: str, head: str = "def fee(value):\n    if {}:\n        return 3"
) -> list[Severity]:
    tree = ast.parse(head.format(test))
    module = Module("verify.py", tree, Flow(tree, ("/workspace/a.json", "a.json")), instruction, ".json")
    found = list(read_bounds(module))
    assert {remark.cause for remark in found} <= {Cause.BOUNDARY}
    return [remark.severity for remark in found]


@pytest.mark.parametrize("said", FROM)
@pytest.mark.parametrize("test", OVER_CODE)
def test_a_number_that_belongs_to_the_upper_side(said: str, test: str) -> None:
    assert remarks(said, test) == [Severity.MEDIUM]


@pytest.mark.parametrize("said", OVER)
@pytest.mark.parametrize("test", FROM_CODE)
def test_a_number_that_belongs_to_the_lower_side(said: str, test: str) -> None:
    assert remarks(said, test) == [Severity.MEDIUM]


@pytest.mark.parametrize(
    ("said", "test"),
    [*((said, test) for said in FROM for test in FROM_CODE), *((s, t) for s in OVER for t in OVER_CODE)],
)
def test_as_it_is_said(said: str, test: str) -> None:
    assert remarks(said, test) == []


@pytest.mark.parametrize(
    ("said", "test"),
    [
        ("At least 500 pays a fee, more than 500 another one.", "value > 500"),
        ("At least 500 pays a fee.", "value > 500 or other >= 500"),
        ("At least 500 pays a fee.", "abs(value - 3) > 500"),
        ("It takes 500 EUR.", "value > 500"),
        ("Since 2024-03-01 at least 3 people.", "len(sys.argv) > 3"),
        ("At least 12 people come.", "month > 12"),
    ],
    ids=["both-said", "both-drawn", "a-margin", "no-bound", "arguments", "something-else"],
)
def test_what_proves_nothing(said: str, test: str) -> None:
    assert remarks(said, test) == []


def test_an_answer_on_the_bound_itself_matters_little() -> None:
    assert remarks("Give a value of at least 500.", "assert value > 500", "def test_it(value):\n    {}") == [
        Severity.LOW
    ]
