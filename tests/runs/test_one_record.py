"""One function makes a `TrialRecord`, and one class says what a trial's identity is."""

from __future__ import annotations

import ast
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "adjudge"


def calls(name: str) -> set[str]:
    """The files that call this name, or build it by `model_validate`."""
    found = set()
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                made = ast.unparse(node.func)
                if made == name or made.startswith(f"{name}.model_"):
                    found.add(path.relative_to(SRC).as_posix())
    return found


def test_records_are_made_in_one_place_and_read_back_in_one() -> None:
    assert calls("TrialRecord") == {"scoring/record.py", "ledger/writing/documents.py"}
