"""Text, choices and booleans; sets, lists, records and tables, where junk and repeats cost."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge_kit import (
    as_records,
    by_type,
    exact,
    member_rule,
    near,
    one_of,
    record_rule,
    sequence_rule,
    show,
    truth,
)


def causes(outcome: Any) -> list[str]:
    return [cause.category for _, cause in outcome.causes]


def test_text() -> None:
    assert exact()("Steel S355", "Steel S355", "x").score == 1.0
    assert exact()("Steel S355", "steel s355", "x").score == 0.0
    assert exact(ignore_case=True)("Steel S355", "steel s355", "x").score == 1.0
    assert exact(ignore_space=True)("Steel S355", " Steel \n S355 ", "x").score == 1.0
    assert exact()("a", "b", "x").evidence == '"b", not "a"'
    assert exact()("a", "b", "x").sealed == "not the text expected"
    assert causes(exact()("a", 5, "x")) == ["wrong type"]


AMONG = ["compliant", "non-compliant", "not assessed"]


@pytest.mark.parametrize(
    ("actual", "right", "cause"),
    [
        ("compliant", 1.0, []),
        (" COMPLIANT ", 1.0, []),
        ("non-compliant", 0.0, []),
        ("Non_Compliant", 0.0, []),
        ("the design is compliant", 0.0, ["extra text"]),
        ("compliant, not non-compliant", 0.0, []),
        ("compliant or non-compliant", 0.0, []),
        ("never compliant", 0.0, []),
        ("perhaps", 0.0, []),
        (True, 0.0, ["wrong type"]),
    ],
)
def test_choices(actual: object, right: float, cause: list[str]) -> None:
    outcome = one_of(AMONG)("compliant", actual, "x")
    assert (outcome.score, causes(outcome)) == (right, cause)


def test_choices_say_what_was_allowed() -> None:
    assert one_of(AMONG)("compliant", "perhaps", "x").evidence == (
        '"perhaps" is not one of compliant, non-compliant, not assessed'
    )
    assert one_of(AMONG)("compliant", "not assessed", "x").sealed == '"not assessed" is wrong'
    assert one_of()(["A", "B"], "b", "x").score == 1.0
    with pytest.raises(ValueError, match="the reference yes is not among the choices"):
        one_of(AMONG)("yes", "compliant", "x")
    with pytest.raises(ValueError, match="differ only in case"):
        one_of(["a b", "A-B"])


def test_booleans() -> None:
    assert truth()(True, True, "x").evidence == "correctly true"
    assert truth()(True, False, "x").evidence == "false is wrong"
    assert causes(truth()(True, 1, "x")) == ["wrong type"]
    assert truth()(True, None, "x").evidence == "null where true or false is asked: null"
    assert causes(truth()(False, "false", "x")) == ["wrong type"]


def test_by_type() -> None:
    rule = by_type(rel=0.01)
    assert rule(0, 0, "x").score == 1.0
    assert rule(0, 1e-9, "x").score == 0.0
    assert rule(100, 100.5, "x").score == 1.0
    assert rule(True, True, "x").score == 1.0
    assert rule("A-1", "a 1", "x").score == 1.0
    assert rule([1], [1], "x").score == 1.0
    assert rule(None, 3, "x").evidence == "not equal"


MEMBERS = member_rule(by_type(rel=0.01))


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        (["a", "b"], ["B", "A"], 1.0),
        (["a", "b"], ["a"], 2 / 3),  # precision 1, recall 1/2: 2*1/(2+1)
        (["a"], ["a", "x", "y", "z"], 2 / 5),  # precision 1/4, recall 1
        (["a", "b"], ["a", "a", "a", "a"], 2 / 6),  # repeats are junk
        (["a", "a"], ["a", "a"], 1.0),
        ([100.0, 200.0], [200.5, 99.5], 1.0),
        ([], [], 1.0),
        ([], ["x"], 0.0),
        (["a"], [], 0.0),
        (["a"], [None, "a"], 2 / 3),
    ],
)
def test_members_cost_what_is_missing_and_what_is_junk(
    expected: list[Any], actual: list[Any], score: float
) -> None:
    assert MEMBERS(expected, actual, "x").score == pytest.approx(score)


def test_members_in_words() -> None:
    outcome = MEMBERS(list("abcdef"), ["a", "\x1b[31mred", *"uvwxyz"], "x")
    assert outcome.evidence == (
        "1 of 6 found, 8 given (precision 0.12, recall 0.17); missing: b, c, d, e, …; "
        "not asked for: \\x1b[31mred, u, v, w, …"
    )
    assert "missing" not in outcome.sealed
    assert causes(MEMBERS(["a"], "a", "x")) == ["wrong type"]


def test_a_list_of_millions_is_counted_but_not_searched() -> None:
    assert MEMBERS(["a"], ["junk"] * 1_000_000 + ["a"], "x").score == 0.0


def test_a_list_in_order() -> None:
    """Credit is spread over the longer list: two of three right, then two of four."""
    rule = sequence_rule(by_type(rel=0.01))
    assert rule([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "u").score == 1.0
    assert rule([1.0, 2.0, 3.0], [1.0, 2.0, 7.0], "u").score == pytest.approx(2 / 3)
    assert rule([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], "u").score == pytest.approx(3 / 4)
    assert rule([1.0, 2.0, 3.0], [2.0, 1.0, None], "u").score == 0.0
    assert rule([], [], "u").score == 1.0
    outcome = rule([1.0, 2.0], [1000.0, 2.0], "u")
    assert outcome.evidence == (
        "1 of 2 right, 2 given; position 0: 1000 for 1: mm given for m, or the like? "
        "(off by 999, 9.99e+04 %; allowed: 0.01)"
    )
    assert outcome.sealed.endswith("position 0: mm given for m, or the like?")
    assert [field for field, _ in outcome.causes] == ["u[0]"]
    assert causes(rule([1.0], 5, "u")) == ["wrong type"]


BEAMS = [{"id": "B1", "m": 12.5, "ok": True}, {"id": "B2", "m": 30.0, "ok": False}]
RECORDS = record_rule("id", {"m": near(rel=0.01), "ok": truth()})


def test_records_are_matched_by_key() -> None:
    right = [{"id": "b2", "m": 30.0, "ok": False, "note": "x"}, {"id": "B1", "m": 12.5, "ok": True}]
    assert RECORDS(BEAMS, right, "beams").score == 1.0


@pytest.mark.parametrize(
    ("actual", "score"),
    [
        ([BEAMS[0]], 2 / 3),  # one of two: 2*1/(2+1)
        ([*BEAMS, {"id": "B3", "m": 1.0, "ok": True}], 4 / 5),  # one extra: 2*2/(2+3)
        ([*BEAMS, *BEAMS], 4 / 6),  # all twice: 2*2/(2+4)
        ([{**BEAMS[0], "m": 99.0}, BEAMS[0], BEAMS[1]], 3 / 5),  # the first of two counts: 2*1.5/(2+3)
        ([*BEAMS, "junk", {"m": 1.0}, {"id": None}], 4 / 7),
        ([{**BEAMS[0], "m": 12500.0}, BEAMS[1]], 3 / 4),  # one field of one record: 2*1.5/(2+2)
        ([], 0.0),
    ],
)
def test_padding_and_repeats_cost(actual: list[Any], score: float) -> None:
    assert RECORDS(BEAMS, actual, "beams").score == pytest.approx(score)


def test_records_in_words() -> None:
    outcome = RECORDS(BEAMS, [{"id": "B1", "m": 12500.0}], "beams")
    assert outcome.evidence == (
        "1 of 2 found, worth 0, 1 given (precision 0.00, recall 0.00); B1.m: 12500 for 12.5: mm given for m? "
        "(off by 1.249e+04, 9.99e+04 %; allowed: 0.125); B1.ok: missing; B2 is missing"
    )
    assert "12.5" not in outcome.sealed
    assert [(field, cause.category) for field, cause in outcome.causes] == [
        ("beams[B1].m", "unit mismatch"),
        ("beams[B1].ok", "missing field"),
    ]
    assert causes(RECORDS(BEAMS, {"B1": {}}, "beams")) == ["wrong type"]


def test_keys_of_several_fields_and_of_numbers() -> None:
    reference = [{"floor": 1, "room": "A", "area": 20.0}, {"floor": 2, "room": "A", "area": 25.0}]
    rule = record_rule(["floor", "room"], {"area": near(rel=0.01)})
    given = [{"floor": "2", "room": "a", "area": 25.0}, {"floor": 1.0, "room": "A", "area": 20.1}]
    assert rule(reference, given, "x").score == 1.0
    assert record_rule("floor", {})(reference, [{"floor": 1}], "x").score == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="do not each have their own room"):
        record_rule("room", {})(reference, given, "x")


ROWS = [{"id": "a", "x": "1"}, {"id": "b", "x": "2"}]


@pytest.mark.parametrize(
    "table",
    [
        "id,x\na,1\nb,2\n",
        ROWS,
        [["id", "x"], ["a", "1"], ["b", "2"]],
        {"columns": ["id", "x"], "rows": [["a", "1"], ["b", "2"]]},
        {"columns": ["id", "x"], "data": [["a", "1"], ["b", "2"]]},
        {"id": ["a", "b"], "x": ["1", "2"]},
    ],
)
def test_tables_of_any_usual_shape(table: object) -> None:
    assert as_records(table) == ROWS


@pytest.mark.parametrize("value", [5, None, "", "a,a\n1,2", {}, {"a": 1}, [], [1, [2]]])
def test_what_is_no_table_stays_as_it_is(value: object) -> None:
    assert as_records(value) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (0.1 + 0.2, "0.3"),
        (10**100, "an integer of 333 bits"),
        ("a\x1b[2Jb\n", "a\\x1b[2Jb\\n"),
        ("\ud800", "\\ud800"),
        ("x" * 500, "x" * 79 + "…"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object of 1"),
    ],
)
def test_what_others_wrote_is_shown_safely(value: object, shown: str) -> None:
    assert show(value) == shown
