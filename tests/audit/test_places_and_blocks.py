"""Places on a line and texts of several lines, as probes take them apart and write them again."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import text_blocks, value_blocks
from adjudge.audit.sections.lists.places import like, place_of
from adjudge.audit.sections.lists.spans import ends_of


@pytest.mark.parametrize(
    ("value", "place"),
    [("01:12", 4320), ("01:12:05", 4325), ("1970-01-02", 86400), ("1970-01-01T00:02Z", 120), (3.5, 3.5)],
)
def test_a_place_is_written_in_the_form_it_had(value: object, place: float) -> None:
    assert place_of(value) == place
    assert like(value, place) == value


@pytest.mark.parametrize("value", ["25:00", "1970-13-01", "north", True, None, [1]])
def test_what_is_no_place_has_none(value: object) -> None:
    assert place_of(value) is None


def test_ends_are_found_by_their_names_or_as_the_only_two() -> None:
    named = [{"from": 1, "to": 2, "kind": "a"}, {"from": 3, "to": 4, "kind": "b"}]
    assert ends_of(named) == ("from", "to")
    assert ends_of([[1, 2], [3, 4]]) == (0, 1)
    assert ends_of([[1, 3], [2, 4]]) is None  # they cross
    assert ends_of([{"width": 1, "height": 2, "name": "a"}, {"width": 3, "height": 4, "name": "b"}]) is None


def test_lines_of_elements_are_emptied_and_cut() -> None:
    text = "<a>\n<b>\n<l>one</l>\n<l>two</l>\n</b>\n<b>\n<l>three</l>\n</b>\n</a>\n"
    [block] = text_blocks(text, xml=True)
    assert (block.name, block.lines, block.places) == ("l", 3, 2)
    assert block.empty == "<a>\n<b>\n</b>\n<b>\n</b>\n</a>\n"
    assert block.first == "<a>\n<b>\n<l>one</l>\n</b>\n<b>\n<l>three</l>\n</b>\n</a>\n"
    assert block.blank.count("<l></l>") == 3


def test_lists_and_texts_in_records_are_emptied_and_cut() -> None:
    value = [{"n": "a", "steps": ["x", "y"], "note": "one\ntwo"}, {"n": "b", "steps": ["z"], "note": "three"}]
    steps, note = sorted(value_blocks(value), key=lambda block: -len(block.name))
    assert [row["steps"] for row in steps.empty] == [[], []]
    assert [row["steps"] for row in steps.first] == [["x"], ["z"]]
    assert [row["note"] for row in note.first] == ["one", "three"]
    assert value[0]["steps"] == ["x", "y"]
