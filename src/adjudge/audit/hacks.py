"""The table of known hacks in a certificate: which of them were tried here, and which of them worked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from adjudge.audit.causes import Cause, HackClass
from adjudge.audit.certificate import Finding, HackRow, Section
from adjudge.audit.probes import verifier_sources
from adjudge.audit.sections import SectionResult
from adjudge.contracts import Severity, Task

_NEEDS: dict[HackClass, frozenset[Section]] = {
    HackClass.ISOLATION: frozenset({Section.EXPLOITS}),
    HackClass.SHIPPED: frozenset({Section.EXPLOITS}),
    HackClass.EXECUTED: frozenset({Section.EXPLOITS}),
    HackClass.MODEL: frozenset(),
    HackClass.MATCHING: frozenset({Section.DISCRIMINATION, Section.TRIVIAL}),
    HackClass.LOGIC: frozenset({Section.DISCRIMINATION, Section.TRIVIAL, Section.HONESTY}),
    HackClass.SPOOFED: frozenset({Section.EXPLOITS}),
    HackClass.PERMISSIONS: frozenset({Section.EXPLOITS}),
}
"""The sections that try a class; one that did not run leaves the class unproven."""
_MODEL_CALL = re.compile(
    r"\b(openai|anthropic|litellm|pydantic_ai|google\.genai|llm_judge|chat\.completions)\b"
)


def hack_rows(
    task: Task, findings: Sequence[Finding], found: Mapping[Section, SectionResult]
) -> list[HackRow]:
    """A row for each class: broken by a finding of at least medium, held, not applicable or not probed."""
    ran = {section for section, result in found.items() if result.reason is None}
    return [_row(hack, task, findings, ran) for hack in HackClass]


def _row(hack: HackClass, task: Task, findings: Sequence[Finding], ran: Collection[Section]) -> HackRow:
    if hack is HackClass.MODEL:
        if _asks_a_model(task):
            return HackRow(hack=hack, status="not probed", why="the verifier seems to ask a model")
        return HackRow(hack=hack, status="not applicable", why="the verifier asks no model")
    broken = [
        f
        for f in findings
        if f.cause and Cause(f.cause).hack is hack and f.severity.rank <= Severity.MEDIUM.rank
    ]
    if broken:
        return HackRow(hack=hack, status="broken", why="; ".join(dict.fromkeys(f.cause for f in broken)))
    missing = sorted(_NEEDS[hack] - set(ran))
    if missing:
        return HackRow(hack=hack, status="not probed", why=f"not run: {', '.join(missing)}")
    return HackRow(hack=hack, status="held")


def _asks_a_model(task: Task) -> bool:
    return any(_MODEL_CALL.search(text) for text in verifier_sources(task))
