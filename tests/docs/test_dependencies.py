"""docs/design/dependencies.md lists what pyproject.toml asks for: all of it, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata

import pytest

from support.doc_pages import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "design" / "dependencies.md").read_text(encoding="utf-8")
EXTRAS: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement)[0]


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in table[2:]]


def names(heading: str) -> list[str]:
    return [name for row in rows(heading) for name in re.findall(r"`([^`]+)`", row[0])]


def test_every_core_dependency_is_explained() -> None:
    assert names("Core") == [name_of(r) for r in PYPROJECT["project"]["dependencies"]]


def test_every_extra_is_explained_with_what_brings_it() -> None:
    brought: dict[str, set[str]] = {}
    for extra, requirements in EXTRAS.items():
        for requirement in requirements:
            if extra not in ("dev", "fuzz") and name_of(requirement) != "adjudge":
                brought.setdefault(name_of(requirement), set()).add(extra)
    listed = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in rows("Extras")}
    assert listed == brought


def test_every_tool_of_development_is_listed() -> None:
    wanted = [*EXTRAS["dev"], *EXTRAS["fuzz"], *PYPROJECT["build-system"]["requires"]]
    assert sorted(names("For development")) == sorted(name_of(r) for r in wanted)


@pytest.mark.parametrize("heading", ["Core", "Extras"])
def test_no_cell_is_left_empty(heading: str) -> None:
    assert [row for row in rows(heading) if not all(row)] == []


@pytest.mark.parametrize("row", rows("Core") + [[r[0], *r[2:]] for r in rows("Extras")], ids=lambda r: r[0])
def test_the_licence_is_what_the_package_says(row: list[str]) -> None:
    """By the first letters, since packages spell licences in many ways."""
    try:
        said = metadata(row[0].strip("`"))
    except PackageNotFoundError:
        assert row[0] == "`harbor`", "every other extra is installed for the tests"
        return
    keys = ("License-Expression", "License", "Classifier")
    spelled = " ".join(text for key in keys for text in said.get_all(key) or [])
    assert row[2][:3] in spelled


def test_the_readme_lists_every_extra() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for_users = EXTRAS.keys() - {"dev", "fuzz"}
    assert {extra for extra in for_users if f"| `{extra}` |" not in readme} == set()


def test_what_is_called_late_is_kept_from_the_start() -> None:
    """`late` in the page is the list of modules that tests/test_start_up.py keeps out of `adjudge score`."""
    guard = (ROOT / "tests" / "test_start_up.py").read_text(encoding="utf-8")
    heavy = set(re.findall(r'^    "(\w+)",$', guard, re.MULTILINE))
    costs = {row[0].strip("`"): row[-2] for row in rows("Core") + rows("Extras")}
    modules = {
        "pyyaml": "yaml",
        "genai-prices": "genai_prices",
        "pydantic-ai-slim": "pydantic_ai",
        "argon2-cffi": "argon2",
        "markdown-it-py": "markdown_it",
        "python-multipart": "python_multipart",
    }
    late = {modules.get(name, name) for name, cost in costs.items() if "late" in cost}
    assert late
    assert late - heavy == set()
    assert [name for name in heavy & costs.keys() if "late" not in costs[name]] == []


BLOCKED = """
import sys
for name in {names!r}:
    sys.modules[name] = None
sys.argv = ["adjudge", *{arguments!r}]
from adjudge.cli import main
main()
"""
TASK = "examples/tasks/electrical/voltage-drop"


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", TASK, "examples/outputs/slide-rule/1/electrical/voltage-drop"],
        ["check", TASK],
        ["audit", TASK, "--no-ledger"],
        ["tasks", "examples/tasks"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_scoring_alone_needs_no_more_than_the_page_says(arguments: list[str]) -> None:
    left_out = names("If only scoring is wanted")
    assert "numpy" in left_out
    code = BLOCKED.format(names=left_out, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
