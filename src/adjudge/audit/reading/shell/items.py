"""Whether a shell script sees that lines are missing, or that there are more than the right ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import GREPS, options, pattern_of
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment, outcome
from adjudge.audit.reading.shell.syntax import ShellBlock
from adjudge.audit.reading.shell.words import Kind, pieces

_LIST = (
    r"\bone (?:per|on each) line|\bline(?:s)? (?:each|for|per)|\bper line|each line|a line `|\blist\b|\ball\b"
)
_THERE = r"(?:\[|test) +(?:! +)?-[fser] "


def read_items(script: Script) -> Iterator[Remark]:
    """Every rule about what is missing or too much, in turn."""
    for rule in (_refused_only, _one_way, _joined, _found_only, _none_wrong, _nothing_differs):
        yield from rule(script)


def _refused_only(script: Script) -> Iterator[Remark]:
    """A loop that refuses wrong lines: an empty file has none."""
    if script.counts() or script.compares():
        return
    for block, _ in script.loops():
        inner = list(commands(block.bodies[0]))
        counted = any("$((" in value for c in inner for _, value in c.assigned) or any(
            c.name in ("((", "let") for c in inner
        )
        kept = any("[" in c.text.split("=")[0] and c.words == [] for c in inner)
        if any(is_failure(c) for c in inner) and not (counted or kept or any(is_payment(c) for c in inner)):
            if _others_look(script, block):
                continue
            yield script.remark_at(
                block.line,
                script.line(block.line),
                Cause.FEW_ITEMS,
                "only wrong lines are refused: an empty answer has none, nor has a part",
                "Look at the number of lines, too.",
            )


def _others_look(script: Script, block: ShellBlock) -> bool:
    """Is the answer searched outside of this loop?"""
    for use in script.uses:
        within = any(place.block is block for place in use.around)
        if within or use.command.name not in ("grep", "egrep", "fgrep", "awk", "[", "[[", "test", "jq"):
            continue
        there = use.command.name in ("[", "test", "[[") and not any(
            w in ("=", "==", "!=") for w in use.command.words
        )
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
        cause, title = (
            Cause.FEW_ITEMS,
            "what is missing is never looked for: an empty answer holds no wrong line",
        )
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


def _found_only(script: Script) -> Iterator[Remark]:
    """`for host in ...; do grep -qx $host OUT || miss=1; done`: what else is listed costs nothing."""
    if script.counts() or script.compares() or not script.told(_LIST) or script.suffix == ".md":
        return
    for use in script.named(*GREPS):
        words, pattern = use.command.words, pattern_of(use.command.words)
        looped = any(place.block is not None and place.block.kind in ("for", "while") for place in use.around)
        if pattern is None or not looped or "x" not in options(words) or script.level(pattern, use):
            continue
        varies = any(piece.kind is Kind.VARIABLE for piece in pieces(pattern))
        if (
            varies
            and "v" not in options(words)
            and script.reads(use) > OutputLevel.NUMBER
            and outcome(use) != "refuses"
        ):
            yield script.remark(
                use,
                Cause.PADDING,
                "the right lines have to be among those of the answer, and others cost nothing",
                "Look at the number of lines, too, or compare the whole (diff, comm -3).",
            )
            return


def _none_wrong(script: Script) -> Iterator[Remark]:
    """`grep -vxFf ref OUT` finds no wrong line in an empty file."""
    if script.counts() or script.compares():
        return
    for use in script.named(*GREPS):
        words = use.command.words
        listed = [words[n + 1] for n, w in enumerate(words[:-1]) if re.fullmatch(r"-\w*f", w)]
        from_tests = bool(listed) and not any(script.is_file(word, use) for word in listed)
        decides = "q" in options(words) or any(
            p.block is None and p.role == "inside" for p in use.around[-1:]
        )
        if from_tests and decides and "v" in options(words) and script.reads(use) > OutputLevel.NUMBER:
            others = [u for u in script.named(*GREPS) if u is not use and script.reads(u)]
            if not others:
                yield script.remark(
                    use,
                    Cause.FEW_ITEMS,
                    "only wrong lines are looked for: an empty answer has none, and neither has a part",
                    "Look at the number of lines, too.",
                )


def _nothing_differs(script: Script) -> Iterator[Remark]:
    """`[ -z "$(diff OUT ref)" ]`: of a file that is not there diff says nothing on standard output."""
    if script.speaks(_THERE) or script.speaks(r"set -\w*e"):
        return
    for use in script.named("diff"):
        asked = any("2>" in o + t or o.startswith("&") for o, t in use.command.redirects)
        first = use.command.words[1:] and any(script.is_file(word, use) for word in use.command.words[1:])
        if asked or not first or use.around[-1].role != "inside" or len(use.step.stages) > 1:
            continue
        texts = {
            name for name, values in script.held.values.items() if any(use.command.text in v for v in values)
        }
        for other in script.named("[", "[[", "test"):
            said = other.command.text
            kept = any(re.search(rf"\$\{{?{name}\b", said) for name in texts)
            if (
                re.search(r'-z |= ""', said)
                and (use.command.text in said or kept)
                and outcome(other) != "refuses"
            ):
                yield script.remark(
                    use,
                    Cause.PASSES_BROKEN,
                    "diff writes nothing here if there is no output, so that no output passes",
                    "Ask for its exit code: if diff -q ...; then.",
                )
                return
