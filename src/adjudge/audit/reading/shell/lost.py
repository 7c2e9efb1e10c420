"""Where the result of a check is lost: exit codes behind pipes and other commands, loops in another shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step
from adjudge.audit.reading.shell.words import Kind, pieces

STARTS = re.compile(
    r"(?:python[\d.]*|pytest|uvx?|node|npm|npx|perl|ruby|go|cargo|make|bash|sh|diff|cmp|mvn|Rscript)$"
)
_INSTALLS = re.compile(r"\b(?:install|apt(?:-get)?|pip3?|curl|sync|venv|mkdir)\b")
_LOGS = ("tee", "cat", "tail", "head", "sed", "tr")
_ALWAYS_ZERO = (
    "echo",
    "printf",
    "set",
    "cd",
    "mkdir",
    "rm",
    "true",
    ":",
    "sync",
    "cat",
    "date",
    "unset",
    "export",
)


def read_lost(script: Script) -> Iterator[Remark]:
    """Both rules."""
    yield from _lost(script)
    yield from _left_alone(script)


def sequences(script: Script) -> Iterator[tuple[Sequence[Step], int, Step]]:
    """Each step with the steps around it, once."""
    seen: set[int] = set()
    for use in script.uses:
        place = use.around[-1]
        if id(use.step) not in seen:
            seen.add(id(use.step))
            yield place.steps, place.at, use.step


def is_check(stage: ShellCommand | ShellBlock) -> bool:
    """A program that may judge: no installation."""
    return (
        isinstance(stage, ShellCommand)
        and bool(STARTS.match(stage.name))
        and not _INSTALLS.search(stage.text)
    )


def asks_for_code(step: Step) -> bool:
    """Does a step read `$?`: itself, or in the first thing that it asks?"""
    first = step.stages[0]
    if isinstance(first, ShellBlock):
        return first.kind == "if" and bool(first.conditions[0]) and asks_for_code(first.conditions[0][0])
    words = (*first.words, *(value for _, value in first.assigned))
    return any(piece.kind is Kind.VARIABLE and piece.text == "?" for word in words for piece in pieces(word))


def _lost(script: Script) -> Iterator[Remark]:
    """`pytest | tee log; if [ $? -eq 0 ]`, and `pytest; echo done; if [ $? -eq 0 ]`."""
    for steps, index, step in sequences(script):
        last = step.stages[-1]
        piped = len(step.stages) > 1 and is_check(step.stages[0]) and getattr(last, "name", "") in _LOGS
        behind = steps[index + 1 :]
        if (
            piped
            and not _pipefail(script)
            and (
                _is_asked(script, step) or (behind and (asks_for_code(behind[0]) or behind[0].joined != ";"))
            )
        ):
            yield script.remark_at(
                step.line,
                step.stages[0].text if isinstance(step.stages[0], ShellCommand) else "",
                Cause.ANY_VALUE,
                "the exit code of the check is lost in the pipe, so that everything passes",
                "Put `set -o pipefail` before it, or read ${PIPESTATUS[0]}.",
            )
        if len(behind) < 2 or not is_check(step.stages[-1]) or behind[0].joined != ";":
            continue
        between = behind[0].stages[-1]
        asked = behind[1].joined == ";" and asks_for_code(behind[1])
        if asked and _is_always_zero(between):
            yield script.remark_at(
                behind[1].line,
                between.text if isinstance(between, ShellCommand) else "",
                Cause.ANY_VALUE,
                "between the check and `$?` stands another command, and its exit code is read",
                "Keep the code first: code=$?.",
            )


def _is_always_zero(stage: ShellCommand | ShellBlock) -> bool:
    if not isinstance(stage, ShellCommand):
        return False
    if not stage.words:
        return bool(stage.assigned) and not any("$(" in value or "`" in value for _, value in stage.assigned)
    return stage.name in _ALWAYS_ZERO


def _is_asked(script: Script, step: Step) -> bool:
    """Is it the condition of an if?"""
    for use in script.uses:
        if use.step is step:
            return use.around[-1].role == "condition" and step is use.around[-1].steps[-1]
    return False


def _left_alone(script: Script) -> Iterator[Remark]:
    """`exit`, and a variable, in a loop behind a pipe: that is another shell."""
    if script.speaks("lastpipe"):
        return
    for steps, index, step in _sequences_of_blocks(script):
        loop = step.stages[-1]
        if (
            len(step.stages) < 2
            or not isinstance(loop, ShellBlock)
            or loop.kind not in ("while", "for", "until")
        ):
            continue
        behind = steps[index + 1 :]
        if not behind or behind[0].joined != ";" or asks_for_code(behind[0]):
            continue
        inner = list(commands(loop.bodies[0]))
        leaves = [c for c in inner if c.name == "exit"]
        strict = script.speaks(r"set -\w*e")
        ends = [c for c in leaves if not strict or c.words[1:] == ["0"]]
        sets = {name for c in inner if is_failure(c) for name, _ in c.assigned}
        sets |= {
            match[1]
            for c in inner
            if c.name == "((" and is_failure(c) and (match := re.match(r"\s*(\w+)", c.words[1]))
        }
        read_later = [name for name in sorted(sets) if any(_reads(s, name) for s in behind)]
        pays = any(is_payment(c) for c in commands(behind))
        if (ends and pays) or read_later:
            what = "`exit`" if ends and pays else f"`{read_later[0]}`"
            yield script.remark_at(
                loop.line,
                script.line(loop.line),
                Cause.ANY_VALUE,
                f"{what} in a loop behind a pipe does nothing outside of it, so that what is refused passes",
                "Let the loop read from `done < file` or `done < <(command)`.",
            )


def _sequences_of_blocks(script: Script) -> Iterator[tuple[Sequence[Step], int, Step]]:
    """Each pipeline around some command."""
    seen: set[int] = set()
    for use in script.uses:
        for place in use.around:
            step = place.steps[place.at]
            if id(step) not in seen:
                seen.add(id(step))
                yield place.steps, place.at, step


def _reads(step: Step, name: str) -> bool:
    return any(re.search(rf"\$\{{?{name}\b|\(\(.*\b{name}\b", command.text) for command in commands([step]))


def _pipefail(script: Script) -> bool:
    return script.speaks(r"pipefail|PIPESTATUS")
