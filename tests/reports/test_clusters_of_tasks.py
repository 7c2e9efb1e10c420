"""A task has one cluster, whichever of its trials name it, so no number depends on the order of the sides."""

from __future__ import annotations

import json
from pathlib import Path

from adjudge.ledger import open_ledger
from support.command_line import run_adjudge
from support.report_ledgers import entries
from support.trial_samples import trial

TASKS = range(12)


def record(path: Path, experiment: str, step: int, clusters: int | None) -> None:
    """One trial of each task; those of an experiment with clusters name theirs."""
    with open_ledger(path) as ledger:
        ledger.record(
            trial(
                100 * step + n,
                agent_name="ant",
                model=None,
                task_id=f"t{n}",
                reward=(n * step % 11) / 10,
                experiment=experiment,
                metadata={} if clusters is None else {"cluster": f"c{n % clusters}"},
            )
            for n in TASKS
        )


def difference(path: Path, command: str, *names: str) -> dict[str, object]:
    done = run_adjudge(command, *names, "--by", "experiment", "--ledger", path, "--json")
    found = json.loads(done.stdout)
    pair = found["verdict"] if command == "gate" else found["pairs"][0]
    return dict(pair["comparison"]["difference"])


def test_a_cluster_that_one_side_names_counts_in_whichever_order_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    record(path, "old", 7, None)
    record(path, "new", 5, 3)
    one = difference(path, "compare", "old", "new")
    other = difference(path, "compare", "new", "old")
    gate = difference(path, "gate", "--baseline", "new", "--candidate", "old")
    assert one["clusters"] == other["clusters"] == gate["clusters"] == 3
    assert gate["interval"] == one["interval"]
    pooled = json.loads(run_adjudge("report", "--ledger", path, "--json").stdout)
    assert pooled["groups"][0]["reward"]["clusters"] == 3


def test_sides_that_name_different_clusters_for_a_task_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    record(path, "old", 7, 4)
    record(path, "new", 5, 3)
    command = ("compare", "old", "new", "--by", "experiment", "--ledger", path)
    done = run_adjudge(*command)
    assert done.code == 2
    assert "a task lies in two clusters" in done.stderr
    assert "--cluster none" in done.stderr
    assert run_adjudge(*command, "--cluster", "none").code == 0


def test_a_declared_cluster_is_found_behind_any_number_of_trials_without_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"bee": {f"other{n}": [0.5] for n in range(5_001)}}))
    record(path, "new", 5, 3)
    found = json.loads(run_adjudge("report", "--ledger", path, "--agent", "ant", "--json").stdout)
    assert found["choices"]["cluster"] == "metadata.cluster"
    whole = json.loads(run_adjudge("report", "--ledger", path, "--json").stdout)
    assert {group["name"]: group["reward"]["clusters"] for group in whole["groups"]}["ant"] == 3
    without = json.loads(run_adjudge("report", "--ledger", path, "--agent", "bee", "--json").stdout)
    assert without["choices"]["cluster"] is None
