"""Whatever the environment of the caller is like: the reward that is right, or the reason in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.patience import HANG_SEC
from support.run_folders import echo_task
from support.trial_samples import trial

FORGE = "echo '{\"reward\": 1.0}' > /logs/verifier/reward.json; exit"


def scored(
    folder: Path, variables: Mapping[str, str | None], *, umask: int = 0o022
) -> subprocess.CompletedProcess[str]:
    """`adjudge score` of an answer that is worth 0.3, in an environment with these changes."""
    task = echo_task(folder / "task")
    (folder / "answer.json").write_text('{"r": 0.3}')
    (folder / "forge.sh").write_text(FORGE)
    variables = {
        name: value and value.replace("forge.sh", f"{folder}/forge.sh") for name, value in variables.items()
    }
    given = {**os.environ, **{name: value for name, value in variables.items() if value is not None}}
    for name, value in variables.items():
        if value is None:
            given.pop(name, None)
    return subprocess.run(
        [sys.executable, "-m", "adjudge", "score", str(task), str(folder / "answer.json"), "--json"],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=HANG_SEC,
        env=given,
        umask=umask,
        cwd=folder,
    )


def right(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == 0 and json.loads(done.stdout)["reward"] == 0.3


VARIABLES: dict[str, dict[str, str | None]] = {
    "code for every program": {
        "BASH_ENV": "forge.sh",
        "ENV": "forge.sh",
        "BASH_FUNC_sed%%": "() { echo 1.0; }",
        "LD_PRELOAD": "/nowhere/evil.so",
        "LD_LIBRARY_PATH": "/nowhere",
        "SHELLOPTS": "xtrace:noexec",
        "PYTHONPATH": "/nowhere",
        "PYTHONSTARTUP": "/nowhere",
        "PYTHONOPTIMIZE": "2",
    },
    "no names for anything": dict.fromkeys(("HOME", "USER", "LOGNAME", "PATH", "LANG", "TERM", "SHELL")),
    "places that are not there": {
        "HOME": "/nowhere/at/all",
        "XDG_CACHE_HOME": "/proc/nowhere/either",
        "TMPDIR": "/nowhere/too",
        "LC_ALL": "tlh_QO.KLINGON-8",
        "PYTHONIOENCODING": "ascii",
        "TZ": "Nowhere/Far+99:99",
    },
}


@pytest.mark.parametrize("what", VARIABLES)
def test_no_variable_of_the_caller_reaches_a_reward(tmp_path: Path, what: str) -> None:
    done = scored(tmp_path, VARIABLES[what])
    assert right(done), done.stderr


def _file(folder: Path) -> Path:
    (folder / "a file").touch()
    return folder / "a file"


def _odd(folder: Path) -> Path:
    place = folder / "new\nline and spaces ü"
    place.mkdir()
    return place


def _link(folder: Path) -> Path:
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    return folder / "link"


def _anybodys(folder: Path) -> Path:
    place = folder / "anybodys"
    place.mkdir()
    place.chmod(0o777)
    return place


PLACES: dict[str, Callable[[Path], Path]] = {
    "a file": _file,
    "an odd name": _odd,
    "a link": _link,
    "anybody may write there": _anybodys,
    "a relative path": lambda _: Path(),
}


@pytest.mark.parametrize("place", PLACES)
def test_whatever_the_temporary_folder_is(tmp_path: Path, place: str) -> None:
    tmp_path.chmod(0o755)
    for above in tmp_path.parents[:2]:  # one of them may be `/tmp` itself, and stays anybody's
        above.chmod(above.stat().st_mode | 0o055)
    done = scored(tmp_path, {"TMPDIR": str(PLACES[place](tmp_path))})
    if not right(done):
        assert "Traceback" not in done.stderr
        assert json.loads(done.stderr)["error"]["what"]


@pytest.mark.parametrize("umask", [0, 0o777], ids=oct)
def test_whatever_the_umask_is(tmp_path: Path, umask: int) -> None:
    done = scored(tmp_path, {}, umask=umask)
    assert right(done), done.stderr


def test_a_ledger_by_two_names_is_one_ledger(tmp_path: Path) -> None:
    """A link to its file and a link to its folder lead to the same rows, while both are open."""
    (tmp_path / "real").mkdir()
    (tmp_path / "folder").symlink_to("real")
    with open_ledger(tmp_path / "real/a.db") as first:
        first.record([trial(1)])
        (tmp_path / "file.db").symlink_to("real/a.db")
        with open_ledger(tmp_path / "file.db") as second, open_ledger(tmp_path / "folder/a.db") as third:
            second.record([trial(2)])
            third.record([trial(3)])
            assert first.count() == second.count() == third.count() == 3
            assert second.verify().intact
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.db", "folder", "real"]
