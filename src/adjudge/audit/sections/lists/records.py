"""Values in the records of a list: what is due to one record, and what follows from the others.

Many verifiers leave out a record that is not well formed: a value there then costs what the record costs, and
nothing is known of the value. Others ask for most of the records: one that is wrong throughout costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Document, Leaf, Path, dropped, get, leaves, name_of, replaced, slug
from adjudge.audit.probes import Bench, Probe, likely_junk, wrong_everywhere
from adjudge.audit.sections.measure import EPS, KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.minority import granted
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

MakeProbe = Callable[[str, str, Any], Probe]
_SMALL = 0.2
_LEAST_RECORDS = 3


def near_zero(value: Any, leaf: Leaf) -> bool:
    """Is a number in a record far smaller than the same number in most records of the list?"""
    pattern = _pattern(leaf.path)
    if "*" not in pattern:
        return False
    column = [abs(other.number) for other in leaves(value) if _pattern(other.path) == pattern]
    return len(column) >= _LEAST_RECORDS and abs(leaf.number) < _SMALL * median(column)


def _pattern(path: Path) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _record_of(leaf: Leaf) -> Path | None:
    """The path of the record of a list in which a field stands."""
    record = leaf.path[:-1]
    return record if record and isinstance(record[-1], int) else None


def keeps_halfway(
    wrongs: WrongAnswers, trial: FieldTrial, name: str, wrong: Any, result: SectionResult
) -> bool:
    """Does what lies halfway to a wrong number keep the credit, too? Then the tolerance is wide."""
    given, right = float(str(wrong).removesuffix(trial.leaf.rest or "")), trial.leaf.number
    middle = (given + right) / 2
    halfway = int(middle) if isinstance(right, int) else middle
    if halfway in (given, right):
        return False
    changed = replaced(wrongs.document.value, [(trial.leaf.path, trial.leaf.with_number(halfway))])
    what = f"{trial.leaf.name}: halfway to a wrong number that keeps the credit"
    probe = wrongs.probe(f"{slug(trial.leaf.path)}/halfway-{name}", what, changed)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return not seen.broke and share_kept(wrongs.base - seen.reward, trial.due) >= KEPT


def costs_its_record(
    bench: Bench, trial: FieldTrial, change: str, make: MakeProbe, document: Document, result: SectionResult
) -> bool:
    """Does a change to a field cost just what it costs to leave out the record in which it stands?"""
    record = _record_of(trial.leaf)
    if record is None:
        return False
    probe = make(f"{slug(record)}/left-out", f"{name_of(record)}: left out", dropped(document.value, record))
    [seen] = bench.run([probe])
    result.probes.append(probe)
    return not seen.broke and abs(trial.base - seen.reward - trial.costs[change]) <= EPS


def junk_is_refused(
    wrongs: WrongAnswers,
    path: Path,
    stake: float,
    result: SectionResult,
    *,
    keep_texts: bool = False,
    before: bool = False,
) -> bool:
    """Do wrong records cost something that are as well formed as the right ones?

    Then records which cost nothing were left out as malformed, and nobody gains by listing them.
    """
    items = get(wrongs.document.value, path)
    likely = likely_junk(items, keep_texts=keep_texts, known=wrongs.bench.task.instruction)
    if likely is None:
        return False
    name = "likely-versions" if keep_texts else "likely-junk"
    probe = wrongs.probe(
        f"list.{slug(path)}/{name}",
        f"{name_of(path)}: wrong records between the right ones",
        replaced(wrongs.document.value, [(path, [*likely, *items] if before else [*items, *likely])]),
    )
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return not seen.broke and share_kept(wrongs.base - seen.reward, stake) < 0.95


def check_forgiven(wrongs: WrongAnswers, result: SectionResult) -> None:
    """One record wrong in every field: if that costs nothing, no field of it says anything more."""
    value, whole = wrongs.document.value, wrongs.whole.get("all-wrong")
    if whole is None or whole[1].reward > 0.5 * wrongs.base:
        return
    loose = [
        t
        for t in wrongs.fields
        if t.items >= _LEAST_RECORDS and t.scored and any(t.kept(c) for c in t.costs if c != "dropped")
    ]
    records = list(dict.fromkeys(record for t in loose if (record := _record_of(t.leaf)) is not None))
    for record in records:
        what = f"{name_of(record)}: wrong in every field"
        changed = replaced(value, [(record, wrong_everywhere(get(value, record)))])
        probe = wrongs.probe(f"{slug(record)}/all-wrong", what, changed)
        [seen] = wrongs.bench.run([probe])
        result.probes.append(probe)
        if seen.broke or wrongs.base - seen.reward > EPS:
            continue
        wrongs.fields = [t for t in wrongs.fields if _record_of(t.leaf) != record]
        count = len(get(value, record[:-1]))
        if granted(wrongs, 1, count):
            continue
        result.findings.append(
            wrongs.bench.finding(
                Severity.MEDIUM,
                Section.DISCRIMINATION,
                f"{name_of(record)}: one wrong record of {count} costs nothing",
                cause=Cause.CLAMPED,
                seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
                advice="Let every wrong record cost its share, or say in the task how many may be wrong.",
                probe=probe,
                before=wrongs.base,
            )
        )
