"""Audit one task, or many at once.

An audit is the eight sections, listed in the certificate in one order and worked on in another, so that a
budget that ends early leaves out what is worth least. Each gets the right answer if one was found, and says
why it could not be run if it needs one and there is none. Within the budget nothing in the certificate
depends on the machine's speed, on the number of workers, or on what was audited before.
"""

from __future__ import annotations

import contextlib
import math
import platform
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from msgspec import Struct

from adjudge._version import __version__
from adjudge.audit.answers import (
    FieldTrial,
    by_main_file,
    find_right_answer,
    solve,
)
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import (
    Certificate,
    Finding,
    Section,
    SectionReport,
    ordered,
    verdict_of,
)
from adjudge.audit.confirming import flakes, lasting
from adjudge.audit.hacks import hack_rows
from adjudge.audit.moved import at_verifiers_place
from adjudge.audit.probes import (
    Bench,
    Budget,
    BudgetSpent,
    Probe,
    ProbeFound,
    Seen,
    WarmDoubted,
    shown_by,
)
from adjudge.audit.sections import (
    HASH_SEEDS,
    SectionResult,
    merged,
    other_values,
    stilled,
    two_rewards,
    weighed_by_probes,
)
from adjudge.audit.work import SectionWork
from adjudge.contracts import Severity, Task
from adjudge.errors import AdjudgeError, TaskError
from adjudge.packages import installed_in
from adjudge.sandbox import Sandbox, only_cold
from adjudge.scoring import solution_of
from adjudge.tasks import golden_settings

_SILENT = "the verifier gave no reward in any run, which shows nothing"
_SEARCH_SHARE = 0.25
"""Of the budget, for finding a right answer if the task has none."""


class Audit(Struct, frozen=True):
    """A certificate with the outputs it refers to, and every probe that was run."""

    certificate: Certificate
    evidence: dict[str, bytes]
    """The outputs of its findings, by their digest."""
    log: dict[str, tuple[Probe, Seen]]
    task: Task
    """The task as it was audited: if its answer is a folder, with the folder's main file as the answer."""

    @property
    def task_id(self) -> str:
        """The task that was audited."""
        return self.certificate.task_id


class FailedAudit(Struct, frozen=True):
    """A task that could not be audited, because the machinery failed."""

    task_id: str
    error: AdjudgeError


def audit_task(
    task: Task,
    sandbox: Sandbox,
    *,
    workers: int = 1,
    sections: Collection[Section] = tuple(Section),
    on_probe: Callable[[], None] | None = None,
    learned: Sequence[FieldTrial] = (),
    budget_sec: float | None = None,
    stopped: threading.Event | None = None,
) -> Audit:
    """Audit one task; `sections` limits what is looked into. SandboxError if the machinery fails.

    Without `budget_sec` it takes as long as it needs. AuditStopped soon after `stopped` is set. If the
    sandbox may be warm, many probes are; if anything then differs from run to run, all are run again cold.
    """
    if task.steps:
        raise TaskError(
            "a task of several steps cannot be audited: a verifier would be asked about one of them only",
            file=task.folder,
            found=f"{len(task.steps)} steps",
            remedy="Audit each step as a task of its own.",
        )
    folder = task.verifier.expected_output_path if task.output.is_folder else None
    task = at_verifiers_place(task) if folder is None else by_main_file(task, sandbox)
    budget = Budget(math.inf if budget_sec is None else budget_sec, stopped=stopped)
    try:
        with Bench(task, sandbox, workers, on_probe, budget) as bench:
            return _audit(bench, folder, sections, learned)
    except WarmDoubted:
        with Bench(task, only_cold(sandbox), workers, on_probe, budget) as bench:
            return _audit(bench, folder, sections, learned)


