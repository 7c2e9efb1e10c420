"""No command prints a character that steers a terminal, in any format; and none minds a reader who leaves."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge._escape import escape_json, prints_as_it_is
from adjudge.ledger import AnnotationFormat, AnnotationRow, read_annotations, write_annotations
from support.command_line import Done, forked_adjudge, run_adjudge
from support.every_command import ARGUMENTS, HOSTILE, NO_JSON, HostileHome, make_home, names
from support.patience import HANG_SEC
from support.trial_samples import annotation


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostileHome:
    monkeypatch.chdir(tmp_path)
    return make_home(tmp_path)


def test_every_command_can_be_called() -> None:
    assert set(ARGUMENTS) <= set(names()), "rows of commands that are gone"
    lacking = [
        name
        for name in sorted(set(names()) - set(ARGUMENTS))
        if "missing argument" in (said := run_adjudge(*name.split()).stderr) or "missing option" in said
    ]
    assert not lacking, "add a row to support.every_command.ARGUMENTS"


def called(home: HostileHome, name: str, *more: str) -> Done:
    return run_adjudge(*home.words(name), *more, ADJUDGE_LEDGER=str(home.folder / "adjudge.db"))


@pytest.mark.parametrize("name", names())
def test_no_command_prints_what_steers_a_terminal(home: HostileHome, name: str) -> None:
    done = called(home, name)
    assert "This is a bug" not in done.stderr
    for text in (done.stdout, done.stderr):
        bad = [repr(line) for line in text.split("\n") if not prints_as_it_is(line)]
        assert not bad, "\n".join(bad)


@pytest.mark.parametrize("name", [name for name in names() if name not in NO_JSON])
def test_nor_as_json_also_in_a_file(home: HostileHome, name: str) -> None:
    done = called(home, name, "--json")
    assert "This is a bug" not in done.stderr
    assert prints_as_it_is(done.stdout), done.stdout
    assert prints_as_it_is(done.stderr), done.stderr
    for line in done.stdout.splitlines() if name == "trials" else []:
        json.loads(line)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("command", ["export trials", "export fields", "annotate export"])
def test_nor_in_a_table(home: HostileHome, command: str, form: str) -> None:
    printed = called(home, command, "--format", form).stdout
    assert printed
    assert prints_as_it_is(printed)
    assert r"\x1b]0;owned" in printed or r"\u001b]0;owned" in printed


def test_json_says_the_same_as_before(home: HostileHome) -> None:
    told = json.loads(called(home, "show", "--json").stdout.splitlines()[0])
    assert told["agent"]["name"] == HOSTILE
    assert told["run"]["stdout"] == HOSTILE
    rows = called(home, "export trials", "--format", "jsonl").stdout.splitlines()
    assert HOSTILE in [json.loads(row)["agent"] for row in rows]


def test_json_in_a_cell_says_the_same_as_before(home: HostileHome) -> None:
    rows = list(csv.DictReader(io.StringIO(called(home, "export trials").stdout)))
    assert HOSTILE in [json.loads(row["metadata"]).get(HOSTILE) for row in rows]
    assert [HOSTILE] in [json.loads(row["tags"]) for row in rows]


@pytest.mark.parametrize(
    "text", [HOSTILE, f'"{HOSTILE}"', r'"\u0041"', r'"\\u"', '"quoted"', "a\nb\tc", '"', r"\u001b", "a\rb"]
)
def test_an_annotation_comes_back_from_csv_as_it_was(text: str) -> None:
    said = annotation(text, "fail", notes=text, categories=[text, "b;c"], reviewer_discipline=text)
    file = io.StringIO(newline="")
    write_annotations([("t", said, None)], file, AnnotationFormat.CSV)
    assert prints_as_it_is(file.getvalue())
    file.seek(0)
    (row,) = read_annotations(file, AnnotationFormat.CSV)
    assert isinstance(row, AnnotationRow), row
    assert row.annotation == said


def test_what_prints_stays_as_it_is() -> None:
    assert escape_json('{"a": "é 漢 😀"}') == '{"a": "é 漢 😀"}'
    assert escape_json('"\x9b\u202e\U000e0041"') == r'"\u009b\u202e\udb40\udc41"'


@pytest.mark.parametrize("name", [*names(), "--help", "--version"])
def test_a_reader_who_leaves_is_no_error(home: HostileHome, name: str) -> None:
    words = home.words(name)
    plain = [] if name in NO_JSON or name.startswith("--") else ["--json"]
    for more in ([], plain) if plain else ([],):
        code, said = forked_adjudge([*words, *more], home.folder, unread=True)
        assert code in (0, 1, 2, 3), said
        assert "pipe" not in said.lower()
        assert "Traceback" not in said


def test_a_run_goes_on_without_readers(home: HostileHome) -> None:
    """Not even its warnings are read: both streams are closed pipes, and every trial is recorded."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "adjudge", "run", "manifest.jsonl", "--experiment", "unread"]
    environment = {**os.environ, "ADJUDGE_LEDGER": str(home.folder / "adjudge.db")}
    done = subprocess.run(words, stdout=writer, stderr=writer, env=environment, timeout=HANG_SEC, check=False)
    os.close(writer)
    assert done.returncode == 0
    told = run_adjudge("trials", "--json", "--experiment", "unread", "--ledger", home.folder / "adjudge.db")
    assert len(told.stdout.splitlines()) == 3
