"""Scoring inside somebody else's process: large, threaded, forking, and short of descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import Task
from adjudge.sandbox import choose_sandbox
from adjudge.sandbox.backends import binary, start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.watching import janitor
from support.patience import HANG_SEC
from support.run_folders import ECHO, echo_task

REWARDS = [round(number / 10, 1) for number in range(11)]


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    found = adjudge.load_task(echo_task(tmp_path_factory.mktemp("task") / "echo"))
    assert adjudge.score_text(found, "0.5").reward == 0.5  # finds the sandbox, starts what serves it
    return found


def scored(task: Task, reward: float) -> float:
    return adjudge.score_text(task, f'{{"r": {reward}}}').reward


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def highest() -> int:
    return max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())


@contextlib.contextmanager
def few_descriptors(left: int) -> Iterator[None]:
    """No more than so many besides those that are open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    filled = [os.open(os.devnull, os.O_RDONLY) for _ in range(highest() + 1 - descriptors())]
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest() + 1 + left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in filled:
            os.close(fd)


def test_whatever_the_number_of_free_descriptors_a_lack_of_them_is_no_reward(
    task: Task, tmp_path: Path
) -> None:
    """From none to plenty: either the reward that is right, or the machine's failure in words."""
    output = tmp_path / "answer.json"
    output.write_text('{"r": 1.0}')
    folder = tmp_path / "workspace"
    (folder / "deep/er").mkdir(parents=True)
    (folder / "answer.json").write_text('{"r": 1.0}')
    before = descriptors()
    ended: set[str] = set()
    for left in range(40):
        for what in (output, folder):
            try:
                with few_descriptors(left):
                    reward = adjudge.score(task, what).reward
            except adjudge.MachineryError as error:
                ended.add("failed" if "open files" in str(error) else str(error))
            else:
                assert reward == 1.0, left
                ended.add("scored")
    assert ended == {"failed", "scored"}
    assert descriptors() <= before + 1  # the helper that parses may have been started meanwhile


def test_a_sandbox_that_cannot_be_tried_for_a_lack_is_tried_again(task: Task) -> None:
    from adjudge.sandbox import choose

    choose._working.clear()
    with few_descriptors(2), pytest.raises(adjudge.AdjudgeError):
        scored(task, 1.0)
    assert scored(task, 1.0) == 1.0


def test_bubblewrap_is_started_without_copying_this_process(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may be root: `vfork` needs that nobody asks the child to become another user."""
    asked: list[dict[str, object]] = []
    real = subprocess.Popen

    def noted(*arguments: object, **options: object) -> object:
        asked.append(options)
        return real(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", noted)
    assert scored(task, 0.5) == 0.5
    assert asked
    for options in asked:
        assert not {"user", "group", "extra_groups", "preexec_fn"} & options.keys()


FORK_HANDLERS = """
import ctypes, sys, threading
import adjudge
task = adjudge.load_task(sys.argv[1])
adjudge.score_text(task, "1.0")
libc = ctypes.CDLL(None)
called = []
handler = ctypes.CFUNCTYPE(None)(lambda: called.append(1))
libc.__register_atfork(handler, None, None, None)
assert adjudge.score_text(task, "0.5").reward == 0.5
print(len(called))
"""


def test_no_fork_handler_of_others_is_run(task: Task) -> None:
    """One that waits for a lock, as those of OpenBLAS do, would stop the whole process."""
    done = subprocess.run(
        [sys.executable, "-c", FORK_HANDLERS, str(task.folder)],
        capture_output=True,
        text=True,
        timeout=HANG_SEC,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_fork_elsewhere_stalls_no_scoring(task: Task) -> None:
    """Children that are forked off while sandboxes are started live on, and hold what they got."""
    children: list[int] = []
    stop = threading.Event()

    def fork_on() -> None:
        while not stop.is_set() and len(children) < 60:
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            children.append(child)
            stop.wait(0.01)

    quick = task.model_copy(update={"limits": task.limits.model_copy(update={"wall_time_sec": 20.0})})
    forking = threading.Thread(target=fork_on)
    forking.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda reward: scored(quick, reward), REWARDS * 3)) == REWARDS * 3
    finally:
        stop.set()
        forking.join()
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_shutting_a_latch_shuts_it_for_everybody_who_has_it() -> None:
    """Even for a copy that no handler closes, of a program in C that forks."""
    import socket

    ours, theirs = socket.socketpair()
    copy = os.dup(ours.fileno())
    start.shut(ours)
    assert theirs.recv(1) == b""
    os.close(copy)
    theirs.close()


def test_a_forked_child_leaves_its_parents_things_alone(task: Task) -> None:
    """It ends as programs do, with all that is registered for the end; the parent goes on."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if scored(task, 0.25) == 0.25 else 2
            import atexit

            atexit._run_exitfuncs()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert scored(task, 0.75) == 0.75
    sandbox = choose_sandbox("bubblewrap")
    assert isinstance(sandbox, BubblewrapSandbox)
    assert binary.startable(sandbox.program).exists()


def _in_worker(folder: str, reward: float) -> float:
    return scored(adjudge.load_task(folder), reward)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_pool_get_the_same_rewards(task: Task, method: str) -> None:
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(_in_worker, [str(task.folder)] * len(REWARDS), REWARDS))
    assert found == REWARDS


