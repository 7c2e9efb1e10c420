"""How a shell script compares lines: sorted, once each, the first only, those that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.order import asks_for_order
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import GREPS, options, pattern_of
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment, outcome
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, pieces
from adjudge.contracts import Severity

_ONCE = r"uniq -\w*[dc]|sort -u\w*[^|\n]*\| *wc|seen\["
_ONE_LINE = r"first line|last line|one line|single line|final line|top line"
_PER_LINE = (
    r"\bone (?:per )?line|\bline(?:s)? (?:each|for|per)|\bper line|each line|a line `|columns?\b|\brows?\b"
)
_BEST_FIRST = r"\b(?:most|least|\w+est)\b[^.\n]{0,30}\bfirst\b"
_EITHER_WAY = ("diff", "cmp", "comm")


def read_lines(script: Script) -> Iterator[Remark]:
    """Every rule about lines, in turn."""
    for rule in (_unordered, _torn, _once, _repeated, _first_only, _one_line):
        yield from rule(script)


def _flows_into_comparison(script: Script, use: CommandUse) -> bool:
    """Does what a command writes go into diff, cmp, or a test of texts, as it is?"""
    behind = use.step.stages[use.stage + 1 :]
    names = [stage.name for stage in behind if isinstance(stage, ShellCommand)]
    if any(
        name in ("wc", "head", "tail", "awk", "grep", "read") or name in ("uniq", "while") for name in names
    ):
        return False
    if any(isinstance(stage, ShellBlock) for stage in behind):
        return False
    if any(name in _EITHER_WAY for name in names):
        return True
    return _is_compared(script, use)


def _written(script: Script, use: CommandUse) -> list[str]:
    """The files that the pipeline of a sort writes, or the calls of the function that it stands in."""
    calls = [use.command, *(call.command for call in script.named(use.scope) if use.scope)]
    made = [
        target for call in calls for operator, target in call.redirects if operator.lstrip("1") in (">", ">>")
    ]
    behind, words = use.step.stages[-1], use.command.words
    if isinstance(behind, ShellCommand) and behind is not use.command:
        made += [target for operator, target in behind.redirects if operator.lstrip("1") == ">"]
    made += [words[n + 1] for n, word in enumerate(words[:-1]) if word == "-o"]
    return [script.held.expand(target) for target in made]


def _is_compared(script: Script, use: CommandUse) -> bool:
    """The same for what is kept in a variable, a file, a function, or `$(...)`."""
    marks = _written(script, use)
    names = {use.scope} - {""}
    for other in script.uses:
        words = (*other.command.words, *(target for _, target in other.command.redirects))
        if other.command.name in (*_EITHER_WAY, "[", "[[", "test"):
            if marks and any(script.held.expand(word) in marks for word in words):
                return True
            for word in words:
                for piece in pieces(word):
                    inside = piece.kind is Kind.COMMAND and (
                        use.command.text in piece.text or any(name in piece.text.split() for name in names)
                    )
                    kept = piece.kind is Kind.VARIABLE and any(
                        use.command.text in value or any(name in value for name in names)
                        for value in script.held.values.get(piece.name, [])
                    )
                    if inside or kept:
                        return True
    return False


def _sorts(script: Script) -> Iterator[CommandUse]:
    """Each sort of the answer whose result is compared."""
    for use in script.named("sort"):
        checks = any(re.match(r"-\w*[cC]|--check", word) for word in use.command.words[1:])
        if not checks and script.reads(use) > OutputLevel.NUMBER and _flows_into_comparison(script, use):
            yield use


def _unordered(script: Script) -> Iterator[Remark]:
    """Sorted before the comparison, where the task asks for an order."""
    asked = asks_for_order(script.instruction) or (script.told(_BEST_FIRST) and not script.told("any order"))
    if not asked or script.speaks(r"sort (?:-\w+ )*-\w*[cC]\b|--check"):
        return
    sorts = list(_sorts(script))
    made = {target for use in sorts for target in _written(script, use)}
    for use in script.named("diff", "cmp", "while", "awk", "paste"):
        words = [
            w for w in use.command.words[1:] if not w.startswith("<(") and script.held.expand(w) not in made
        ]
        held = any(script.is_file(word, use) for word in words)
        if held or (use.piped and not any(other.command.line == use.command.line for other in sorts)):
            return
    for use in sorts[:1]:
        yield script.remark(
            use,
            Cause.UNORDERED,
            "the order is thrown away before it is compared, and the task asks for one",
            "Compare the lines as they were given.",
        )


def _torn(script: Script) -> Iterator[Remark]:
    """`tr ' ' '\\n' | sort`: words of all lines in one bag."""
    if not script.told(_PER_LINE):
        return
    for use in _sorts(script):
        stages = [stage for stage in use.step.stages[: use.stage] if isinstance(stage, ShellCommand)]
        said = bool(stages) and stages[0].name in ("echo", "printf")  # fields that were taken apart before
        before = [stage for stage in stages if stage.name == "tr" and not said]
        for stage in before:
            words = [script.held.expand(word) for word in stage.words[1:]]
            apart = len(words) == 2 and (" " in words[0] or "," in words[0] or "[:" in words[0])
            if apart and words[1] in ("\\n", "\n"):
                yield script.remark(
                    use,
                    Cause.ANYWHERE,
                    "the words of all lines are sorted together, so that values may stand in any line",
                    "Compare line by line.",
                )


def _once(script: Script) -> Iterator[Remark]:
    """`sort -u` and `uniq`: to say a thing twice costs nothing."""
    if script.counts() or script.speaks(_ONCE):
        return
    asked = script.told(r"\bonce\b|duplicate|unique|distinct|no repeat|deduplicat")
    for use in script.named("sort", "uniq"):
        options = [word for word in use.command.words[1:] if word.startswith("-")]
        once = use.command.name == "uniq" and not options
        once = once or any(re.match(r"-\w*u|--unique", word) for word in options)
        if once and script.reads(use) > OutputLevel.NUMBER and _flows_into_comparison(script, use):
            yield script.remark(
                use,
                Cause.REPEATS,
                "lines that are given more than once are made one before they are compared",
                "Compare without it, or look for lines that stand twice (uniq -d).",
                Severity.MEDIUM if asked else Severity.LOW,
            )
            return


def _repeated(script: Script) -> Iterator[Remark]:
    """`grep -c -f ref OUT`: one right line many times counts as many."""
    if script.speaks(_ONCE) or script.speaks(r"sort -\w*u|\buniq\b|declare -A|delete "):
        return
    title = "each line of the answer that is right counts, also if it is the same one again"
    advice = "Count the references that were found, or make the lines unique first (sort -u)."
    for use in script.named("grep", "egrep", "fgrep"):
        words = use.command.words
        counts = any(re.match(r"-\w*c", w) for w in words) or (
            any(getattr(s, "name", "") == "wc" for s in use.step.stages[use.stage + 1 :])
        )
        inverted = any(re.match(r"-\w*v", w) for w in words)
        listed = [words[n + 1] for n, w in enumerate(words[:-1]) if re.fullmatch(r"-\w*f", w)]
        theirs = any(script.is_file(word, use) or word == "-" for word in listed)
        if counts and listed and not inverted and not theirs and script.reads(use) > OutputLevel.NUMBER:
            yield script.remark(use, Cause.REPEATS, title, advice)
    for block, use in script.loops():
        inner = list(commands(block.bodies[0]))
        looks = any(c.name in ("grep", "fgrep") and any(script.level(w, use) for w in c.words) for c in inner)
        if looks and any(is_payment(c) for c in inner) and not any(is_failure(c) for c in inner):
            yield script.remark_at(block.line, script.line(block.line), Cause.REPEATS, title, advice)


def _looks_at_lines(script: Script) -> list[CommandUse]:
    """The commands that read the output's file, or what was copied of it, as it is."""
    found = []
    for use in script.uses:
        named = any(script.is_file(word, use) for word in use.command.words[1:] if not word.startswith("<("))
        from_file = any(o == "<" and script.is_file(t, use) for o, t in use.command.redirects)
        inside = use.command.name in ("[", "test", "[[", "rm", "ls", "mkdir", "chmod", "touch", "stat")
        if (named or from_file) and not inside and use.command.name not in script.held.functions:
            found.append(use)
    return found


