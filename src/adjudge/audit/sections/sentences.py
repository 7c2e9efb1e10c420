"""Answers in words: sentences that say nothing, or the opposite, must not earn what the right ones do."""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, bag_of_words, denied, other_prefixes
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity

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


def check_prefixes(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Milli for mega in a text: a thousand million times as much, and the same once case is ignored."""
    text = wrongs.document.render(wrongs.document.value).decode("utf-8", "replace")
    changed = other_prefixes(text)
    if wrongs.document.structured or changed == text:
        return
    bench, what = wrongs.bench, "mega for milli, milli for mega in every unit"
    probe = bench.answer("discrimination/prefixes", what, changed.encode(), files=wrongs.right.files)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and wrongs.base - seen.reward <= EPS:
        lines = bench.task.output.format is OutputFormat.TEXT  # in prose a unit may be by the way
        result.findings.append(
            bench.finding(
                Severity.MEDIUM if lines else Severity.LOW,
                Section.DISCRIMINATION,
                f"{what} keeps the credit",
                cause=Cause.SCALE,
                seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
                advice="Compare units with their case: a prefix is a factor.",
                probe=probe,
                before=wrongs.base,
            )
        )
