"""Reading ahead: in order whoever reads, nothing twice, nothing left out, and no process left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import Struct

from adjudge.errors import MachineryError
from adjudge.runs import read_ahead
from adjudge.runs.helper import Helper
from support.helper_processes import TellingReader, wait_for_helpers
from support.patience import HANG_SEC, wait_until


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "CHUNK", 5)
    monkeypatch.setattr(read_ahead, "ALONE", 10)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Helper]:
    return wait_for_helpers(monkeypatch)


def read(reader: TellingReader, count: int, workers: int) -> tuple[list[int], list[int]]:
    """What came back, and who read each."""
    pairs = [pair for part in read_ahead.read_folders_ahead(reader, range(count), workers) for pair in part]
    assert all(given == number for given, (number, _) in pairs)
    return [number for number, _ in pairs], [who for _, (_, who) in pairs]


def is_gone(helper: Helper) -> bool:
    return helper.process.returncode is not None


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
@pytest.mark.parametrize("count", [0, 1, 10, 11, 12, 203])
def test_everything_comes_back_once_and_in_order(workers: int, count: int) -> None:
    assert read(TellingReader(), count, workers)[0] == list(range(count))


def test_helpers_and_this_process_read_side_by_side(started: list[Helper]) -> None:
    numbers, who = read(TellingReader(sleep_sec=0.01), 300, 3)
    assert numbers == list(range(300))
    assert set(who) == {os.getpid(), *(helper.process.pid for helper in started)}
    assert all(map(is_gone, started))


def test_few_are_read_without_help(started: list[Helper]) -> None:
    assert set(read(TellingReader(), 10, 4)[1]) == {os.getpid()}
    assert started == []


def test_a_reading_that_ends_early_goes_on_where_it_ended(started: list[Helper]) -> None:
    assert read(TellingReader(at_once=2), 83, 2)[0] == list(range(83))
    parts = [len(part) for part in read_ahead.read_folders_ahead(TellingReader(at_once=2), range(12), 1)]
    assert parts == [2, 2, 1, 2, 2, 1, 2]


def test_a_helper_that_dies_is_named(started: list[Helper]) -> None:
    reader = TellingReader(sleep_sec=0.01, dies_at=0, parent=os.getpid())
    with pytest.raises(MachineryError, match=r"has died.*exit code 9"):
        read(reader, 300, 3)
    assert all(map(is_gone, started))


def test_a_helper_that_never_starts_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(MachineryError, match=r"has died.*exit code 1"):
        read(TellingReader(sleep_sec=0.05), 300, 2)


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


@pytest.mark.parametrize("parts_read", [1, 1000])
def test_nothing_is_left_behind(started: list[Helper], parts_read: int) -> None:
    """Neither processes nor descriptors, whether it is read to its end or left in the middle."""
    before = descriptors()
    parts = read_ahead.read_folders_ahead(TellingReader(), range(500), 3)
    list(islice(parts, parts_read))
    del parts
    assert len(started) == 2
    assert all(map(is_gone, started))
    assert descriptors() == before


def test_what_is_under_way_is_bounded(started: list[Helper]) -> None:
    """However slow the one who asks is: so is memory."""
    taken = 0

    def numbers() -> Iterator[int]:
        nonlocal taken
        for number in range(1, 10_001):
            taken = number
            yield number

    bound = (read_ahead._MOST_ASKED + read_ahead._OWN + 1) * read_ahead.CHUNK
    for part in islice(read_ahead.read_folders_ahead(TellingReader(), numbers(), 3), 100):
        assert taken - part[-1][0] <= bound


def test_who_waits_is_told_so_and_may_do_something_else(started: list[Helper]) -> None:
    """Once before this process helps to read, and everything comes all the same."""
    with read_ahead.reading_ahead(TellingReader(sleep_sec=0.01), range(100), 2) as readings:
        parts = list(readings)
    assert [] in parts
    assert all(one or other for one, other in pairwise(parts))
    assert [number for part in parts for number, _ in part] == list(range(100))


class Row(NamedTuple):
    """What a reader makes, in a named tuple as most readers do."""

    number: int
    who: int


class RowReader(Struct, frozen=True):
    """Makes rows; of every seventh number a sentence instead, if that is asked for."""

    mixed: bool

    def read(self, numbers: Sequence[int]) -> list[Row | str]:
        time.sleep(0.01)
        return [
            f"no row of {number}" if self.mixed and not number % 7 else Row(number, os.getpid())
            for number in numbers
        ]


@pytest.mark.parametrize("mixed", [False, True])
def test_rows_come_back_as_they_were_made(mixed: bool, started: list[Helper]) -> None:
    parts = read_ahead.read_folders_ahead(RowReader(mixed), range(100), 2)
    made = [thing for part in parts for _, thing in part]
    rows = [thing for thing in made if not isinstance(thing, str)]
    assert {type(row) for row in rows} == {Row}
    assert {row.who for row in rows} == {os.getpid(), *(helper.process.pid for helper in started)}
    assert [row.number for row in rows] == [number for number in range(100) if not mixed or number % 7]
    assert len(made) == 100


@contextmanager
def at_most(descriptors: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("spare", [1, 9, 12])
def test_where_descriptors_are_few_it_goes_without_help(spare: int) -> None:
    before = descriptors()
    with at_most(max(map(int, before)) + 1 + spare):
        assert read(TellingReader(), 50, 3)[0] == list(range(50))
    assert descriptors() == before


def test_a_process_with_thousands_of_open_files_has_help(started: list[Helper]) -> None:
    """`select` knows the first 1024 descriptors only."""
    with at_most(4096):
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
        try:
            assert len(set(read(TellingReader(sleep_sec=0.01), 100, 2)[1])) == 2
        finally:
            for file in files:
                os.close(file)


def test_helpers_are_few_however_many_cores_there_are(
    started: list[Helper], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "_MOST_HELPERS", 2)
    assert read(TellingReader(), 100, 500)[0] == list(range(100))
    assert len(started) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_is_not_the_helpers_to_answer(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while it starts nor later: a terminal sends it to all."""
    helpers = wait_for_helpers(monkeypatch, meanwhile=lambda helper: os.kill(helper.process.pid, number))
    assert read(TellingReader(sleep_sec=0.01), 100, 2)[0] == list(range(100))
    assert [helper.process.returncode for helper in helpers] == [-signal.SIGKILL]  # in the end, by its parent


