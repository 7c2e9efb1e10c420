"""Runs probes for one audit: in parallel, each once, and remembers which output showed what.

The order of the results is the order of the probes, whatever finished first; so an audit is the same with one
worker or with ten. A probe's name belongs to one output and one condition for the whole audit.

Sections wait: for a probe that sleeps, for one on which the next depends. What will be asked for later is run
meanwhile (`expect`); it counts, with all that follows from it, when it is asked for.
"""

from __future__ import annotations

import contextlib
import copy
import shlex
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, ProbeResult, Section
from adjudge.audit.probes.budget import AuditStopped, Budget, BudgetSpent, ProbeFound
from adjudge.audit.probes.probe import (
    Conditions,
    Files,
    Probe,
    Seen,
    WarmDoubted,
    digest_of,
    only_answer,
    run_probe,
    shown_by,
    with_answer,
)
from adjudge.contracts import Limit, Limits, OutputFormat, Severity, Task
from adjudge.errors import SandboxError, show
from adjudge.packages import sandbox_for
from adjudge.sandbox import Sandbox, SandboxJob, only_cold

_SLOWEST_SEC = 60.0
_LEAST_SEC = 10.0
_RETRIES = 2
_MOST_ALSO = 20
_HANGS_BELIEVED = 3
_SHORTEST_SEC = 2.0
_ASIDE = 2
"""Probes that are run aside at once: one that sleeps should not keep the others."""
_ASIDE_SHARE = 0.1
"""Of the time left that probes may take aside: a slow verifier is tried in the order of worth only."""

_Key = tuple[Files, Conditions]


