"""Every command prints in one way: `--json`, `-o FILE` by its ending, errors in parts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from adjudge.cli import COMMANDS, module_name
from support.command_line import run_adjudge
from support.report_ledgers import TWO_AGENTS, make

WRITES_ITS_OWN_FILE = {
    "export trials",
    "export fields",
    "export judgements",
    "export harbor",
    "annotate export",
}
"""Commands whose argument is the file they write."""
PASSES_ON = {"harbor run"}
"""What it prints is Harbor's."""
SERVES = {"serve"}
"""It prints no data: it answers in a browser until it is stopped."""


def commands() -> list[str]:
    names = []
    for name in COMMANDS:
        module = import_module(module_name(name))
        if hasattr(module, "app"):
            names += [f"{name} {command}" for command in module.app.commands]
        else:
            names.append(name)
    return names


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ledger") / "adjudge.db"
    make(path, TWO_AGENTS)
    return path


@pytest.mark.parametrize("name", sorted(set(commands()) - WRITES_ITS_OWN_FILE - PASSES_ON - SERVES))
def test_every_command_takes_json_and_a_file(name: str) -> None:
    shown = run_adjudge(*name.split(), "--help").stdout
    assert "--json" in shown
    assert "--output" in shown


@pytest.mark.parametrize("name", ["report", "compare", "gate", "trials", "tags", "doctor", "audit", "tasks"])
def test_a_file_whose_ending_says_nothing_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    needed: dict[str, list[object]] = {
        "gate": ["--baseline", "a", "--candidate", "b"],
        "audit": [tmp_path],
        "tasks": [tmp_path],
    }
    done = run_adjudge(name, *needed.get(name, []), "-o", tmp_path / "x.pdf")
    assert done.code == 2
    assert "the ending of this name is none that is known here; found 'x.pdf'; allowed: .txt" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".txt", ".md", ".html", ".json"])
def test_the_ending_decides_the_format(ledger: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"report{ending}"
    done = run_adjudge("report", "--ledger", ledger, "-o", target)
    assert (done.code, done.stdout) == (0, "")
    assert f"wrote {target}" in done.stderr
    begins = {".txt": "", ".md": "# adjudge report", ".html": "<!doctype html>", ".json": "{"}
    assert target.read_text(encoding="utf-8").startswith(begins[ending])


def test_a_link_stays_and_what_it_leads_to_is_written(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "report.json").symlink_to("elsewhere/real.json")
    done = run_adjudge("report", "--ledger", ledger, "-o", tmp_path / "report.json")
    assert done.code == 0, done.stderr
    assert (tmp_path / "report.json").is_symlink()
    assert (tmp_path / "elsewhere/real.json").read_text().startswith("{")


def test_options_that_contradict_each_other_are_refused(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "--json", "-o", tmp_path / "report.html")
    assert done.code == 2
    assert "asks for html, another option for json" in done.stderr
    assert run_adjudge("report", "--ledger", ledger, "--json", "--format", "md").code == 2


def test_with_json_an_error_is_its_parts(tmp_path: Path) -> None:
    done = run_adjudge("report", "--json", "--ledger", tmp_path / "none.db")
    told = json.loads(done.stderr)
    assert told["exit_code"] == done.code != 0
    assert set(told["error"]) == {"what", "file", "field", "found", "allowed", "remedy"}
    for asked in (["--format", "json"], ["--format=json"]):
        assert json.loads(run_adjudge("report", *asked, "--ledger", "").stderr)["exit_code"] == 2
    wrong = json.loads(run_adjudge("report", "--json", "--bogus").stderr)
    assert wrong["error"]["what"] == "no such option: --bogus"
    assert wrong["exit_code"] == 2


def test_an_argument_that_is_not_utf8_is_wrong_usage() -> None:
    done = run_adjudge("tasks", os.fsdecode(b"caf\xe9"))
    assert done.code == 2
    assert "this argument is not UTF-8" in done.stderr


def test_a_closed_pipe_is_no_error(ledger: Path) -> None:
    """The reader goes before the first line is written."""
    command = [sys.executable, "-m", "adjudge", "trials", "--json", "--ledger", str(ledger)]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=300)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_piped_table_is_not_cut(ledger: Path) -> None:
    shown = run_adjudge("trials", "--ledger", ledger, COLUMNS="")
    narrow = run_adjudge("trials", "--ledger", ledger, COLUMNS="60")
    assert "…" not in shown.stdout
    assert max(map(len, narrow.stdout.splitlines()[:-1])) <= 60


def test_no_command_without_its_arguments_is_a_traceback() -> None:
    assert run_adjudge().code == 2
    assert "Usage: adjudge" in run_adjudge().stderr
    assert "Usage: adjudge ledger" in run_adjudge("ledger").stderr


def test_a_failure_of_the_machine_has_its_parts() -> None:
    done = run_adjudge("init", "--json", "/proc/nowhere")
    told = json.loads(done.stderr)
    assert (told["exit_code"], told["error"]["file"]) == (1, "/proc/nowhere")
    assert told["error"]["what"] == "No such file or directory"


def test_a_command_that_is_stopped_says_so_in_the_format_it_was_asked_for() -> None:
    """Also while the command itself is at work, where Click has its own word for it."""
    stop = (
        "import adjudge.cli as c, adjudge.ledger as l, signal, os;"
        "l.open_ledger = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT); c.main()"
    )
    plain = subprocess.run([sys.executable, "-c", stop, "trials"], capture_output=True, timeout=300)
    assert (plain.returncode, plain.stderr.strip()) == (130, b"interrupted")  # after ending the line of ^C
    done = subprocess.run([sys.executable, "-c", stop, "trials", "--json"], capture_output=True, timeout=300)
    told = json.loads(done.stderr)
    assert (done.returncode, told["exit_code"], told["error"]["what"]) == (130, 130, "interrupted")


def test_nothing_to_look_for_and_no_folder_of_tasks_are_wrong_usage(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("traces", "search", " ", "--ledger", ledger)
    assert done.code == 2
    assert "TEXT: there is nothing to look for" in done.stderr
    done = run_adjudge("report", "--tasks", tmp_path / "none", "--ledger", ledger)
    assert done.code == 2
    assert "there is no such folder" in done.stderr


def test_what_a_command_of_users_says_is_its_result(ledger: Path, tmp_path: Path) -> None:
    where = ("--ledger", ledger)
    done = run_adjudge("users", "add", "ada", "--no-password", *where)
    assert (done.stdout, done.stderr) == ("ada may log in as reviewer.\n", "")
    assert run_adjudge("users", "list", *where).stdout == "ada  reviewer\n"
    run_adjudge("users", "list", "-o", tmp_path / "users.txt", *where)
    assert (tmp_path / "users.txt").read_text(encoding="utf-8") == "ada  reviewer\n"
