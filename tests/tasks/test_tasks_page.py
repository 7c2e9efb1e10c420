"""docs/tasks.md tells the truth: every key that is read is there, and its example is a task."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from adjudge.contracts import OutputFormat
from adjudge.tasks import load_task
from adjudge.tasks.output_contract import EXTENSIONS
from support.task_folders import write_task

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tasks.md").read_text()
EXAMPLE = PAGE.split("```toml\n")[1].split("```")[0]


def test_every_key_that_is_read_is_on_the_page() -> None:
    source = "".join(file.read_text() for file in (ROOT / "src/adjudge/tasks").glob("*.py"))
    keys = set(re.findall(r'settings\.(?:texts?|flag|positive)\("(\w+)", "(\w+)"\)', source))
    assert len(keys) >= 6
    keys |= {("environment", name) for name in ("memory", "memory_mb", "storage", "storage_mb")}
    keys |= {("verifier", name) for name in ("reward_path", "details_path")} | {("output", "schema")}
    keys |= {("metadata", name) for name in ("difficulty", "category", "domain", "tags")}
    for section, key in keys:
        assert re.search(rf"\b{key}\b", PAGE), f"[{section}] {key}"


def test_the_example_loads_as_it_says(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "t", toml=EXAMPLE))
    declared = tomllib.loads(EXAMPLE)
    assert task.verifier.expected_output_path == declared["output"]["path"]
    assert task.output.json_schema == declared["output"]["schema"]
    assert task.output.format is OutputFormat.MARKDOWN_JSON
    assert task.metadata.extra == {}
    assert task.deterministic is True


def test_every_format_and_extension_is_in_the_table() -> None:
    rows = {
        line.split("|")[1].strip(): line.split("|")[2] for line in PAGE.splitlines() if line.startswith("| `")
    }
    assert set(rows) == {f"`{kind}`" for kind in OutputFormat}
    for extension, kind in EXTENSIONS.items():
        assert f"`{extension}`" in rows[f"`{kind}`"]
