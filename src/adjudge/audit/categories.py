"""A task's own error categories: `task.toml` may name them; a verifier that writes another is told.

Those that adjudge and the kit fill in by themselves are never held against a task that names its own.
"""

from __future__ import annotations

import adjudge_kit as kit
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench
from adjudge.contracts import MECHANICAL_CATEGORIES, Severity
from adjudge.errors import show
from adjudge.tasks import declared_categories

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
_MOST_TOLD = 5
"""A verifier that makes categories up out of the answer would have no end of them."""


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
            cause=Cause.CATEGORY,
            seen=f"The tags for this probe have it, and [taxonomy] categories has not: {probe.what}.",
            advice="Add it there, or mend its spelling in the verifier: reports count each spelling apart.",
            probe=probe,
        )
        for category, probe in sorted(first.items())[:_MOST_TOLD]
    ]
