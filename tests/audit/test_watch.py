"""A verifier is watched from inside its sandbox: what it asks for is noted, in whatever language it asks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from adjudge.audit.probes import Conditions, Probe, WatchedFiles, only_answer
from adjudge.audit.probes.probe import Seen, run_probe
from adjudge.audit.probes.watch import read_notes
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

_PERL = """
perl -e 'open(F, "<", "/work" . "space/notes.txt"); -e "/workspace/deep/er";'
test -f relative.cfg
ls /workspace/. > /dev/null
touch /tmp/made; cat /tmp/made
"""


def watched(script: str, sandbox: Sandbox, folder: Path, files: dict[str, str] | None = None) -> Seen:
    exhibit = Exhibit("watched", test_sh=f"{script}\nexec python3 /tests/verify.py\n", files=files or {})
    task = load_task(build(exhibit, folder))
    probe = Probe("watched", "watched", only_answer(task, b"nothing\n"), Conditions(watch=True))
    return run_probe(task, probe, sandbox, task.limits)


def test_files_are_noted_that_are_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    """Opened, asked about, and by a relative path; what it makes itself is there too, the system's is not."""
    seen = watched(_PERL, sandbox, tmp_path)
    assert seen.claimed == 0.0
    assert seen.watched is not None
    looked_for = {"/workspace/notes.txt", "/workspace/deep/er", "/workspace/relative.cfg"}
    assert looked_for <= set(seen.watched.read)
    assert "/workspace" in seen.watched.listed
    assert not [path for path in seen.watched.read if path.startswith(("/usr/", "/tests/", "/logs/"))]
    assert seen.watched.static == ()


def test_the_exit_code_and_the_artifacts_stay_the_verifier_s(sandbox: Sandbox, tmp_path: Path) -> None:
    seen = watched("echo '{\"reward\": 0.5}' > /logs/verifier/reward.json; exit 7", sandbox, tmp_path)
    assert (seen.exit_code, seen.claimed) == (7, 0.5)
    assert set(seen.artifacts) == {"reward.json"}


def test_a_program_without_libraries_is_noted(sandbox: Sandbox, tmp_path: Path) -> None:
    """No clock can be put into it, so an audit does not call its verifier deterministic."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    source = tmp_path / "alone.c"
    source.write_text("int main(void) { return 0; }\n")
    task = build(Exhibit("watched", test_sh="/tests/alone\nexec python3 /tests/verify.py\n"), tmp_path)
    subprocess.run(["cc", "-static", "-o", task / "tests" / "alone", source], check=True)
    loaded = load_task(task)
    probe = Probe("watched", "watched", only_answer(loaded, b"nothing\n"), Conditions(watch=True))
    seen = run_probe(loaded, probe, sandbox, loaded.limits)
    assert seen.watched is not None
    assert seen.watched.static == ("/tests/alone",)


@pytest.mark.parametrize("notes", [None, b"", b"[1]", b'{"read": 3}', b'{"read": []}', b"\xff"])
def test_notes_that_are_not_the_supervisor_s_are_none(notes: bytes | None) -> None:
    assert read_notes(notes) is None
    assert read_notes(b'{"read": ["/a"], "listed": [], "static": []}') == WatchedFiles(("/a",), (), ())
