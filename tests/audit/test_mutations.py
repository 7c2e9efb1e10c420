"""Wrong answers are wrong beyond any tolerance, and what they should keep is stated arithmetic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.audit.documents.leaves import Leaf, leaves
from adjudge.audit.probes.mutations import (
    absurd,
    all_scaled,
    all_wrong,
    blank,
    junk,
    list_variants,
    number_changes,
    off_by,
    scaled,
    text_changes,
    without,
)
from adjudge.audit.probes.spoofs import field_spoofs, other_prefixes
from adjudge.audit.sections.guesses import one_label
from adjudge.audit.sections.measure import FieldTrial, fair_share, share_kept
from adjudge.audit.sections.queries import changed_queries

numbers = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(-1e12, 1e12, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-9),
)


@given(numbers)
def test_a_changed_number_is_far_from_the_right_one(number: float) -> None:
    """At least half the value away; so no tolerance below 50 % accepts it."""
    leaf = Leaf(("x",), "number", number, number=number)
    for value in [*number_changes(leaf).values(), *([absurd(leaf)] if number else [])]:
        assert abs(value - number) >= 0.5 * abs(number)
        assert value != number


@pytest.mark.parametrize(
    ("number", "factor", "written"),
    [
        (2.4, 1.001, "2.403"),
        (12.54, 10, "125.4"),
        (12.54, 1 + 0.001, "12.553"),
        (3.271, 0.5, "1.635"),
        (0.1, 0.5, "0.05"),
        (24.0, 1 - 0.3, "16.8"),
        (7, 0.5, "3"),
        (1, 1.5, "2"),
    ],
)
def test_a_changed_number_is_as_fine_as_the_right_one(number: float, factor: float, written: str) -> None:
    """No 2.4023999999999996: a verifier that counts decimals would refuse it for another reason."""
    assert repr(scaled(number, factor)) == written


def test_what_counts_as_a_ratio_does_not_stay_right() -> None:
    wrong = all_scaled({"mix": [1, 2, 4], "share": "37/11"}, 10, 100)
    assert wrong == {"mix": [10, 200, 40], "share": "3700/11"}
    assert not {3, 7, 14, 21, 28, 35} & set(all_scaled([3, 7, 14, 21, 28, 35], 0.5, 0.6))


@given(
    st.dictionaries(st.text(max_size=5), st.one_of(numbers, st.booleans(), st.text(max_size=5)), max_size=6)
)
def test_nothing_in_an_all_wrong_answer_is_right(value: dict[str, Any]) -> None:
    """The same keys; every value another."""
    wrong = all_wrong(value)
    assert list(wrong) == list(value)
    assert all(wrong[key] != value[key] for key in value)


def test_words_have_an_opposite_and_names_have_none() -> None:
    word = Leaf(("s",), "text", "compliant")
    assert text_changes(word, "compliant | non_compliant") == {
        "other": "none of these",
        "negated": "not compliant",
        "every-option": "compliant | non_compliant",
    }
    assert text_changes(Leaf(("s",), "text", "P-101"), None) == {"other": "none of these"}


def test_lists_are_cut_padded_and_repeated() -> None:
    made = list_variants({"tags": ["a", "b"]}, ("tags",))
    flooded = made.pop("flooded")["tags"]
    assert (flooded[:3], len(flooded)) == (["a", "b", "junk 1"], 102)
    assert {kind: value["tags"] for kind, value in made.items()} == {
        "emptied": [],
        "truncated": ["a"],
        "padded": ["a", "b", "junk 1", "junk 2", "junk 3", "junk 4"],
        "doubled": ["a", "b", "a", "b"],
        "repeated": ["a", "a"],
        "permuted": ["b", "a"],
        "one-right": ["a", "junk 1"],
        "repeated-2": ["b", "b"],
        "all-wrong": ["junk 1", "junk 2"],
        "malformed": ["a", "b", None, {}, [], "x", -1],
    }
    records = list_variants([{"tag": "P-1", "flow": 2.0}, {"tag": "P-2", "flow": 3.0}], ())
    assert [row["flow"] for row in records["hedged"]] == [21.0, 2.0, 69.0, 28.0, 3.0, 92.0]
    named = list_variants([{"page": 3, "sum": 2}, {"page": 5, "sum": 4}], ())
    assert [(row["page"], row["sum"]) for row in named["hedged-before"]] == [(3, 21), (3, 2), (5, 35), (5, 4)]
    assert set(records["flooded"][3]) == {"tag_1", "flow_1"}
    assert junk({"tag": "P-1", "flow": 2.0, "ok": True}, 0) == {"tag": "junk 1", "flow": 985.0, "ok": False}


def test_blank_and_without() -> None:
    assert blank({"a": 2, "b": "x", "c": [1], "d": True, "e": None}) == {
        "a": 0.0,
        "b": "",
        "c": [],
        "d": False,
        "e": None,
    }
    first, second = leaves({"a": 1, "b": [2]})
    assert without({"a": 1, "b": [2]}, first) == {"b": [2]}
    assert without({"a": 1, "b": [2]}, second) is None  # it would move the items of a list


@pytest.mark.parametrize(("items", "fair"), [(2, 2 / 3), (5, 1 / 3), (9, 0.2)])
def test_one_item_of_many_is_fairly_worth_its_f1(items: int, fair: float) -> None:
    """Precision 1, recall 1/n: 2 · 1 · (1/n) / (1 + 1/n) = 2 / (n + 1)."""
    assert fair_share(1, items) == pytest.approx(fair)


def test_a_field_is_worth_the_most_that_it_cost() -> None:
    """Costs 0.2 and 0.05 of a stake of 0.2: the first keeps nothing, the second 1 - 0.05/0.2 = 3/4."""
    trial = FieldTrial(Leaf(("x",), "number", 1.0, number=1.0), 1.0, costs={"times-10": 0.2, "half": 0.05})
    assert trial.stake == 0.2
    assert [trial.kept("times-10"), trial.kept("half"), trial.kept("sign")] == [False, True, False]
    assert share_kept(0.0, 0.0) == 1.0
    assert share_kept(0.3, 0.2) == 0.0


def test_one_of_hundreds_of_items_that_costs_everything_has_kept_nothing() -> None:
    """Due is 1/240 of the reward, too small to be told from nothing; the wrong cell cost all of it."""
    costs = {"other": 1.0, "dropped": 1.0}
    trial = FieldTrial(Leaf((0, "x"), "text", "a"), 1.0, costs=costs, items=240)
    assert not trial.kept("other")
    assert not trial.kept("dropped")


def test_a_cell_of_a_long_table_costs_its_little_share() -> None:
    """Of 39 records with seven cells one cell is worth 1/273; less than a tenth of a record is nothing."""
    cells = [
        FieldTrial(Leaf((0, "x"), "number", 1.0, number=1.0), 1.0, costs={"half": cost}, items=39)
        for cost in (1 / 273, 0.001)
    ]
    assert [cell.free for cell in cells] == [False, True]
    assert FieldTrial(Leaf(("x",), "number", 1.0, number=1.0), 1.0, costs={"half": 1 / 273}).free


def test_ends_of_a_longer_list_and_other_items_over_and_over() -> None:
    made = list_variants(["a", "b", "c", "d"], ())
    assert made["ends"] == ["a", "d"]
    assert [made[f"repeated-{n}"] for n in (2, 3)] == [["b"] * 4, ["d"] * 4]


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("2024-02-29", ["2028-02-29", "2024-03-29", "2024-02-14"]),
        ("2026-12-31", ["2030-12-31", "2026-01-31", "2026-12-16"]),
        ("23:50", ["04:50", "23:13"]),
    ],
)
def test_each_part_of_a_moment_is_changed_alone(word: str, others: list[str]) -> None:
    spoofs = field_spoofs(Leaf(("due",), "text", word), None)
    parts = ("year", "month", "day", "hour", "minute")
    assert [spoof.value for spoof in spoofs if spoof.name in parts] == others


def test_prefixes_are_exchanged_behind_numbers_only() -> None:
    assert other_prefixes("park 48 MW, 5 mW, 3 mm, MW") == "park 48 mW, 5 MW, 3 mm, MW"


def test_a_query_loses_one_part_at_a_time() -> None:
    query = "select site, sum(h) as h from w where x in (select y from z) group by site order by h desc;"
    made = {name: text for name, (_, text, _) in changed_queries(query).items()}
    assert made == {
        "no-condition": "select site, sum(h) as h from w group by site order by h desc;",
        "other-aggregate": query.replace("sum", "max"),
        "no-order": "select site, sum(h) as h from w where x in (select y from z) group by site ;",
    }
    assert "no-order" not in changed_queries("select a from t order by a limit 3")


@pytest.mark.parametrize(
    ("number", "step", "off"),
    [(12.54, 0.001, 12.55), (77.82, 0.001, 77.89), (2.4, 0.001, None), (2.4, 0.03, 2.5), (2.4, 0.3, 3.2)],
)
def test_a_small_step_keeps_the_figures_of_the_right_number(
    number: float, step: float, off: float | None
) -> None:
    """One that cannot be shown with them is not tried: figures may be asked for."""
    assert off_by(number, step) == off


def test_one_label_for_all_leaves_nothing_else_right_but_the_names() -> None:
    """Amounts beside the labels are work: with them an answer is not that of somebody who read nothing."""
    rows = [{"id": f"T{n}", "kind": "food" if n % 3 else "rent", "amount": 7.5 + n} for n in range(9)]
    made = one_label(rows)
    assert made is not None
    assert [row["id"] for row in made.value] == [row["id"] for row in rows]
    assert {row["kind"] for row in made.value} == {"food"}
    assert not any(new["amount"] == old["amount"] for new, old in zip(made.value, rows, strict=True))
