"""How a shell script comes to its reward: failures that pay, and what is only there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.lost import STARTS, asks_for_code, is_check, sequences
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step
from adjudge.audit.reading.shell.walk import CommandUse

_THERE = ("-f", "-s", "-e", "-r")


def read_verdict(script: Script) -> Iterator[Remark]:
    """Every rule about the reward, in turn."""
    for rule in (_forgiven, _paid_first, _trapped, _only_there):
        yield from rule(script)


def _forgiven(script: Script) -> Iterator[Remark]:
    """`verify.py || echo 1 > reward.txt`."""
    for steps, index, step in sequences(script):
        if step.negated or not is_check(step.stages[-1]):
            continue
        behind = [s for s in steps[index + 1 :][:2] if s.joined != ";"]
        if behind and behind[0].joined == "||":
            first = behind[0]
            paid = [c for c in commands([first]) if is_payment(c)]
            if paid and not any(is_failure(c) for c in commands([first])):
                yield _pays_failure(script, first)
            next_one = steps[index + 2] if index + 2 < len(steps) else None
            always = isinstance(first.stages[0], ShellCommand) and first.stages[0].name in ("true", ":")
            if always and next_one is not None and next_one.joined == ";" and asks_for_code(next_one):
                yield _pays_failure(script, step)


def _pays_failure(script: Script, step: Step) -> Remark:
    first = step.stages[0]
    return script.remark_at(
        step.line,
        first.text if isinstance(first, ShellCommand) else "",
        Cause.PASSES_BROKEN,
        "a check that fails, or cannot be run, earns the reward",
        "Let a failure earn nothing, or end the script with its exit code.",
    )


def _paid_first(script: Script) -> Iterator[Remark]:
    """`reward=1; if [ -f OUT ]; then ... reward=0 ...; fi`: no output is no fault."""
    for index, step in enumerate(script.steps):
        first = step.stages[0]
        if (
            not isinstance(first, ShellCommand)
            or first.words
            or not is_payment(first)
            or len(step.stages) > 1
        ):
            continue
        name, value = first.assigned[0]
        if value.strip("\"'") not in ("1", "1.0", "true", "pass"):
            continue
        lowered = [
            s
            for s in script.steps[index + 1 :]
            if any(n == name and is_failure(c) for c in commands([s]) for n, _ in c.assigned)
        ]
        if lowered and all(_only_if_there(script, s) for s in lowered):
            yield script.remark_at(
                lowered[0].line,
                script.line(lowered[0].line),
                Cause.PASSES_BROKEN,
                "the reward is given first and only taken back if there is an output, so that none passes",
                "Begin with 0, and set 1 where everything was found right.",
            )
            return


def _only_if_there(script: Script, step: Step) -> bool:
    block = step.stages[0]
    if (
        not isinstance(block, ShellBlock)
        or block.kind != "if"
        or len(block.bodies) > 1
        or len(block.conditions[0]) != 1
    ):
        return False
    asked = block.conditions[0][0]
    test = asked.stages[0]
    return (
        isinstance(test, ShellCommand)
        and not asked.negated
        and test.name in ("[", "[[", "test")
        and any(word in _THERE for word in test.words)
        and any(script.held.is_file(word) for word in test.words)
    )


def _trapped(script: Script) -> Iterator[Remark]:
    """`trap 'echo 1 > reward.txt' ERR`."""
    for use in script.named("trap"):
        inside = script.held.expand(use.command.words[1]) if len(use.command.words) > 2 else ""
        if re.search(r"echo\s+\W*(?:reward\W+)?1\b", inside):
            yield script.remark(
                use,
                Cause.PASSES_BROKEN,
                "a script that is ended by an error or a signal earns the reward",
                "Write 0 there, or nothing.",
            )


def _only_there(script: Script) -> Iterator[Remark]:
    """Only whether there is a file, or how many lines it has, decides."""
    counted: CommandUse | None = None
    for use in script.uses:
        name, words = use.command.name, use.command.words
        if STARTS.match(name) or name in ("jq", "awk", "xmllint", ".", "source") or name.startswith("/tests"):
            return
        if not words or not (script.reads(use) or any(script.is_file(word, use) for word in words)):
            continue
        there = name in ("[", "[[", "test") and any(word in _THERE for word in words)
        counts = name == "wc" or (name in ("grep", "egrep") and _counts_lines(script, use))
        number = name in ("[", "[[", "test", "((") and script.reads(use) <= OutputLevel.COUNT
        if there or counts or number:
            counted = counted or use
        elif name not in ("cat", "echo", "printf", "ls", "tr", "cd", "mkdir", "rm", "chmod", "stat", "sed"):
            return
    if counted is not None and any(is_payment(command) for command in commands(script.steps)):
        yield script.remark(
            counted,
            Cause.ANY_VALUE,
            "only whether there is an output, or how long it is, decides about the reward",
            "Compare what stands in it.",
        )


def _counts_lines(script: Script, use: CommandUse) -> bool:
    words = [script.held.expand(word) for word in use.command.words[1:]]
    return any(re.match(r"-\w*c", w) for w in words) and any(
        w in ("", ".", "^", ".*", "[^ ]", "\\S", "^.") for w in words
    )