class Bench:
    """One task, one sandbox, and all that was tried. Make it with `with`: it holds a scratch folder."""

    def __init__(
        self,
        task: Task,
        sandbox: Sandbox,
        workers: int,
        on_probe: Callable[[], None] | None = None,
        budget: Budget | None = None,
        wanted: str | None = None,
    ) -> None:
        """If one probe is `wanted`, ProbeFound ends the audit as soon as it is asked for and was run."""
        self.task = task
        self._whole = task
        self._beside: str | None = None
        self._wanted = wanted
        self.sandbox = sandbox_for(task, sandbox)
        self.limits = task.limits.model_copy(
            update={"wall_time_sec": min(task.limits.wall_time_sec, _SLOWEST_SEC)}
        )
        self.log: dict[str, tuple[Probe, Seen]] = {}
        self._runs: dict[_Key, Future[Seen]] = {}
        self._counted: set[_Key] = set()
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="adjudge-audit")
        self._aside = ThreadPoolExecutor(_ASIDE, thread_name_prefix="adjudge-audit-aside")
        self._scratch = tempfile.TemporaryDirectory(prefix="adjudge-audit-")
        self._on_probe = on_probe or (lambda: None)
        self.budget = budget or Budget()
        self._hung = 0
        self._workers = max(1, workers)
        self._fastest_sec: float | None = None

    def __enter__(self) -> Bench:
        Path(self._scratch.name).chmod(0o755)
        return self

    def __exit__(self, *_: object) -> None:
        self._aside.shutdown(cancel_futures=True)
        self._pool.shutdown(cancel_futures=True)
        self._scratch.cleanup()

    def beside(self, path: str, kind: OutputFormat) -> Bench:
        """The same bench for another file of the answer: its probes change that one, and are named after it.

        The verifier is run as ever, and what was run or logged here or there is known to both.
        """
        other = copy.copy(self)
        changes = {"format": kind, "paths": [path], "json_schema": None}
        other.task = self._whole.model_copy(
            update={
                "verifier": self._whole.verifier.model_copy(update={"expected_output_path": path}),
                "output": self._whole.output.model_copy(update=changes),
            }
        )
        other._beside = path
        return other

    @property
    def place(self) -> Sandbox:
        """The sandbox itself, without the packages that are shown in it."""
        sandbox = self.sandbox
        while (inner := getattr(sandbox, "inner", None)) is not None:
            sandbox = inner
        return sandbox

    @property
    def scratch(self) -> Path:
        """A folder of this audit's own, which goes away with it."""
        return Path(self._scratch.name)

    def python_version(self) -> str | None:
        """What the verifier finds as `python3`; None if it finds none."""
        outcome = self.sandbox.run(
            SandboxJob(command=("python3", "-V"), tests=self.scratch, files={}, workdir="/workspace")
        )
        said = outcome.stdout.decode("utf-8", "replace").split()
        return said[1][:40] if outcome.exit_code == 0 and len(said) == 2 else None

    def run(self, probes: Sequence[Probe]) -> list[Seen]:
        """The results of these probes, in their order. SandboxError if the machinery fails twice.

        BudgetSpent, before any is run, if they cannot all be run in the time that is left: half of a batch
        shows nothing, and the time is better spent on what still fits.
        """
        self._look_for_wanted(probes)
        if (why := self._too_long(probes)) is not None:
            raise self.budget.spent(why)
        seen = list(self._pool.map(self._one, probes))
        for probe, result in zip(probes, seen, strict=True):
            self.log[probe.name] = (probe, result)
        return seen

    def run_groups(self, groups: Sequence[Sequence[Probe]]) -> Iterator[list[Seen]]:
        """The results of each group in turn, the likeliest first: as many groups as the time suffices for.

        All at once if they fit, so that no core waits for the end of a group; then BudgetSpent at the first
        that does not fit, when the caller has seen those before it.
        """
        try:
            seen = iter(self.run([probe for group in groups for probe in group]))
        except BudgetSpent:  # what was run is known, and costs nothing more
            for group in groups:
                yield self.run(group)
        else:
            for group in groups:
                yield [next(seen) for _ in group]

    def at_once(self, probes: Sequence[Probe]) -> list[Seen]:
        """The same, but all at the same moment, however many workers there are."""
        self._look_for_wanted(probes)
        with ThreadPoolExecutor(len(probes)) as crowd:
            seen = list(crowd.map(self._one, probes))
        for probe, result in zip(probes, seen, strict=True):
            self.log[probe.name] = (probe, result)
        return seen

    def _look_for_wanted(self, probes: Sequence[Probe]) -> None:
        """Of many probes that stand side by side only the wanted one is run, if it is among them."""
        probe = next((each for each in probes if each.name == self._wanted), None)
        if probe is not None:
            self.log[probe.name] = (probe, self._one(probe))
            raise ProbeFound

    def tighten(self, ordinary_sec: float) -> None:
        """Know how long an ordinary run takes: a probe that takes far longer is not waited for."""
        allowed = max(_LEAST_SEC, 20 * ordinary_sec)
        self.limits = self.limits.model_copy(
            update={"wall_time_sec": min(self.limits.wall_time_sec, allowed)}
        )

    def _too_long(self, probes: Sequence[Probe]) -> str | None:
        """Why the new ones among these cannot fit, each as fast as the fastest yet; None if they may."""
        left = self.budget.left()
        if self._fastest_sec is None:
            return None
        with self._guard:  # what runs aside adds to it
            known = set(self._runs)
        new = {(probe.files, probe.conditions) for probe in probes} - known
        needed = len(new) * self._fastest_sec / self._workers
        if not new or needed <= left:
            return None
        runs = "1 more run" if len(new) == 1 else f"{len(new)} more runs"
        if left < 0.5:
            return f", and {runs} {'was' if len(new) == 1 else 'were'} due"
        return (
            f", or nearly: {runs} of {self._fastest_sec:.2g} s each take {needed:.0f} s, and "
            f"{left:.0f} s are left (--budget)"
        )

    def expect(self, made: Callable[[], Sequence[Probe]]) -> None:
        """Run aside what will be asked for later, if there are several workers and time enough for all.

        The probes are made aside, too. What fails is run again when it is asked for.
        """
        if self._workers >= 2 and self._wanted is None:
            self._aside.submit(self._run_aside, made)

    def _run_aside(self, made: Callable[[], Sequence[Probe]]) -> None:
        probes = made()
        with contextlib.suppress(AuditStopped):
            quick = self._fastest_sec or self.limits.wall_time_sec
            if len(probes) * quick <= _ASIDE_SHARE * self.budget.left():
                for probe in probes:
                    self._aside.submit(self._ahead, probe)

    def _ahead(self, probe: Probe) -> None:
        with contextlib.suppress(SandboxError, BudgetSpent, AuditStopped, WarmDoubted):
            self._seen(probe)

    def _one(self, probe: Probe) -> Seen:
        seen = self._seen(probe)
        key = (probe.files, probe.conditions)
        with self._guard:
            first = key not in self._counted
            self._counted.add(key)
        if first:
            self._note_hang(seen)
            if seen.claimed is not None:
                self._fastest_sec = min(seen.duration_sec, self._fastest_sec or seen.duration_sec)
        self._on_probe()
        return seen

    def _seen(self, probe: Probe) -> Seen:
        """What came of it: run here, unless it was run before or is being run."""
        key = (probe.files, probe.conditions)
        while True:
            with self._guard:
                mine = key not in self._runs
                run = self._runs.setdefault(key, Future())
            if not mine and run.exception() is None:
                return run.result()
            if mine:
                return self._run_here(probe, key, run)

    def _run_here(self, probe: Probe, key: _Key, run: Future[Seen]) -> Seen:
        try:
            if not self.budget.left():
                raise self.budget.spent()
            run.set_result(self._patiently(probe))
        except BaseException as error:
            with self._guard:
                del self._runs[key]  # whoever else asks tries for himself
            run.set_exception(error)
            raise
        return run.result()

    def _note_hang(self, seen: Seen) -> None:
        """A verifier that hangs on one wrong answer hangs on many: after a few, it is given less time."""
        if Limit.WALL_TIME in seen.limits_hit:
            self.sandbox = only_cold(self.sandbox)  # a run that is cut is run a second time if it was warm
            self._hung += 1
            if self._hung == _HANGS_BELIEVED:
                shorter = max(_SHORTEST_SEC, self.limits.wall_time_sec / 5)
                self.limits = self.limits.model_copy(update={"wall_time_sec": shorter})

    def _patiently(self, probe: Probe) -> Seen:
        for _ in range(_RETRIES):
            try:
                return self._within_the_time(probe)
            except SandboxError:  # a busy machine; a second failure is the caller's to see
                continue
        return self._within_the_time(probe)

    def limits_in_time(self) -> Limits:
        """The limits of one run, which never lasts longer than the audit may take."""
        usual = self.limits  # taken once: another thread may shorten them
        left = max(_LEAST_SEC, self.budget.until_the_end())
        return usual if left >= usual.wall_time_sec else usual.model_copy(update={"wall_time_sec": left})

    def _within_the_time(self, probe: Probe) -> Seen:
        """Run it no longer than the audit may take: what is cut by that has shown nothing."""
        seen = run_probe(self._whole, probe, self.sandbox, self.limits_in_time())
        if Limit.WALL_TIME in seen.limits_hit and not self.budget.until_the_end():
            raise self.budget.spent()
        return seen

    # words

    def answer(self, name: str, what: str, data: bytes, *, files: Files | None = None) -> Probe:
        """A probe that is one answer, in the workspace of `files` if that is given."""
        placed = only_answer(self.task, data) if files is None else with_answer(self.task, files, data)
        if self._beside is not None:
            head, _, rest = name.partition("/")
            name = f"{head}/in-{self._beside.strip('/').replace('/', '.')}/{rest}"
        return Probe(name, what, placed, path=self._beside)

    def rows(self, probes: Sequence[Probe]) -> list[ProbeResult]:
        """What a certificate lists of these probes, which have all been run."""
        return [_row(probe, self.log[probe.name][1]) for probe in probes]

    def finding(
        self,
        severity: Severity,
        section: Section,
        title: str,
        *,
        cause: Cause,
        seen: str,
        advice: str,
        probe: Probe | None = None,
        before: float | None = None,
        also: Sequence[Probe] = (),
    ) -> Finding:
        """A finding with its evidence and the command that shows it again."""
        answer = shown_by(self.task, probe) if probe is not None else None
        return Finding(
            severity=severity,
            section=section,
            cause=cause,
            also=[other.name for other in also][:_MOST_ALSO],
            probe=None if probe is None else probe.name,
            title=title,
            seen=seen,
            advice=advice,
            reward_before=before,
            reward_after=None if probe is None else self.log[probe.name][1].claimed,
            evidence=None if answer is None else digest_of(answer),
            reproduce=None
            if probe is None
            else shlex.join(("adjudge", "audit", self.task.id, "--reproduce", probe.name)),
        )


def _row(probe: Probe, seen: Seen) -> ProbeResult:
    notes = []
    if seen.claimed is None:
        notes.append(f"no reward: {show(seen.problem)}" if seen.problem else "no reward")
    if seen.suspected:
        notes.append("the verifier seems to have failed")
    if seen.claimed and seen.held:
        notes.append("adjudge gives 0.0, since the output does not parse")
    return ProbeResult(name=probe.name, what=probe.what, reward=seen.claimed, note="; ".join(notes) or None)
