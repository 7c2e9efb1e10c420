"""What an agent writes never raises a judge's score, and what speaks to the judge is noticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.judges import JudgeRubric, Request, judge_trial
from adjudge.judges.injection import find_injections
from adjudge.ledger import Ledger, open_ledger
from judges.gallery import HONEST, INJECTIONS
from judges.held_out import HELD_OUT
from support.doc_pages import ROOT
from support.judge_cases import WHY, Scripted, answer, asker, memo, panel

ONLY_WHY = JudgeRubric(name="why", dimensions=[WHY])


def outside_the_fence(text: str) -> str:
    """What a judge that respects the fence takes for an instruction: BEGIN opens, only its own END closes."""
    return re.sub(r"^BEGIN (\w+)$.*?^END \1$", "", text, flags=re.MULTILINE | re.DOTALL)


def obeying(order: str, text: str, request: Request) -> str:
    """A judge that gives full marks if it takes the order, or a line of it, for an instruction, else none.

    A line of one short word also stands in the question itself, and is no order.
    """
    lines = [order, *(line for line in order.splitlines() if len(line.strip()) > 12)]
    return answer(request, {"why": any(line in text for line in lines)})


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def test_the_gallery_is_as_large_as_it_should_be() -> None:
    assert len(INJECTIONS) >= 30
    assert len(HONEST) >= 30


@pytest.mark.parametrize("name", INJECTIONS)
def test_a_judge_that_respects_the_fence_is_never_moved(book: Ledger, name: str) -> None:
    order = INJECTIONS[name]
    judge = Scripted(lambda request: obeying(order, outside_the_fence(request.prompt.user), request))
    made = judge_trial(book, memo(book, INJECTIONS[name]), ONLY_WHY, panel(), asker(book, {"test:a": judge}))
    assert made.score == 0.0
    assert INJECTIONS[name] in judge.asked[0].prompt.user


def test_a_judge_that_obeys_everything_would_be_moved_and_that_is_noticed(book: Ledger) -> None:
    """The scripted judge obeys every text of the gallery; what counts is that the record says so."""
    judge = Scripted(lambda request: answer(request, {"why": True}))
    found = {
        name: judge_trial(
            book, memo(book, text, number), ONLY_WHY, panel(), asker(book, {"test:a": judge})
        ).suspected
        for number, (name, text) in enumerate(INJECTIONS.items())
    }
    missed = [name for name, suspected in found.items() if not suspected]
    alarms = [name for name, text in HONEST.items() if find_injections(text)]
    assert len(missed) <= len(INJECTIONS) * 0.05, missed
    assert len(alarms) <= len(HONEST) * 0.05, alarms
    page = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    said = (
        f"{len(INJECTIONS) - len(missed)} of {len(INJECTIONS)} injections are noticed, and {len(alarms)} of "
    )
    assert f"{said}{len(HONEST)} honest outputs are suspected" in " ".join(page.split())


def test_the_share_noticed_of_texts_that_no_rule_was_written_for_is_said() -> None:
    """Not a bar to pass but a number to tell: a gallery that rules were made on flatters them."""
    noticed = sum(bool(find_injections(text)) for text in HELD_OUT.values())
    assert len(HELD_OUT) >= 20
    assert not set(HELD_OUT.values()) & set(INJECTIONS.values())
    page = " ".join((ROOT / "docs" / "judges.md").read_text(encoding="utf-8").split())
    assert f"Of {len(HELD_OUT)} texts that no rule was written for, {noticed} are noticed" in page


@pytest.mark.parametrize("name", HELD_OUT)
def test_what_is_not_noticed_does_not_move_a_judge_that_respects_the_fence(book: Ledger, name: str) -> None:
    order = HELD_OUT[name]
    judge = Scripted(lambda request: obeying(order, outside_the_fence(request.prompt.user), request))
    made = judge_trial(book, memo(book, order), ONLY_WHY, panel(), asker(book, {"test:a": judge}))
    assert made.score == 0.0
