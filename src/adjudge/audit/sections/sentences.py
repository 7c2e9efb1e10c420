"""Answers in words: sentences that say nothing, or the opposite, must not earn what the right ones do."""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, bag_of_words, denied, other_prefixes, other_units
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity

_ASKED = re.compile(r"\bunits?\b", re.I)
_ADVICE = {
    Cause.ANYWHERE: "Look each value up under its own name, and nowhere else; words alone show no knowledge.",
    Cause.WORD_INSIDE: "Compare the whole word or sentence; a word is found in the sentence that denies it.",
    Cause.HEDGED: "Refuse a text that says a thing and its opposite: a right sentence among others is none.",
}


def check_sentences(
    bench: Bench, text: str, base: float, result: SectionResult, *, denials: bool = True
) -> None:
    """Try the words of a right answer in alphabetical order, its sentences denied, and both."""
    tried = []
    if bag_of_words(text).split() != text.split():
        what = "all words of the right answer in alphabetical order"
        tried.append(("bag-of-words", what, bag_of_words(text), Cause.ANYWHERE))
    if denials:
        no = denied(text)
        tried.append(("denied", "every sentence of the right answer denied", no, Cause.WORD_INSIDE))
        what = "the right answer between two denials of it"
        tried.append(("said-and-denied", what, f"{no}\n{text.rstrip()}\n\n{no}", Cause.HEDGED))
    probes = [bench.answer(f"discrimination/{name}", what, data.encode()) for name, what, data, _ in tried]
    result.probes += probes
    earned = {Cause.WORD_INSIDE: 0.0}
    for (_, what, _, cause), probe, seen in zip(tried, probes, bench.run(probes), strict=True):
        if seen.broke:
            continue
        earned[cause] = seen.reward
        if cause is Cause.HEDGED and earned[Cause.WORD_INSIDE] >= 0.5 * base:
            continue  # who takes the denial alone takes it beside the sentence, too
        if seen.reward >= 0.5 * base:
            result.findings.append(
                bench.finding(
                    Severity.MEDIUM,
                    Section.DISCRIMINATION,
                    f"{what} earns {seen.reward:g}",
                    cause=cause,
                    seen=f"The right answer earns {base:g}, this one {seen.reward:g}.",
                    advice=_ADVICE[cause],
                    probe=probe,
                    before=base,
                )
            )


def check_units(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Another unit behind every number of a text; of whoever ignores only case, milli for mega.

    Other units are tried only if the task asks for them: elsewhere they are by the way.
    """
    text = wrongs.document.render(wrongs.document.value).decode("utf-8", "replace")
    if wrongs.document.structured:
        return
    lines = wrongs.bench.task.output.format is OutputFormat.TEXT  # in prose a unit may be by the way
    tried = []
    if _ASKED.search(wrongs.bench.task.instruction):
        advice = "Read the unit beside a number, and refuse or convert another one."
        tried.append(("units", "a thousand times the unit behind every number", other_units(text), advice))
    what, advice = (
        "mega for milli, milli for mega in every unit",
        "Compare units with their case: a prefix is a factor.",
    )
    tried.append(("prefixes", what, other_prefixes(text), advice))
    for name, what, changed, advice in tried:
        if changed != text and _unit_is_free(wrongs, name, what, changed, advice, lines, result):
            return  # whoever takes any unit takes mega for milli


def _unit_is_free(
    wrongs: WrongAnswers, name: str, what: str, changed: str, advice: str, lines: bool, result: SectionResult
) -> bool:
    bench = wrongs.bench
    probe = bench.answer(f"discrimination/{name}", what, changed.encode(), files=wrongs.right.files)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    if seen.broke or wrongs.base - seen.reward > EPS:
        return False
    result.findings.append(
        bench.finding(
            Severity.MEDIUM if lines else Severity.LOW,
            Section.DISCRIMINATION,
            f"{what} keeps the credit",
            cause=Cause.SCALE,
            seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
            advice=advice,
            probe=probe,
            before=wrongs.base,
        )
    )
    return True
