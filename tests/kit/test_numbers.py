"""Numbers: both tolerances, zero, what is no number, units and separators where allowed, partial credit."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge_kit import convert_unit, diagnose, is_number, near, split_number, within


def score(expected: float, actual: object, **options: Any) -> float:
    return near(**options)(expected, actual, "x").score


@pytest.mark.parametrize(
    ("expected", "actual", "options", "right"),
    [
        (100.0, 102.0, {"rel": 0.02}, True),
        (100.0, 102.001, {"rel": 0.02}, False),
        (-100.0, -98.0, {"rel": 0.02}, True),
        (100.0, 100.5, {"abs": 0.5}, True),
        (100.0, 100.51, {"abs": 0.5}, False),
        (100.0, 101.9, {"rel": 0.02, "abs": 0.5}, True),  # the wider of the two
        (1.0, 1.4, {"rel": 0.02, "abs": 0.5}, True),
        (1.1, 1.1 * 1.02, {"rel": 0.02}, True),  # the edge is inside, whatever binary fractions make of it
        (0.1 + 0.2, 0.3, {}, True),  # no tolerance: equal but for float noise
        (3, 3.0, {}, True),
        (3, 3.0000001, {}, False),
        (0, 0, {}, True),
        (0, 1e-300, {}, False),
        (0.0, 0.009, {"abs": 0.01}, True),
        (0.0, -0.02, {"abs": 0.01, "rel": 0.02}, False),
        (0.5, 0.0, {"rel": 0.02}, False),  # all zeros are not right
        (1.0, True, {"rel": 0.02}, False),
        (1.0, math.nan, {"abs": 1e9}, False),
        (1.0, math.inf, {"abs": 1e9}, False),
        (1.0, 10**400, {"abs": 1e9}, False),
        (1.0, [1.0], {"rel": 0.02}, False),
    ],
)
def test_within_tolerance(expected: float, actual: object, options: dict[str, float], right: bool) -> None:
    assert score(expected, actual, **options) == float(right)


def test_a_tolerance_that_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="the reference is 0, where a relative tolerance allows nothing"):
        score(0.0, 0.0, rel=0.02)
    with pytest.raises(ValueError, match=r"rel is -0\.1; allowed: a number of at least 0"):
        score(1.0, 1.0, rel=-0.1)
    with pytest.raises(ValueError, match="abs is nan"):
        score(1.0, 1.0, abs=math.nan)
    with pytest.raises(ValueError, match="the reference inf is not a finite number"):
        score(math.inf, 1.0)


@pytest.mark.parametrize(
    ("actual", "options", "right"),
    [
        ("3.04", {}, False),
        ("3.04", {"strings": True}, True),
        (" 3.04e0 ", {"strings": True}, True),
        ("3.04 V", {"strings": True}, False),
        ("3.04 V", {"unit": "V"}, True),
        ("3.04V", {"unit": "V"}, True),
        ("3.04", {"unit": "V"}, True),
        (3.04, {"unit": "V"}, True),
        ("3040 mV", {"unit": "V"}, False),
        ("3040 mV", {"unit": "V", "convert": True}, True),
        ("3.04 kg", {"unit": "V", "convert": True}, False),
        ("three", {"strings": True, "unit": "V"}, False),
        ("1e999", {"strings": True}, False),
        ("9" * 5000, {"strings": True}, False),
    ],
)
def test_text_is_read_only_where_the_author_allows_it(
    actual: str, options: dict[str, Any], right: bool
) -> None:
    assert score(3.04, actual, rel=0.001, **options) == float(right)


@pytest.mark.parametrize("text", ["1,234.5", "1 234.5", "1_234.5", "1'234.5", "1\u202f234.5", "+1,234.5"])
def test_thousands_separators_where_allowed(text: str) -> None:
    assert score(1234.5, text, thousands=True) == 1.0
    assert score(1234.5, text, strings=True) == 0.0


@pytest.mark.parametrize("text", ["12,34.5", "1.234,5", "1,,234", "1,23,456", "1234,567"])
def test_a_comma_that_groups_nothing_is_not_a_separator(text: str) -> None:
    assert split_number(text, thousands=True) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("12,5", 12.5), ("1,23", 1.23), ("1,2345", 1.2345), ("-3,5", -3.5), ("0,125", 0.125), ("1,5e3", 1500.0)],
)
def test_a_comma_that_can_group_nothing_is_a_decimal_comma(text: str, value: float) -> None:
    """Whether or not thousands are allowed: one text has one reading."""
    assert split_number(text) == split_number(text, thousands=True) == (value, "")


def test_a_comma_before_three_digits_keeps_its_meaning() -> None:
    assert split_number("1,234") is None
    assert split_number("1,234", thousands=True) == (1234.0, "")
    assert split_number("12,345 N", thousands=True) == (12345.0, "N")


@pytest.mark.parametrize(
    "text", ["~12.5 mm", "≈12.5 mm", "≈ 12.5 mm", "ca. 12.5 mm", "approx. 12.5 mm", "Approximately 12,5 mm"]
)
def test_a_word_for_about_before_a_number_is_read_over(text: str) -> None:
    assert split_number(text) == (12.5, "mm")


def test_words_that_only_begin_so_are_text() -> None:
    for text in ("cast 12.5", "approximated 12.5", "ca", "~", "~ca. 12.5"):
        assert split_number(text) is None, text


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3/4 in", 0.75, "in"), ('3/4"', 0.75, "in"), ('1 1/2"', 1.5, "in"), ("1-1/2 in", 1.5, "in"),
        ("2 3/8 inches", 2.375, "in"), ('12"', 12.0, "in"), ("5'-6\"", 5.5, "ft"), ("5 ft 6 in", 5.5, "ft"),
        ("5' 6\"", 5.5, "ft"), ("5'6\"", 5.5, "ft"), ("5 feet, 6 inches", 5.5, "ft"), ("5'", 5.0, "ft"),
        ("5\u2019-6\u201d", 5.5, "ft"), ("10'-3 1/2\"", 10 + 3.5 / 12, "ft"), ("-5'-6\"", -5.5, "ft"),
        ("~5 ft 6 in", 5.5, "ft"), ("6 1/2 ft", 6.5, "ft"),
    ],
)  # fmt: skip
def test_feet_and_inches(text: str, value: float, unit: str) -> None:
    found = split_number(text)
    assert found is not None
    assert found[0] == pytest.approx(value)
    assert found[1] == unit


@pytest.mark.parametrize("text", ["5'-14\"", "5.5' 6\"", "3/0 in", "1 5/4 in", "5 ft 6", "6 in 5 ft", "1/2"])
def test_what_are_no_feet_and_inches_match_no_length(text: str) -> None:
    assert score(5.5, text, unit="ft", convert=True, rel=0.5) == 0.0


def test_splitting() -> None:
    assert split_number("12.5 mm") == (12.5, "mm")
    assert split_number("\u221240 °C") == (-40.0, "°C")
    assert split_number(".5") == (0.5, "")
    assert split_number("12.5 mm or so") is None
    assert split_number("1" * 201) is None


@pytest.mark.parametrize(
    ("value", "given_unit", "asked", "converted"),
    [
        (3040, "mV", "V", 3.04),
        (1, "kN·m", "N.m", 1000),
        (50, "°C", "K", 323.15),
        (212, "°F", "degC", 100),
        (0, "C", "F", 32),
        (36, "km/h", "m/s", 10),
        (5, "%", "-", 0.05),
        (0.05, "fraction", "percent", 5),
        (2, "m²", "mm^2", 2e6),
        (4.7, "kΩ", "ohm", 4700),
        (1, "furlong", "m", None),
    ],
)
def test_converting(value: float, given_unit: str, asked: str, converted: float | None) -> None:
    found = convert_unit(value, given_unit, asked)
    assert found == (None if converted is None else pytest.approx(converted))


def test_partial_credit_is_counted_in_tolerances() -> None:
    """Tolerance 2: 104 is two tolerances away, (5 - 2) / (5 - 1) = 0.75."""
    assert score(100.0, 102.0, abs=2, fade=5) == 1.0
    assert score(100.0, 104.0, abs=2, fade=5) == 0.75
    assert score(100.0, 110.0, abs=2, fade=5) == 0.0
    assert score(100.0, 200.0, abs=2, fade=5) == 0.0
    bands = {5: 0.25, 2: 0.5}
    assert score(100.0, 103.0, abs=2, bands=bands) == 0.5
    assert score(100.0, 109.0, abs=2, bands=bands) == 0.25
    assert score(100.0, 111.0, abs=2, bands=bands) == 0.0
    assert score(100.0, 103.0, abs=0, bands=bands) == 0.0


@pytest.mark.parametrize(
    "options",
    [{"fade": 1}, {"fade": 0.5}, {"fade": 3, "bands": {2: 0.5}}, {"bands": {1: 0.5}}, {"bands": {2: 1.5}}],
)
def test_partial_credit_that_means_nothing_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="allowed: "):
        near(rel=0.02, **options)


def test_the_evidence_reads_well() -> None:
    rule = near(rel=0.02, unit="V")
    assert rule(3.04, 3.05, "x").evidence == "3.05 V is within 2 % of 3.04 V"
    assert rule(3.04, "3.05 V", "x").evidence == '"3.05 V" is within 2 % of 3.04 V'
    assert rule(3.04, 3.04, "x").evidence == "exact match"
    assert rule(3.04, 5.0, "x").evidence == "5 V, not 3.04 V (off by 1.96 V, 64.5 %; allowed: 0.0608)"
    slip = "3040 V for 3.04 V: mV given for V? (off by 3037 V, 9.99e+04 %; allowed: 0.0608)"
    assert rule(3.04, 3040, "x").evidence == slip
    assert near(abs=0.1)(0.0, 5.0, "x").evidence == "5, not 0 (off by 5; allowed: 0.1)"
    assert near(rel=0.01, abs=0.5)(3.04, 3.1, "x").evidence == "3.1 is within 0.5 of 3.04"
    assert rule(3.04, 5.0, "x").sealed == "outside tolerance"
    assert rule(3.04, 3.05, "x").sealed == "within tolerance"


def test_a_range() -> None:
    assert within(0.8, 1.0)(None, 0.8, "x").score == 1.0
    assert within(0.8, 1.0)(None, 1.01, "x").evidence == "1.01 is outside the range from 0.8 to 1"
    assert within(None, 1.0)(None, -5, "x").score == 1.0
    assert within(0.8, None, "V")(None, "0.9 V", "x").score == 1.0
    assert within(0.8, None)(None, "0.9", "x").causes[0][1].category == "wrong type"
    for low, high in ((2, 1), (None, None), (math.nan, 1)):
        with pytest.raises(ValueError, match="tells nothing"):
            within(low, high)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    st.sampled_from([None, 0.0, 1e-6, 0.02]),
    st.sampled_from([0.0, 1e-300, 0.5]),
    st.sampled_from([None, "mm", "C", "%", "V", "furlong"]),
)
def test_no_pair_of_numbers_breaks_a_check_or_its_diagnosis(
    expected: float, actual: float, rel: float | None, absolute: float, unit: str | None
) -> None:
    outcome = near(rel=rel, abs=absolute, unit=unit)(expected, actual, "x_temp")
    assert 0.0 <= outcome.score <= 1.0
    assert outcome.score == 1.0 or not outcome.causes or outcome.causes[0][1].describe()
    assert (diagnose(expected, actual, rel=rel, abs=absolute) is None) or is_number(expected)


@given(st.floats(min_value=1e-6, max_value=1e6), st.floats(min_value=1e-6, max_value=0.5))
def test_just_inside_and_just_outside(expected: float, rel: float) -> None:
    assert score(expected, expected * (1 + rel * 0.999), rel=rel) == 1.0
    assert score(expected, expected * (1 - rel * 1.001) - 1e-9 * expected, rel=rel) == 0.0


def test_zeros_that_were_written_were_not_rounded_away() -> None:
    """5122.700 has all its decimals; 5122.7 has lost some."""
    rule = near(abs=0.001, strings=True)
    assert rule(5122.6906, "5122.700", "easting_m").causes == []
    [(_, cause)] = rule(5122.6906, "5122.7", "easting_m").causes
    assert cause.category == "premature rounding"


def test_the_evidence_of_an_exact_number_names_no_float_noise() -> None:
    assert near()(93, 92, "tubes").evidence == "92, not 93 (off by 1, 1.08 %; allowed: nothing)"
