"""What the task wants said, or not said, around the values: a verifier that reads one block sees none of it.

Tried only where the task asks for a statement, or forbids a claim, in so many words. Working that is to be
shown is left alone: nobody expects a program to read it.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import find_block, leaves, write_json
from adjudge.audit.probes import answer_of
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity

_PROSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT})
_SAID = r"statement|disclaimer|caveat|declaration|justification|rationale"
_ASKED = re.compile(rf"\b(?:include|add|give|write|provide)\b[^.\n]{{0,60}}\b(?:{_SAID})\b[^.\n]*", re.I)
_FORBIDDEN = re.compile(
    r"\b(?:do not|don't|never|must not)\s+(?:claim|state|assert|declare|imply)\s+(?P<claim>[^.\n]+)", re.I
)
_LONGEST = 160


def check_statements(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try the values without the statement that is asked for, and with the claims that are forbidden."""
    task = wrongs.bench.task
    asked, forbidden = _ASKED.search(task.instruction), _FORBIDDEN.search(task.instruction)
    text = (answer_of(task, wrongs.right.files) or b"").decode("utf-8-sig", "replace")
    block = find_block(text) if task.output.format in _PROSE else None
    if block is None or not (asked or forbidden) or wrongs.base < 1 - EPS:
        return
    keys = {str(leaf.path[-1]) for leaf in leaves(block.value) if leaf.path}
    if any(re.search(f"{_SAID}|explanation|note", key, re.I) for key in keys):
        return  # it has a field of its own
    claim = f"This answer claims {forbidden['claim']}.\n\n" if forbidden else ""
    what = "nothing but the values" if not claim else "the values with claims that the task forbids"
    data = f"{claim}```json\n{write_json(block.value)}\n```\n"
    probe = wrongs.bench.answer("discrimination/statements", what, data.encode())
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if seen.broke or wrongs.base - seen.reward > EPS:
        return
    told = "; ".join(" ".join(match[0].split()) for match in (asked, forbidden) if match)
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW,
            Section.DISCRIMINATION,
            f"{what}: the text around them is not looked at",
            cause=Cause.UNSCORED,
            seen=f'It scores {seen.reward:g}; the task says: "{told[:_LONGEST]}".',
            advice="Score what the task asks for, or do not ask for it.",
            probe=probe,
            before=wrongs.base,
        )
    )
