"""Scripts that a task asks for and that only have to be there: a comment in their place costs nothing.

Tried beside a right answer that has several files. Without one the source is read: a script that is named
there, in a verifier that starts and imports nothing, is looked at and never run.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, Probe, verifier_sources
from adjudge.audit.sections.invented.exemplars import SCRIPTS, comment_mark, exemplars, files_asked_for
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity
from adjudge.gates import OutputFile
from adjudge.tasks import provided_files

_HERE = Section.TRIVIAL
_MOST = 3
_STARTS = re.compile(
    r"\bsubprocess\b|\bos\.(?:system|popen|exec\w*|spawn\w*)\b|\bimport_module\b|\bspec_from_file|\brunpy\b"
    r"|\bexec\(|\b__import__\b|\bpexpect\b|\bdocker\b|sys\.path"
    r"|\b(?:python3?|bash|sh|node|ruby|perl|Rscript|php|lua)\s+[\"']?\$"
)
_SHELL_STARTS = re.compile(
    r"\b(?:python3?|bash|sh|node|ruby|perl|Rscript|php|lua|go run|timeout)\s+[^\n|;&]*$"
)
_ADVICE = "Run the script on inputs of your own and compare what it writes, or do not ask for it."


def check_scripts(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    """Tell of scripts that are asked for, by a comment in their place or by the source."""
    if right is not None:
        _probe(bench, right, result)
    else:
        _read(bench, result)


def _probe(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    task = bench.task
    given = provided_files(task)
    words = exemplars(task.folder / "tests")
    probes: list[Probe] = []
    main = task.verifier.expected_output_path
    beside = [path for path, _ in right.files if path not in given and path != main]
    data = any(PurePosixPath(p).suffix not in SCRIPTS and _is_named(p, task.instruction) for p in beside)
    for path, file in right.files:
        asked = (path != main or data) and path not in given and file.link is None
        if asked and PurePosixPath(path).suffix in SCRIPTS and _is_named(path, task.instruction):
            lines = "".join(f"{comment_mark(path)}{word}\n" for word in ["nothing", *words])
            files = tuple({**dict(right.files), path: OutputFile(lines.encode())}.items())
            what = f"a comment in place of {PurePosixPath(path).name}"
            probes.append(Probe(f"trivial/script-{len(probes) + 1}", what, files))
    probes = probes[:_MOST]
    for probe, seen in zip(probes, bench.run(probes), strict=True):
        result.probes.append(probe)
        if seen.reward >= right.reward - 0.005:
            result.findings.append(
                bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"{probe.what} costs nothing",
                    cause=Cause.HOLLOW,
                    seen=f"The task asks for the script; the right answer earns {seen.reward:g} without it.",
                    advice=_ADVICE,
                    probe=probe,
                    before=right.reward,
                )
            )


def _is_named(path: str, instruction: str) -> bool:
    name = re.escape(PurePosixPath(path).name)
    return re.search(rf"(?<![\w.-]){name}(?![\w-])", instruction) is not None


def _read(bench: Bench, result: SectionResult) -> None:
    """A script that the source names, where it starts and imports nothing."""
    task = bench.task
    sources = verifier_sources(task)
    main = task.verifier.expected_output_path
    given = frozenset(provided_files(task))
    asked = files_asked_for(task.folder / "tests", given, "")
    idle = [
        path
        for path in asked
        if PurePosixPath(path).suffix in SCRIPTS
        and _is_named(path, task.instruction)
        and not any(_STARTS.search(text) or _is_started(path, text) for text in sources)
    ]
    if idle and not (idle == [main] and len(asked) == 1):
        names = ", ".join(PurePosixPath(path).name for path in idle)
        result.findings.append(
            bench.finding(
                Severity.MEDIUM,
                _HERE,
                f"{names}: asked for, and never run",
                cause=Cause.HOLLOW,
                seen="The verifier looks for the script, perhaps for words in it, and starts nothing.",
                advice=_ADVICE,
            )
        )


def _is_started(path: str, text: str) -> bool:
    """Does a shell script start it, or Python import it?"""
    name, stem = PurePosixPath(path).name, re.escape(PurePosixPath(path).stem)
    return re.search(rf"(?m)^\s*(?:import|from)\s+{stem}\b", text) is not None or any(
        _SHELL_STARTS.search(line[: line.index(name)] or "") is not None
        or line.lstrip().startswith((path, f"./{name}"))
        for line in text.splitlines()
        if name in line
    )
