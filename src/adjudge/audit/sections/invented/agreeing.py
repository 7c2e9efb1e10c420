"""Answers whose invented numbers only agree with each other: inputs that are echoed, sums of what is stated.

A verifier that works its reference out from the answer's own values accepts any of them that fit together.
So two answers of numbers that nobody gave are let settle (`settled`). What becomes the same in both is
compared with a reference; the rest is invented. If it earns half of the reward in both, beside what it earns
where it does not agree, then the one contradicts the other, and nothing had to be worked out from the inputs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from adjudge.audit.answers import RightAnswer
from adjudge.audit.answers.marks import Place
from adjudge.audit.answers.settled import Settled, mark_of, settled
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import get, leaves, name_paths, replaced, several_are_right
from adjudge.audit.probes import Bench, Files, Probe, with_answer
from adjudge.audit.sections.invented.drafts import drafts
from adjudge.audit.sections.invented.rules import read_rules
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HALF = 0.5
_ENOUGH = 0.6
_TURNS = 3
_FEWEST = 2
_COUNTS = 60
_WHAT = "invented numbers that agree with each other"
_ALIKE = 1e-9
_RUNS, _SHARE = 40, 0.3
"""So many runs may take at most that share of the time left: a slow verifier is tried in other ways."""
_FOLLOWS = re.compile(
    r"\bcarried forward\b|\bfollow[- ](?:on|through)\b|\binternally consistent\b"
    r"|\b(?:from|with|against|by|to) (?:your|its|the answer's) own\b"
    r"|\bagree with (?:each other|one another|themselves)\b",
    re.I,
)
"""The task says that it marks so."""
_CHOICE = re.compile(
    r"\b(?:choose|pick|propose|invent|suggest|assume|make up|decide|allocate)\b|\bup to you\b"
    r"|\byou may (?:use|take) any|\b(?:min|max|opt)imi[sz]\w*|\bfeasible\b|\bconstraints?\b"
    r"|\b(?:your|its) own (?:choice|design|assumption)|\bof (?:your|its) (?:own )?(?:choice|choosing)\b"
    r"|\b(?:design|size|dimension|tune|plan|schedule) (?:an?|the|all|each|every)\b",
    re.I,
)


def check_agreeing(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    """Tell of two answers that only agree with themselves, and earn half of the reward each."""
    told = bench.task.instruction
    if several_are_right(told) or _CHOICE.search(told) or not _is_quick(bench):
        return
    found = _start(bench, right)
    if found is None:
        return
    start, named, write = found
    for turn in range(_TURNS):
        one = settled(bench, start, f"agreeing-{turn}", write, turn=turn, fixed=named, enough=_ENOUGH)
        if one is not None and one.reward - one.before >= _HALF - 1e-6:
            break
    else:
        return
    other = settled(
        bench, start, f"agreeing-{turn}-again", write, turn=turn + _TURNS, fixed=named, enough=_ENOUGH
    )
    if other is None:
        return
    same = _same(one, other)
    free = [leaf for leaf in leaves(one.value) if leaf.kind == "number" and leaf.path not in {*same, *named}]
    if len(free) < _FEWEST:
        return
    loose = replaced(one.value, [(leaf.path, mark_of(turn, place)) for place, leaf in enumerate(free)])
    plain = all(_is_plain(get(one.value, path), told) for path in same)
    _report(bench, result, [write(value) for value in (loose, one.value, other.value)], plain=plain)


def _is_plain(number: float, instruction: str) -> bool:
    """Does it count, or stand in the task? Whoever knows it has worked nothing out."""
    counts = float(number).is_integer() and abs(number) <= _COUNTS
    return counts or re.search(rf"(?<![\d.]){re.escape(f'{number:g}')}(?![\d.]*\d)", instruction) is not None


def _is_quick(bench: Bench) -> bool:
    took = [seen.duration_sec for _, seen in bench.log.values()]
    return bool(took) and min(took) * _RUNS <= _SHARE * bench.budget.until_the_end()


def _start(
    bench: Bench, right: RightAnswer | None
) -> tuple[Any, frozenset[Place], Callable[[Any], Files]] | None:
    """A shape, the places of names in it, and what writes it: the right one's, else the one that is shown."""
    task = bench.task
    document = right.document if right is not None else None
    if right is not None and document is not None and document.structured:
        value = document.value
        named = frozenset(name_paths(value))
        files, render = right.files, document.render
        return value, named, lambda made: with_answer(task, files, render(made))
    found = drafts(task, read_rules(task.folder / "tests")) if right is None else []
    if not found:
        return None
    draft = found[0]
    return draft.value, frozenset(), lambda made: with_answer(task, (), draft.render(made))


def _same(one: Settled, other: Settled) -> set[Place]:
    """The places whose numbers are alike in both, although they began as others."""
    found = set()
    for leaf in leaves(one.value):
        if leaf.kind == "number":
            there = get(other.value, leaf.path)
            if isinstance(there, int | float) and math.isclose(leaf.number, there, rel_tol=_ALIKE):
                found.add(leaf.path)
    return found


def _report(bench: Bench, result: SectionResult, made: list[Files], *, plain: bool) -> None:
    """The numbers that do not agree, then those that do; `plain` if all else is known to anybody."""
    loose, *pair = (
        Probe(f"trivial/agreeing-{number}", what, files)
        for number, (what, files) in enumerate(
            zip(("invented numbers that do not agree", _WHAT, f"other {_WHAT}"), made, strict=True)
        )
    )
    before, *seen = bench.run([loose, *pair])
    result.probes += [loose, *pair]
    least = min(one.reward for one in seen)
    if least - before.reward < _HALF - 1e-6:
        return
    severity = Severity.HIGH if plain and not any(one.held for one in seen) else Severity.MEDIUM
    severity = Severity.LOW if _FOLLOWS.search(bench.task.instruction) else severity
    result.findings.append(
        bench.finding(
            severity,
            Section.TRIVIAL,
            f"{_WHAT} earn {least:g}",
            cause=Cause.AGREES,
            seen=f"So do others ({pair[1].name}), and both cannot be right. Numbers that do not agree earn "
            f"{before.reward:g}.",
            advice="Compare what the answer states of the inputs with the inputs, or work the references out "
            "from these.",
            probe=pair[0],
            before=before.reward,
            also=pair[1:],
        )
    )
