"""A text that is an input with something changed: what was to stay may be gone.

A verifier that looks for what is new, and for what must have gone, is content with the new alone. So what the
right answer has of its input is left out, by words and by lines. That is a flaw where the task says that the
rest stays; elsewhere it is worth a look.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.given import given_files
from adjudge.audit.probes import answer_of
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import of_gain
from adjudge.contracts import OutputFormat, Severity

_TEXTS = frozenset({OutputFormat.MARKDOWN, OutputFormat.TEXT, OutputFormat.BINARY})
_WORD = re.compile(r"\S+")
_MOST_WORDS = 4_000
_MOST_BYTES = 200_000
_MOST_INPUTS = 20
_SAME = 0.6
_SOME = 0.25
_STAYS = re.compile(
    r"\b(?:un(?:changed|touched|modified|altered)|intact|preserv\w+|verbatim)\b"
    r"|\b(?:not|never|nothing|no other|nor) (?:\w+ ){0,4}(?:touch|chang|alter|modif|edit|remov|delet)\w*"
    r"|\b(?:everything|anything|all) else\b|\bthe rest\b"
    r"|\b(?:other|remaining) (?:lines?|text|words|parts?|content)\b"
    r"|\b(?:leave|keep)\b[^.\n]{0,60}\b(?:as|alone|same|text|lines?|order)\b",
    re.I,
)
_ADVICE = "Compare the rest with the input as well: take out what was to be changed, on both sides."


def check_changed_inputs(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Leave out what the right answer has of the input that it is most like."""
    task = wrongs.bench.task
    if task.output.format not in _TEXTS:
        return
    text = (answer_of(task, wrongs.right.files) or b"").decode("utf-8-sig", "replace")
    given = [path for path in given_files(task) if path.stat().st_size <= _MOST_BYTES][:_MOST_INPUTS]
    new = _new_words(text, [path.read_bytes() for path in given])
    lines = text.splitlines()
    if new is None:
        return
    by_words = "\n".join(" ".join(words) for words in new if words)
    by_lines = "\n".join(line for line, words in zip(lines, new, strict=True) if words)
    made = {"new-words": ("nothing but the words that are new", by_words)}
    if by_lines not in (by_words, text.rstrip("\n")):
        made["new-lines"] = ("nothing but the lines with something new", by_lines)
    probes = [
        wrongs.bench.answer(f"discrimination/{name}", what, f"{changed}\n".encode(), files=wrongs.right.files)
        for name, (what, changed) in made.items()
    ]
    told = _STAYS.search(task.instruction) is not None
    result.probes += probes
    for probe, (what, _), seen in zip(probes, made.values(), wrongs.bench.run(probes), strict=True):
        kept = seen.reward / wrongs.base
        if seen.broke or kept < _SOME:
            continue
        wrongs.lost.append(1 - kept)
        result.findings.append(
            wrongs.bench.finding(
                of_gain(kept, seen) if told else Severity.LOW,
                Section.DISCRIMINATION,
                f"{what} in the answer earns {seen.reward:g}",
                cause=Cause.EMPTY,
                seen="What was to stay as it was in the input is gone.",
                advice=_ADVICE,
                probe=probe,
                before=wrongs.base,
            )
        )
        return


def _new_words(text: str, inputs: list[bytes]) -> list[list[str]] | None:
    """Of each line the words that the input does not have there; None if the text is not a changed input."""
    words = [(number, word) for number, line in enumerate(text.splitlines()) for word in _WORD.findall(line)]
    plain = [word for _, word in words]
    best: SequenceMatcher[str] | None = None
    for data in inputs:
        given = _WORD.findall(data.decode("utf-8", "replace"))
        if not 0 < len(given) <= _MOST_WORDS or not 0 < len(plain) <= _MOST_WORDS:
            continue
        found = SequenceMatcher(None, given, plain, autojunk=False)
        if found.real_quick_ratio() >= _SAME and found.quick_ratio() >= _SAME and found.ratio() >= _SAME:
            best = found
            break
    if best is None:
        return None
    fresh: list[list[str]] = [[] for _ in text.splitlines()]
    for how, _, _, start, end in best.get_opcodes():
        if how in ("replace", "insert"):
            for number, word in words[start:end]:
                fresh[number].append(word)
    return fresh if any(fresh) else None
