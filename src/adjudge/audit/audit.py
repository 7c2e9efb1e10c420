"""Audit one task, or many at once.

An audit is the seven sections, listed in the certificate in one order and worked on in another, so that a
budget that ends early leaves out what is worth least. Each gets the right answer if one was found, and says
why it could not be run if it needs one and there is none. Within the budget nothing in the certificate
depends on the machine's speed, on the number of workers, or on what was audited before.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

from adjudge._version import __version__
from adjudge.audit.answers import (
    FieldTrial,
    RightAnswer,
    Solved,
    by_main_file,
    find_right_answer,
    solve,
)
from adjudge.audit.categories import undeclared_categories
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import (
    Certificate,
    Finding,
    Section,
    SectionReport,
    ordered,
    verdict_of,
)
from adjudge.audit.confirming import flakes
from adjudge.audit.documents import in_format, nonsense, options_shown, shape
from adjudge.audit.hacks import hack_rows
from adjudge.audit.probes import (
    BUDGET_SEC,
    Bench,
    BudgetSpent,
    Files,
    Probe,
    Seen,
    all_wrong,
    answer_of,
    only_answer,
    with_answer,
)
from adjudge.audit.sections import (
    HASH_SEEDS,
    SectionResult,
    audit_determinism,
    audit_discrimination,
    audit_exploits,
    audit_format,
    audit_goldens,
    audit_honesty,
    audit_trivial,
    merged,
)
from adjudge.contracts import Severity, Task
from adjudge.errors import AdjudgeError, TaskError
from adjudge.sandbox import Sandbox
from adjudge.scoring import solution_of
from adjudge.tasks import golden_settings

_NO_ANSWER = (
    "no right answer was found: no golden that passes, no solution that runs, nothing to "
    "put one together from"
)


_BY_VALUE = (
    *(Section.GOLDENS, Section.TRIVIAL, Section.EXPLOITS, Section.DISCRIMINATION),
    *(Section.FORMAT, Section.HONESTY, Section.DETERMINISM),
)
"""The order of work. What lets a wrong answer pass comes first: a budget may end before the last."""


@dataclass(frozen=True)
class Audit:
    """A certificate with the outputs it refers to, and every probe that was run."""

    certificate: Certificate
    evidence: dict[str, bytes]
    """The outputs of its findings, by their digest."""
    log: dict[str, tuple[Probe, Seen]]

    @property
    def task_id(self) -> str:
        """The task that was audited."""
        return self.certificate.task_id


@dataclass(frozen=True)
class FailedAudit:
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
    budget_sec: float = BUDGET_SEC,
) -> Audit:
    """Audit one task; `sections` limits what is looked into. SandboxError if the machinery fails."""
    if task.steps:
        raise TaskError(
            "a task of several steps cannot be audited: a verifier would be asked about one of them only",
            file=task.folder,
            found=f"{len(task.steps)} steps",
            remedy="Audit each step as a task of its own.",
        )
    folder = task.verifier.expected_output_path if task.output.is_folder else None
    if folder is not None:
        task = by_main_file(task, sandbox)
    with Bench(task, sandbox, workers, on_probe, budget_sec) as bench:
        settings = golden_settings(task)
        script = solution_of(task)
        solved = None if script is None else solve(bench, script)
        try:
            right = find_right_answer(bench, solved, settings)
        except BudgetSpent:
            right = None  # the sections say so
        if right is not None:
            bench.tighten(right.seen.duration_sec)
        work = _Work(bench, right, solved, learned)
        results = {section: work.run(section) for section in _BY_VALUE if section in sections}
        found = {section: results[section] for section in Section if section in results}
        raw = [finding for result in found.values() for finding in result.findings]
        raw += _only_main_file(bench, folder) if folder is not None else []
        seen_to_flake = flakes(bench, raw)
        raw += seen_to_flake
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
            probes_run=len(bench.log),
            not_tried=_not_tried(findings),
            sandbox=sandbox.name,
            image=getattr(bench.sandbox, "image", None),
            python=platform.python_version(),
            verifier_python=bench.python_version(),
            seeds=["0", *HASH_SEEDS] if Section.DETERMINISM in found else ["0"],
            sections=[_report(bench, section, result) for section, result in found.items()],
            findings=findings,
        )
        return Audit(certificate, _evidence(bench, findings), dict(bench.log))


def audit_many(
    tasks: Sequence[Task],
    sandbox: Sandbox,
    *,
    workers: int,
    sections: Collection[Section] = tuple(Section),
    on_probe: Callable[[], None] | None = None,
    learned: Callable[[Task], Sequence[FieldTrial]] = lambda _: (),
    budget_sec: float = BUDGET_SEC,
) -> Iterator[Audit | FailedAudit]:
    """Audit many tasks, `workers` at once; the results come as they are finished."""
    if len(tasks) == 1:
        yield _audited(tasks[0], sandbox, workers, sections, on_probe, learned(tasks[0]), budget_sec)
        return
    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="adjudge-task") as pool:
        waiting = {
            pool.submit(_audited, task, sandbox, 1, sections, on_probe, learned(task), budget_sec)
            for task in tasks
        }
        try:
            while waiting:  # a finished one is let go at once: each holds megabytes of outputs
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            for future in waiting:
                future.cancel()


def _audited(
    task: Task,
    sandbox: Sandbox,
    workers: int,
    sections: Collection[Section],
    on_probe: Callable[[], None] | None,
    learned: Sequence[FieldTrial],
    budget_sec: float,
) -> Audit | FailedAudit:
    try:
        return audit_task(
            task,
            sandbox,
            workers=workers,
            sections=sections,
            on_probe=on_probe,
            learned=learned,
            budget_sec=budget_sec,
        )
    except AdjudgeError as error:
        return FailedAudit(task.id, error)


class _Work:
    """The sections of one audit, and what they leave besides findings."""

    def __init__(
        self,
        bench: Bench,
        right: RightAnswer | None,
        solved: Solved | None,
        learned: Sequence[FieldTrial],
    ) -> None:
        self.bench = bench
        self.learned = learned
        self.right = right
        self.solved = solved
        self.discrimination: float | None = None
        self.deterministic: bool | None = None
        self.baselines: dict[str, float] = {}

    def run(self, section: Section) -> SectionResult:
        sections = {
            Section.GOLDENS: self._goldens,
            Section.DETERMINISM: self._determinism,
            Section.FORMAT: self._format,
            Section.DISCRIMINATION: self._discrimination,
            Section.TRIVIAL: self._trivial,
            Section.EXPLOITS: lambda: audit_exploits(self.bench, self.right),
            Section.HONESTY: self._honesty,
        }
        try:
            return sections[section]()
        except BudgetSpent as spent:
            return self._not_run(section, str(spent), "Give it more time: --budget SECONDS.")

    def _goldens(self) -> SectionResult:
        settings = golden_settings(self.bench.task)
        return audit_goldens(self.bench, settings, self.solved, self.right, self.learned)

    def _trivial(self) -> SectionResult:
        result, self.baselines = audit_trivial(self.bench, self.right)
        return result

    def _determinism(self) -> SectionResult:
        result, self.deterministic = audit_determinism(self.bench, self._outputs(), self._thresholds())
        return result

    def _thresholds(self) -> tuple[float, ...]:
        settings = golden_settings(self.bench.task)
        return (0.5, settings.pass_at_least, settings.fail_below)

    def _format(self) -> SectionResult:
        if self.right is None:
            return self._not_run(Section.FORMAT, _NO_ANSWER)
        return audit_format(self.bench, self.right)

    def _discrimination(self) -> SectionResult:
        if self.right is None:
            return self._not_run(Section.DISCRIMINATION, _NO_ANSWER)
        options = options_shown(self.bench.task.instruction)
        result, self.discrimination = audit_discrimination(self.bench, self.right, options)
        result.findings += undeclared_categories(self.bench)
        return result if result.reason is None else self._not_run(Section.DISCRIMINATION, result.reason)

    def _honesty(self) -> SectionResult:
        files = self.right.files if self.right else self._stand_in()
        [plain] = self.bench.run([Probe("honesty/ordinary", "an ordinary run", files)])
        wrong = dict(self._outputs()).get("wrong")
        return audit_honesty(self.bench, files, plain, wrong)

    def _not_run(
        self,
        section: Section,
        reason: str,
        advice: str = "Add goldens/pass/ with one right output, or solution/solve.sh.",
    ) -> SectionResult:
        finding = self.bench.finding(
            Severity.INFO,
            section,
            f"the section {section} could not be run",
            cause=Cause.NOT_TRIED,
            seen=f"{reason[:1].upper()}{reason[1:]}.",
            advice=advice,
        )
        return SectionResult(findings=[finding], reason=reason)

    def _stand_in(self) -> Files:
        """The nearest thing to an answer if none is known."""
        blank = shape(self.bench.task.output.json_schema)
        kind = self.bench.task.output.format
        return only_answer(self.bench.task, in_format(blank, kind) if blank else nonsense(kind))

    def _outputs(self) -> list[tuple[str, Files]]:
        """A right answer and a wrong one, as far as they are known."""
        if self.right is None:
            return [("blank", self._stand_in())]
        outputs = [("right", self.right.files)]
        document = self.right.document
        if document is not None and document.structured:
            data = document.render(all_wrong(document.value))
            outputs.append(("wrong", with_answer(self.bench.task, self.right.files, data)))
        return outputs


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
            "of an answer that is a folder, one file was changed",
            cause=Cause.NOT_TRIED,
            seen=f"All probes change {changed}; the other files of {folder} stay as they are.",
            advice="Where other files count, declare each as an answer of its own in a copy of the task.",
        )
    ]


def _not_tried(findings: list[Finding]) -> list[str]:
    return [f"{f.title}: {f.seen}" for f in findings if f.cause == Cause.NOT_TRIED]


def _complete(found: dict[Section, SectionResult]) -> bool:
    """Was every section asked for, and did each run?"""
    return set(found) == set(Section) and all(result.reason is None for result in found.values())


def _report(bench: Bench, section: Section, result: SectionResult) -> SectionReport:
    real = [finding for finding in result.findings if finding.severity is not Severity.INFO]
    if result.reason is not None and not result.probes:
        return SectionReport(section=section, status="not run", reason=result.reason)
    return SectionReport(
        section=section,
        status="findings" if real else "passed",
        reason=result.reason,
        probes=bench.rows(result.probes),
    )


def _evidence(bench: Bench, findings: Sequence[Finding]) -> dict[str, bytes]:
    kept: dict[str, bytes] = {}
    for finding in findings:
        if finding.probe is not None and finding.evidence is not None:
            answer = answer_of(bench.task, bench.log[finding.probe][0].files)
            if answer is not None:
                kept[finding.evidence] = answer
    return kept
