"""A property test draws the same examples in every process, whatever else was loaded or run before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DRAWN = """
from support.examples import draw_examples
draw_examples()
{imports}
from hypothesis import given, strategies as st

@given(st.text() | st.integers() | st.floats() | st.binary())
def show(value):
    print(ascii(value))

show()
"""


def drawn(folder: Path, imports: str, **variables: str) -> str:
    (folder / "drawn.py").write_text(DRAWN.format(imports=imports))
    paths = os.pathsep.join(filter(None, [str(folder), *sys.path]))
    return subprocess.run(
        [sys.executable, "-c", "import drawn"],
        env={**os.environ, "PYTHONPATH": paths, **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("ADJUDGE_EXAMPLES", raising=False)
    return drawn(tmp_path, "")


def test_what_is_loaded_changes_no_example(tmp_path: Path, alone: str) -> None:
    assert len(alone.splitlines()) > 90
    assert (
        drawn(tmp_path, "import adjudge.cli.tasks.audit, adjudge.stats, adjudge.reports, adjudge.tasks")
        == alone
    )


def test_a_search_draws_new_ones(tmp_path: Path, alone: str) -> None:
    assert drawn(tmp_path, "", ADJUDGE_EXAMPLES="new") != alone
