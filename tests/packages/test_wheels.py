"""Wheels are unpacked by adjudge itself: nothing of them runs, and nothing leaves the folder."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from adjudge.errors import MachineryError
from adjudge.packages.wheels import unpack_wheel, write_starters


def wheel(folder: Path, entries: dict[str, str]) -> Path:
    path = folder / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def test_modules_and_programs_but_no_start_up_files(tmp_path: Path) -> None:
    made = tmp_path / "made"
    entries = {
        "thing/__init__.py": "def main(): return 0\n",
        "thing.pth": "import os; os.abort()\n",
        "thing-1.0.data/purelib/extra.py": "",
        "thing-1.0.data/scripts/raw": "#!python\n",
        "thing-1.0.dist-info/entry_points.txt": "[console_scripts]\nthing = thing:main\n"
        "bad = thing; import os:main\n",
    }
    unpack_wheel(wheel(tmp_path, entries), made)
    write_starters(made)
    found = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
    assert found == [
        "bin/thing",
        "site/extra.py",
        "site/thing-1.0.dist-info/entry_points.txt",
        "site/thing/__init__.py",
    ]


def test_a_program_finds_no_modules_in_the_working_folder(tmp_path: Path) -> None:
    """As with the one that pip installs: the working folder is the agent's."""
    made, work = tmp_path / "made", tmp_path / "work"
    entries = {
        "thing.py": "import json\ndef main(): print(json.dumps([1]))\n",
        "thing-1.0.dist-info/entry_points.txt": "[console_scripts]\nthing = thing:main\n",
    }
    unpack_wheel(wheel(tmp_path, entries), made)
    write_starters(made)
    work.mkdir()
    (work / "json.py").write_text("raise SystemExit('an agent was here')\n")
    done = subprocess.run(
        [made / "bin" / "thing"],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(made / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "[1]\n"), done.stderr


@pytest.mark.parametrize("name", ["../outside.py", "/etc/passwd", "thing/../../outside.py"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(MachineryError, match="leads out"):
        unpack_wheel(wheel(tmp_path, {name: "x"}), tmp_path / "made")


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "link-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("thing.py")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(MachineryError, match="no plain file"):
        unpack_wheel(path, tmp_path / "made")


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_text("no archive")
    with pytest.raises(MachineryError, match="cannot be unpacked"):
        unpack_wheel(tmp_path / "x.whl", tmp_path / "made")
