"""Sides are compared on trials that the same verifier scored, and keys that do not exist are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.ledger import TrialEntry, open_ledger
from support.command_line import run_adjudge
from support.report_ledgers import entries

OLD, NEW = "a" * 64, "b" * 64
TASKS = {f"t/{n}": [0.0, 0.5] for n in range(12)}


def ledger_of(path: Path, **digests: str) -> Path:
    """Two experiments over the same tasks; the candidate earns 1.0 throughout."""
    with open_ledger(path) as ledger:
        for name, rewards in (("old", TASKS), ("new", {task: [1.0, 1.0] for task in TASKS})):
            for entry in entries({"ant": rewards}, experiment=name):
                record = entry.record.model_copy(update={"task_digest": digests[name]})
                ledger.record([TrialEntry(record)])
    return path


def gate(ledger: Path, *options: str) -> tuple[int, dict[str, object]]:
    done = run_adjudge(
        "gate", "--ledger", ledger, "--baseline", "old", "--candidate", "new", "--json", *options
    )
    return done.code, json.loads(done.stdout)


def test_the_same_verifier_lets_a_better_candidate_pass(tmp_path: Path) -> None:
    code, found = gate(ledger_of(tmp_path / "a.db", old=OLD, new=OLD))
    assert code == 0
    assert found["ruler"] == {"differing": 0, "examples": [], "trials_left_out": 0, "ignored": False}


def test_another_verifier_leaves_the_gate_undecided_unless_told_otherwise(tmp_path: Path) -> None:
    """Every verifier replaced by one that writes 1.0 must not pass."""
    ledger = ledger_of(tmp_path / "a.db", old=OLD, new=NEW)
    code, found = gate(ledger)
    assert code == 4
    assert found["ruler"]["differing"] == 12  # type: ignore[index]
    assert "different versions of the verifier scored 12 shared tasks" in found["verdict"]["reason"]  # type: ignore[index]
    shown = run_adjudge("gate", "--ledger", ledger, "--baseline", "old", "--candidate", "new").stdout
    assert "adjudge rescore brings every trial to one version" in " ".join(shown.split())
    assert gate(ledger, "--any-verifier")[0] == 0


def test_a_comparison_leaves_out_what_different_verifiers_scored(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path / "a.db", old=OLD, new=NEW)
    command = ("compare", "new", "old", "--by", "experiment", "--ledger", ledger, "--json")
    found = json.loads(run_adjudge(*command).stdout)
    assert found["pairs"][0]["comparison"]["difference"]["value"] is None
    assert found["ruler"]["trials_left_out"] == 48
    every = json.loads(run_adjudge(*command, "--any-verifier").stdout)
    assert every["pairs"][0]["comparison"]["difference"]["value"] == 0.75
    assert "may be that of the verifiers" in every["notes"][0]


@pytest.mark.parametrize("option", ["--cluster", "--group-by"])
def test_a_key_that_no_trial_has_is_refused_with_the_keys_there_are(tmp_path: Path, option: str) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"ant": TASKS}, metadata={"template": "x"}))
    done = run_adjudge("report", "--ledger", path, option, "metadata.tmplate")
    assert done.code == 2
    assert "none of these trials has this metadata key" in done.stderr
    assert "allowed: metadata.template" in done.stderr


def test_the_cluster_that_trials_declare_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"ant": TASKS}, metadata={"cluster": "x"}))
    found = json.loads(run_adjudge("report", "--ledger", path, "--json").stdout)
    assert found["choices"]["cluster"] == "metadata.cluster"
    none = json.loads(run_adjudge("report", "--ledger", path, "--json", "--cluster", "none").stdout)
    assert none["choices"]["cluster"] is None


@pytest.mark.parametrize("form", ["terminal", "md", "html", "json"])
def test_every_format_names_cluster_and_filter_and_warns_of_picked_outcomes(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"ant": TASKS}))
    options = ("--ledger", path, "--format", form, "--cluster", "category", "--min-reward", "0.2")
    shown = " ".join(run_adjudge("report", *options, COLUMNS="400").stdout.split())
    for sentence in (
        "Only trials with min reward 0.2.",
        "These trials were picked by what became of them (min reward)",
        "Tasks of one category count as one cluster",
    ):
        assert sentence in shown


def test_fields_are_compared_on_the_same_trials_as_the_reward(tmp_path: Path) -> None:
    """Two versions of a verifier grade a field differently, too."""
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"ant": {f"t/{n}": [0.9] for n in range(8)}}, task_digest=OLD))
        for n in range(8):
            digest = OLD if n < 2 else NEW
            ledger.record(entries({"bee": {f"t/{n}": [0.2]}}, task_digest=digest))
    done = run_adjudge("compare", "ant", "bee", "--ledger", path, "--json")
    found = json.loads(done.stdout)
    assert found["pairs"][0]["comparison"]["shared"] == 2
    assert [field["comparison"]["shared"] for field in found["fields"]] == [2]


@pytest.mark.parametrize("form", ["terminal", "md", "html"])
def test_nobody_is_said_to_have_no_trials_because_versions_differ(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        for name, digest in (("ant", OLD), ("bee", NEW)):
            ledger.record(entries({name: {f"t/{n}": [0.5] for n in range(3)}}, task_digest=digest))
    done = run_adjudge("compare", "--ledger", path, "--format", form, COLUMNS="400")
    shown = " ".join(done.stdout.split())
    assert "all of its trials are left out: other versions of the verifier scored them" in shown
    assert "ant has no trials that count" in shown
    assert "there are no trials" not in shown
