"""Read a verifier's shell scripts: which of them judge, and what a reader would remark on.

A script that only starts a program judges nothing by itself. One that cannot be parsed is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.awk import read_awk
from adjudge.audit.reading.shell.chance import read_chance
from adjudge.audit.reading.shell.code import read_code
from adjudge.audit.reading.shell.items import read_items
from adjudge.audit.reading.shell.lines import read_lines
from adjudge.audit.reading.shell.lost import read_lost
from adjudge.audit.reading.shell.numbers import read_numbers
from adjudge.audit.reading.shell.patterns import read_patterns
from adjudge.audit.reading.shell.script import Script
from adjudge.audit.reading.shell.syntax import parse
from adjudge.audit.reading.shell.texts import read_texts
from adjudge.audit.reading.shell.verdict import read_verdict
from adjudge.audit.reading.shell.words import NotShellError
from adjudge.contracts import Task

_RULES = (
    *(read_code, read_patterns, read_texts, read_awk, read_lines, read_items, read_numbers),
    *(read_lost, read_verdict, read_chance),
)
_JUDGES = (
    "[",
    "[[",
    "test",
    "((",
    "grep",
    "egrep",
    "fgrep",
    "awk",
    "gawk",
    "mawk",
    "diff",
    "cmp",
    "comm",
    "jq",
    "join",
)


def read_shell(task: Task, sources: Iterable[tuple[str, str]]) -> tuple[list[str], list[Remark]]:
    """The shell scripts among the sources that judge the answer, and the remarks on all of them."""
    path = PurePosixPath(task.verifier.expected_output_path)
    judging, remarks = [], []
    for file, text in sources:
        if not file.endswith(".sh"):
            continue
        try:
            script = Script(file, text, parse(text), path, task.instruction)
            found = [remark for rules in _RULES for remark in rules(script)]
            judging += [file] if found or _judges(script) else []
            remarks += found
        except (NotShellError, RecursionError):
            continue
    return judging, remarks


def _judges(script: Script) -> bool:
    """Does a script look at the answer itself, at more than whether it is there?"""
    for use in script.named(*_JUDGES):
        there = use.command.name in ("[", "[[", "test") and any(
            w in ("-f", "-s", "-e", "-r", "-d") for w in use.command.words
        )
        if not there and script.reads(use):
            return True
    return any(block.kind == "case" and script.level(block.heads[0], use) for block, use in script.blocks())
