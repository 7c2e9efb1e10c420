"""How a shell script comes to its reward: lost exit codes, failures that pay, chance and the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.held import Level, Use
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment
from adjudge.audit.reading.shell.syntax import Block, Command, Step
from adjudge.audit.reading.shell.words import Kind, pieces

_STARTS = re.compile(r"(?:python[\d.]*|pytest|uvx?|node|npm|npx|perl|ruby|go|cargo|make|bash|sh|diff|cmp|mvn|Rscript)$")
_INSTALLS = re.compile(r"\b(?:install|apt(?:-get)?|pip3?|curl|sync|venv|mkdir)\b")
_LOGS = ("tee", "cat", "tail", "head", "sed", "tr")
_ALWAYS_ZERO = ("echo", "printf", "set", "cd", "mkdir", "rm", "true", ":", "sync", "cat", "date", "unset", "export")
_THERE = ("-f", "-s", "-e", "-r")
_SAYS_NOW = re.compile(r"localtime|gmtime|time\.time|datetime\.(?:now|today)|date\.today|strftime|systime\(")


def read_verdict(script: Script) -> Iterator[Remark]:
    """Every rule about the reward, in turn."""
    for rule in (_lost, _left_alone, _forgiven, _paid_first, _trapped, _only_there, _drawn, _clock):
        yield from rule(script)


def _sequences(script: Script) -> Iterator[tuple[Sequence[Step], int, Step]]:
    """Each step with the steps around it, once."""
    seen: set[int] = set()
    for use in script.uses:
        place = use.around[-1]
        if id(use.step) not in seen:
            seen.add(id(use.step))
            yield place.steps, place.index, use.step


def _is_check(stage: Command | Block) -> bool:
    """A program that may judge: no installation."""
    return isinstance(stage, Command) and bool(_STARTS.match(stage.name)) and not _INSTALLS.search(stage.text)


def _asks_for_code(step: Step) -> bool:
    """Does a step read `$?`: itself, or in the first thing that it asks?"""
    first = step.stages[0]
    if isinstance(first, Block):
        return first.kind == "if" and bool(first.conditions[0]) and _asks_for_code(first.conditions[0][0])
    words = (*first.words, *(value for _, value in first.assigned))
    return any(piece.kind is Kind.VARIABLE and piece.text == "?" for word in words for piece in pieces(word))


def _pipefail(script: Script) -> bool:
    return script.speaks(r"pipefail|PIPESTATUS")


def _lost(script: Script) -> Iterator[Remark]:
    """`pytest | tee log; if [ $? -eq 0 ]`, and `pytest; echo done; if [ $? -eq 0 ]`."""
    for steps, index, step in _sequences(script):
        last = step.stages[-1]
        piped = len(step.stages) > 1 and _is_check(step.stages[0]) and getattr(last, "name", "") in _LOGS
        behind = steps[index + 1 :]
        if piped and not _pipefail(script) and (_is_asked(script, step) or (behind and (_asks_for_code(behind[0]) or behind[0].joined != ";"))):
            yield script.remark_at(
                step.line,
                step.stages[0].text if isinstance(step.stages[0], Command) else "",
                Cause.ANY_VALUE,
                "the exit code of the check is lost in the pipe, so that everything passes",
                "Put `set -o pipefail` before it, or read ${PIPESTATUS[0]}.",
            )
        if len(behind) < 2 or not _is_check(step.stages[-1]) or behind[0].joined != ";":
            continue
        between = behind[0].stages[-1]
        asked = behind[1].joined == ";" and _asks_for_code(behind[1])
        if asked and _is_always_zero(between):
            yield script.remark_at(
                behind[1].line,
                between.text if isinstance(between, Command) else "",
                Cause.ANY_VALUE,
                "between the check and `$?` stands another command, and its exit code is read",
                "Keep the code first: code=$?.",
            )


def _is_always_zero(stage: Command | Block) -> bool:
    if not isinstance(stage, Command):
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
        if len(step.stages) < 2 or not isinstance(loop, Block) or loop.kind not in ("while", "for", "until"):
            continue
        behind = steps[index + 1 :]
        if not behind or behind[0].joined != ";" or _asks_for_code(behind[0]):
            continue
        inner = list(commands(loop.bodies[0]))
        leaves = [c for c in inner if c.name == "exit"]
        strict = script.speaks(r"set -\w*e")
        ends = [c for c in leaves if not strict or c.words[1:] == ["0"]]
        sets = {name for c in inner if is_failure(c) for name, _ in c.assigned}
        sets |= {match[1] for c in inner if c.name == "((" and is_failure(c) and (match := re.match(r"\s*(\w+)", c.words[1]))}
        read_later = [name for name in sorted(sets) if any(_reads(s, name) for s in behind)]
        pays = any(is_payment(c) for c in commands(behind))
        if (ends and pays) or read_later:
            what = "`exit`" if ends and pays else f"`{read_later[0]}`"
            yield script.remark_at(
                loop.line,
                script.text.splitlines()[loop.line - 1],
                Cause.ANY_VALUE,
                f"{what} in a loop behind a pipe does nothing outside of it, so that what is refused passes",
                "Let the loop read from `done < file` or `done < <(command)`.",
            )


def _sequences_of_blocks(script: Script) -> Iterator[tuple[Sequence[Step], int, Step]]:
    """Each pipeline around some command."""
    seen: set[int] = set()
    for use in script.uses:
        for place in use.around:
            step = place.steps[place.index]
            if id(step) not in seen:
                seen.add(id(step))
                yield place.steps, place.index, step


def _reads(step: Step, name: str) -> bool:
    return any(re.search(rf"\$\{{?{name}\b|\(\(.*\b{name}\b", command.text) for command in commands([step]))


def _forgiven(script: Script) -> Iterator[Remark]:
    """`verify.py || echo 1 > reward.txt`."""
    for steps, index, step in _sequences(script):
        if step.negated or not _is_check(step.stages[-1]):
            continue
        behind = [s for s in steps[index + 1 :][:2] if s.joined != ";"]
        if behind and behind[0].joined == "||":
            first = behind[0]
            paid = [c for c in commands([first]) if is_payment(c)]
            if paid and not any(is_failure(c) for c in commands([first])):
                yield _pays_failure(script, first)
            next_one = steps[index + 2] if index + 2 < len(steps) else None
            always = isinstance(first.stages[0], Command) and first.stages[0].name in ("true", ":")
            if always and next_one is not None and next_one.joined == ";" and _asks_for_code(next_one):
                yield _pays_failure(script, step)


def _pays_failure(script: Script, step: Step) -> Remark:
    first = step.stages[0]
    return script.remark_at(
        step.line,
        first.text if isinstance(first, Command) else "",
        Cause.PASSES_BROKEN,
        "a check that fails, or cannot be run, earns the reward",
        "Let a failure earn nothing, or end the script with its exit code.",
    )


def _paid_first(script: Script) -> Iterator[Remark]:
    """`reward=1; if [ -f OUT ]; then ... reward=0 ...; fi`: no output is no fault."""
    for index, step in enumerate(script.steps):
        first = step.stages[0]
        if not isinstance(first, Command) or first.words or not is_payment(first) or len(step.stages) > 1:
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
                script.text.splitlines()[lowered[0].line - 1],
                Cause.PASSES_BROKEN,
                "the reward is given first and only taken back if there is an output, so that none passes",
                "Begin with 0, and set 1 where everything was found right.",
            )
            return


def _only_if_there(script: Script, step: Step) -> bool:
    block = step.stages[0]
    if not isinstance(block, Block) or block.kind != "if" or len(block.bodies) > 1 or len(block.conditions[0]) != 1:
        return False
    asked = block.conditions[0][0]
    test = asked.stages[0]
    return (
        isinstance(test, Command)
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
    counted: Use | None = None
    for use in script.uses:
        name, words = use.command.name, use.command.words
        if _STARTS.match(name) or name in ("jq", "awk", "xmllint", ".", "source") or name.startswith("/tests"):
            return
        if not words or not (script.reads(use) or any(script.is_file(word, use) for word in words)):
            continue
        there = name in ("[", "[[", "test") and any(word in _THERE for word in words)
        counts = name == "wc" or (name in ("grep", "egrep") and _counts_lines(script, use))
        number = name in ("[", "[[", "test", "((") and script.reads(use) <= Level.COUNT
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


def _counts_lines(script: Script, use: Use) -> bool:
    words = [script.held.expand(word) for word in use.command.words[1:]]
    return any(re.match(r"-\w*c", w) for w in words) and any(w in ("", ".", "^", ".*", "[^ ]", "\\S", "^.") for w in words)


def _drawn(script: Script) -> Iterator[Remark]:
    """`$RANDOM`, shuf, `sort -R`."""
    seeded = script.speaks(r"(?m)^\s*RANDOM=|--random-source|\bsrand\(\d")
    for use in script.uses:
        command = use.command
        words = (*command.words, *(value for _, value in command.assigned))
        drawn = command.name == "shuf" or (command.name == "sort" and any(re.match(r"-\w*R|--random-sort", w) for w in words))
        for word in words:
            named = "/" in word or "tmp" in word or "-" in word.lstrip("-").replace("$((", "")[:12]
            held = any(
                (p.kind is Kind.VARIABLE and p.text.startswith("RANDOM")) or (p.kind is Kind.SUM and "RANDOM" in p.text)
                for p in pieces(word)
            )
            drawn = drawn or (held and not named)
        if drawn and not seeded:
            yield script.remark(
                use,
                Cause.RANDOM,
                "what is looked at is drawn by lot, so that the same answer may earn another reward",
                "Look at all of it, or draw with a fixed seed (shuf --random-source).",
            )
            return


def _clock(script: Script) -> Iterator[Remark]:
    """`if [ $(date +%Y) -gt 2030 ]`; how long something takes is no such question."""
    if len([u for u in script.named("date") if "%s" in u.command.text]) > 1:
        return
    kept: set[str] = set()
    for use in script.uses:
        for name, value in use.command.assigned:
            if any(piece.kind is Kind.COMMAND and _asks_time(piece.text) for piece in pieces(value)):
                kept.add(name)
    for use in script.uses:
        if use.command.name not in ("[", "[[", "test", "((", "grep") and not _passed_on(use, kept):
            continue
        text = use.command.text
        named = any(re.search(rf"\$\{{?{name}\b", text) for name in kept)
        if named or any(p.kind is Kind.COMMAND and _asks_time(p.text) for w in use.command.words for p in pieces(w)) or "EPOCHSECONDS" in text:
            yield script.remark(
                use,
                Cause.CLOCK,
                "the date or the time of the run decides",
                "Put the moment that counts into the task, and compare with it.",
            )
            return


def _passed_on(use: Use, kept: set[str]) -> bool:
    """`awk -v year="$year"`."""
    words = use.command.words
    return use.command.name in ("awk", "gawk", "mawk") and any(re.search(rf"\$\{{?{name}\b", w) for name in kept for w in words)


def _asks_time(text: str) -> bool:
    """`date +%Y`, also in other languages; not the date of a file or of a text."""
    command = text.strip()
    if re.match(r"(?:/usr/bin/|/bin/)?date\b", command):
        return not re.search(r"\s(?:-d|--date|-r|--reference)", command)
    return bool(re.match(r"(?:perl|python3?|awk|gawk|node)\b", command) and _SAYS_NOW.search(command))