def test_hundreds_from_threads_and_asyncio_leave_nothing_behind(task: Task) -> None:
    """Same rewards, and no descriptor, process or memory more than after the first ones."""
    wanted = REWARDS * 10

    async def together() -> list[float]:
        return await asyncio.gather(*(asyncio.to_thread(scored, task, reward) for reward in wanted))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda reward: scored(task, reward), REWARDS * 2))
        before, memory = descriptors(), resident()
        assert list(pool.map(lambda reward: scored(task, reward), wanted)) == wanted
        assert asyncio.run(together()) == wanted
    assert descriptors() <= before
    assert resident() - memory < 20 << 20


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_a_large_process_gets_the_same_rewards(task: Task) -> None:
    """More than half a gigabyte that is really there; that none of it is copied, the test of `vfork` sees."""
    ballast = bytearray(os.urandom(1 << 20) * 600)
    assert [scored(task, reward) for reward in REWARDS] == REWARDS
    assert len(ballast) == 600 << 20


def test_text_that_is_an_answer_is_not_taken_for_a_path(task: Task, tmp_path: Path) -> None:
    with pytest.raises(adjudge.UsageError, match=r"names no file or folder.*score_text"):
        adjudge.score(task, '{"r": 1.0}')
    assert adjudge.score(task, tmp_path / "none.json").reward == 0.0
    assert adjudge.score_text(task, '{"r": 1.0}').reward == 1.0
    assert adjudge.score_bytes(task, b'{"r": 0.5}').reward == 0.5


def test_text_is_the_same_as_a_file_that_holds_it(task: Task, tmp_path: Path) -> None:
    for text in ('{"r": 0.3}', "", "no JSON", "é\n"):
        (tmp_path / "answer.json").write_text(text)
        assert adjudge.score_text(task, text) == adjudge.score(task, tmp_path / "answer.json")


def test_bytes_are_no_folder_and_not_larger_than_allowed(tmp_path: Path) -> None:
    folder = echo_task(tmp_path / "t", ECHO, '[output]\npath = "/workspace/out/"\n')
    if (loaded := adjudge.load_task(folder)).output.is_folder:
        with pytest.raises(adjudge.UsageError, match="is a folder"):
            adjudge.score_text(loaded, "x")
    small = adjudge.load_task(echo_task(tmp_path / "s", ECHO, "[output]\nmax_mb = 1\n"))
    assert "too large" in adjudge.score_bytes(small, bytes(2 << 20)).validity.errors[0]


def test_the_same_output_at_a_later_step_is_another_trial(task: Task, tmp_path: Path) -> None:
    first, again, later = (
        adjudge.score_trial(task, b'{"r": 0.5}', experiment="ppo", step=step) for step in (1, 1, 2)
    )
    plain = adjudge.score_trial(task, b'{"r": 0.5}', experiment="ppo")
    assert first.trial_id == again.trial_id
    assert len({first.trial_id, later.trial_id, plain.trial_id}) == 3
    assert later.metadata == {"step": 2}
    with adjudge.open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([adjudge.TrialEntry(one) for one in (first, again, later, plain)])
        assert ledger.count() == 3


def test_the_janitor_of_a_forked_child_is_its_own(task: Task) -> None:
    assert scored(task, 0.5) == 0.5
    assert janitor._pipe is not None
    child = os.fork()
    if child == 0:
        os._exit(0 if janitor._pipe is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