CLOSED = """
import os
for descriptor in {closed}:
    os.close(descriptor)
import pytest
from adjudge.runs import read_ahead
from adjudge.runs.helper import Helper
from support.helper_processes import TellingReader, wait_for_helpers
read_ahead.CHUNK, read_ahead.ALONE = 5, 10
wait_for_helpers(pytest.MonkeyPatch())
reader = TellingReader(sleep_sec=0.01)
pairs = [pair for part in read_ahead.read_folders_ahead(reader, range(100), 2) for pair in part]
os._exit(7 if [given for given, _ in pairs] == list(range(100)) else 8)
"""


@pytest.mark.parametrize("closed", [[0], [0, 1], [0, 1, 2]])
def test_standard_streams_may_be_closed(closed: list[int]) -> None:
    """Their numbers are then free for whatever is opened next."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", CLOSED.format(closed=closed)]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=HANG_SEC)
    assert (done.returncode, done.stderr) == (7, b"")


FORKING = """
import os
from adjudge.runs import read_ahead
from support.helper_processes import TellingReader
read_ahead.CHUNK, read_ahead.ALONE = 5, 10
helpers = []
def noted(name):
    start = getattr(read_ahead, name)
    setattr(read_ahead, name, lambda *arguments: helpers.append(start(*arguments)) or helpers[-1])
noted("fork_helper"), noted("start_helper")
before = set(os.listdir("/proc/self/fd"))
with read_ahead.reading_ahead({reader}, range(300), 3, may_fork=True) as readings:
    {meanwhile}
    made = [pair for part in readings for pair in part]
assert set(os.listdir("/proc/self/fd")) == before
assert [given for given, _ in made] == list(range(300))
processes = [helper.process for helper in helpers]
print(*(type(process).__name__ for process in processes), *(process.returncode for process in processes))
if type(processes[0]).__name__ == "_Forked":
    assert {{who for _, (_, who) in made}} >= {{process.pid for process in processes}}
"""
FORKED = "_Forked _Forked -9 -9\n"
"""What it prints if two helpers were forked, and ended in the end by their parent."""


def forking(
    *, before: str = "", reader: str = "TellingReader(sleep_sec=0.01)", meanwhile: str = "pass"
) -> str:
    """What a process of our own says that may fork helpers: it does something `before`, and `meanwhile`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = before + FORKING.format(reader=reader, meanwhile=meanwhile)
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANG_SEC)
    return done.stdout + done.stderr


def test_a_command_has_its_helpers_forked() -> None:
    """They read at once, and are gone with all that they had at the end."""
    assert forking() == FORKED


def test_a_forked_helper_holds_nothing_of_its_parents() -> None:
    """A pipe of the parent's that it kept open would never end for whoever reads it."""
    before = "import os\nheld = os.open(os.devnull, os.O_RDONLY), os.pipe()\n"
    looked = """
    for helper in helpers:
        there = f"/proc/{helper.process.pid}/fd"
        kept = [os.readlink(f"{there}/{one}").partition(":")[0] for one in os.listdir(there) if int(one) > 2]
        assert sorted(kept) == ["/memfd"] * 2 * (read_ahead._MOST_ASKED // 2) + ["pipe"] * 2, kept
"""
    assert forking(before=before, meanwhile=looked) == FORKED


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_is_not_the_forked_helpers_to_answer(number: int) -> None:
    assert forking(meanwhile=f"[os.kill(one.process.pid, {number:d}) for one in helpers]") == FORKED


def test_a_process_with_another_thread_forks_nothing() -> None:
    """A lock that the thread holds would be held in the copy for good."""
    before = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    assert forking(before=before) == FORKED.replace("_Forked", "Popen")


def test_a_forked_helper_that_dies_is_named() -> None:
    said = forking(reader="TellingReader(sleep_sec=0.01, dies_at=12, parent=os.getpid())")
    assert "a process that reads folders has died" in said
    assert "exit code 9" in said


def test_forked_helpers_end_with_their_parent() -> None:
    """Whatever ends it, and though each was forked when the pipes of those before were open."""
    said = forking(
        meanwhile="print(*(one.process.pid for one in helpers), flush=True); os.kill(os.getpid(), 9)"
    )
    assert len(said.split()) == 2
    assert wait_until(lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in said.split()))
