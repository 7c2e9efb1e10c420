"""A task's own error categories: `task.toml` may name them, and then a verifier that writes another is told.

[taxonomy]
categories = ["wrong load case", "wrong quantity"]

There is no fixed list. A task that names none may use any category, and those that adjudge and the kit fill
in by themselves are never held against one. `[taxonomy]` may be other people's table: what cannot be a list
of categories is a remark of `adjudge check`, and never a reason to refuse a task.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import adjudge_kit as kit
from adjudge.audit.certificate import Finding, Section, Severity
from adjudge.audit.probes import Bench
from adjudge.contracts import Task
from adjudge.errors import show
from adjudge.scoring import MECHANICAL_CATEGORIES

_FILLED_IN = MECHANICAL_CATEGORIES | {
    kit.UNIT_MISMATCH,
    kit.PERCENT,
    kit.SIGN,
    kit.MAGNITUDE,
    kit.SWAPPED,
    kit.ROUNDING,
    kit.NEAR_MISS,
    kit.MISSING_FIELD,
    kit.WRONG_TYPE,
    kit.EXTRA_TEXT,
    kit.Unreadable.category,
}
_LONGEST = 500
_MOST_TOLD = 5
"""A verifier that makes categories up out of the answer would have no end of them."""
_ALLOWED = "a list of different texts, each of 1 to 500 printable characters"


@dataclass(frozen=True)
class Categories:
    """What a task names; `declared` is None where it names nothing, or nothing that makes sense."""

    declared: frozenset[str] | None = None
    problem: str | None = None


def declared_categories(task: Task) -> Categories:
    """Read `[taxonomy] categories`; an absent key declares nothing."""
    file = task.folder / "task.toml"
    if not file.is_file():
        return Categories()
    table = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("taxonomy")
    if not isinstance(table, dict) or "categories" not in table:
        return Categories()
    names = table["categories"]
    if (
        not isinstance(names, list)
        or not all(isinstance(n, str) and n.strip() and n.isprintable() and len(n) <= _LONGEST for n in names)
        or len(set(names)) < len(names)
    ):
        return Categories(problem=f"[taxonomy] categories is {show(names)}; allowed: {_ALLOWED}")
    return Categories(frozenset(names))


def undeclared_categories(bench: Bench) -> list[Finding]:
    """Categories that the verifier wrote for any probe so far, and that the task's own list does not have."""
    declared = declared_categories(bench.task).declared
    if declared is None:
        return []
    first = {
        category: probe
        for probe, seen in reversed(bench.log.values())
        for category in seen.categories
        if category not in declared | _FILLED_IN
    }
    return [
        bench.finding(
            Severity.INFO,
            Section.DISCRIMINATION,
            f"the verifier writes the category {show(category)}, which task.toml does not name",
            seen=f"The tags for this probe have it, and [taxonomy] categories has not: {probe.what}.",
            advice="Add it there, or mend its spelling in the verifier: reports count each spelling apart.",
            probe=probe,
        )
        for category, probe in sorted(first.items())[:_MOST_TOLD]
    ]
