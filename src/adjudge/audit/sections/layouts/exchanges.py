"""Other orders that a task takes: "any order in which each comes after what it needs".

Which orders keep to such a condition is not known here. But if the right one is not the only one, then one of
its exchanges of two neighbours keeps to it as well (`partial_order`). A verifier that refuses every one of
them compares with an order of its own.
"""

from __future__ import annotations

from itertools import pairwise

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import get, lists, name_of, partial_order, replaced
from adjudge.audit.probes import Bench, Probe
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_EPS = 0.005
_GROUP = 4
_LEAST, _MOST = 4, 40


def check_exchanges(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """Exchange each two neighbours of the only list of an answer, until one exchange is accepted."""
    document = right.document
    if document is None or not document.structured or not partial_order(bench.task.instruction):
        return
    found = [path for path in lists(document.value) if not any(isinstance(step, int) for step in path)]
    items = get(document.value, found[0]) if len(found) == 1 else []
    if not _LEAST <= len(items) <= _MOST or any(a == b for a, b in pairwise(items)):
        return
    name = name_of(found[0])
    probes: list[Probe] = []
    for place in range(len(items) - 1):
        exchanged = [*items[:place], items[place + 1], items[place], *items[place + 2 :]]
        data = document.render(replaced(document.value, [(found[0], exchanged)]))
        what = f"{name}: items {place + 1} and {place + 2} exchanged"
        probes.append(bench.answer(f"format/exchange-{place + 1}", what, data, files=right.files))
    for at in range(0, len(probes), _GROUP):
        group = probes[at : at + _GROUP]
        seen = bench.run(group)
        result.probes += group
        if any(one.reward > right.reward - _EPS for one in seen):
            return
    result.findings.append(
        bench.finding(
            Severity.MEDIUM,
            Section.FORMAT,
            f"{name}: only one order is accepted, though the task takes any that fits",
            cause=Cause.ORDER,
            seen=f"Each of the {len(probes)} exchanges of two neighbours loses reward. If another order fits "
            "the task's condition, one of these does.",
            advice="Check the condition itself, item by item; if only one order fits, say so in the task.",
            probe=probes[0],
            before=right.reward,
        )
    )
