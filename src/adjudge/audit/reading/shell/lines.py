"""How a shell script compares lines: sorted, once each, the first only, those that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.order import asks_for_order
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.held import Level, Use
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment
from adjudge.audit.reading.shell.syntax import Block, Command
from adjudge.audit.reading.shell.words import Kind, pieces
from adjudge.contracts import Severity

_ONCE = r"uniq -\w*[dc]|sort -u\w*[^|\n]*\| *wc|seen\["
_ONE_LINE = r"first line|last line|one line|single line|final line|top line"
_PER_LINE = r"\bone (?:per )?line|\bline(?:s)? (?:each|for|per)|\bper line|each line|a line `|columns?\b|\brows?\b"
_BEST_FIRST = r"\b(?:most|least|\w+est)\b[^.\n]{0,30}\bfirst\b"
_EITHER_WAY = ("diff", "cmp", "comm")


def read_lines(script: Script) -> Iterator[Remark]:
    """Every rule about lines, in turn."""
    for rule in (_unordered, _torn, _once, _repeated, _first_only, _refused_only, _one_way, _joined):
        yield from rule(script)


def _flows_into_comparison(script: Script, use: Use) -> bool:
    """Does what a command writes go into diff, cmp, or a test of texts, as it is?"""
    behind = use.step.stages[use.stage + 1 :]
    names = [stage.name for stage in behind if isinstance(stage, Command)]
    if any(name in ("wc", "head", "tail", "awk", "grep", "read") or name in ("uniq", "while") for name in names):
        return False
    if any(isinstance(stage, Block) for stage in behind):
        return False
    if any(name in _EITHER_WAY for name in names):
        return True
    return _is_compared(script, use)


def _written(script: Script, use: Use) -> list[str]:
    """The files that the pipeline of a sort writes."""
    made = [target for operator, target in use.command.redirects if operator.lstrip("1") in (">", ">>")]
    behind, words = use.step.stages[-1], use.command.words
    if isinstance(behind, Command) and behind is not use.command:
        made += [target for operator, target in behind.redirects if operator.lstrip("1") == ">"]
    made += [words[n + 1] for n, word in enumerate(words[:-1]) if word == "-o"]
    return [script.held.expand(target) for target in made]


def _is_compared(script: Script, use: Use) -> bool:
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


def _sorts(script: Script) -> Iterator[Use]:
    """Each sort of the answer whose result is compared."""
    for use in script.named("sort"):
        checks = any(re.match(r"-\w*[cC]|--check", word) for word in use.command.words[1:])
        if not checks and script.reads(use) > Level.NUMBER and _flows_into_comparison(script, use):
            yield use


def _unordered(script: Script) -> Iterator[Remark]:
    """Sorted before the comparison, where the task asks for an order."""
    asked = asks_for_order(script.instruction) or (script.told(_BEST_FIRST) and not script.told("any order"))
    if not asked or script.speaks(r"sort (?:-\w+ )*-\w*[cC]\b|--check"):
        return
    sorts = list(_sorts(script))
    made = {target for use in sorts for target in _written(script, use)}
    for use in script.named("diff", "cmp", "while", "awk", "paste"):
        words = [w for w in use.command.words[1:] if not w.startswith("<(") and script.held.expand(w) not in made]
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
        before = [s for s in use.step.stages[: use.stage] if isinstance(s, Command) and s.name == "tr"]
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
        if once and script.reads(use) > Level.NUMBER and _flows_into_comparison(script, use):
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
        if counts and listed and not inverted and not any(script.is_file(w, use) or w == "-" for w in listed):
            if script.reads(use) > Level.NUMBER:
                yield script.remark(use, Cause.REPEATS, title, advice)
    for block, use in _loops(script):
        inner = list(commands(block.bodies[0]))
        looks = any(c.name in ("grep", "fgrep") and any(script.level(w, use) for w in c.words) for c in inner)
        if looks and any(is_payment(c) for c in inner) and not any(is_failure(c) for c in inner):
            yield script.remark_at(block.line, script.text.splitlines()[block.line - 1], Cause.REPEATS, title, advice)


def _loops(script: Script) -> Iterator[tuple[Block, Use]]:
    """Each `while read` over the answer's lines."""
    for block, use in script.blocks():
        if block.kind != "while" or use.command.name != "read" or use.around[-1].block is not block:
            continue
        if use.piped > Level.NUMBER:
            yield block, use


