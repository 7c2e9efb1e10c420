"""Expressions that know nothing but the cases which the instruction shows.

Where the answer is a regular expression, an alternation of the valid examples checks no rule. It passes if
the verifier tries nothing but these. What it earns is held against one that matches nothing: the share of
cases that must not match is had for nothing by any rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import asks_for_pattern, cases_shown, is_pattern, skeleton
from adjudge.audit.probes import Bench, Probe, answer_of, with_answer
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity, Task

_FULL, _MOST_SHOWN, _LEAST_GAIN = 0.95, 0.6, 0.2
_FEWEST = 2
_MOST_BLOCKS = 3
_SPECIAL = re.compile(r"[.\[\]{}()*+?|^$\\]")
_NOTHING = "^qvxnothing$"
_ALL_SHOWN = re.compile(
    r"\b(?:match(?:es)?|accepts?|allows?)\b[^.]{0,30}\b(?:all|every|each|exactly)"
    r"\s+(?:of\s+)?(?:these|the following)"
    r"|\b(?:tried|tested|judged|checked|run|scored|marked)\b[^.]{0,30}\b(?:exactly|only|just) (?:on |by )?"
    r"(?:these|those|the (?:above|following|examples?))",
    re.I,
)
"""The task itself says that nothing else is asked for."""
_TEXTS = frozenset({OutputFormat.TEXT, OutputFormat.BINARY, OutputFormat.JSON})


def check_shown_cases(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    """Try an alternation of the valid cases that are shown, if the answer is one expression."""
    task = bench.task
    write = _writer(task, answer_of(task, right.files) if right is not None else None)
    lists = list(_lists(task.instruction))
    if write is None or not lists:
        return
    probes = [
        _probe(bench, right, f"trivial/{name}", what, write(expression))
        for name, what, expression in [
            ("matches-nothing", "an expression that matches nothing", _NOTHING),
            *(
                (f"shown-cases-{number}", "an alternation of the examples of the task", _alternation(cases))
                for number, cases in enumerate(lists, 1)
            ),
        ]
    ]
    none, *seen = bench.run(probes)
    result.probes += probes
    best, probe = max(zip(seen, probes[1:], strict=True), key=lambda pair: pair[0].reward)
    full = 1.0 if right is None else right.reward
    gain = best.reward - none.reward
    if gain < _LEAST_GAIN or (best.reward < _FULL * full and gain < _MOST_SHOWN * full):
        return
    severity = Severity.HIGH if best.reward >= _FULL * full else Severity.MEDIUM
    if _ALL_SHOWN.search(task.instruction):
        severity = Severity.LOW
    result.findings.append(
        bench.finding(
            severity,
            Section.TRIVIAL,
            f"an expression that knows only the examples of the task earns {best.reward:g}",
            cause=Cause.EXAMPLE,
            seen=f"It lists the cases that the instruction calls valid, and checks no rule. One that matches "
            f"nothing earns {none.reward:g}.",
            advice="Try the expression on cases that the instruction does not show, for each rule one that "
            "keeps it and one that breaks it.",
            probe=probe,
            before=full,
        )
    )


def _probe(bench: Bench, right: RightAnswer | None, name: str, what: str, data: bytes) -> Probe:
    files = () if right is None else right.files
    return Probe(name, what, with_answer(bench.task, files, data))


def _lists(instruction: str) -> Iterator[list[str]]:
    """Lists of cases that may be the valid ones: those called so, then each block."""
    cases = cases_shown(instruction)
    seen: list[list[str]] = []
    in_blocks = {line for block in cases.blocks for line in block}
    of_blocks = [case for case in cases.valid if case in in_blocks]
    for found in (of_blocks, cases.valid, *cases.blocks[:_MOST_BLOCKS]):
        if len(found) >= _FEWEST and found not in seen:
            seen.append(found)
    yield from seen


def _alternation(cases: list[str]) -> str:
    """What Python, JavaScript and `grep -E` understand alike."""
    escaped = [_SPECIAL.sub(lambda special: f"\\{special[0]}", case) for case in cases]
    return f"^({'|'.join(escaped)})$"


def _writer(task: Task, own: bytes | None) -> Callable[[str], bytes] | None:
    """Writes an expression as the right one stands; None if the answer is not one expression."""
    text = (own or b"").decode("utf-8", "replace")
    if task.output.format not in _TEXTS or not asks_for_pattern(task.instruction):
        return None
    shown = text if own is not None else skeleton(task.instruction) or ""
    try:
        value = json.loads(shown)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        names = [key for key, held in value.items() if isinstance(held, str)]
        if own is not None:
            names = [key for key in names if is_pattern(task.instruction, value[key])]
        return None if len(names) != 1 else lambda made: json.dumps({**value, names[0]: made}).encode()
    if own is not None and not is_pattern(task.instruction, text):
        return None
    slashed = re.fullmatch(r"(/).*(/\w*)\s*", text)
    head, tail = (slashed[1], slashed[2]) if slashed is not None else ("", "")
    return lambda made: f"{head}{made}{tail}\n".encode()
