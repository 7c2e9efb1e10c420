"""A run of real commands, something that goes wrong in it, and what must hold afterwards.

Each fault begins in a fresh folder with a task, outputs and perhaps some trials recorded already. It breaks
something while a real `adjudge` process works, and then `must_hold` asks for the invariant: no finished trial
lost, none twice, chain valid, message clear, resumable. Whether a fault came in time is counted, never asked
for: a machine may be faster than it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.contracts import Outcome, outcome_of
from adjudge.ledger import open_ledger
from faults.forked import Forked, import_what_it_imports
from support.run_folders import echo_task, write_manifest

TRIALS = 24
HANG_SEC = 1800.0
"""A search may run beside other work at the lowest priority: only what never ends is a hang."""
_TICKS = os.sysconf("SC_CLK_TCK")
ADJUDGE = (sys.executable, "-m", "adjudge")
RUN = ("run", "manifest.jsonl", "--experiment", "one", "--workers", "2")
TESTS = Path(__file__).resolve().parents[1]


class Broken(AssertionError):  # noqa: N818 - reads as what it says
    """The invariant does not hold."""


@dataclass
class Told:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def was_killed(self) -> bool:
        return self.code in (-signal.SIGKILL, -signal.SIGTERM)


@dataclass
class Home:
    """A folder with a task and a manifest of `TRIALS` outputs, and the ledger that goes with it."""

    folder: Path
    rng: random.Random
    ledger: str = "adjudge.db"
    before: frozenset[str] = frozenset()
    """The trials that were recorded when the fault came."""
    faults: int = 1
    """How many came in this folder, one after another."""

    @classmethod
    def make(cls, folder: Path, rng: random.Random) -> Home:
        folder.mkdir(parents=True)
        echo_task(folder / "tasks/echo")
        write_manifest(folder, TRIALS)
        folder.chmod(0o755)
        return cls(folder, rng)

    @property
    def url(self) -> str:
        return self.ledger if "://" in self.ledger else str(self.folder / self.ledger)

    def start(
        self, *arguments: str, prefix: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """A command that goes on while something is done to it."""
        return subprocess.Popen(
            [*prefix, *ADJUDGE, *(arguments or RUN)],
            cwd=self.folder,
            env={**_surroundings(self.ledger, self.folder), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def fork(self, *arguments: str, limits: Mapping[int, int] | None = None) -> Forked:
        """The same in a process forked off this one, with limits of its own."""
        return Forked(arguments, self.folder, _surroundings(self.ledger, self.folder), dict(limits or {}))

    def import_what_a_run_imports(self) -> None:
        """Before anything is forked off, once for all."""
        import_what_it_imports(self.run_of(2), self.folder, _surroundings(self.ledger, self.folder))

    def run(
        self, *arguments: str, prefix: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> Told:
        return finished(self.start(*arguments, prefix=prefix, environment=environment))

    def run_of(self, count: int) -> tuple[str, ...]:
        """The command that scores the first so many trials of the manifest."""
        lines = (self.folder / "manifest.jsonl").read_text().splitlines(keepends=True)
        (self.folder / "some.jsonl").write_text("".join(lines[:count]))
        return ("run", "some.jsonl", *RUN[2:])

    def some_recorded(self) -> None:
        """Record some of the trials before the fault."""
        told = self.run(*self.run_of(self.rng.randrange(1, TRIALS // 2)))
        if told.code:
            raise Broken(f"a plain run failed: {told}")
        self.before = self.recorded()

    def recorded(self) -> frozenset[str]:
        with open_ledger(self.url, blobs=self._blobs()) as ledger:
            return frozenset(record.trial_id for record in ledger.iterate())

    def _blobs(self) -> Path | None:
        return self.folder / "blobs" if "://" in self.ledger else None

    def must_hold(self, *told: Told, may_lose: bool = False) -> None:
        """The invariant, after a fault that these commands met. `may_lose`: recorded work was destroyed."""
        for one in told:
            check_words(one)
        if not may_lose:
            self._nothing_lost()
        again = self.run(*RUN, "--retry-failed")  # what a machine without room failed on is tried again
        if again.code:
            raise Broken(f"cannot be resumed: {again}")
        if not may_lose:
            self._nothing_lost()
        self.is_whole()

    def still_holds(self, told: Told) -> None:
        """What must be true between two faults, seen without any command: clear words, nothing lost, a chain.

        What is recorded now must be there after the next fault too.
        """
        check_words(told)
        if not (self.folder / self.ledger).exists():
            return
        with open_ledger(self.url) as ledger:
            walk = ledger.verify()
        if not walk.intact:
            raise Broken(f"does not verify: {walk.problems}")
        self._nothing_lost()
        self.before = self.recorded()

    def is_whole(self) -> None:
        """Every trial of the manifest is there once, with its reward, and all verifies.

        One evaluation each, besides those that failed for want of something on this machine.
        """
        with open_ledger(self.url, blobs=self._blobs()) as ledger:
            records = list(ledger.iterate())
            histories = {
                sum(outcome_of(one.evaluation) is not Outcome.MACHINERY_FAILED for one in history)
                for history in (ledger.history(record.trial_id) for record in records)
            }
            walk = ledger.verify()
            blobs = [problem for problem in ledger.verify_blobs() if problem]
        rewards = {record.attempt: record.evaluation.reward for record in records}
        expected = {number + 1: (number % 11) / 10 for number in range(TRIALS)}
        if len(records) != TRIALS or rewards != expected:
            raise Broken(f"{len(records)} trials of {TRIALS}; {rewards}")
        if histories != {1}:
            raise Broken(f"evaluations per trial: {histories}")
        if not walk.intact or blobs:
            raise Broken(f"does not verify: {walk.problems} {blobs}")

    def _nothing_lost(self) -> None:
        if gone := self.before - self.recorded():
            raise Broken(f"{len(gone)} trials that were recorded are gone")


def check_words(told: Told) -> None:
    """Killed, or done, or a reason in words: never a traceback, never silence, never `a bug in adjudge`.

    A native part (the JSON parser's allocator) that gets no memory says so itself and ends the process.
    """
    if told.was_killed or told.code == 0:
        return
    said = told.err + told.out
    if told.code == -signal.SIGABRT and re.search(r"memory allocation of \d+ bytes failed", said):
        return
    if "Traceback" in said or "This is a bug" in said or told.code < 0:
        raise Broken(f"not a clear message: exit code {told.code}: {said[-1500:]}")
    if not re.search(r"^(error: |interrupted|.*machinery failed|\d+ .*)", said, re.MULTILINE):
        raise Broken(f"exit code {told.code} and no reason: {said[-1500:]!r}")


def finished(process: subprocess.Popen[str] | Forked) -> Told:
    """Wait for a command; one that hangs breaks the invariant."""
    try:
        out, err = process.communicate(timeout=HANG_SEC)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Broken(f"hangs: {process.args!r}") from None
    assert process.returncode is not None
    return Told(process.returncode, out, err)


def worked(process: subprocess.Popen[str] | Forked, seconds: float) -> bool:
    """Wait until the process has used so much processor time; True if it still runs then.

    A moment by the clock would, on a busy machine, always fall into the start. A process that only waits
    uses no processor time, so the clock ends this too, much later.
    """
    end = time.monotonic() + 60 * seconds
    while process.poll() is None and time.monotonic() < end and _processor_time(process.pid) < seconds:
        time.sleep(0.002)
    return process.poll() is None


def _processor_time(pid: int) -> float:
    """Of a process and the children it has waited for; a zombie keeps its own until it is waited for."""
    text = Path(f"/proc/{pid}/stat").read_text()
    return sum(int(word) for word in text.rpartition(")")[2].split()[11:15]) / _TICKS


def after(process: subprocess.Popen[str], seconds: float) -> bool:
    """Wait by the clock; True if the process still runs then."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            return False
        time.sleep(0.005)
    return process.poll() is None


def remove(home: Home) -> None:
    shutil.rmtree(home.folder, ignore_errors=True)


def _surroundings(ledger: str, folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ADJUDGE_")}
    place = {"ADJUDGE_LEDGER": ledger}
    if "://" in ledger:
        place["ADJUDGE_BLOBS"] = str(folder / "blobs")
    return {**kept, **place, "ADJUDGE_STANDBY": "0", "NO_COLOR": "1"}
