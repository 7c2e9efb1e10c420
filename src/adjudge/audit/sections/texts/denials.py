"""Sections of a report that say the opposite, in the words of the right one.

Each section is denied sentence by sentence: "It is not true that ...", "Is it so that ...? No.", "... was a
coincidence"; and the task's own question is answered with No. What a section is worth is what it costs to say
nothing there, in as many words and lines. Sections whose numbers count are left alone, as a number is right
whatever is said around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import slug
from adjudge.audit.probes import Bench, Probe, Seen, answer_of
from adjudge.audit.sections.measure import EPS, KEPT, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HEADING = re.compile(r"^#{1,5}[ \t]+\S[^\n]*$", re.M)
_MARK = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,2}[.)])[ \t]+)?")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[\"'`*(A-Z0-9])")
_CITED = re.compile(
    r"\b(?:clause|section|article|rule|paragraph|para|step|figure|table)s? \d+(?:\.\d+)*|§ ?\d+", re.I
)
_QUESTION = re.compile(r"[A-Z][^.?!\n]*\?")
_QUOTED = re.compile(r"`([^`\n]{6,80})`")
_REPEATED = re.compile(r"\b(?:repeat|restate|quote|copy)\w*[^.\n]{0,30}\bquestion", re.I)
_MOST = 6
_LEAST_WORDS = 4
_LEAST_SHARE = 0.05
_MEDIUM_SHARE = 0.2
_NUMBERS = 0.5
_NOTHING = "nothing about this point can be said with any confidence so far and it was left for another day"


class _Part(Struct):
    """A section of a report, and where its body stands in it."""

    name: str
    begin: int
    end: int


def check_denials(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """Report sections that keep their credit when they are denied."""
    text = (answer_of(bench.task, right.files) or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")
    parts = [part for part in _parts(text) if len(text[part.begin : part.end].split()) >= _LEAST_WORDS][
        :_MOST
    ]
    questions = _QUESTION.findall(bench.task.instruction)
    free: list[tuple[_Part, Probe, Seen, float]] = []

    def made(part: _Part, name: str, what: str, body: str) -> Probe:
        data = f"{text[: part.begin]}{body}{text[part.end :]}".encode()
        probe = f"discrimination/denials.{slug((part.name,))}/{name}"
        return bench.answer(probe, f"{part.name}: {what}", data, files=right.files)

    first = [
        [
            made(part, "nothing", "nothing said", _each(text[part.begin : part.end], _nothing)),
            made(part, "numbers", "other numbers", _other_digits(text[part.begin : part.end])),
        ]
        for part in parts
    ]
    result.probes += [probe for group in first for probe in group]
    for number, (part, seen) in enumerate(zip(parts, bench.run_groups(first), strict=True)):
        nothing, numbers = (right.reward - one.reward for one in seen)
        told = nothing > max(EPS, _LEAST_SHARE * right.reward) and numbers < _NUMBERS * nothing
        if not told or any(one.broke for one in seen):
            continue
        body = text[part.begin : part.end]
        ways = {name: (what, _each(body, change)) for name, what, change in _WAYS}
        if len(questions) == len(parts) > 1:
            cited = " ".join(match[0] for match in _CITED.finditer(body))
            answered = f"\n{questions[number]} No{f' ({cited})' if cited else ''}.\n\n"
            ways["question"] = ("the question of the task, and No", answered)
        probes = [made(part, name, what, changed) for name, (what, changed) in ways.items()]
        result.probes += probes
        for probe, after in zip(probes, bench.run(probes), strict=True):
            if not after.broke and share_kept(right.reward - after.reward, nothing) >= KEPT:
                free.append((part, probe, after, nothing))
    if free:
        _report(bench, right, text, free, result)


def _report(
    bench: Bench,
    right: RightAnswer,
    text: str,
    free: list[tuple[_Part, Probe, Seen, float]],
    result: SectionResult,
) -> None:
    worth = {part.name: stake for part, _, _, stake in free}
    part, probe, seen, _ = max(free, key=lambda one: one[3])
    forms = _QUOTED.findall(bench.task.instruction)
    formal = all(any(form in text[one.begin : one.end] for form in forms) for one, *_ in free)
    told = _REPEATED.search(bench.task.instruction) is not None
    slight = sum(worth.values()) < _MEDIUM_SHARE * right.reward or (formal and not told)
    names = ", ".join(list(worth)[:4])
    result.findings.append(
        bench.finding(
            Severity.LOW if slight else Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{names}: what says the opposite in the same words keeps the credit",
            cause=Cause.WORD_INSIDE,
            seen=f"{probe.what}: {seen.reward:g}; with nothing said there the answer earns "
            f"{right.reward - worth[part.name]:g}, the right one {right.reward:g}.",
            advice="Ask for a conclusion in fixed words on a line of its own, and compare all of it: words "
            "are found in the sentence that denies them.",
            probe=probe,
            before=right.reward,
            also=[one[1] for one in free if one[1] is not probe],
        )
    )


def _parts(text: str) -> list[_Part]:
    """What stands below each heading; without headings, each paragraph."""
    found = list(_HEADING.finditer(text))
    if found:
        ends = [*(match.start() for match in found[1:]), len(text)]
        names = [match[0].lstrip("# \t") for match in found]
        return [
            _Part(name, m.end(), end)
            for name, m, end in zip(names, found, ends, strict=True)
            if end > m.end()
        ]
    return [
        _Part(f"paragraph {number + 1}", match.start(), match.end())
        for number, match in enumerate(re.finditer(r"\S(?:.|\n(?!\s*\n))*", text))
    ]


def _each(body: str, change: Callable[[str, int], str]) -> str:
    """Every sentence changed, in the lines and lists in which they stand; tables and code are left alone."""
    made, count, fenced = [], 0, False
    for block in _blocks(body):
        fenced ^= block.lstrip().startswith(("```", "~~~"))
        mark = _MARK.match(block)
        start = mark.end() if mark else 0
        if fenced or not block[start:].strip() or block.lstrip().startswith(("|", "```", "~~~")):
            made.append(block)
            continue
        sentences = []
        for one in _SENTENCES.split(block[start:].strip()):
            sentences.append(change(one, count))
            count += 1
        made.append(f"{block[:start]}{' '.join(sentences)}")
    return "\n".join(made)


def _blocks(body: str) -> list[str]:
    """Lines, with those joined that go on a paragraph or an item."""
    blocks: list[str] = []
    for line in body.split("\n"):
        mark = _MARK.match(line)
        begins = bool(mark and mark[0].strip()) or line.lstrip().startswith(("|", "```", "~~~"))
        if blocks and line.strip() and blocks[-1].strip() and not begins and "|" not in blocks[-1][:2]:
            blocks[-1] = f"{blocks[-1]} {line.strip()}"
        else:
            blocks.append(line)
    return blocks


def _nothing(sentence: str, number: int) -> str:
    """As many words that say nothing, others in each sentence."""
    words = _NOTHING.split()
    turned = [*words[number % 5 :], *words[: number % 5]]
    many = max(3, len(sentence.split()))
    said = " ".join((turned * (many // len(turned) + 1))[:many])
    return f"{said[:1].upper()}{said[1:]}."


def _begun(sentence: str) -> str:
    """A sentence as part of another."""
    bare = sentence.rstrip(" .!?;")
    return f"{bare[:1].lower()}{bare[1:]}" if bare[1:2].islower() else bare


_WAYS: tuple[tuple[str, str, Callable[[str, int], str]], ...] = (
    ("denied", "every sentence denied", lambda one, _: f"It is not true that {_begun(one)}."),
    ("asked", "every sentence as a question, and No", lambda one, _: f"Is it so that {_begun(one)}? No."),
    (
        "aside",
        "every sentence said to have been a coincidence",
        lambda one, _: f"That {_begun(one)} was claimed, and was ruled out; it was something else.",
    ),
)


def _other_digits(body: str) -> str:
    return re.sub(r"\d", lambda match: str((int(match[0]) + 3) % 10), body)
