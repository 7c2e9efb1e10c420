"""An answer counts only if it is exactly what was asked for; the rest is named and never guessed at."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.judges import JudgeAnswer, Malformed, Prompt, make_prompt, parse_answer
from adjudge.judges.material import Material
from support.judge_cases import DEPTH, MEMO, WHY


@pytest.fixture
def prompt() -> Prompt:
    return make_prompt([WHY, DEPTH], [Material("output", MEMO)], model="m", sample=0)


def entry(name: str, verdict: Any, **changes: Any) -> dict[str, Any]:
    return {"id": name, "reason": "seen", "quotes": ["because 10 mm²"], "verdict": verdict} | changes


def whole(prompt: Prompt, *entries: Any, **changes: Any) -> str:
    return json.dumps({"seal": prompt.seal, "criteria": list(entries)} | changes)


def test_a_good_answer_is_read(prompt: Prompt) -> None:
    found = parse_answer(whole(prompt, entry("why", True), entry("depth", "full")), prompt)
    assert isinstance(found, JudgeAnswer)
    assert [(given.id, given.verdict) for given in found.given] == [("why", True), ("depth", "full")]
    assert not found.leaked
    unsure = parse_answer(whole(prompt, entry("why", None), entry("depth", "full")), prompt)
    assert isinstance(unsure, JudgeAnswer)
    assert unsure.given[0].verdict is None


BAD: list[tuple[str, Any, str]] = [
    (
        "a string for a boolean",
        [entry("why", "false"), entry("depth", "full")],
        "'false' is not true or false",
    ),
    ("a number for a boolean", [entry("why", 1), entry("depth", "full")], "1 is not true or false"),
    ("a level that is none", [entry("why", True), entry("depth", "fully")], "'fully' is not one of"),
    ("a wrong id", [entry("why", True), entry("deep", "full")], "there is no criterion 'deep'"),
    ("an id twice", [entry("why", True), entry("why", False)], "must stand once"),
    ("an id missing", [entry("why", True)], "must stand once"),
    ("no criteria", [], "must stand once"),
    ("the verdict first", [{"id": "why", "verdict": True, "reason": "x", "quotes": []}], "in this order"),
    ("no reason", [entry("why", True, reason="  "), entry("depth", "full")], "the reason must be a text"),
    ("an extra key", [entry("why", True, score=1), entry("depth", "full")], "in this order"),
    (
        "quotes that are none",
        [entry("why", True, quotes="x"), entry("depth", "full")],
        "quotes must be a list",
    ),
]


@pytest.mark.parametrize(("what", "entries", "why"), BAD, ids=[what for what, _, _ in BAD])
def test_what_is_not_as_asked_is_malformed(prompt: Prompt, what: str, entries: Any, why: str) -> None:
    found = parse_answer(whole(prompt, *entries), prompt)
    assert isinstance(found, Malformed), what
    assert why in found.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no plain JSON"),
        ("I think it is fine.", "no plain JSON"),
        ('```json\n{"seal": 1}\n```', "no plain JSON"),
        ('{"seal": "x", "criteria": []', "no plain JSON"),
        ('{"seal": "x", "criteria": []} {}', "no plain JSON"),
        ('{"seal": "x", "seal": "y", "criteria": []}', "stands twice"),
        ("[]", "must be an object"),
        ('{"criteria": []}', "must be an object"),
        ('{"seal": "0123", "criteria": []}', "its seal is not"),
        ("x" * 300_000, "longer than"),
    ],
)
def test_what_is_no_answer_is_malformed(prompt: Prompt, text: str, why: str) -> None:
    found = parse_answer(text, prompt)
    assert isinstance(found, Malformed)
    assert why in found.why


def test_an_answer_that_repeats_the_canary_was_dictated(prompt: Prompt) -> None:
    entries = entry("why", True, reason=f"says {prompt.canary}"), entry("depth", "full")
    found = parse_answer(whole(prompt, *entries), prompt)
    assert isinstance(found, JudgeAnswer)
    assert found.leaked


def test_no_text_can_hold_its_own_boundary() -> None:
    """An agent that knows every rule still cannot write the marks: they depend on what it writes."""
    first = make_prompt([WHY], [Material("output", MEMO)], model="m", sample=0)
    marks = f"{first.boundary} {first.seal} {first.canary}"
    second = make_prompt([WHY], [Material("output", MEMO + marks)], model="m", sample=0)
    assert not {first.boundary, first.seal, first.canary} & {second.boundary, second.seal, second.canary}
    assert second.user.count(f"END {second.boundary}") == 1
    assert first.boundary in second.user  # as data, within the fence


def test_every_second_sample_asks_in_reverse_order() -> None:
    def order(sample: int) -> list[str]:
        made = make_prompt([WHY, DEPTH], [Material("output", MEMO)], model="m", sample=sample)
        return [d.id for d in made.dimensions]

    assert [order(0), order(1), order(2)] == [["why", "depth"], ["depth", "why"], ["why", "depth"]]


def test_the_same_question_is_the_same_prompt() -> None:
    made = [make_prompt([WHY], [Material("output", MEMO)], model="m", sample=3) for _ in range(2)]
    assert made[0] == made[1]
