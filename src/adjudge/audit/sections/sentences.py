"""Answers in words: sentences that say nothing, or the opposite, must not earn what the right ones do."""

from __future__ import annotations

import re

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, bag_of_words, denied, other_prefixes, other_units
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity

_ASKED = re.compile(r"\bunits?\b", re.I)
_ITEM = re.compile(r"\s*(?:[-*+|#]|\d{1,3}[.)])")
_SENTENCE_END = re.compile(r"[.!?]\W*$")
_LINES, _SHORT_LINE = 3, 12
_SHORT = 30
_OTHERS = 8
_ALONE = re.compile(
    r"\bnothing else\b|\bone line\b|\bsingle (?:line|word|number|value|name)\b|\bonly the\b|\bjust the\b"
    r"|\bexactly one\b|\bno other\b|\band nothing\b|\bone word\b",
    re.I,
)
"""The task asks for one answer and no more."""
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
            beside = cause is Cause.HEDGED and _is_list(text)  # lines that are no items may be passed over
            result.findings.append(
                bench.finding(
                    Severity.LOW if beside else Severity.MEDIUM,
                    Section.DISCRIMINATION,
                    f"{what} earns {seen.reward:g}",
                    cause=cause,
                    seen=f"The right answer earns {base:g}, this one {seen.reward:g}.",
                    advice=_ADVICE[cause],
                    probe=probe,
                    before=base,
                )
            )


def _is_list(text: str) -> bool:
    """Are most of its lines items, rows or headings? Or is it some short lines, none of them a sentence?"""
    lines = [line for line in text.splitlines() if line.strip()]
    items = sum(bool(_ITEM.match(line)) for line in lines)
    bare = len(lines) >= _LINES and not any(_SENTENCE_END.search(line) for line in lines)
    return 2 * items >= len(lines) or (bare and max(len(line.split()) for line in lines) <= _SHORT_LINE)


def check_among_others(bench: Bench, text: str, right: RightAnswer, result: SectionResult) -> None:
    """A short text among other lines of its kind: whoever finds it there is told every candidate."""
    said = " ".join(text.split())
    alone = (
        len(text.split("\n\n")) == 1 and len(said.split()) <= _SHORT and _ALONE.search(bench.task.instruction)
    )
    if not alone or not re.search(r"\w", said):
        return
    others = [_other_line(said, step, bench.task.instruction) for step in range(1, _OTHERS + 1)]
    lines = "\n".join([*others[: _OTHERS // 2], said, *others[_OTHERS // 2 :]])
    what = f"the right answer among {_OTHERS} others"
    probe = bench.answer("discrimination/among-others", what, f"{lines}\n".encode(), files=right.files)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    if seen.broke or seen.reward < 0.5 * right.reward:
        return
    rest = bench.answer(  # what they earn by themselves is not owed to the right one among them
        "discrimination/others-alone",
        f"{_OTHERS} other answers",
        "".join(f"{one}\n" for one in others).encode(),
        files=right.files,
    )
    [alone_seen] = bench.run([rest])
    result.probes.append(rest)
    if seen.reward - alone_seen.reward < 0.5 * (right.reward - alone_seen.reward):
        return
    result.findings.append(
        bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{what} earns {seen.reward:g}",
            cause=Cause.HEDGED,
            seen=f"The right answer alone earns {right.reward:g}; on one of {_OTHERS + 1} lines it earns "
            f"{seen.reward:g}, so that whoever can name candidates lists all of them.",
            advice="Compare the whole output with the reference, not a part of it.",
            probe=probe,
            before=right.reward,
        )
    )


def _other_line(text: str, step: int, instruction: str) -> str:
    """Another answer of the same form: words that the task itself writes stay, if others are left to change.

    A verifier finds the line by them, and takes the first or the last: that is no list of candidates. Of a
    word with digits only these are moved on, so that a date looks like a date.
    """

    def turned(word: str) -> str:
        digits = re.search(r"[0-9]", word) is not None
        return re.sub("[0-9]", lambda found: _turned(found[0], step), word) if digits else _turned(word, step)

    words = text.split(" ")
    told = set(re.findall(r"\S+", instruction.replace("`", " ")))
    kept = [word in told for word in words]
    if all(kept):  # the example is the answer: then plain words are what a line is found by
        kept = [word.isalpha() and not all(map(str.isalpha, words)) for word in words]
    return " ".join(word if stays else turned(word) for word, stays in zip(words, kept, strict=True))


def _turned(text: str, step: int) -> str:
    """The same text with each letter and digit moved on: another answer that looks like it."""

    def moved(character: str) -> str:
        for first, many in (("a", 26), ("A", 26), ("0", 10)):
            place = ord(character) - ord(first)
            if 0 <= place < many:
                return chr(ord(first) + (place + step) % many)
        return character

    return "".join(map(moved, text))


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
