"""The docs tell the truth: their examples run, and every check and category is described."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

import adjudge_kit
from adjudge_kit import Verifier

DOCS = Path(__file__).resolve().parents[2] / "docs"
KIT = (DOCS / "kit.md").read_text(encoding="utf-8")
TAXONOMY = (DOCS / "taxonomy.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"(?<!-->\n)```python\n(.*?)```", KIT, re.DOTALL)
"""But those that are marked as not run."""
ANSWERS = [
    '```json\n{"voltage_drop_v": 3.05, "voltage_drop_pct": 1.32, "compliance": "Compliant"}\n```',
    "section,diameter_mm,velocity_m_s\nS1,560,7.3\n",
]


@pytest.mark.parametrize(
    ("example", "answer", "reward"), list(zip(EXAMPLES, ANSWERS, [0.5, 1.0], strict=True))
)
def test_the_examples_run(
    example: str, answer: str, reward: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_LOGS", str(tmp_path / "logs"))
    for name in ("output.md", "ducts.csv"):
        (tmp_path / name).write_text(answer)
    exec(example.replace("/workspace", str(tmp_path)), {})  # noqa: S102 - the docs' own code
    assert json.loads((tmp_path / "logs" / "reward.json").read_text()) == {"reward": reward}


def test_the_example_of_the_docstring_is_that_of_the_docs() -> None:
    code = [line.split("#")[0].strip() for line in (adjudge_kit.__doc__ or "").splitlines()]
    assert [line for line in EXAMPLES[0].splitlines() if line.strip() and line.strip() not in code] == []


def test_every_check_is_described_in_the_docs_and_the_docstring() -> None:
    public = {
        name
        for name, member in inspect.getmembers(Verifier, inspect.isfunction)
        if not name.startswith("_") and name not in ("finish", "tag")
    }
    assert {name for name in public if f"| `{name}(" not in KIT} == set()
    assert {name for name in public | {"tag"} if f"    {name}(" not in (adjudge_kit.__doc__ or "")} == set()


def test_every_option_of_numbers_is_described() -> None:
    options = inspect.signature(adjudge_kit.near).parameters
    assert {name for name in options if f"`{name}=" not in KIT and f"{name}=" not in KIT} == set()


def test_every_category_is_described() -> None:
    source = Path(adjudge_kit.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'^(?:    category|[A-Z_]+) = "([a-z ]+)"$', source, re.MULTILINE))
    assert len(named) == 13
    assert {category for category in named if f"| `{category}` |" not in TAXONOMY} == set()


def test_the_numbers_of_the_docs_are_those_of_the_tests() -> None:
    table = (Path(__file__).parent / "test_diagnosis_table.py").read_text(encoding="utf-8")
    mistakes = table.partition("\nPLAIN = [")[0].count("\n    Case(")
    assert f"of {mistakes} hand-made mistakes" in TAXONOMY
