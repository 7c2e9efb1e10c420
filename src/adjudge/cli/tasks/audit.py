"""`adjudge audit`: can this verifier be trusted? A certificate for each task."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.audit import Section
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import (
    PackagesOption,
    PreflightOption,
    PrepareOption,
    StrictPreflightOption,
    place_of,
    ready,
)
from adjudge.cli.shared.running import SandboxChoice, Workers
from adjudge.contracts import Severity
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.audit import Certificate, Probe, Seen
    from adjudge.contracts import Task
    from adjudge.sandbox import Sandbox

_PREFIXES = {
    "goldens": Section.GOLDENS,
    "determinism": Section.DETERMINISM,
    "format": Section.FORMAT,
    "discrimination": Section.DISCRIMINATION,
    "trivial": Section.TRIVIAL,
    "exploits": Section.EXPLOITS,
    "honesty": Section.HONESTY,
}


class Learned(StrEnum):
    """What a learned output is."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"


@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSONL)
def command(
    out: Out,
    tasks: Annotated[
        list[Path], typed.Argument(help="Tasks, or folders that hold tasks.", metavar="TASK...")
    ],
    *,
    section: Annotated[
        list[Section] | None, typed.Option("--section", help="Look into this section only. Repeatable.")
    ] = None,
    fail_on: Annotated[
        Severity | None,
        typed.Option("--fail-on", help="Exit with 3 if a finding has this severity or a higher one."),
    ] = None,
    pages: Annotated[
        Path | None,
        typed.Option("--pages", metavar="FOLDER", help="Write a Markdown page for each task, and a list."),
    ] = None,
    badge: Annotated[
        Path | None, typed.Option("--badge", metavar="FILE.svg", help="Write a badge for a README.")
    ] = None,
    budget: Annotated[
        float, typed.Option("--budget", min=1, help="Seconds that the audit of one task may take.")
    ] = 600.0,
    from_ledger: Annotated[
        bool,
        typed.Option("--from-ledger", help="Try again the trials whose reward people disagree with."),
    ] = False,
    learn: Annotated[
        str | None,
        typed.Option("--learn", metavar="TRIAL", help="Keep this trial's output as a golden of the task."),
    ] = None,
    learn_as: Annotated[
        Learned | None,
        typed.Option("--as", help="With --learn: whether the output is right, if no reviewer says so."),
    ] = None,
    ledger: LedgerOption = None,
    keep: Annotated[
        bool, typed.Option("--keep/--no-ledger", help="Store certificates and evidence in the ledger.")
    ] = True,
    reproduce: Annotated[
        str | None,
        typed.Option("--reproduce", metavar="PROBE", help="Run one probe again and show its output."),
    ] = None,
    save: Annotated[
        Path | None, typed.Option("--save", help="With --reproduce: write the exact output to this file.")
    ] = None,
    workers: Workers = None,
    sandbox: SandboxChoice = "auto",
    rootfs: Annotated[
        Path | None, typed.Option(help="A root filesystem for bubblewrap, instead of this machine's /usr.")
    ] = None,
    image: Annotated[str | None, typed.Option(help="The image for the container sandbox.")] = None,
    packages: PackagesOption = None,
    prepare: PrepareOption = False,
    preflight: PreflightOption = True,
    strict_preflight: StrictPreflightOption = False,
) -> None:
    """Find out whether a verifier can be trusted, before an agent is run.

    Goldens, determinism, format, discrimination, exploits and failure honesty: each finding has a severity,
    the output that shows it and advice. Exit codes: 0 audited; 1 a task could not be audited; 2 wrong usage;
    3 a finding at or above --fail-on.
    """

    from adjudge.audit import FailedAudit, store_audit

    chosen, broken = _load([_nearby(folder) for folder in tasks], out)
    if learn is not None:
        _learn(chosen, learn, learn_as, ledger, out)
        return
    where = place_of(sandbox, rootfs, image, packages, prepare=prepare)
    place = ready(where, chosen, preflight=preflight, strict=strict_preflight, workers=workers)
    if place.name == "unisolated":
        raise UsageError("an audit attacks a verifier, and needs a sandbox for that", found=place.name)
    at_once = workers or len(os.sched_getaffinity(0))
    if reproduce is not None:
        _reproduce(chosen, reproduce, save, place, at_once, out)
        return
    from adjudge.audit import audit_many, field_goldens
    from adjudge.cli.shared.progress import AuditTally, audit_progress
    from adjudge.ledger import open_ledger

    tally = AuditTally(len(chosen))
    certificates: list[Certificate] = []
    failed = broken
    book = open_ledger(ledger) if keep else None
    try:
        with audit_progress(tally):

            def on_probe() -> None:
                tally.probes += 1

            sections = section or list(Section)
            for result in audit_many(
                chosen,
                place,
                workers=at_once,
                sections=sections,
                on_probe=on_probe,
                learned=lambda task: field_goldens(book, task) if from_ledger and book is not None else (),
                budget_sec=budget,
            ):
                tally.done += 1
                if isinstance(result, FailedAudit):
                    failed += 1
                    out.say(f"not audited: {result.task_id}: {result.error}")
                    continue
                tally.high += result.certificate.count(Severity.HIGH)
                certificates.append(result.certificate)
                if book is not None and section is None:
                    store_audit(book, result)
    finally:
        if book is not None:
            book.close()
    certificates.sort(key=lambda certificate: certificate.task_id)
    _write(certificates, out, pages)
    if badge is not None and certificates:
        from adjudge.reports import html

        badge.write_text(html.render_badge(certificates), encoding="utf-8")
    if failed:
        raise typed.Exit(1)
    worst = min((c.findings[0].severity.rank for c in certificates if c.findings), default=99)
    if fail_on is not None and worst <= fail_on.rank:
        raise typed.Exit(3)


