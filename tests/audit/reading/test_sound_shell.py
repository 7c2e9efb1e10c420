"""Sound verifiers in shell, in many styles: nothing worse than low is remarked on in any of them.

The second line of each script is the instruction of its task.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit.reading import read_sources
from adjudge.contracts import Severity
from adjudge.tasks import load_task

SCRIPTS = sorted((Path(__file__).parent / "sound_shell").glob("*.sh"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_nothing_of_weight_is_remarked_on(tmp_path: Path, script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    files = {
        "task.toml": "[verifier]\ntimeout_sec = 20\n",
        "instruction.md": text.splitlines()[1].removeprefix("# "),
        "tests/test.sh": text,
    }
    for name, content in files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")

    _, remarks = read_sources(load_task(tmp_path))
    assert [remark for remark in remarks if remark.severity is not Severity.LOW] == []


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 50
