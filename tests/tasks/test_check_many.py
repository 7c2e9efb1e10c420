"""`adjudge check` on many tasks says what it says on few, and reads little of what lies beside the tests."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjudge._forked import both_halves
from adjudge.errors import SandboxError
from adjudge.sandbox import frozen_tests
from adjudge.tasks import check_tasks, find_tasks, list_tasks, load_tasks
from adjudge.tasks.sources import own_sources, shell_problems
from audit.gallery.exhibit import Exhibit, build
from support.command_line import run_adjudge

SOUND = b"#!/bin/bash\nif true; then\n  echo }\nfi\n"
BROKEN = b"#!/bin/bash\nif true; then\n"
HERE = b"cat <<EOF\nnever closed\n"
CUT = b"echo one \\"


def test_scripts_read_together_get_the_words_they_get_alone() -> None:
    scripts = [SOUND, BROKEN, HERE, CUT, b"", b"# nothing\n", b"}\n", *(b"echo %d\n" % n for n in range(300))]
    alone = {script: said for script in scripts for said in shell_problems([script]).values()}
    assert shell_problems(scripts) == alone
    assert set(alone) == {BROKEN, b"}\n"}


def test_packages_beside_the_tests_are_not_read_as_the_tasks_own(tmp_path: Path) -> None:
    build(Exhibit("task"), tmp_path)
    package = tmp_path / "task" / "tests" / "numbers_kit"
    package.mkdir()
    for number in range(61):
        (package / f"part{number}.py").write_text("print 'of another age'\n")
    tests = tmp_path / "task" / "tests"
    assert {Path(path).parent for path in own_sources(tests)} == {tests}
    assert not [f for f in check_tasks(load_tasks(tmp_path)) if "not Python" in f.what]
    (package / "part0.py").unlink()
    assert [f for f in check_tasks(load_tasks(tmp_path)) if "numbers_kit/part1.py is not Python" in f.what]


def test_a_listed_task_is_the_loaded_one_but_for_its_digests(tmp_path: Path) -> None:
    build(Exhibit("task"), tmp_path)
    [listed], [loaded] = list_tasks(find_tasks(tmp_path)), load_tasks(tmp_path)
    assert listed.digest != loaded.digest
    assert listed == loaded.model_copy(update={"digest": listed.digest, "tests_digest": None})
    with pytest.raises(SandboxError, match="no longer those that were loaded"), frozen_tests(listed):
        pass


@pytest.mark.parametrize("spoil", ["pipe", "link", *([] if os.geteuid() == 0 else ["unreadable"])])
def test_what_cannot_be_loaded_cannot_be_listed_for_the_same_reason(spoil: str, tmp_path: Path) -> None:
    tests = build(Exhibit("task"), tmp_path) / "tests"
    if spoil == "pipe":
        os.mkfifo(tests / "odd")
    elif spoil == "link":
        (tests / "odd").symlink_to(tmp_path)
    else:
        (tests / "odd").write_text("")
        (tests / "odd").chmod(0)
    assert list_tasks(find_tasks(tmp_path)).problems == load_tasks(tmp_path).problems != ()


def test_many_tasks_are_told_as_few(tmp_path: Path) -> None:
    sound = build(Exhibit("task"), tmp_path / "one")
    for number in range(30):
        copy = shutil.copytree(sound, tmp_path / "many" / f"part-{number // 10}" / f"task-{number}")
        if number % 7 == 0:
            (copy / "tests" / "test.sh").write_bytes(BROKEN)
        if number % 11 == 3:
            (copy / "instruction.md").unlink()
        if number % 5 == 1:
            (copy / "tests" / "test.sh").write_text(
                "#!/bin/bash\nno_such_program /tests/verify.py # reward\n"
            )
        if number % 13 == 2:
            next((copy / "goldens" / "pass").iterdir()).write_text("")
    assert len(told(tmp_path / "many")) > 40
    assert told(tmp_path / "many") == sorted(
        (f"part-{part}/{task}", *rest)
        for part in range(3)
        for task, *rest in told(tmp_path / "many" / f"part-{part}")
    )


def told(root: Path) -> list[tuple[str, ...]]:
    findings = json.loads(run_adjudge("check", root, "--json").stdout)["findings"]
    return sorted((f["task"], f["severity"], f["what"], f["remedy"]) for f in findings)


def test_a_half_whose_process_gives_no_answer_is_done_here() -> None:
    here = os.getpid()

    def work(numbers: Sequence[int]) -> list[int]:
        if os.getpid() != here:
            raise ValueError("not in a child")
        return [number * number for number in numbers]

    halves = both_halves(work, range(10), at_least=2)
    assert [square for half in halves for square in half] == [n * n for n in range(10)]


def test_a_half_that_fails_here_leaves_no_pipe() -> None:
    def work(things: Sequence[int]) -> bytes:
        if things[0] == 0:
            raise ValueError("this half")
        return bytes(1 << 20)  # more than a pipe holds

    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(ValueError, match="this half"):
        both_halves(work, range(10), at_least=2)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
