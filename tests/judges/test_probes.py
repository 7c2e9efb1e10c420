"""A judge with a bias is found out by probes, and one without is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.judges import JudgeRubric, Request, count_moves, probe_trial
from adjudge.judges.probes import pad, restyle, reword
from adjudge.ledger import Ledger, open_ledger
from support.judge_cases import MEMO, WHY, Scripted, answer, asker, memo, panel

TWO = JudgeRubric(name="two", dimensions=[WHY, WHY.model_copy(update={"id": "also"})])


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def fair(request: Request) -> str:
    return answer(request, {"why": "10 mm²" in request.prompt.user, "also": False})


def by_the_word(request: Request) -> str:
    return answer(request, {"why": "exceeds" in request.prompt.user, "also": False})


def talkative(request: Request) -> str:
    return answer(request, {"why": len(request.prompt.materials[0].text) > 250, "also": False})


def first_is_best(request: Request) -> str:
    return answer(request, {request.prompt.dimensions[0].id: True, request.prompt.dimensions[1].id: False})


def neat(request: Request) -> str:
    return answer(request, {"why": "**" in request.prompt.materials[0].text, "also": False})


@pytest.mark.parametrize(
    ("judge", "moved"),
    [
        (fair, {}),
        (talkative, {("verbosity", "why"): 3}),
        (first_is_best, {("position", "why"): 3, ("position", "also"): 3}),
        (neat, {("style", "why"): 3}),
        (by_the_word, {("wording", "why"): 3}),
    ],
    ids=["fair", "talkative", "first is best", "neat", "by the word"],
)
def test_only_the_bias_at_hand_moves_verdicts(book: Ledger, judge: object, moved: dict[object, int]) -> None:
    found = []
    for number in range(3):
        record = memo(book, f"**Note** {MEMO}{number}", number)
        ask = asker(book, {"test:a": Scripted(judge)})  # type: ignore[arg-type]
        found.append(probe_trial(book, record, TWO, panel(), ask))
    counts = count_moves(found)
    assert {(c.probe, c.criterion): c.moved for c in counts if c.moved} == moved
    assert all(c.compared == 3 for c in counts)
    assert list(book.attached("judgement")) == []


def test_probes_keep_the_words() -> None:
    text = "# A\n\n- **one**\n- two\n"
    assert pad(text).startswith(text.rstrip())
    assert restyle(text) == "# A\n\n• one\n• two\n"
    assert set(restyle(MEMO).split()) == set(MEMO.split())


def test_other_words_leave_facts_code_and_quotes_alone() -> None:
    text = 'We use 10 mm² because `we use` it; "because" is quoted. However, 7.2 V exceeds 3 %.'
    assert reword(text) == (
        'I employ 10 mm² since `we use` it; "because" is quoted. But, 7.2 V is above 3 %.'
    )
    assert reword('{"voltage_drop_v": 4.6776}') == '{"voltage_drop_v": 4.6776}'
