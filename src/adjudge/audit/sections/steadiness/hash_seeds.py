"""Answers that are right enough, and lie near two references each: whose they are may be a matter of order.

A verifier that pairs what is given with what is right, and takes from a set the first that fits, gives the
right answer its reward under each hash seed, since every value fits one reference only. So the values are
moved, all by as much, until some fit two. Tried only if the source speaks of sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Document, Leaf, leaves, replaced
from adjudge.audit.probes import Bench, Conditions, Files, Probe, Seen, verifier_sources, with_answer
from adjudge.audit.probes.shifts import shifted_columns, shifted_texts
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.steadiness.perturbations import HASH_SEEDS
from adjudge.contracts import OutputFormat, Severity

_SETS = re.compile(r"\b(?:frozen)?set\(|\{\s*[\w.()\[\]\"']+\s+for\s+\w+")
_MOST_COLUMNS = 2
_MOST_SHIFTS = 4
_AGAIN = 3
_TEXTS = frozenset({OutputFormat.CSV, OutputFormat.TEXT, OutputFormat.MARKDOWN, OutputFormat.BINARY})
"""Formats in which a number is read as a text first, and may be kept as one."""


def check_hash_seeds(bench: Bench, right: RightAnswer | None, result: SectionResult) -> bool:
    """Report a reward that changes with the hash seed on values moved a little; False if it does."""
    document = None if right is None else right.document
    if right is None or document is None:
        return True
    if any(
        f.cause in (Cause.RANDOM, Cause.ENVIRONMENT) and f.severity is Severity.HIGH for f in result.findings
    ):
        return True
    if not any(_SETS.search(text) for text in verifier_sources(bench.task)):
        return True
    for number, files in enumerate(_shifted(bench, right, document)):
        probes = [_seeded(number, files, seed) for seed in (None, *HASH_SEEDS)]
        result.probes += probes
        seen = bench.run(probes)
        other = next((n for n, one in enumerate(seen) if one.claimed != seen[0].claimed), None)
        if other is not None:
            lasts = _lasts(bench, probes, seen, other)
            _report(bench, probes[other], seen[0], seen[other], result, lasts=lasts)
            return False
    return True


def _shifted(bench: Bench, right: RightAnswer, document: Document) -> Iterator[Files]:
    """The right answer with a column of it moved."""
    if not document.structured:
        text = document.render(document.value).decode("utf-8", "replace")
        for moved in shifted_texts(text)[:_MOST_SHIFTS]:
            yield with_answer(bench.task, right.files, moved.encode())
        return
    columns: dict[tuple[str, ...], list[Leaf]] = {}
    as_text = bench.task.output.format in _TEXTS
    for leaf in leaves(document.value):
        listed = any(isinstance(step, int) for step in leaf.path)
        if listed and (leaf.kind == "text" or leaf.rest is not None or (as_text and leaf.kind == "number")):
            pattern = tuple("*" if isinstance(step, int) else step for step in leaf.path)
            columns.setdefault(pattern, []).append(leaf)
    found = [(column, made) for column in columns.values() if (made := shifted_columns(column))]
    for column, made in found[:_MOST_COLUMNS]:
        for values in made[:_MOST_SHIFTS]:
            changes = [(leaf.path, value) for leaf, value in zip(column, values, strict=True)]
            yield with_answer(bench.task, right.files, document.render(replaced(document.value, changes)))


def _seeded(number: int, files: Files, seed: str | None) -> Probe:
    name = f"determinism/moved-{number + 1}/seed-{seed or '0'}"
    what = f"the right answer with a column moved a little ({number + 1}), hash seed {seed or '0'}"
    return Probe(
        name, what, files, Conditions() if seed is None else Conditions(env=(("PYTHONHASHSEED", seed),))
    )


def _lasts(bench: Bench, probes: list[Probe], seen: list[Seen], other: int) -> bool:
    """Is it the seed, and not the run? Each is the same again and again."""
    for place in (0, other):
        again = [
            replace(
                probes[place],
                name=f"{probes[place].name}/{number + 1}",
                conditions=replace(probes[place].conditions, round=number),
            )
            for number in range(1, _AGAIN)
        ]
        if any(one.claimed != seen[place].claimed for one in bench.run(again)):
            return False
    return True


def _report(
    bench: Bench, probe: Probe, before: Seen, after: Seen, result: SectionResult, *, lasts: bool
) -> None:
    """Put down to the seed if each seed always gives the same; a verifier may choose one of its own."""
    what = "with another hash seed" if lasts else "from run to run"
    result.findings.append(
        bench.finding(
            Severity.HIGH,
            Section.DETERMINISM,
            f"the reward changes {what}, if values lie near two references",
            cause=Cause.ENVIRONMENT if lasts else Cause.RANDOM,
            seen=f"{before.reward:g} became {after.reward:g}.",
            advice="Sort sets before their order matters, or give each value to the nearest.",
            probe=probe,
            before=before.claimed,
        )
    )
