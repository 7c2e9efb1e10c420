"""The tour in CONTRIBUTING.md names files and functions that exist, and a run is short enough to follow."""

from __future__ import annotations

import re

import pytest

from support.doc_pages import ROOT

TOUR = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^(\d+)\. `(src/adjudge/[\w/]+\.py)`, `(\w+)`: ", TOUR, re.MULTILINE)
NAMED = re.findall(r"`([\w/.]+(?:\.py|/))`", TOUR)


@pytest.mark.parametrize(("number", "file", "name"), STEPS)
def test_every_step_is_there(number: str, file: str, name: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(?:def|class) {name}\b", text, re.MULTILINE), f"step {number}"


def test_a_run_takes_no_more_than_eight_steps_from_the_command_to_the_insert() -> None:
    files = [file for _, file, _ in STEPS]
    run = files[files.index("src/adjudge/cli/scoring/run.py") :]
    assert len(run) <= 8
    assert run[-1].startswith("src/adjudge/ledger/")


def test_every_file_it_names_is_there() -> None:
    somewhere = [path.as_posix() for path in (ROOT / "src").rglob("*.py")]
    missing = [
        name
        for name in NAMED
        if not (ROOT / name).exists()
        and not (ROOT / "tests" / name).exists()
        and not any(path.endswith(f"/{name}") for path in somewhere)
    ]
    assert missing == []