def run_again(
    task: Task,
    sandbox: Sandbox,
    name: str,
    *,
    workers: int = 1,
    sections: Collection[Section] = tuple(Section),
    learned: Sequence[FieldTrial] = (),
) -> tuple[Task, Probe, Seen] | list[str]:
    """Run one probe of an audit by its name, after what it follows from and little else.

    A right answer is looked for as ever, and what is tried before the probe in its section is tried; what
    stands beside it, or comes later, is not. The names of all probes if none of them is called that.
    """
    folder = task.verifier.expected_output_path if task.output.is_folder else None
    task = at_verifiers_place(task) if folder is None else by_main_file(task, sandbox)
    with Bench(task, only_cold(sandbox), workers, wanted=name) as bench:
        try:
            _audit(bench, folder, sections, learned)
        except ProbeFound:
            return task, *bench.log[name]
        return list(bench.log)


def _audit(
    bench: Bench, folder: str | None, sections: Collection[Section], learned: Sequence[FieldTrial]
) -> Audit:
    task, budget_sec = bench.task, bench.budget.seconds
    settings = golden_settings(task)
    script = solution_of(task)
    solved = None if script is None else solve(bench, script)
    bench.budget.give(_SEARCH_SHARE)
    try:
        right = find_right_answer(bench, solved, settings)
    except BudgetSpent:
        right = None  # the sections say so
    if right is not None:
        with contextlib.suppress(BudgetSpent):
            right = stilled(bench, right)
        bench.tighten(right.seen.duration_sec)
    work = SectionWork(bench, right, solved, learned)
    results = work.run_all(sections)
    found = {section: results[section] for section in Section if section in results}
    _doubt_silence(bench, found.values())
    raw = [finding for result in found.values() for finding in result.findings]
    raw += _only_main_file(bench, folder) if folder is not None else []
    raw += [*two_rewards(bench), *other_values(bench)] if Section.GOLDENS in found else []
    tried = found.get(Section.DISCRIMINATION)
    probed = right is not None and tried is not None and tried.reason is None
    remarked = weighed_by_probes(bench, work.remarks, raw, probed=probed)
    if Section.SOURCE in found:
        found[Section.SOURCE].findings = remarked
    raw += remarked
    seen_to_flake = flakes(bench, raw)
    raw += seen_to_flake
    if any(f.section is Section.DETERMINISM and f.severity is not Severity.INFO for f in raw) and any(
        seen.warm for _, seen in bench.log.values()
    ):
        raise WarmDoubted  # it may be the way of running that makes the difference
    if any(f.cause == Cause.RANDOM and f.severity is Severity.HIGH for f in raw):
        raw = lasting(bench, raw)
    findings = ordered(merged(_unreliable(raw)))
    certificate = Certificate(
        task_id=task.id,
        task_digest=task.digest,
        adjudge_version=__version__,
        verdict=verdict_of(findings, complete=_complete(found)),
        answer=None if right is None else right.source,
        answer_reward=None if right is None else right.reward,
        discrimination=work.discrimination,
        deterministic=False if seen_to_flake else work.deterministic,
        baselines=work.baselines,
        hacks=hack_rows(task, findings, found),
        budget_sec=None if math.isinf(budget_sec) else budget_sec,
        probes_run=len(bench.log),
        not_tried=_not_tried(findings),
        sandbox=bench.place.name,
        image=getattr(bench.place, "image", None),
        packages=installed_in(bench.sandbox),
        python=platform.python_version(),
        verifier_python=bench.python_version(),
        seeds=["0", *HASH_SEEDS] if Section.DETERMINISM in found else ["0"],
        sections=[_report(bench, section, result) for section, result in found.items()],
        findings=findings,
    )
    return Audit(certificate, _evidence(bench, findings), dict(bench.log), task)


