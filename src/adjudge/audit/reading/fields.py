"""Fields that the task asks for and that nothing in the verifier's folder ever names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity, Task

_FENCE = re.compile(r"```\w*\n(.*?)```", re.S)
_SPOKEN = re.compile(
    r"note|comment|summary|explan|assumption|method|reason|remark|description|title|author|date|name|version|unit|id$",
    re.I,
)
_MAX_FILE = 1 << 20
_MAX_FILES = 60


def read_fields(task: Task, sources: Sequence[tuple[str, str]]) -> Iterator[Remark]:
    """A field of the example that stands in no file of `tests/`, if others do: it is not compared there."""
    asked = asked_fields(task.instruction)
    texts = list(_texts(task.folder / "tests"))
    if len(asked) < 2 or not sources:
        return
    named = [field for field in asked if any(_stands_in(field, text) for text in texts)]
    left_out = [field for field in asked if field not in named and not _SPOKEN.search(field)]
    if len(named) < 2 or not left_out:
        return
    file, text = next(((f, t) for f, t in sources if _stands_in(named[0], t)), sources[0])
    lines = text.splitlines()
    line = next((n for n, code in enumerate(lines, 1) if _stands_in(named[0], code)), 1)
    shown = ", ".join(f"`{field}`" for field in left_out[:4])
    yield Remark(
        Cause.UNSCORED,
        Severity.MEDIUM,
        file,
        line,
        lines[line - 1].strip()[:160] if lines else "",
        f"the task asks for {shown}, which nothing in tests/ names",
        "Score what is asked for, or do not ask for it.",
    )


def asked_fields(instruction: str) -> list[str]:
    """The fields of the JSON that the instruction shows: of the object, and of records in its lists.

    Objects inside of it may be mappings, whose keys are only examples.
    """
    found: dict[str, None] = {}
    for match in _FENCE.finditer(instruction):
        try:
            value = json.loads(match[1])
        except ValueError:
            continue
        records = value if isinstance(value, list) else [value]
        for node in records:
            if isinstance(node, dict):
                found |= dict.fromkeys(str(key) for key in node)
                rows = [row for child in node.values() if isinstance(child, list) for row in child]
                found |= dict.fromkeys(str(key) for row in rows if isinstance(row, dict) for key in row)
    return list(found)


def _stands_in(field: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(field)}(?!\w)", text) is not None


def _texts(tests: Path) -> Iterator[str]:
    for path in sorted(tests.rglob("*"))[:_MAX_FILES]:
        small = path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE
        if small and path.name != "adjudge_kit.py":
            yield path.read_bytes().decode("utf-8", "replace")
