"""Calibration, tuning and examples never share an output, whatever is tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.judges import (
    JudgeRubric,
    JudgeRun,
    JudgeTally,
    Use,
    claim,
    claim_examples,
    quoted_by_examples,
)
from adjudge.ledger import Ledger, open_ledger
from support.command_line import run_adjudge
from support.judge_cases import MEMO, WHY, asker, judged_ledger, labels_file, panel, rubric_file
from support.trial_samples import trial

RUBRIC = JudgeRubric(name="why", dimensions=[WHY])
OTHER_WORDS = WHY.model_copy(update={"criterion": "Does the memo compare with the next smaller cable?"})


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def trials_of(book: Ledger, *texts: str) -> list[str]:
    made = [trial(number, output=text.encode()) for number, text in enumerate(texts)]
    return [recorded.trial_id for recorded in book.record(made)]


def test_a_trial_serves_for_one_thing_and_the_ledger_holds_the_first(book: Ledger) -> None:
    one, two = trials_of(book, "a", "b")
    assert claim(book, RUBRIC, {one: Use.CALIBRATION, two: Use.TUNING}) == {}
    assert claim(book, RUBRIC, {one: Use.CALIBRATION}) == {}
    refused = claim(book, RUBRIC, {one: Use.TUNING, two: Use.TUNING})
    assert list(refused) == [one]
    assert refused[one].startswith("this output serves for calibration with rubric 'why', so not for tuning")
    assert claim(book, RUBRIC, {one: Use.CALIBRATION}) == {}, "a refusal changes nothing"


EVASIONS: dict[str, JudgeRubric] = {
    "another name": JudgeRubric(name="other", dimensions=[WHY]),
    "other words": JudgeRubric(name="why", dimensions=[OTHER_WORDS]),
    "another id": JudgeRubric(name="other", dimensions=[WHY.model_copy(update={"id": "reasons"})]),
    "blanks and case": JudgeRubric(
        name="other", dimensions=[WHY.model_copy(update={"criterion": str(WHY.criterion).upper() + "  "})]
    ),
}


@pytest.mark.parametrize("what", EVASIONS)
def test_a_rubric_in_disguise_is_the_same_rubric(book: Ledger, what: str) -> None:
    [one] = trials_of(book, "a")
    claim(book, RUBRIC, {one: Use.TUNING})
    assert list(claim(book, EVASIONS[what], {one: Use.CALIBRATION})) == [one]


def test_another_rubric_is_another_rubric(book: Ledger) -> None:
    [one] = trials_of(book, "a")
    claim(book, RUBRIC, {one: Use.TUNING})
    assert claim(book, JudgeRubric(name="other", dimensions=[OTHER_WORDS]), {one: Use.CALIBRATION}) == {}


def test_a_second_trial_with_the_same_output_serves_for_the_same_thing_only(book: Ledger) -> None:
    one, twin = trials_of(book, "the same", "the same")
    claim(book, RUBRIC, {one: Use.TUNING})
    assert list(claim(book, RUBRIC, {twin: Use.CALIBRATION})) == [twin]


def with_example(**changes: Any) -> JudgeRubric:
    example = {"text": MEMO, "verdict": True, "reason": "y", **changes}
    return JudgeRubric.model_validate(
        {"name": "why", "dimensions": [{"id": "a", "criterion": "It says why.", "examples": [example]}]}
    )


def test_an_example_from_a_calibrating_trial_is_refused_with_or_without_its_id(book: Ledger) -> None:
    [one] = trials_of(book, MEMO)
    claim(book, RUBRIC, {one: Use.CALIBRATION})
    for shown in (with_example(text="x", trial_id=one), with_example()):
        assert len(claim_examples(book, shown)) == 1
        run = JudgeRun(book, panel(), asker(book, {}), lambda _, s=shown: s, {}, JudgeTally())  # type: ignore[misc]
        with pytest.raises(UsageError, match="so not for example"):
            run.execute(list(book.iterate()))


@pytest.mark.parametrize(
    "text",
    [
        "We chose 16 mm² because 10 mm² exceeds the 3 % limit.",
        "we chose 16 mm²\nbecause 10 mm²  exceeds the 3 % limit.",
        f"Someone wrote:\n{MEMO}\nand left.",
    ],
    ids=["an excerpt", "with other blanks", "with a frame"],
)
def test_a_trial_that_an_example_quotes_cannot_calibrate(book: Ledger, text: str) -> None:
    one, two = trials_of(book, MEMO, "Something else entirely, which is long enough to be told apart.")
    assert list(quoted_by_examples(book, with_example(text=text), [one, two])) == [one]
    assert quoted_by_examples(book, RUBRIC, [one, two]) == {}


def test_the_command_leaves_out_what_is_held_and_says_so(tmp_path: Path) -> None:
    _, truth = judged_ledger(tmp_path / "a.db", 40, RUBRIC)
    rubric = rubric_file(tmp_path / "judge.toml")
    options = ("--rubric", rubric, "--ledger", tmp_path / "a.db", "--json")
    half = dict(list(truth.items())[:20])
    tuned = run_adjudge(
        "calibrate", *options, "--use", "tuning", "--labels", labels_file(tmp_path / "half.jsonl", half)
    )
    [found] = json.loads(tuned.stdout)
    assert (found["items"], found["calibrated"]) == (20, False)
    assert found["why_not"].startswith("tuning proves nothing")
    done = run_adjudge("calibrate", *options, "--labels", labels_file(tmp_path / "all.jsonl", truth))
    [found] = json.loads(done.stdout)
    assert found["items"] == 20
    assert not set(found["trials"]) & set(half)
    assert done.stderr.count("this output serves for tuning") == 20
