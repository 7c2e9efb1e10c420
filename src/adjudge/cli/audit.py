"""`adjudge audit`: can this verifier be trusted? A certificate for each task."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.audit import Audit, Certificate, FailedAudit, Section
from adjudge.cli._options import LedgerOption
from adjudge.cli._running import SandboxChoice, Workers
from adjudge.contracts import Severity
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.audit.probes import Probe, Seen
    from adjudge.contracts import Task
    from adjudge.ledger import Ledger
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


def command(
    tasks: Annotated[
        list[Path], typer.Argument(help="Tasks, or folders that hold tasks.", metavar="TASK...")
    ],
    *,
    section: Annotated[
        list[Section] | None, typer.Option("--section", help="Look into this section only. Repeatable.")
    ] = None,
    fail_on: Annotated[
        Severity | None,
        typer.Option("--fail-on", help="Exit with 3 where a finding is at least so bad."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the certificates as an HTML page.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FOLDER", help="Write a Markdown page for each task, and a list."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one certificate a line as JSON, and nothing else.")
    ] = False,
    ledger: LedgerOption = None,
    keep: Annotated[
        bool, typer.Option("--keep/--no-ledger", help="Store certificates and evidence in the ledger.")
    ] = True,
    reproduce: Annotated[
        str | None,
        typer.Option("--reproduce", metavar="PROBE", help="Run one probe again and show its output."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="With --reproduce: write the exact output to this file.")
    ] = None,
    workers: Workers = None,
    sandbox: SandboxChoice = "auto",
    rootfs: Annotated[
        Path | None, typer.Option(help="A root filesystem for bubblewrap, instead of this machine's /usr.")
    ] = None,
    image: Annotated[str | None, typer.Option(help="The image for the container sandbox.")] = None,
) -> None:
    """Find out whether a verifier can be trusted, before an agent is run.

    Goldens, determinism, format, discrimination, exploits and failure honesty: each finding has a severity,
    the output that shows it and advice. Exit codes: 0 audited; 1 a task could not be audited; 2 wrong usage;
    3 a finding at or above --fail-on.
    """
    from adjudge.sandbox import choose_sandbox

    chosen, broken = _load(tasks)
    place = choose_sandbox(sandbox, rootfs=rootfs, image=image)
    if place.name == "unisolated":
        raise UsageError("an audit attacks a verifier, and needs a sandbox for that", found=place.name)
    at_once = workers or len(os.sched_getaffinity(0))
    if reproduce is not None:
        _reproduce(chosen, reproduce, save, place, at_once)
        return
    from adjudge.audit import audit_many
    from adjudge.ledger import open_ledger
    from adjudge.reports.audit_progress import AuditTally, audit_progress

    tally = AuditTally(len(chosen))
    certificates: list[Certificate] = []
    failed = broken
    book = open_ledger(ledger) if keep else None
    try:
        with audit_progress(tally) as refresh:

            def on_probe() -> None:
                tally.probes += 1
                refresh()

            sections = section or list(Section)
            for result in audit_many(chosen, place, workers=at_once, sections=sections, on_probe=on_probe):
                tally.done += 1
                if isinstance(result, FailedAudit):
                    failed += 1
                    print(f"not audited: {result.task_id}: {result.error}", file=sys.stderr)
                    continue
                tally.high += result.certificate.count(Severity.HIGH)
                certificates.append(result.certificate)
                if book is not None and section is None:
                    _store(book, result)
                refresh()
    finally:
        if book is not None:
            book.close()
    certificates.sort(key=lambda certificate: certificate.task_id)
    _print(certificates, as_json=as_json)
    _write(certificates, html, markdown)
    if failed:
        raise typer.Exit(1)
    worst = min((c.findings[0].severity.rank for c in certificates if c.findings), default=99)
    if fail_on is not None and worst <= fail_on.rank:
        raise typer.Exit(3)


def _load(folders: list[Path]) -> tuple[list[Task], int]:
    """The tasks of all folders, each once, and how many could not be loaded, which is said."""
    from adjudge.reports.printable import printable
    from adjudge.tasks import load_task, load_tasks

    found: dict[Path, Task] = {}
    broken = 0
    for folder in folders:
        if (folder / "task.toml").exists() or (folder / "instruction.md").exists():
            task = load_task(folder)
            found.setdefault(task.folder, task)
            continue
        listed = load_tasks(folder)
        for problem in listed.problems:
            broken += 1
            print(printable(f"broken: {problem.id}: {problem.message}"), file=sys.stderr)
        for task in listed:
            found.setdefault(task.folder, task)
    if not found and not broken:
        raise UsageError(
            "no tasks there", found=", ".join(map(str, folders)), remedy="Name a folder of tasks."
        )
    return list(found.values()), broken


def _store(book: Ledger, audit: Audit) -> None:
    for data in audit.evidence.values():
        book.add_blob(data)
    certificate = audit.certificate
    book.add_certificate(
        certificate.task_digest,
        certificate.model_dump(mode="json"),
        deterministic=certificate.deterministic,
    )


def _print(certificates: list[Certificate], *, as_json: bool) -> None:
    if as_json:
        for certificate in certificates:
            print(certificate.model_dump_json())
        return
    from adjudge.reports.certificate_view import certificate_lines, ranking_lines
    from adjudge.reports.terminal import terminal_of

    terminal = terminal_of()
    show = ranking_lines(certificates, terminal) if len(certificates) > 1 else None
    if show is None and certificates:
        show = certificate_lines(certificates[0], terminal)
    for line in show or ():
        print(line)


def _write(certificates: list[Certificate], html: Path | None, markdown: Path | None) -> None:
    if html is not None and certificates:
        from adjudge.reports.certificate_html import certificate_html

        html.write_text(certificate_html(certificates), encoding="utf-8")
    if markdown is not None:
        from adjudge.reports.certificate_markdown import certificate_markdown, certificates_index, page_name

        markdown.mkdir(parents=True, exist_ok=True)
        for certificate in certificates:
            page = markdown / page_name(certificate)
            page.write_text(certificate_markdown(certificate), encoding="utf-8")
        (markdown / "README.md").write_text(certificates_index(certificates), encoding="utf-8")


def _reproduce(tasks: list[Task], name: str, save: Path | None, sandbox: Sandbox, workers: int) -> None:
    from adjudge.audit import audit_task
    from adjudge.reports.waiting import waiting

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
    _show_probe(tasks[0], *audit.log[name], save)


def _show_probe(task: Task, probe: Probe, seen: Seen, save: Path | None) -> None:
    from dataclasses import fields

    from adjudge.audit.probes import Conditions, answer_of
    from adjudge.reports.printable import printable

    print(printable(f"{probe.name}: {probe.what}"))
    print(f"reward: {'none' if seen.claimed is None else f'{seen.claimed:g}'}")
    if seen.problem:
        print(printable(f"problem: {seen.problem}"))
    for field in fields(Conditions):
        value = getattr(probe.conditions, field.name)
        if value != field.default and field.name != "round":
            print(printable(f"{field.name}: {value}"[:2000]))
    answer = answer_of(task, probe.files)
    if answer is None:
        print("output: none, or a link")
        return
    if save is not None:
        save.write_bytes(answer)
    print(f"output ({len(answer)} bytes at {task.verifier.expected_output_path}):")
    print(printable(answer[:4000].decode("utf-8", "backslashreplace"), keep_newlines=True))
    if len(answer) > 4000:
        print("… --save FILE writes all of it")
