"""Answers that are SQL: the right query with a part changed must lose what the right one earns.

A query is a program, and no number in it is changed. But what it says is known: without its condition, with
another aggregate or without its order it gives something else, unless the verifier's data cannot show it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, answer_of
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_NEXT = r"(?=\bgroup\s+by\b|\border\s+by\b|\bhaving\b|\blimit\b|\bunion\b|;|\)|\Z)"
_WHERE = re.compile(rf"\bwhere\b[^()]*?(?:\([^()]*\)[^()]*?)*{_NEXT}", re.I | re.S)
_ORDER = re.compile(r"\border\s+by\b[^();]*(?=\blimit\b|;|\Z)", re.I)
_LIMITED = re.compile(r"\blimit\b", re.I)
_AGGREGATE = re.compile(r"\b(sum|count|avg|min|max)(?=\s*\()", re.I)
_OTHER = {"sum": "max", "count": "max", "avg": "sum", "min": "max", "max": "min"}
_ASKED = re.compile(r"\border|\bsort|\brank|\bfirst\b|ascending|descending|alphabetical|chronological", re.I)


def is_query(bench: Bench) -> bool:
    """Is the answer SQL, by its name?"""
    return PurePosixPath(bench.task.verifier.expected_output_path).suffix.lower() == ".sql"


def changed_queries(query: str) -> dict[str, tuple[str, str, Cause]]:
    """(what was done, the query, what it means if it is not noticed), by name."""
    made = {
        "no-condition": ("without its condition", _WHERE.sub("", query, count=1), Cause.UNSCORED),
        "other-aggregate": (
            "with another aggregate",
            _AGGREGATE.sub(lambda m: _OTHER[m[1].lower()], query, count=1),
            Cause.ANY_VALUE,
        ),
    }
    if not _LIMITED.search(query):  # the first ten of another order are another ten
        made["no-order"] = ("without its order", _ORDER.sub("", query), Cause.UNORDERED)
    return {name: one for name, one in made.items() if one[1].split() != query.split()}


def check_queries(bench: Bench, right: RightAnswer, result: SectionResult) -> float | None:
    """Try the right query with a part changed: the share of the reward that this costs, if any was tried."""
    query = (answer_of(bench.task, right.files) or b"").decode("utf-8-sig", "replace")
    made = changed_queries(query)
    if not _ASKED.search(bench.task.instruction):
        made.pop("no-order", None)
    probes = [
        bench.answer(
            f"discrimination/query-{name}", f"the right query {what}", text.encode(), files=right.files
        )
        for name, (what, text, _) in made.items()
    ]
    result.probes += probes
    lost = []
    for (what, _, cause), probe, seen in zip(made.values(), probes, bench.run(probes), strict=True):
        lost.append(1 - min(1.0, seen.reward / right.reward))
        if not seen.broke and seen.reward >= 0.95 * right.reward:
            result.findings.append(
                bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"the right query {what} keeps the credit",
                    cause=cause,
                    seen=f"The right query earns {right.reward:g}, this one {seen.reward:g}.",
                    advice="Compare all rows with those that are due, in their order if the task asks for "
                    "one, on data in which every part of the query makes a difference.",
                    probe=probe,
                    before=right.reward,
                )
            )
    return round(sum(lost) / len(lost), 3) if lost else None
