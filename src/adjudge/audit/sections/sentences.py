"""Answers in words: sentences that say nothing, or the opposite, must not earn what the right ones do."""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, bag_of_words, denied
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_ADVICE = {
    Cause.ANYWHERE: "Look each value up under its own name, and nowhere else; words alone show no knowledge.",
    Cause.WORD_INSIDE: "Compare the whole word or sentence; a word is found in the sentence that denies it.",
}


def check_sentences(
    bench: Bench, text: str, base: float, result: SectionResult, *, denials: bool = True
) -> None:
    """Try the words of a right answer in alphabetical order, and each of its sentences denied."""
    tried = []
    if bag_of_words(text).split() != text.split():
        what = "all words of the right answer in alphabetical order"
        tried.append(("bag-of-words", what, bag_of_words(text), Cause.ANYWHERE))
    if denials:
        tried.append(("denied", "every sentence of the right answer denied", denied(text), Cause.WORD_INSIDE))
    probes = [bench.answer(f"discrimination/{name}", what, data.encode()) for name, what, data, _ in tried]
    result.probes += probes
    for (_, what, _, cause), probe, seen in zip(tried, probes, bench.run(probes), strict=True):
        if not seen.broke and seen.reward >= 0.5 * base:
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
