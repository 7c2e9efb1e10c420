"""Copies src/adjudge_kit.py into the tests/ folder of every example task that uses it (`make kit`).

A task stays self-contained: its verifier imports the copy beside it, and nothing is installed in the sandbox.
"""

from __future__ import annotations

import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
KIT = HERE.parent / "src" / "adjudge_kit.py"


def tests_folders() -> list[Path]:
    """The tests/ folder of each task whose verifier imports the kit."""
    verifiers = sorted((HERE / "tasks").glob("*/*/tests/verify.py"))
    return [path.parent for path in verifiers if "adjudge_kit import" in path.read_text(encoding="utf-8")]


if __name__ == "__main__":
    for folder in tests_folders():
        shutil.copyfile(KIT, folder / KIT.name)
        print(folder.relative_to(HERE.parent) / KIT.name)
