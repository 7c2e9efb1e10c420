"""`make demo` scores everything, finds every golden as stated, and says what to try next."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from support.patience import HANG_SEC

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def test_the_demo_imports_nothing_but_python_and_adjudge() -> None:
    """`make demo` installs no test tools, so whatever they bring along is not there."""
    imported = set()
    for node in ast.walk(ast.parse(DEMO.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported - sys.stdlib_module_names == {"adjudge"}


def test_the_demo_ends_well() -> None:
    done = subprocess.run(
        [sys.executable, DEMO],
        capture_output=True,
        text=True,
        timeout=HANG_SEC,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "golden outputs score as their tasks state" in done.stdout
    assert "slide-rule" in done.stdout
    assert "143 verified, 1 reused" in done.stdout or "144 already there" in done.stdout
    assert (DEMO.parents[1] / "demo/report.html").stat().st_size > 10_000
    assert "adjudge score examples/tasks/" in done.stdout