def _first_only(script: Script) -> Iterator[Remark]:
    """Only `head -1` of the answer is looked at."""
    if script.counts() or script.told(_ONE_LINE):
        return
    uses = _looks_at_lines(script)
    if not uses or any(block for block, _ in script.loops()):
        return
    lines = [_lines_of(script, use) for use in uses]
    if all(lines):
        one = all(number == 1 for number in lines)
        yield script.remark(
            uses[0],
            Cause.HEDGED if one else Cause.PADDING,
            "only one line of the answer is looked at, whatever the others say"
            if one
            else "lines behind the first few are not looked at",
            "Look at the number of lines, too.",
            Severity.LOW,
        )


def _lines_of(script: Script, use: CommandUse) -> int:
    """How many lines of the output a command, or one behind it in its pipeline, lets through; 0 for all."""
    for stage in use.step.stages[use.stage :]:
        if not isinstance(stage, ShellCommand):
            return 0
        words = " ".join([stage.name, *(script.held.expand(word) for word in stage.words[1:])])
        if stage.name == "read" and use.around[-1].role != "condition":
            return 1
        if stage.name in ("head", "tail"):
            match = re.search(r" -(?:n ?)?(\d+)", words)
            return int(match[1]) if match else 0 if " -" in words else 10
        if re.match(r"sed -n ['\"]?1 ?p|sed -n \$p|sed 1q|sed q\b|grep (?:-\w+ )*-\w*m ?1\b", words):
            return 1
        if stage.name not in ("cat", "tr", "sed", "cut", "grep"):
            return 0
    return 0


def _one_line(script: Script) -> Iterator[Remark]:
    """`grep -qx db-2 OUT`, and nothing else: a list of all hosts has that line, too."""
    uses = [
        use
        for use in script.uses
        if script.reads(use) and use.command.name not in ("[", "test", "cat", "tr", "sed")
    ]
    if len(uses) != 1 or uses[0].command.name not in GREPS or script.suffix == ".md":
        return
    words = uses[0].command.words
    pattern = script.held.expand(pattern_of(words) or "")
    whole = "x" in options(words) or (pattern.startswith("^") and pattern.endswith("$"))
    looped = any(place.block is not None and place.block.kind in ("for", "while") for place in uses[0].around)
    if whole and "c" not in options(words) and not looped and outcome(uses[0]) != "refuses":
        yield script.remark(
            uses[0],
            Cause.HEDGED,
            "one right line among others is enough, so that an answer may list all candidates",
            "Look at the number of lines, too.",
            Severity.LOW,
        )
