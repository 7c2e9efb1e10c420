"""`adjudge audit`: can this verifier be trusted? A certificate for each task."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import replace

from adjudge.audit import BUDGET_SEC, Section
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import (
    OutputPathOption,
    Preflight,
    place_options,
    ready,
    takes_place,
    takes_preflight,
)
from adjudge.cli.shared.running import WorkersOption
from adjudge.cli.tasks.learning import Learned, contradicted, contradicted_in, learn_trial, ledger_options
from adjudge.cli.tasks.reproducing import reproduce_probe, verify_certificates, with_commands
from adjudge.contracts import Severity
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.audit import Certificate
    from adjudge.contracts import Task
    from adjudge.preflight import VerifierPlace
    from adjudge.sandbox import Sandbox


@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSONL)
@takes_place
@takes_preflight
def command(
    out: Out,
    place: VerifierPlace,
    preflight: Preflight,
    tasks: Annotated[
        list[Path] | None, typed.Argument(help="Tasks, or folders that hold tasks.", metavar="TASK...")
    ] = None,
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
        float,
        typed.Option(
            "--budget", min=1, help="Seconds that the audit of one task may take, the likeliest probes first."
        ),
    ] = BUDGET_SEC,
    from_ledger: Annotated[
        bool,
        typed.Option(
            "--from-ledger",
            help="Try again trials whose reward people, judges, the breakdown or another attempt contradict.",
        ),
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
    sign: Annotated[
        Path | None,
        typed.Option("--sign", metavar="KEY", help="Sign each certificate (adjudge ledger key makes a key)."),
    ] = None,
    verify: Annotated[
        Path | None,
        typed.Option(
            "--verify", metavar="FILE", help="Check the signatures of certificates (--json) instead."
        ),
    ] = None,
    public_key: Annotated[
        str | None, typed.Option("--public-key", metavar="HEX", help="With --verify: who must have signed.")
    ] = None,
    workers: WorkersOption = None,
    output_path: OutputPathOption = None,
) -> None:
    """Find out whether a verifier can be trusted, before an agent is run.

    Goldens, determinism, format, discrimination, trivial agents, exploits and failure honesty: each
    finding has a severity, the output that shows it and advice. Exit codes: 0 audited; 1 a task could not be
    audited; 2 wrong usage; 3 a finding at or above --fail-on.
    """
    if verify is not None:
        verify_certificates(verify, public_key, out)
        return
    if not tasks:
        raise UsageError("no task was named", remedy="Name a task, or a folder that holds tasks.")
    chosen, broken = _load([_nearby(folder) for folder in tasks], output_path, out)
    if learn is not None:
        out.write(f"{learn_trial(chosen, learn, learn_as, ledger)}\n")
        return
    # An audit runs the solution and the goldens itself, within its budget.
    sandbox = ready(place, chosen, preflight, workers=workers, control=False)
    if sandbox.name == "unisolated":
        raise UsageError("an audit attacks a verifier, and needs a sandbox for that", found=sandbox.name)
    at_once = workers or len(os.sched_getaffinity(0))
    if reproduce is not None:
        again = contradicted_in(chosen, ledger) if from_ledger else []
        reproduce_probe(chosen, reproduce, save, sandbox, at_once, out, again)
        return
    asked = _Asked(section or list(Section), budget, sign, from_ledger=from_ledger)
    certificates, failed, ended = _audit_all(chosen, sandbox, at_once, asked, ledger, out, keep=keep)
    options = place_options(place)
    if from_ledger:
        options += ledger_options(ledger)
    if output_path is not None:
        options += ["--output-path", output_path]
    folders = {task.id: task.folder for task in chosen}
    _write([with_commands(c, folders[c.task_id], options) for c in certificates], out)
    if pages is not None:
        _write_pages(certificates, pages)
    if badge is not None and certificates:
        from adjudge.reports import html

        badge.write_text(html.render_badge(certificates), encoding="utf-8")
    if not ended:
        raise typed.Exit(130)
    if failed or broken:
        raise typed.Exit(1)
    worst = min((c.findings[0].severity.rank for c in certificates if c.findings), default=99)
    if fail_on is not None and worst <= fail_on.rank:
        raise typed.Exit(3)


class _Asked(Struct, frozen=True):
    """What to look into, and what to do with the certificates."""

    sections: list[Section]
    budget_sec: float
    sign: Path | None
    from_ledger: bool


def _audit_all(
    tasks: list[Task],
    sandbox: Sandbox,
    workers: int,
    asked: _Asked,
    ledger: str | None,
    out: Out,
    *,
    keep: bool,
) -> tuple[list[Certificate], int, bool]:
    """The certificates by task, how many tasks could not be audited, and whether all were looked at.

    Someone who interrupts it keeps what is finished.
    """
    from adjudge.audit import FailedAudit, audit_many, sign_certificate, store_audit, with_known_hacks
    from adjudge.cli.shared.progress import AuditTally, audit_progress
    from adjudge.ledger import open_ledger

    tally = AuditTally(len(tasks))
    certificates: list[Certificate] = []
    failed = 0
    many = "one task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    each = "" if len(tasks) == 1 else ", each"
    limit = f"for {asked.budget_sec:g} s at most (--budget)"
    book = open_ledger(ledger) if keep or asked.from_ledger else None
    try:
        out.say(f"auditing {many}{each} {limit}, the likeliest probes first")
        with audit_progress(tally):

            def on_probe() -> None:
                tally.probes += 1

            for result in audit_many(
                tasks,
                sandbox,
                workers=workers,
                sections=asked.sections,
                on_probe=on_probe,
                learned=lambda task: contradicted(book, task) if asked.from_ledger and book else (),
                budget_sec=asked.budget_sec,
            ):
                tally.done += 1
                if isinstance(result, FailedAudit):
                    failed += 1
                    out.say(f"not audited: {result.task_id}: {result.error}")
                    continue
                certificate = result.certificate
                if book is not None:
                    certificate = with_known_hacks(book, certificate)
                tally.high += certificate.count(Severity.HIGH)
                if asked.sign is not None:
                    certificate = sign_certificate(certificate, asked.sign)
                certificates.append(certificate)
                if book is not None and keep and len(asked.sections) == len(Section):
                    store_audit(book, replace(result, certificate=certificate))
    except KeyboardInterrupt:
        out.say(f"interrupted: {tally.done} of {many} were looked at, and these follow")
    finally:
        if book is not None:
            book.close()
    ordered = sorted(certificates, key=lambda certificate: certificate.task_id)
    return ordered, failed, tally.done == len(tasks)


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


def _load(folders: list[Path], output_path: str | None, out: Out) -> tuple[list[Task], int]:
    """The tasks of all folders, each once, and how many could not be loaded, which is said."""

    from adjudge.audit import tasks_in

    found, broken = tasks_in(folders, output_path=output_path)
    for failed in broken:
        out.say(f"broken: {failed.task_id}: {failed.error}")
    return found, len(broken)


def _write(certificates: list[Certificate], out: Out) -> None:
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


def _write_pages(certificates: list[Certificate], pages: Path) -> None:
    """A page for each task, to be kept with the benchmark: its commands name tasks by their ids."""
    from adjudge.reports import markdown

    pages.mkdir(parents=True, exist_ok=True)
    for certificate in certificates:
        page = pages / markdown.page_name(certificate)
        page.write_text(markdown.render_certificate(certificate), encoding="utf-8")
    (pages / "README.md").write_text(markdown.render_certificates(certificates), encoding="utf-8")