def _looks_at_lines(script: Script) -> list[Use]:
    """The commands that read the output's file, or what was copied of it, as it is."""
    found = []
    for use in script.uses:
        named = any(script.is_file(word, use) for word in use.command.words[1:])
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
    if not uses or any(block for block, _ in _loops(script)):
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


def _lines_of(script: Script, use: Use) -> int:
    """How many lines of the output a command, or one behind it in its pipeline, lets through; 0 for all."""
    for stage in use.step.stages[use.stage :]:
        if not isinstance(stage, Command):
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


def _refused_only(script: Script) -> Iterator[Remark]:
    """A loop that refuses wrong lines: an empty file has none."""
    if script.counts() or script.compares():
        return
    for block, use in _loops(script):
        inner = list(commands(block.bodies[0]))
        counted = any("$((" in value for c in inner for _, value in c.assigned) or any(c.name in ("((", "let") for c in inner)
        kept = any("[" in c.text.split("=")[0] and c.words == [] for c in inner)
        if any(is_failure(c) for c in inner) and not (counted or kept or any(is_payment(c) for c in inner)):
            if _others_look(script, block):
                continue
            yield script.remark_at(
                block.line,
                script.text.splitlines()[block.line - 1],
                Cause.FEW_ITEMS,
                "only wrong lines are refused: an empty answer has none, and neither has a part of the right one",
                "Look at the number of lines, too.",
            )


def _others_look(script: Script, block: Block) -> bool:
    """Is the answer searched outside of this loop?"""
    for use in script.uses:
        within = any(place.block is block for place in use.around)
        if within or use.command.name not in ("grep", "egrep", "fgrep", "awk", "[", "[[", "test", "jq"):
            continue
        there = use.command.name in ("[", "test", "[[") and not any(w in ("=", "==", "!=") for w in use.command.words)
        if script.reads(use) and not there:
            return True
    return False


def _one_way(script: Script) -> Iterator[Remark]:
    """`comm -23 OUT ref` alone: what is missing is never seen."""
    found = []
    for use in script.named("comm"):
        shown = "".join(w[1:] for w in use.command.words[1:] if re.fullmatch(r"-[123]+", w))
        sides = [w for w in use.command.words[1:] if not re.fullmatch(r"-[123]+", w)]
        if len(sides) == 2 and "1" not in sides:
            held = [script.is_file(w, use) or (w == "-" and bool(use.piped)) for w in sides]
            found.append((use, set("123") - set(shown), held))
    if len(found) != 1 or script.counts():
        return
    use, shown_columns, held = found[0]
    if held[0] == held[1] or len(shown_columns) != 1:
        return
    [column] = shown_columns
    if column == "3" or (column == "1") != held[0]:
        cause, title = Cause.PADDING, "what is given beside the right lines costs nothing"
    else:
        cause, title = Cause.FEW_ITEMS, "what is missing is never looked for: an empty answer holds no wrong line"
    yield script.remark(use, cause, title, "Compare both ways: comm -3, or diff.")


def _joined(script: Script) -> Iterator[Remark]:
    """`join OUT ref` leaves out what only one of them has."""
    if script.counts() or script.speaks(r"\b(?!bad|err|fail|wrong|miss)\w+(?:\+\+|\s*\+=\s*1)|\bwc\b"):
        return
    for use in script.named("join"):
        options = [w for w in use.command.words if re.match(r"-[av]", w)]
        if not options and script.reads(use):
            yield script.remark(
                use,
                Cause.FEW_ITEMS,
                "join leaves out keys that the answer does not have, and nobody counts those that are left",
                "Use join -a, or count the lines.",
            )
