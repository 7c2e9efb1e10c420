"""Values that are no number must count as wrong ones: a mean over what can be read rewards leaving out.

One record, or one field, stays right, and every other number becomes "n/a". That is worth one share, if wrong
numbers in the same places cost something: there may be fields that nobody scores, or one that is enough.
"""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Leaf, leaves, replaced
from adjudge.audit.probes import absurd
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_LEAST = 3
_FULL = 0.9
_HALF = 0.5


def check_unrated(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try an answer of which all but one part is said to be not available."""
    numbers = [leaf for leaf in leaves(wrongs.document.value) if leaf.kind == "number" and leaf.path]
    parts = list(dict.fromkeys(map(_part, numbers)))
    if not wrongs.document.structured or len(parts) < _LEAST:
        return
    others = [leaf for leaf in numbers if _part(leaf) != parts[0]]
    what = f'one part of {len(parts)} right, and "n/a" for every other number'
    changed = replaced(wrongs.document.value, [(leaf.path, "n/a") for leaf in others])
    probe = wrongs.probe("unrated", what, changed)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if seen.broke or seen.reward < _FULL * wrongs.base:
        return
    bad = replaced(wrongs.document.value, [(leaf.path, absurd(leaf)) for leaf in others])
    control = wrongs.probe("unrated-wrong", f"one part of {len(parts)} right, every other number absurd", bad)
    [wrong] = wrongs.bench.run([control])
    result.probes.append(control)
    if wrong.broke or wrong.reward >= _HALF * wrongs.base:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.HIGH,
            Section.DISCRIMINATION,
            f"{what}: earns {seen.reward:g}",
            cause=Cause.PARTIAL,
            seen=f"The right answer earns {wrongs.base:g}.",
            advice="Divide by the number of expected values; one that cannot be read is a wrong one.",
            probe=probe,
            before=wrongs.base,
        )
    )


def _part(leaf: Leaf) -> tuple[str | int, ...]:
    """The record in which a number stands, or the field that it is."""
    places = [number for number, step in enumerate(leaf.path) if isinstance(step, int)]
    return leaf.path[: places[0] + 1] if places else leaf.path[:1]
