"""The generated pages are what the code says now, and nothing public goes undocumented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from docs.generate import Command, commands, commands_page, python_page, units_page

import adjudge
from adjudge.cli import COMMANDS
from adjudge.tasks import load_task
from adjudge.tasks.settings import Settings
from support.doc_pages import PAGES, ROOT, mentioned_commands

DOCS = ROOT / "docs"
TREE: dict[str, Command] = {command.path: command for command in commands()}


def test_the_command_reference_is_up_to_date() -> None:
    assert commands_page() == (DOCS / "commands.md").read_text(encoding="utf-8"), "run `make docs`"


def test_the_python_reference_is_up_to_date() -> None:
    assert python_page() == (DOCS / "python.md").read_text(encoding="utf-8"), "run `make docs`"


def test_the_list_of_units_is_up_to_date() -> None:
    assert units_page() == (DOCS / "units.md").read_text(encoding="utf-8"), "run `make docs`"


def test_every_command_and_public_name_has_a_heading() -> None:
    reference = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n## adjudge {name}\n" not in reference] == []
    names = (DOCS / "python.md").read_text(encoding="utf-8")
    public = set(adjudge.__all__) - {"__version__"}
    assert {name for name in public if f"\n### {name}\n" not in names} == set()


def test_every_parameter_of_every_command_has_a_help_text() -> None:
    silent = [f"{c.path} {p.shown}" for c in TREE.values() for p in c.parameters if not p.help]
    assert silent == []
    assert [c.path for c in TREE.values() if not c.help] == []


def test_every_command_is_told_of_outside_the_reference() -> None:
    """A reference lists; some page must also say what a command is good for."""
    written = [page for page in PAGES if page.name not in ("commands.md", "CHANGELOG.md")]
    told = {words[0] for page in written for _, words in mentioned_commands(page) if words}
    assert set(COMMANDS) - told == set()


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_commands_in_the_docs_exist_with_their_options(page: Path) -> None:
    wrong = []
    for place, words in mentioned_commands(page):
        path, rest = " ".join(words[:2]), words[2:]
        if path not in TREE:
            path, rest = words[0], words[1:]
        if path not in TREE:
            wrong.append(f"{place}: adjudge {path}")
            continue
        known = {"--help"} | {
            name for p in TREE[path].parameters if p.is_option for name in re.findall(r"-[-\w]+", p.shown)
        }
        if path == "annotate":  # `add` may be left out
            known |= {n for p in TREE["annotate add"].parameters for n in re.findall(r"-[-\w]+", p.shown)}
        if path == "harbor run":  # passes the rest on to Harbor
            continue
        given = [word.split("=")[0].strip("[],") for word in rest if re.match(r"\[?--?[a-z]", word)]
        wrong += [f"{place}: adjudge {path} {name}" for name in given if name not in known]
    assert wrong == []


class _Noting(dict[str, Any]):
    """A table of a task.toml that notes which of its keys are asked for."""

    def __init__(self, name: str, asked: set[tuple[str, str]]) -> None:
        super().__init__()
        self.name, self.asked = name, asked

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add((self.name, key))
        return default


def test_every_key_of_task_toml_that_is_read_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader reads a task that declares nothing; every key it asks for must stand in docs/tasks.md."""
    asked: set[tuple[str, str]] = set()
    monkeypatch.setattr(Settings, "section", lambda _, name: _Noting(name, asked))
    load_task(ROOT / "examples" / "tasks" / "mechanical" / "bolt-preload")
    assert {("verifier", "timeout_sec"), ("output", "path"), ("environment", "memory_mb")} <= asked
    page = (DOCS / "tasks.md").read_text(encoding="utf-8")
    assert {section for section, _ in asked if f"[{section}]" not in page} == set()
    undocumented = {
        f"[{section}] {key}" for section, key in asked if not re.search(rf"(?<!\w){key}(?:\]| = |`)", page)
    }
    assert undocumented == set()
