"""A judgement or classification rests on what was there: what comes later is judged anew, and asked once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.contracts import TrialRecord
from adjudge.judges import (
    JudgeDimension,
    JudgeRubric,
    JudgeRun,
    JudgeTally,
    Scale,
    ScaleKind,
    classify_failure,
    failure_key,
    judge_trial,
    read_judgements,
)
from adjudge.ledger import Ledger, open_ledger
from adjudge.traces import attach_trace
from support.judge_cases import WHY, Scripted, answer, asker, memo, panel, saying
from support.trace_files import FILES

CATEGORIES: dict[str, str | None] = {"unit mismatch": None}


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def run(book: Ledger, rubric: JudgeRubric, instructions: dict[str, str] | None = None) -> JudgeTally:
    judges = {"test:a": Scripted(saying(why=True))}
    work = JudgeRun(
        book, panel(), asker(book, judges), lambda _: rubric, instructions or {}, JudgeTally(), workers=1
    )
    work.execute(list(book.iterate()))
    return work.tally


def seeing(*what: str) -> JudgeRubric:
    return JudgeRubric(name="memo", dimensions=[WHY.model_copy(update={"see": list(what)})])


def attach(book: Ledger, record: TrialRecord, folder: Path) -> None:
    path = folder / "trajectory.jsonl"
    path.write_bytes(FILES["trajectory.jsonl"])
    attach_trace(book, record.trial_id, path)


def test_a_trial_that_lacked_its_instruction_is_judged_once_it_is_named(book: Ledger) -> None:
    record = memo(book)
    rubric = seeing("output", "instruction")
    assert run(book, rubric).abstained == 1
    assert run(book, rubric).already == 1
    told = {record.task_id: "Size the cable."}
    assert run(book, rubric, told).scored == 1
    assert run(book, rubric, told).already == 1
    assert [made.score for made in read_judgements(book)[record.trial_id]] == [None, 1.0]


def test_a_trial_that_lacked_its_trace_is_judged_once_it_is_attached(book: Ledger, tmp_path: Path) -> None:
    record = memo(book)
    rubric = seeing("trace")
    assert run(book, rubric).abstained == 1
    attach(book, record, tmp_path)
    assert run(book, rubric).scored == 1
    assert run(book, rubric).already == 1


def test_another_server_and_a_new_trace_classify_a_failure_anew(book: Ledger, tmp_path: Path) -> None:
    record = memo(book, reward=0.0)
    here = failure_key(book, record, CATEGORIES, panel())
    there = failure_key(book, record, CATEGORIES, panel(addresses="http://127.0.0.1:9/v1"))
    attach(book, record, tmp_path)
    assert len({here, there, failure_key(book, record, CATEGORIES, panel())}) == 3


@pytest.mark.parametrize("turn", [3, 1.5, 19_999, -1])
def test_a_failure_begins_at_a_turn_that_the_trace_has(book: Ledger, tmp_path: Path, turn: float) -> None:
    record = memo(book, reward=0.0)
    attach(book, record, tmp_path)
    judges = {"test:a": Scripted(lambda r: answer(r, {"failure": "unit mismatch", "began": turn}))}
    found = classify_failure(book, record, CATEGORIES, panel(), asker(book, judges))
    assert found["category"] == "unit mismatch"
    assert found["began_at_turn"] is None


def test_a_long_trace_is_shown_to_its_end_and_what_was_cut_is_said(book: Ledger, tmp_path: Path) -> None:
    record = memo(book)
    path = tmp_path / "conversation.jsonl"
    line = '{"role": "assistant", "content": "%s"}\n'
    path.write_text(line % ("x" * 3_000) * 100 + line % "The last word.")
    attach_trace(book, record.trial_id, path)
    judge = Scripted(saying(why=True))
    made = judge_trial(book, record, seeing("trace"), panel(), asker(book, {"test:a": judge}))
    assert judge.asked[0].prompt.materials[0].text.endswith("The last word.")
    [cut] = made.cut
    assert "of its 30" in cut, "the length of the whole trace"


def test_a_scale_without_places_is_refused() -> None:
    for low, high in ((-1e308, 1e308), (-1.7e308, 1e308)):
        with pytest.raises(ValueError, match="narrower"):
            Scale(kind=ScaleKind.NUMERIC, low=low, high=high)
    dimension = JudgeDimension(id="d", criterion="c", scale=Scale(kind=ScaleKind.NUMERIC, low=0, high=1e308))
    assert dimension.scale.place(1e308) == 1.0


def test_a_file_name_that_is_not_utf_8_can_be_sent(book: Ledger) -> None:
    index = {"workspace": [{"path": "a\udcff.txt", "mode": 420, "sha256": book.add_blob(b"because")}]}
    record = memo(book, json.dumps(index))
    folder = record.output.model_copy(update={"media_type": "inode/directory"})
    judge = Scripted(saying(why=True))
    judge_trial(
        book,
        record.model_copy(update={"output": folder}),
        seeing("output"),
        panel(),
        asker(book, {"test:a": judge}),
    )
    assert b"=== a\\udcff.txt ===\nbecause" in judge.asked[0].prompt.user.encode()
