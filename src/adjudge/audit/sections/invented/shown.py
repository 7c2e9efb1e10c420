"""What an agent earns that copies out of the task or of the verifier: each example, each word looked for.

Every example of the instruction is tried as it stands, whatever its label or layout. The words and patterns
that the source looks for are tried as lines of a text, and as lines of comments: a file of comments does
nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from adjudge.audit.answers import RightAnswer
from adjudge.audit.answers.written import blocks_shown
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import skeleton
from adjudge.audit.probes import Bench, Probe, Seen, answer_of, with_answer
from adjudge.audit.sections.invented.exemplars import comment_mark, exemplars
from adjudge.audit.sections.invented.invent import companions
from adjudge.audit.sections.result import SectionResult, in_turn
from adjudge.contracts import OutputFormat, Severity, Task

_HERE = Section.TRIVIAL
_HALF, _LEAST, _MOSTLY = 0.5, 0.2, 0.9
_MOST, _MOST_SHORT = 8, 2
_CELLS = re.compile(r"[^\s/][ ,;:=|]+\S")
"""A name and something beside it: of what stands between backticks, only that may be a whole answer."""
_BEFORE = 240
_IS_EXAMPLE = re.compile(
    r"\b(?:example|e\.g|for instance|format|template|sample|looks? like|such as|structure|schema"
    r"|shape|layout)\b",
    re.I,
)
_TO_COPY = re.compile(
    r"\b(?:exactly (?:this|the following)|with (?:the|this) (?:following )?contents?|containing exactly"
    r"|verbatim"
    r"|following (?:contents?|text|line|code|configuration))\b",
    re.I,
)
_SPEAKS = re.compile(
    r"\b(?:script|config\w*|payload|program|code|command|quer(?:y|ies)|makefile|syntax)\b", re.I
)
_PROSE_ENDING = (".md", ".rst", ".html")
_TEXTS = frozenset({OutputFormat.TEXT, OutputFormat.BINARY, OutputFormat.MARKDOWN})
_LEAST_WORDS = 2


def check_shown(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    """Try the examples; and the words looked for, unless a right answer has values that could be changed."""
    in_turn(
        lambda: _check_examples(bench, right, result),
        lambda: _check_words(bench, right, result),
    )


def examples(task: Task) -> list[str]:
    """The examples that a whole answer may be copied from, the last first; JSON only if it parses."""
    blocks = [block.strip("\n") for block in reversed(blocks_shown(task.instruction))]
    long = [block for block in blocks if "\n" in block or f"`{block}`" not in task.instruction]
    short = [block for block in blocks if block not in long and _CELLS.search(block)]
    kept = [*long, *short[:_MOST_SHORT]]
    if task.output.format in (OutputFormat.JSON, OutputFormat.JSONL):
        kept = [block for block in kept if _parses(block)]
    shown = (skeleton(task.instruction) or "").strip()
    return [block for block in dict.fromkeys(kept) if block.strip() != shown][:_MOST]


def _parses(block: str) -> bool:
    try:
        json.loads(block.splitlines()[0] if block else "")
        return True
    except (ValueError, RecursionError):
        pass
    try:
        json.loads(block)
    except (ValueError, RecursionError):
        return False
    return True


def _check_examples(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    task = bench.task
    own = answer_of(task, right.files) if right is not None and not right.recovered else None
    beside = companions(bench)
    probes, told = [], []
    for number, block in enumerate(examples(task), 1):
        data = f"{block}\n".encode()
        if own is not None and own.split() == data.split():
            continue
        files = with_answer(task, beside(data), data)
        probes.append(
            Probe(f"trivial/example-{number}", f"example {number} of the instruction, as it stands", files)
        )
        told.append(_severity(task, block))
    seen = bench.run(probes)
    result.probes += probes
    best = max(zip(seen, probes, told, strict=True), key=lambda three: three[0].reward, default=None)
    if best is None or best[0].reward < _LEAST or best[0].reward <= _known(bench, probes) + 0.005:
        return
    one, probe, severity = best
    full = 1.0 if right is None else right.reward  # some right values may be those of the example
    high = one.reward >= (_HALF if right is None or right.recovered else _MOSTLY * full)
    severity = severity if high else max(severity, Severity.MEDIUM, key=lambda s: s.rank)
    _report(bench, result, one, probe, severity, Cause.EXAMPLE)


def _severity(task: Task, block: str) -> Severity:
    """High if the instruction calls it an example: a text that is to be copied is no example."""
    at = task.instruction.find(block.strip().splitlines()[0])
    before = task.instruction[max(0, at - _BEFORE) : max(at, 0)]
    return Severity.HIGH if _IS_EXAMPLE.search(before) and not _TO_COPY.search(before) else Severity.LOW


def _check_words(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    task = bench.task
    structured = right is not None and right.document is not None and right.document.structured
    path = task.verifier.expected_output_path
    if structured or task.output.format not in _TEXTS:
        return
    words = exemplars(task.folder / "tests")
    if len(words) < _LEAST_WORDS:
        return
    own = answer_of(task, right.files) if right is not None else None
    mark = comment_mark(path)
    probes = []
    for name, what, lines in _texts(words, mark):
        data = "".join(f"{line}\n" for line in lines).encode()
        files = with_answer(task, companions(bench)(data), data)
        if own is None or own.split() != data.split():
            probes.append(Probe(f"trivial/{name}", what, files))
    seen = dict(zip([p.name for p in probes], bench.run(probes), strict=True))
    result.probes += probes
    known = _known(bench, probes)
    program = not path.endswith(_PROSE_ENDING) and _SPEAKS.search(task.instruction) is not None
    for probe in reversed(probes):
        one = seen[probe.name]
        if one.reward >= _LEAST and one.reward > known + 0.005:
            comments = probe.name.endswith("commented") and program
            high = comments and one.reward >= _HALF
            _report(bench, result, one, probe, Severity.HIGH if high else Severity.MEDIUM, Cause.ANYWHERE)
            return


def _texts(words: list[str], mark: str) -> Iterator[tuple[str, str, list[str]]]:
    yield "words", "a line for each word and pattern that is looked for", words
    yield (
        "words-commented",
        "nothing but comments, one for each word and pattern that is looked for",
        [f"{mark}{word}" for word in words],
    )


def _known(bench: Bench, probes: list[Probe]) -> float:
    """What the plainer agents earn: if it is as much, that is the cause."""
    own = {probe.name for probe in probes}
    return max(
        (s.reward for n, (_, s) in bench.log.items() if n.startswith("trivial/") and n not in own),
        default=0.0,
    )


_ADVICES = {
    Cause.EXAMPLE: "Make the examples of the task score nothing: compare with what follows from the inputs.",
    Cause.ANYWHERE: "Run or parse what was written, without its comments; do not look for words in it.",
}


def _report(
    bench: Bench, result: SectionResult, seen: Seen, probe: Probe, severity: Severity, cause: Cause
) -> None:
    held = ""
    if seen.held:
        severity = max(severity, Severity.MEDIUM, key=lambda s: s.rank)
        held = " adjudge itself gives 0.0, because the output does not parse; other runners would not."
    result.findings.append(
        bench.finding(
            severity,
            _HERE,
            f"{probe.what} earns {seen.reward:g}",
            cause=cause,
            seen=f"An agent that solves nothing gets {seen.reward:g}.{held}",
            advice=_ADVICES[cause],
            probe=probe,
            before=0.0,
        )
    )