def _nearby(folder: Path) -> Path:
    """A task by its path, else by its id: below this folder or below one above it, if only one fits.

    So the command that stands beside a finding works wherever the benchmark can be seen from.
    """
    if folder.exists() or folder.is_absolute():
        return folder
    below = [found for depth in range(1, 4) for found in Path().glob("/".join(["*"] * depth + [str(folder)]))]
    above = [parent / folder for parent in list(Path.cwd().parents)[:4]]
    tasks = {found.resolve() for found in (*below, *above) if (found / "instruction.md").is_file()}
    return tasks.pop() if len(tasks) == 1 else folder


def _learn(tasks: list[Task], trial: str, kind: Learned | None, ledger: str | None, out: Out) -> None:
    from adjudge.audit import learn
    from adjudge.ledger import open_ledger

    if len(tasks) != 1:
        raise UsageError("--learn needs exactly one task", found=f"{len(tasks)} tasks")
    with open_ledger(ledger, create=False) as book:
        written = learn(book, tasks[0], trial, None if kind is None else kind.value)
    out.write(f"{written}\n")


def _load(folders: list[Path], out: Out) -> tuple[list[Task], int]:
    """The tasks of all folders, each once, and how many could not be loaded, which is said."""

    from adjudge.audit import tasks_in

    found, broken = tasks_in(folders)
    for failed in broken:
        out.say(f"broken: {failed.task_id}: {failed.error}")
    return found, len(broken)


def _write(certificates: list[Certificate], out: Out, pages: Path | None) -> None:
    from adjudge.reports import html, markdown, terminal

    if out.for_programs:
        out.write_lines(f"{certificate.model_dump_json()}\n" for certificate in certificates)
    elif out.format is Format.HTML and certificates:
        out.write(html.render_certificates(certificates))
    elif out.format is Format.MARKDOWN and certificates:
        out.write("\n".join(map(markdown.render_certificate, certificates)))
    elif len(certificates) > 1:
        out.write(terminal.render_certificates(certificates, out.terminal))
    elif certificates:
        out.write(terminal.render_certificate(certificates[0], out.terminal))
    if pages is not None:
        pages.mkdir(parents=True, exist_ok=True)
        for certificate in certificates:
            page = pages / markdown.page_name(certificate)
            page.write_text(markdown.render_certificate(certificate), encoding="utf-8")
        (pages / "README.md").write_text(markdown.render_certificates(certificates), encoding="utf-8")


def _reproduce(
    tasks: list[Task], name: str, save: Path | None, sandbox: Sandbox, workers: int, out: Out
) -> None:
    from adjudge.audit import audit_task
    from adjudge.cli.shared.progress import waiting

    if len(tasks) != 1:
        raise UsageError("--reproduce needs exactly one task", found=f"{len(tasks)} tasks")
    head = name.partition("/")[0]
    sections = [_PREFIXES[head]] if head in _PREFIXES else [Section.GOLDENS]
    with waiting(f"running {name} again"):
        audit = audit_task(tasks[0], sandbox, workers=workers, sections=sections)
    if name not in audit.log:
        raise UsageError(
            "the audit of this task has no such probe",
            found=name,
            allowed=", ".join(list(audit.log)[:40]),
        )
    _show_probe(tasks[0], *audit.log[name], save, out)


def _show_probe(task: Task, probe: Probe, seen: Seen, save: Path | None, out: Out) -> None:
    from dataclasses import fields

    from adjudge.audit import Conditions, answer_of
    from adjudge.errors import printable

    answer = answer_of(task, probe.files)
    if answer is not None and save is not None:
        save.write_bytes(answer)
    conditions = {
        field.name: getattr(probe.conditions, field.name)
        for field in fields(Conditions)
        if getattr(probe.conditions, field.name) != field.default and field.name != "round"
    }
    if out.for_programs:
        text = None if answer is None else answer.decode("utf-8", "backslashreplace")
        found = {"probe": probe.name, "what": probe.what, "reward": seen.claimed, "problem": seen.problem}
        words = {name: str(value)[:2000] for name, value in conditions.items()}
        out.write(json.dumps({**found, "conditions": words, "output": text}, ensure_ascii=False) + "\n")
        return
    lines = [f"{probe.name}: {probe.what}"]
    lines.append(f"reward: {'none' if seen.claimed is None else f'{seen.claimed:g}'}")
    lines += [f"problem: {seen.problem}"] if seen.problem else []
    lines += [f"{name}: {value}"[:2000] for name, value in conditions.items()]
    if answer is None:
        lines.append("output: none, or a link")
    else:
        lines.append(f"output ({len(answer)} bytes at {task.verifier.expected_output_path}):")
    shown = "".join(f"{printable(line)}\n" for line in lines)
    if answer is not None:
        shown += printable(answer[:4000].decode("utf-8", "backslashreplace"), keep_newlines=True) + "\n"
        shown += "… --save FILE writes all of it\n" if len(answer) > 4000 else ""
    out.write(shown)