def audit_many(
    tasks: Sequence[Task],
    sandbox: Sandbox,
    *,
    workers: int,
    sections: Collection[Section] = tuple(Section),
    on_probe: Callable[[], None] | None = None,
    learned: Callable[[Task], Sequence[FieldTrial]] = lambda _: (),
    budget_sec: float | None = None,
) -> Iterator[Audit | FailedAudit]:
    """Audit many tasks, `workers` at once; the results come as they are finished.

    A caller who takes no more results (or is interrupted) does not wait for audits that are under way.
    """
    stopped = threading.Event()

    def one(task: Task, its_workers: int, its_learned: Sequence[FieldTrial]) -> Audit | FailedAudit:
        try:
            return audit_task(
                task,
                sandbox,
                workers=its_workers,
                sections=sections,
                on_probe=on_probe,
                learned=its_learned,
                budget_sec=budget_sec,
                stopped=stopped,
            )
        except AdjudgeError as error:
            return FailedAudit(task.id, error)

    if len(tasks) == 1:
        yield one(tasks[0], workers, learned(tasks[0]))
        return
    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="adjudge-task") as pool:
        waiting = {pool.submit(one, task, 1, learned(task)) for task in tasks}
        try:
            while waiting:  # a finished one is let go at once: each holds megabytes of outputs
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            stopped.set()
            for future in waiting:
                future.cancel()


def _unreliable(findings: list[Finding]) -> list[Finding]:
    """Where the reward changes from run to run, what other sections saw may be chance, and says so."""
    restless = any(f.cause == Cause.RANDOM and f.severity is Severity.HIGH for f in findings)
    if not restless:
        return findings
    doubt = " The reward changes from run to run, so this may be chance."
    weaker = {Severity.HIGH: Severity.MEDIUM}
    kept = (Cause.RANDOM, Cause.CODE, Cause.IMPORTS)
    return [
        f
        if f.cause in kept
        else f.model_copy(update={"seen": f.seen + doubt, "severity": weaker.get(f.severity, f.severity)})
        for f in findings
    ]


def _only_main_file(bench: Bench, folder: str) -> list[Finding]:
    """What an audit of a folder leaves out, in words."""
    changed = bench.task.verifier.expected_output_path
    return [
        bench.finding(
            Severity.INFO,
            Section.DISCRIMINATION,
            "of an answer that is a folder, everything was tried in one file only",
            cause=Cause.NOT_TRIED,
            seen=f"Everything is tried in {changed}; of the other files in {folder} some are left out,"
            " emptied and made wrong as a whole, and of two the values are changed one by one.",
            advice="Where others count as much, declare each as an answer of its own in a copy of the task.",
        )
    ]


def _not_tried(findings: list[Finding]) -> list[str]:
    return [f"{f.title}: {f.seen}" for f in findings if f.cause == Cause.NOT_TRIED]


def _doubt_silence(bench: Bench, results: Iterable[SectionResult]) -> None:
    """A verifier that never gave a reward has held against nothing: no section counts as run then."""
    if bench.log and all(seen.claimed is None for _, seen in bench.log.values()):
        for result in results:
            result.reason = result.reason or _SILENT


def _complete(found: dict[Section, SectionResult]) -> bool:
    """Was every section asked for, and did each run? A source cannot always be read, and need not be."""
    tried = [result for section, result in found.items() if section is not Section.SOURCE]
    return set(found) == set(Section) and all(result.reason is None for result in tried)


def _report(bench: Bench, section: Section, result: SectionResult) -> SectionReport:
    real = [finding for finding in result.findings if finding.severity is not Severity.INFO]
    if result.reason is not None and not result.probes:
        return SectionReport(section=section, status="not run", reason=result.reason)
    if result.reason == _SILENT and not real:
        return SectionReport(
            section=section, status="not run", reason=_SILENT, probes=bench.rows(result.probes)
        )
    return SectionReport(
        section=section,
        status="findings" if real else "passed",
        reason=result.reason,
        probes=bench.rows(result.probes),
        read=result.read,
    )


def _evidence(bench: Bench, findings: Sequence[Finding]) -> dict[str, bytes]:
    kept: dict[str, bytes] = {}
    for finding in findings:
        if finding.probe is not None and finding.evidence is not None:
            answer = shown_by(bench.task, bench.log[finding.probe][0])
            if answer is not None:
                kept[finding.evidence] = answer
    return kept
