"""A verifier sees the tests as they were loaded, whatever happens to their folder meanwhile."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudge.contracts import Task
from adjudge.errors import SandboxError
from adjudge.gates import read_output
from adjudge.sandbox import adopt_tests, choose_sandbox, frozen_tests, pack_tests
from adjudge.sandbox.files import frozen
from adjudge.scoring import score_output
from adjudge.tasks import load_task, task_digest
from support.task_folders import write_task

GIVES = "echo '{{\"reward\": {}}}' > /logs/verifier/reward.json\n"


@pytest.fixture
def task(tmp_path: Path) -> Task:
    files: dict[str, str | bytes] = {
        "tests/data/deep/file": b"\x00\xff",
        "tests/tool": "#!/bin/sh\n",
        "tests/__pycache__/x.pyc": "never digested, so never seen",
        "tests/.DS_Store": "nor this",
    }
    folder = write_task(tmp_path / "task", script=GIVES.format(0.25), files=files)
    (folder / "tests/tool").chmod(0o700)
    (folder / "tests/to-a-folder").symlink_to("data/deep")
    (folder / "tests/empty").mkdir()
    return load_task(folder)


@pytest.fixture(autouse=True)
def own_store() -> Iterator[None]:
    """No copy of another test is known."""
    frozen._after_fork()
    yield
    frozen._after_fork()


def seen(folder: Path) -> dict[str, object]:
    return {
        path.relative_to(folder).as_posix(): str(path.readlink())
        if path.is_symlink()
        else (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_a_copy_holds_what_its_digest_says_and_nothing_else(task: Task) -> None:
    with frozen_tests(task) as folder:
        assert folder.name == task.tests_digest == task_digest(folder)
        assert seen(folder) == {
            "data/deep/file": (0o644, b"\x00\xff"),
            "test.sh": (0o644, GIVES.format(0.25).encode()),
            "to-a-folder": "data/deep",
            "tool": (0o755, b"#!/bin/sh\n"),
        }
        assert {path.stat().st_mtime for path in (folder, folder / "test.sh")} == {1_577_836_800}


def test_an_edit_between_two_trials_changes_nothing(task: Task, tmp_path: Path) -> None:
    """The first trial made the copy; the second is scored as loaded."""
    (tmp_path / "answer.json").write_text("{}")
    output, sandbox = read_output(task, tmp_path / "answer.json"), choose_sandbox()
    assert score_output(task, output, sandbox).result.reward == 0.25
    (task.folder / "tests/test.sh").write_text(GIVES.format(1.0))
    assert score_output(task, output, sandbox).result.reward == 0.25


@pytest.mark.parametrize("known", [True, False], ids=["loaded", "made by hand"])
def test_an_edit_before_the_first_trial_is_refused(task: Task, known: bool) -> None:
    if not known:
        task = task.model_copy(update={"tests_digest": None})
    (task.folder / "tests/test.sh").write_text(GIVES.format(1.0))
    with pytest.raises(SandboxError, match="no longer those that were loaded"), frozen_tests(task):
        pass


@pytest.mark.parametrize("change", ["mode", "new", "gone", "link", "pipe"])
def test_any_change_is_an_edit(task: Task, change: str) -> None:
    tool = task.folder / "tests/tool"
    if change == "mode":
        tool.chmod(0o644)
    elif change == "new":
        (task.folder / "tests/new").touch()
    else:
        tool.unlink()
    if change == "link":
        tool.symlink_to("test.sh")
    elif change == "pipe":
        os.mkfifo(tool)
    with pytest.raises(SandboxError), frozen_tests(task):
        pass


def test_a_copy_that_somebody_touched_is_made_anew(task: Task) -> None:
    with frozen_tests(task) as folder:
        (folder / "test.sh").write_text("forged")
        os.utime(folder / "test.sh", (1_577_836_800, 1_577_836_800))
    with frozen_tests(task) as folder:
        assert (folder / "test.sh").read_text() == GIVES.format(0.25)


def test_many_threads_share_one_copy(task: Task) -> None:
    folders: list[Path] = []

    def use() -> None:
        with frozen_tests(task) as folder:
            folders.append(folder)
            assert task_digest(folder) == task.tests_digest

    threads = [threading.Thread(target=use) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 16
    assert len(set(folders)) == 1


def test_copies_are_bounded_and_those_in_use_stay(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        load_task(write_task(tmp_path / f"{number}", files={"tests/data": bytes(50_000) + bytes([number])}))
        for number in range(4)
    ]
    monkeypatch.setattr(frozen, "MAX_BYTES", 120_000)
    with frozen_tests(task) as used:
        folders = []
        for other in others:
            with frozen_tests(other) as folder:
                folders.append(folder)
        assert used.exists()
    assert [folder.exists() for folder in folders] == [False, False, True, True]


def test_packed_tests_stand_for_the_folder_on_another_machine(task: Task) -> None:
    packed = pack_tests(task)
    with frozen_tests(task) as folder:
        here = seen(folder)
    frozen._after_fork()
    gone = task.model_copy(update={"folder": Path("/nowhere")})
    adopt_tests(packed)
    with frozen_tests(gone) as folder:
        assert seen(folder) == here


def test_what_was_changed_on_its_way_is_refused(task: Task) -> None:
    packed = pack_tests(task)
    frozen._after_fork()
    with pytest.raises(SandboxError, match="no longer those that were loaded"):
        adopt_tests(replace(packed, files=packed.files[1:]))


def test_nothing_stays_of_a_process_whether_it_ends_or_is_killed(task: Task, tmp_path: Path) -> None:
    """Its folder goes when it ends; after a kill, when the next process makes one."""
    script = (
        "import os, signal, sys, pathlib\n"
        "from adjudge.tasks import load_task\nfrom adjudge.sandbox import frozen_tests\n"
        "with frozen_tests(load_task(sys.argv[1])) as folder: print(folder)\n"
        "if sys.argv[2] == 'killed': os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    def run(end: str) -> Path:
        done = subprocess.run(
            [sys.executable, "-c", script, task.folder, end],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        return Path(done.stdout.strip())

    assert not run("ends").exists()
    killed = run("killed")
    assert killed.exists()
    run("ends")
    assert not killed.exists()
