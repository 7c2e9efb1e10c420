"""What the notes of a run tell of the marks in an answer."""

from __future__ import annotations

import json
from typing import Any

from adjudge.audit.answers.marks import NUMERIC, WORDS, Told, read_notes, told_by

A, B = NUMERIC[0](0), NUMERIC[0](1)
WORD = WORDS[0](0)


def told(given: dict[Any, Any], answer: Any, *notes: list[Any]) -> Told:
    lines = "\n".join(json.dumps([*note, *[None] * (4 - len(note))]) for note in notes)
    return told_by(read_notes(lines.encode()), given, answer)


def test_what_a_mark_met_is_its_reference() -> None:
    given = {("a",): A, ("b",): B}
    assert told(given, {"a": A, "b": B}, ["-", A, 7.5], ["==", 3, B]).known == {("a",): 7.5, ("b",): 3}
    assert told(given, {"a": A, "b": B}, ["-", A, B]).known == {}


def test_wide_bounds_give_a_point_within_that_is_a_mark_again() -> None:
    seen = told({("p",): A}, {"p": A}, ["between", A, 0, 1])
    assert seen.known == {}
    assert 0 < seen.within[("p",)] < 1
    point = seen.within[("p",)]
    assert told(seen.within, {"p": point}, ["between", point, 0, 1], ["-", point, 0.8]).known == {("p",): 0.8}
    assert told({("p",): A}, {"p": A}, ["between", A, 9.9, 10.1]).known == {("p",): 10.0}


def test_a_call_tells_only_of_the_one_mark_in_it() -> None:
    given = {("a",): A, ("b",): B}
    assert told(given, {"a": A, "b": B}, ["call", ["a", A, 5.5, 0.1]]).known == {("a",): 5.5}
    assert told(given, {"a": A, "b": B}, ["call", [A, B, 5.5]]).known == {}


def test_a_pattern_is_a_reference_if_it_is_plain() -> None:
    given = {("w",): WORD}
    assert told(given, {"w": WORD}, ["match", "F\\#m", WORD]).known == {("w",): "F#m"}
    assert told(given, {"w": WORD}, ["match", "[A-Z]+", WORD]).known == {}


def test_a_set_that_met_the_items_of_a_list_is_the_list() -> None:
    seen = told({("names", 0): WORD}, {"names": [WORD]}, ["&", [WORD], ["elm", "oak"]])
    assert seen.wholes == {("names",): [{(): "elm"}, {(): "oak"}]}
    rows = [{"tree": WORD, "age": A}]
    seen = told({(0, "tree"): WORD, (0, "age"): A}, rows, ["==", [WORD], ["elm", "oak"]])
    assert seen.wholes == {(): [{("tree",): "elm"}, {("tree",): "oak"}]}


def test_items_that_are_looked_for_one_by_one_are_the_list() -> None:
    notes = [["in", ["elm", 3], [[WORD, A]]], ["in", ["oak", 5], [[WORD, A]]]]
    seen = told({(0, 0): WORD, (0, 1): A}, [[WORD, A]], *notes)
    assert seen.wholes == {(): [{(0,): "elm", (1,): 3}, {(0,): "oak", (1,): 5}]}


def test_the_length_of_a_list_and_the_names_that_are_looked_up() -> None:
    answer = {"x": {"age": A}, "list": [B]}
    given = {("x", "age"): A, ("list", 0): B}
    seen = told(given, answer, ["len", [B], 3], ["get", answer, "elm"], ["get", answer["x"], "size"])
    assert seen.lengths == {("list",): 3}
    assert seen.names == {(): ["elm"], ("x",): ["size"]}
