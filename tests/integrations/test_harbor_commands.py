"""The command line: import, export, check, and what `adjudge harbor run` hands to Harbor."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from adjudge.errors import MissingExtra
from adjudge.integrations.harbor import command
from integrations.harbor_jobs import EXAMPLES, FIXTURES
from support.command_line import run_adjudge as run
from support.task_folders import write_task


def test_import_then_export(tmp_path: Path) -> None:
    ledger = ("--ledger", str(tmp_path / "ledger.db"))
    done = run("import", "harbor", FIXTURES / "oracle", "-e", "x", *ledger)
    assert done.stdout.startswith("6 trials imported from 1 job; ledger ")
    again = json.loads(run("import", "harbor", FIXTURES / "oracle", "-e", "x", *ledger, "--json").stdout)
    assert (again["trials"], again["already"]) == (0, 6)
    written = run("export", "harbor", tmp_path / "jobs", *ledger)
    assert written.stdout.startswith("6 trials written")
    assert len(list((tmp_path / "jobs" / "x").glob("*/result.json"))) == 6


def test_tasks_that_cannot_be_read_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    broken = tmp_path / "tasks" / "broken"
    broken.mkdir(parents=True)
    (broken / "task.toml").write_text("this is = = not TOML")
    place = ("--tasks", tmp_path / "tasks", "--ledger", tmp_path / "ledger.db")
    done = run("import", "harbor", FIXTURES / "oracle", "-e", "x", *place)
    assert (done.code, "6 trials imported" in done.stdout) == (0, True)
    assert "the task broken cannot be read" in done.stdout


def test_a_run_looks_at_the_verifiers_first(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_task(
            tmp_path / "tasks" / name,
            script="#!/bin/bash\nno-such-runner\necho 1 > /logs/verifier/reward.txt\n",
        )
    (tmp_path / "tasks" / "c").mkdir()
    (tmp_path / "tasks" / "c" / "task.toml").write_text("= =")
    done = run("harbor", "run", "--strict-preflight", "-p", tmp_path / "tasks", "-a", "oracle")
    assert done.code == 1
    assert "a, b may not pass here: missing program 'no-such-runner'" in done.stderr
    assert "c cannot be read" in done.stderr
    assert "nothing was run" in done.stderr


@pytest.mark.parametrize("own", [["--env", "docker"], ["-e", "docker"], ["--help"], []])
def test_what_runs_elsewhere_is_not_looked_at(own: list[str]) -> None:
    assert command.tasks_to_look_at(own, None) is None


def test_a_folder_without_jobs_is_a_sentence_and_exit_code_2(tmp_path: Path) -> None:
    done = run("import", "harbor", tmp_path, "--ledger", str(tmp_path / "ledger.db"))
    assert done.code == 2
    assert "there is no Harbor job in this folder" in done.stderr


def test_check_says_which_tasks_can_be_served(tmp_path: Path) -> None:
    task = tmp_path / "needs-image"
    (task / "environment").mkdir(parents=True)
    (task / "task.toml").write_text("[environment]\ngpus = 1\n")
    (task / "environment" / "Dockerfile").write_text("FROM node:22\n")
    done = run("harbor", "check", task, EXAMPLES / "electrical")
    assert done.code == 1
    assert "no GPU is passed through; environment/Dockerfile:1: FROM: not a plain base" in done.stdout
    assert done.stdout.count("can be served") == 3


def test_both_plugins_are_put_in_and_the_rest_is_passed_on() -> None:
    given = ["-p", "tasks", "--job-name", "mine", "-a", "oracle"]
    made, job = command.harbor_command(given, ledger="l.db", experiment=None, tasks=None)
    assert job == "mine"
    assert made[:3] == ["run", "--env", "adjudge.integrations.harbor:BubblewrapEnvironment"]
    assert made[-len(given) :] == given
    assert f"{command.PLUGIN}.ledger=l.db" in made
    assert "--job-name" not in made[: -len(given)]


def test_the_tasks_workspace_is_kept_unless_told_otherwise() -> None:
    made, _ = command.harbor_command([], ledger=None, experiment=None, tasks=EXAMPLES)
    assert made[made.index("--artifact") + 1] == "/workspace"
    own, _ = command.harbor_command(["--artifact", "/x"], ledger=None, experiment=None, tasks=EXAMPLES)
    assert own.count("--artifact") == 1


def test_tasks_that_harbor_would_not_find_are_named_to_it(tmp_path: Path) -> None:
    """Harbor passes over a task without environment/, and looks one folder deep; ours are found anyway."""
    config = io.StringIO()
    config.name = "made.json"
    given = ["-a", "oracle", "-p", str(EXAMPLES), "-q"]
    assert command.with_tasks_named(given, config) == ["--config", "made.json", "-a", "oracle", "-q"]
    named = json.loads(config.getvalue())["tasks"]
    assert len(named) == len(list(EXAMPLES.rglob("task.toml")))
    assert {task["source"] for task in named} == {"tasks"}


def test_tasks_that_harbor_finds_are_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "one" / "environment").mkdir(parents=True)
    (tmp_path / "one" / "task.toml").touch()
    for given in (
        ["-p", str(tmp_path)],
        [f"--path={tmp_path / 'one'}"],
        ["-p", str(EXAMPLES), "-i", "voltage-drop"],
        ["-p", "sub/folder", "--task-git-url", "https://example.org/x.git"],
    ):
        assert command.with_tasks_named(given, io.StringIO()) == given


@pytest.mark.parametrize("own", [["--env", "docker"], ["-e", "docker"], ["--env=docker"]])
def test_an_environment_of_ones_own_is_not_replaced(own: list[str]) -> None:
    made, _ = command.harbor_command(own, ledger=None, experiment=None, tasks=None)
    assert not any("BubblewrapEnvironment" in part for part in made)


def test_without_harbor_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"pip install 'adjudge\[harbor\]'"):
        command.run_harbor([])
