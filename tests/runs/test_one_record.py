"""One function makes a `TrialRecord`; a ledger and a client read them back."""

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


def test_records_are_made_in_one_place_and_read_back_by_whoever_kept_or_sent_them() -> None:
    read_back = {"ledger/writing/documents.py", "client/answers.py"}
    assert calls("TrialRecord") == {"scoring/record.py"} | read_back
