"""A trace belongs to a trial: attached by a run or by hand, found, shown, searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Ledger, open_ledger
from adjudge.reports.building.traces import trace_document
from adjudge.traces import Turn, attach_trace, find_traces, search_trace, turns_of
from support.command_line import run_adjudge
from support.run_folders import echo_task, run_manifest, write_manifest
from support.trace_files import FILES
from support.trial_samples import sha, trial


@pytest.fixture
def traced(ledger: Ledger, tmp_path: Path) -> str:
    [recorded, *_] = ledger.record([trial(n) for n in range(3)])
    path = tmp_path / "trajectory.jsonl"
    path.write_bytes(FILES["trajectory.jsonl"])
    attach_trace(ledger, recorded.trial_id, path)
    return recorded.trial_id


def test_a_trace_is_found_with_its_trial(ledger: Ledger, traced: str) -> None:
    before = ledger.get(traced)
    ids = [record.trial_id for record in ledger.iterate()]
    [found] = find_traces(ledger, ids).values()
    assert (found.trial_id, found.name) == (traced, "trajectory.jsonl")
    assert [turn.text for turn in turns_of(ledger, found) if isinstance(turn, Turn)] == [
        "What is the voltage drop?",
        "I will compute it.",
        "Let me check: 7.2 V is right.",
    ]
    assert ledger.get(traced) == before
    assert ledger.verify().intact


def test_a_second_file_takes_the_place_of_the_first_which_stays(
    ledger: Ledger, traced: str, tmp_path: Path
) -> None:
    other = tmp_path / "conversation.jsonl"
    other.write_bytes(FILES["conversation.jsonl"])
    attach_trace(ledger, traced, other)
    attach_trace(ledger, traced, other)
    assert find_traces(ledger, [traced])[traced].name == "conversation.jsonl"
    assert len(list(ledger.attached("trace", trial_ids=[traced]))) == 2


def test_a_harbor_trajectory_among_the_artifacts_is_the_trace(tmp_path: Path) -> None:
    data = FILES["trajectory.json"]
    entry = trial(1)
    run = entry.record.run.model_copy(update={"artifacts": {"agent/trajectory.json": sha(data)}})
    record = entry.record.model_copy(update={"run": run})
    with open_ledger(tmp_path / "a.db") as ledger:
        ledger.record(type(entry)(record, blobs={**entry.blobs, sha(data): data}))
        found = find_traces(ledger, [record.trial_id])[record.trial_id]
        assert found.name == "agent/trajectory.json"
        assert len(list(turns_of(ledger, found))) == 3


def test_a_file_without_a_turn_is_refused(ledger: Ledger, traced: str, tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text("nothing")
    with pytest.raises(
        UsageError, match=r"trajectory\.json: the file holds no turn: line 1: this is no trace"
    ):
        attach_trace(ledger, traced, path)


def test_search_names_turn_and_part(ledger: Ledger, traced: str) -> None:
    found = find_traces(ledger, [traced])[traced]
    hits = [(hit.turn, hit.part, hit.around) for hit in search_trace(ledger, found, "7.2 v")]
    assert hits == [(1, "result", "7.2 V"), (2, "text", "Let me check: 7.2 V is right.")]
    assert [hit.part for hit in search_trace(ledger, found, "drop.py")] == ["call"]


def test_a_run_attaches_the_traces_that_rows_name(tmp_path: Path) -> None:
    echo_task(tmp_path / "tasks" / "echo")
    manifest = write_manifest(tmp_path, 4)
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "bad.jsonl").write_bytes(FILES["conversation.jsonl"] + b"{broken\n")
    for row, name in zip(rows, ("trajectory.json", "bad.jsonl", "gone.jsonl"), strict=False):
        row["trace"] = name
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with open_ledger(tmp_path / "a.db") as ledger:
        tally = run_manifest(ledger, manifest)
        assert (tally.recorded, tally.bad_rows) == (4, [])
        wholly, partly = sorted(tally.bad_traces, key=lambda text: "gone" not in text)
        assert "gone.jsonl: the trace cannot be read: No such file" in wholly
        assert "bad.jsonl: 1 unreadable; line 5: " in partly
        traces = find_traces(ledger, [record.trial_id for record in ledger.iterate()])
        assert sorted(found.name for found in traces.values()) == ["bad.jsonl", "trajectory.json"]
        (tmp_path / "gone.jsonl").write_bytes(FILES["trajectory.jsonl"])
        again = run_manifest(ledger, manifest)
        assert (again.already, again.bad_traces) == (4, [])
        assert len(find_traces(ledger, [record.trial_id for record in ledger.iterate()])) == 3


def test_the_commands_attach_show_and_search(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with open_ledger(db) as ledger:
        trial_id = ledger.record(trial(1)).trial_id
    path = tmp_path / "trajectory.jsonl"
    path.write_bytes(FILES["trajectory.jsonl"])
    none = run_adjudge("show", trial_id, "--trace", "--ledger", db)
    assert (none.code, "this trial has no trace" in none.stderr) == (2, True)
    done = run_adjudge("traces", "attach", trial_id[:8], path, "--ledger", db)
    assert done.stdout == f"{trial_id}: 3 turns, 1 calls (trajectory.jsonl)\n"
    shown = run_adjudge("show", trial_id, "--trace", "--ledger", db).stdout
    assert "turn 1  assistant  line 3" in shown
    assert "-> bash python drop.py" in shown
    assert "<- exit 0 7.2 V" in shown
    rows = [
        json.loads(line)
        for line in run_adjudge("show", trial_id, "--trace", "--json", "--ledger", db).stdout.splitlines()
    ]
    assert [row["role"] for row in rows] == ["user", "assistant", "assistant"]
    found = run_adjudge("traces", "search", "drop.py", "--ledger", db)
    assert found.stdout == f"{trial_id}  turn 1  call  bash python drop.py\n"
    assert "1 places in 1 traces of 1 trials" in found.stderr


def test_the_page_of_a_trial_has_its_turns(ledger: Ledger, traced: str, tmp_path: Path) -> None:
    found = find_traces(ledger, [traced])[traced]
    shown = trace_document(ledger, found)
    assert shown is not None
    assert shown["turns"][1] == {
        "head": "turn 1: assistant",
        "parts": ["Ohm's law.", "I will compute it.", "-> bash python drop.py", "<- 7.2 V"],
    }
    assert trace_document(ledger, None) is None
    many = tmp_path / "many.jsonl"
    many.write_text('{"role": "user", "content": "\\u001b[31m"}\n' * 61)
    attach_trace(ledger, traced, many)
    longer = trace_document(ledger, find_traces(ledger, [traced])[traced])
    assert longer is not None
    assert (len(longer["turns"]), "the first 60 turns" in longer["note"]) == (60, True)
    assert "\x1b" not in json.dumps(longer["turns"], ensure_ascii=False)
