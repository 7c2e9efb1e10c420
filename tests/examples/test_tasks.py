"""The example tasks load, differ as they should, and carry the authoring kit as it is today."""

from __future__ import annotations

from pathlib import Path

from adjudge.contracts import Origin, OutputFormat
from adjudge.tasks import load_tasks

ROOT = Path(__file__).parents[2]
TASKS = load_tasks(ROOT / "examples" / "tasks")
KIT = ROOT / "src" / "adjudge_kit.py"


def test_every_task_loads() -> None:
    assert TASKS.problems == ()
    assert len(TASKS) >= 10
    assert len({task.metadata.domain for task in TASKS}) >= 8


def test_the_tasks_cover_the_formats() -> None:
    """JSON, JSON Lines, CSV, YAML, TOML, Markdown with JSON in it, and prose; one is only inferred."""
    formats = {task.output.format for task in TASKS}
    assert formats == {
        OutputFormat.JSON,
        OutputFormat.JSONL,
        OutputFormat.CSV,
        OutputFormat.YAML,
        OutputFormat.TOML,
        OutputFormat.MARKDOWN_JSON,
        OutputFormat.TEXT,
    }
    assert {task.output.format_origin for task in TASKS} == {Origin.DECLARED, Origin.INFERRED}
    assert [task.id for task in TASKS if task.output.schema_origin is Origin.DECLARED] == [
        "electrical/transformer-sizing"
    ]


def test_every_copy_of_the_kit_is_the_original() -> None:
    """`make kit` refreshes the copies; most verifiers use the kit, and three show that one need not."""
    without = []
    for task in TASKS:
        copy = task.folder / "tests" / "adjudge_kit.py"
        if "adjudge_kit import" in (task.folder / "tests" / "verify.py").read_text(encoding="utf-8"):
            assert copy.read_bytes() == KIT.read_bytes(), f"{task.id}: run `make kit`"
        else:
            assert not copy.exists()
            without.append(task.id)
    assert without == ["controls/pi-tuning", "electrical/power-factor", "mechanical/bolt-preload"]


def test_no_entry_point_writes_a_reward_of_its_own() -> None:
    """A trap that writes 0.0 would make a verifier that cannot start look like a wrong answer."""
    for task in TASKS:
        script = (task.folder / "tests" / "test.sh").read_text(encoding="utf-8")
        lines = [line for line in script.splitlines() if line and not line.startswith("#")]
        assert lines == ["exec python3 -E -s -B /tests/verify.py"], task.id
