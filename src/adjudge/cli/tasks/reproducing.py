"""Run one probe of an audit again, from anywhere; and check who signed a certificate."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.audit import Section
from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Out
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.audit import Certificate, FieldTrial, Probe, Seen
    from adjudge.contracts import Task
    from adjudge.sandbox import Sandbox

_MAX_CERTIFICATE = 64 << 20
_PREFIXES = {
    "goldens": Section.GOLDENS,
    "determinism": Section.DETERMINISM,
    "format": Section.FORMAT,
    "discrimination": Section.DISCRIMINATION,
    "trivial": Section.TRIVIAL,
    "exploits": Section.EXPLOITS,
    "honesty": Section.HONESTY,
}


def with_commands(certificate: Certificate, folder: Path, options: Sequence[str]) -> Certificate:
    """The certificate with commands that name the task's folder, and so work in any other folder.

    As it is stored it names the task by its id: it holds no path of the machine.
    """
    findings = []
    for finding in certificate.findings:
        if finding.probe is not None:
            words = ["adjudge", "audit", str(folder.resolve()), "--reproduce", finding.probe, *options]
            if finding.probe.startswith("goldens/field/"):
                words.append("--from-ledger")
            finding = finding.model_copy(update={"reproduce": shlex.join(words)})  # noqa: PLW2901
        findings.append(finding)
    return certificate.model_copy(update={"findings": findings})


def verify_certificates(file: Path, public_key: str | None, out: Out) -> None:
    """Check every certificate of a file, one per line; exit code 1 if one is not what was signed."""
    from pydantic import ValidationError

    from adjudge.audit import Certificate, check_signature
    from adjudge.errors import printable

    try:
        if file.stat().st_size > _MAX_CERTIFICATE:
            raise UsageError("too large for certificates", file=file, allowed=f"{_MAX_CERTIFICATE} bytes")
        lines = [line for line in file.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", file=file) from None
    bad = 0
    for number, line in enumerate(lines, start=1):
        try:
            certificate = Certificate.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(
                f"this is no certificate: {error.errors()[0]['msg']}",
                file=f"{file}:{number}",
                remedy="adjudge audit TASK --json writes them.",
            ) from None
        problem = check_signature(certificate, public_key)
        bad += problem is not None
        key = None if certificate.signature is None else certificate.signature.key
        name = certificate.task_id
        if out.for_programs:
            found = {"task_id": name, "digest": certificate.digest, "key": key, "problem": problem}
            out.write(json.dumps(found) + "\n")
        else:
            out.write(f"{printable(name)}: {problem or f'signed, by {key}'}\n")
    if bad or not lines:
        raise typed.Exit(1)


def reproduce_probe(
    tasks: list[Task],
    name: str,
    save: Path | None,
    sandbox: Sandbox,
    workers: int,
    out: Out,
    learned: Sequence[FieldTrial],
) -> None:
    """Run what a probe follows from, then the probe, and show what became of it."""
    from adjudge.audit import run_again
    from adjudge.cli.shared.progress import waiting

    if len(tasks) != 1:
        raise UsageError("--reproduce needs exactly one task", found=f"{len(tasks)} tasks")
    if name.endswith("/again"):  # the second look at a finding
        name = name.removesuffix("/again")
    head = name.partition("/")[0]
    sections = [_PREFIXES[head]] if head in _PREFIXES else [Section.GOLDENS]
    with waiting(f"running {name} again, after what it follows from: as long as some dozens of runs at most"):
        found = run_again(tasks[0], sandbox, name, workers=workers, sections=sections, learned=learned)
    if isinstance(found, list):
        raise UsageError(
            "the audit of this task has no such probe",
            found=name,
            allowed=", ".join(found[:40]),
        )
    _show_probe(*found, save, out)


def _show_probe(task: Task, probe: Probe, seen: Seen, save: Path | None, out: Out) -> None:
    from msgspec.structs import asdict

    from adjudge.audit import Conditions, shown_by
    from adjudge.errors import printable

    answer = shown_by(task, probe)
    place = task.verifier.expected_output_path
    if probe.path is not None and probe.path in dict(probe.files):
        place = probe.path
    if answer is not None and save is not None:
        save.write_bytes(answer)
    usual = asdict(Conditions())
    conditions = {
        name: value
        for name, value in asdict(probe.conditions).items()
        if value != usual[name] and name != "round"
    }
    if out.for_programs:
        text = None if answer is None else answer.decode("utf-8", "backslashreplace")
        found = {"probe": probe.name, "what": probe.what, "reward": seen.claimed, "problem": seen.problem}
        words = {name: str(value)[:2000] for name, value in conditions.items()}
        out.write(json.dumps({**found, "conditions": words, "output": text}, ensure_ascii=False) + "\n")
        return
    lines = [f"{probe.name}: {probe.what}"]
    lines.append(f"reward: {'none' if seen.claimed is None else f'{seen.claimed:g}'}")
    if seen.executed:
        lines.append("executed: code of the output ran inside the verifier")
    lines += [f"problem: {seen.problem}"] if seen.problem else []
    lines += [f"{name}: {value}"[:2000] for name, value in conditions.items()]
    if answer is None:
        lines.append("output: none, or a link")
    else:
        lines.append(f"output ({len(answer)} bytes at {place}):")
    shown = "".join(f"{printable(line)}\n" for line in lines)
    if answer is not None:
        shown += printable(answer[:4000].decode("utf-8", "backslashreplace"), keep_newlines=True) + "\n"
        shown += "… --save FILE writes all of it\n" if len(answer) > 4000 else ""
    out.write(shown)
