"""Each assistant's turn gets a kind, mechanically where its doing tells, by a judge where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.judges import classify_by_judge
from adjudge.ledger import open_ledger
from adjudge.traces import Role, Turn, TurnKind, attach_trace, classify_turn, classify_turns
from adjudge.traces.turn import ToolCall
from support.command_line import run_adjudge
from support.judge_cases import Scripted, answer, asker, panel
from support.trace_files import FILES
from support.trial_samples import trial


def turn(text: str = "", *, call: str | None = None, index: int = 0, role: Role = Role.ASSISTANT) -> Turn:
    calls = [] if call is None else [ToolCall(name="bash", arguments=call)]
    return Turn(index=index, line=1, role=role, text=text, tool_calls=calls)


TOLD = [
    (turn("Running it.", call="python drop.py"), TurnKind.EXECUTION),
    (turn("", call="pytest -q"), TurnKind.VERIFICATION),
    (turn("", call="diff expected.json answer.json"), TurnKind.VERIFICATION),
    (turn('```json\n{"v": 7.2}\n```'), TurnKind.EXECUTION),
    (turn("Let me double-check the sum; it matches the table."), TurnKind.VERIFICATION),
    (turn("First I need to find R, then X, because the drop follows from both."), TurnKind.DELIBERATION),
    (turn("Maybe the limit is 5 %? Alternatively it might be 3 %."), TurnKind.EXPLORATION),
]


@pytest.mark.parametrize(("one", "kind"), TOLD, ids=[kind.value + str(n) for n, (_, kind) in enumerate(TOLD)])
def test_what_a_turn_does_tells_its_kind(one: Turn, kind: TurnKind) -> None:
    found = classify_turn(one)
    assert found is not None
    assert found.bond_type is kind
    assert 0 < found.confidence < 1
    assert found.rationale


@pytest.mark.parametrize("text", ["", "7.2", "Maybe, because."])
def test_where_nothing_tells_it_abstains(text: str) -> None:
    assert classify_turn(turn(text)) is None


def test_only_the_assistants_turns_are_classified() -> None:
    found, left = classify_turns(
        [turn("go", role=Role.USER), turn("x", call="ls", index=1), turn("hm", index=2)]
    )
    assert [one.turn_index for one in found] == [1]
    assert [one.index for one in left] == [2]


def test_a_judge_tells_the_rest_in_batches(tmp_path: Path) -> None:
    def kinds(request: Any) -> str:
        return answer(request, {d.id: "deliberation" for d in request.prompt.dimensions})

    def other(request: Any) -> str:
        return answer(request, {d.id: "exploration" for d in request.prompt.dimensions})

    turns = [turn(f"hm {n}", index=n) for n in range(15)]
    with open_ledger(tmp_path / "a.db") as book:
        judge = Scripted(kinds)
        found = classify_by_judge(turns, panel(), asker(book, {"test:a": judge}))
        assert len(judge.asked) == 2
        assert [one.turn_index for one in found] == list(range(15))
        assert {(one.bond_type, one.confidence) for one in found} == {(TurnKind.DELIBERATION, 1.0)}
        split = {"test:a": Scripted(kinds), "test:b": Scripted(other)}
        assert classify_by_judge(turns, panel(list(split)), asker(book, split)) == []


def test_the_commands_classify_and_compare(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    path = tmp_path / "trajectory.jsonl"
    path.write_bytes(FILES["trajectory.jsonl"])
    with open_ledger(db) as book:
        for number in range(6):
            trial_id = book.record(trial(number, reward=float(number % 2))).trial_id
            attach_trace(book, trial_id, path)
    done = run_adjudge("traces", "classify", "--ledger", db)
    assert done.stdout == "12 of 12 turns told in 6 traces of 6 trials (mechanical 1)\n", done.stderr
    with open_ledger(db) as book:
        head = book.info().head
    run_adjudge("traces", "classify", "--ledger", db)
    with open_ledger(db) as book:
        assert book.info().head == head
    shown = json.loads(run_adjudge("traces", "structure", "--json", "--ledger", db).stdout)
    assert [row["similarity"] for row in shown["trials"]] == pytest.approx([1.0] * 6)
    assert [row["distance"] for row in shown["trials"]] == [0.0] * 6
    assert shown["test"]["value"] is None
    page = tmp_path / "page.html"
    run_adjudge("traces", "structure", "-o", page, "--ledger", db)
    text = page.read_text()
    assert text.count("<svg") == 6
    assert "cannot be told" in text
