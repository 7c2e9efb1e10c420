"""Write small task folders for tests: what a test does not name is there and right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VERIFIER = "#!/bin/bash\necho '{\"reward\": 1.0}' > /logs/verifier/reward.json\n"


def write_task(
    folder: Path,
    *,
    toml: str | None = "",
    instruction: str | bytes | None = "Write your answer to `/workspace/answer.json`.\n",
    script: str | None = VERIFIER,
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A task folder; a part given as None is left out."""
    parts: dict[str, str | bytes | None] = {
        "task.toml": toml,
        "instruction.md": instruction,
        "tests/test.sh": script,
        **(files or {}),
    }
    for name, content in parts.items():
        if content is not None:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
