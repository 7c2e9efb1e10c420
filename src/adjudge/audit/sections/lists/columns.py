"""A column of records: left out, wrong, or the same in all of them; or of no account in one of them.

A verifier that looks at each record by itself does not see that two of them use one machine at one time. A
loop that begins at 1, or ends one too early, is not seen by whoever changes all items or those in the middle.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Path,
    candidates_taken,
    get,
    lists,
    name_of,
    naming_key,
    replaced,
    several_are_right,
    slug,
)
from adjudge.audit.probes import Bench, Probe, other_letters, turned, wrong_everywhere
from adjudge.audit.sections.measure import EPS, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_MAX_COLUMNS = 2
_AMONG = 3
"""So many items stand there if the only right one is put between two wrong ones."""
_APART = 0.03
"""Values of a column that differ by less, as a share of the largest, may be the same within a tolerance."""
_COMPARABLE = 0.05
"""A number that is smaller than this share of one that counts may be too small to matter in a sum."""


def check_columns(wrongs: WrongAnswers, path: Path, stake: float, result: SectionResult) -> None:
    """One field left out of every record: it must cost what a wrong value there costs."""
    items = get(wrongs.document.value, path)
    if not all(isinstance(item, dict) for item in items):
        return
    numbers = [key for key in items[0] if isinstance(items[0][key], int | float)][:_MAX_COLUMNS]
    name = name_of(path)
    for key in numbers:
        bare = [{k: v for k, v in item.items() if k != key} for item in items]
        off = [{**item, key: wrong_everywhere(item).get(key)} for item in items]
        same = [{**item, key: items[0][key]} for item in items]
        probes = [
            wrongs.probe(
                f"list.{slug(path)}/{kind}-{slug((key,))}",
                f"{name}: {key} {how} in every record",
                replaced(wrongs.document.value, [(path, changed)]),
            )
            for kind, how, changed in (
                ("without", "left out", bare),
                ("off", "wrong", off),
                ("same", "the same", same),
            )
        ]
        left_out, wrong, alike = wrongs.bench.run(probes)
        result.probes += probes
        lost = wrongs.base - wrong.reward
        if lost > max(EPS, 0.1 * stake) and not alike.broke and _varies(items, key):
            kept = share_kept(wrongs.base - alike.reward, lost)
            _weigh_alike(wrongs, f"{name}: {key}", kept, probes[2], result)
        if lost > max(EPS, 0.1 * stake) and not left_out.broke:
            kept = share_kept(wrongs.base - left_out.reward, lost)
            wrongs.lost.append(1 - kept)
            if kept >= 0.75:
                result.findings.append(
                    wrongs.bench.finding(
                        Severity.MEDIUM,
                        _HERE,
                        f"{name}: leaving {key} out of every record costs nothing, giving it wrong does",
                        cause=Cause.DROPPED,
                        seen=f"Without it the answer scores {left_out.reward:g}, with it wrong "
                        f"{wrong.reward:g}.",
                        advice="A field that is missing must score as one that is wrong.",
                        probe=probes[0],
                        before=wrongs.base,
                    )
                )


def check_turned(wrongs: WrongAnswers, path: Path, stake: float, result: SectionResult) -> None:
    """Each value of a column in the record before it: who sorts the columns apart does not notice."""
    items = get(wrongs.document.value, path)
    naming = naming_key(items)
    if several_are_right(wrongs.bench.task.instruction) or not all(isinstance(item, dict) for item in items):
        return
    matched = "in their order" if naming is None else f"matched by {naming}"
    for key in [key for key in items[0] if key != naming and _turns(items, key)][:_MAX_COLUMNS]:
        exchanged = [
            {**item, key: other} for item, other in zip(items, turned([i[key] for i in items]), strict=True)
        ]
        off = [{**item, key: _wrong(item, key)} for item in items]
        name = name_of(path)
        probes = [
            wrongs.probe(
                f"list.{slug(path)}/{kind}-{slug((key,))}",
                f"{name}: {key} {how} in every record",
                replaced(wrongs.document.value, [(path, changed)]),
            )
            for kind, how, changed in (("off", "wrong", off), ("turned", "that of another one", exchanged))
        ]
        wrong, after = wrongs.bench.run(probes)
        result.probes += probes
        lost = wrongs.base - wrong.reward
        if lost <= max(EPS, 0.1 * stake) or after.broke:
            continue
        kept = share_kept(wrongs.base - after.reward, lost)
        wrongs.lost.append(1 - kept)
        if kept >= 0.75:
            result.findings.append(
                wrongs.bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"{name}: {key} may stand in another record",
                    cause=Cause.SWAPPED,
                    seen=f"With each value in the record of another the answer still scores "
                    f"{after.reward:g}, with wrong ones {wrong.reward:g}.",
                    advice=f"Compare record by record, {matched}, not column by column.",
                    probe=probes[1],
                    before=wrongs.base,
                )
            )


def _wrong(item: dict[str, Any], key: str) -> Any:
    """Another value; of several words one of as many letters, as it may only have to be as long."""
    value = item.get(key)
    if isinstance(value, str) and len(value.split()) > 1:
        return other_letters(value)
    return wrong_everywhere(item).get(key)


def _turns(items: list[dict[str, Any]], key: str) -> bool:
    """Do at least half of a column's values change, by more than a tolerance, if each moves on by one?"""
    column = [item.get(key) for item in items]
    pairs = list(zip(column, [*column[1:], column[0]], strict=True))
    numbers = [value for value in column if isinstance(value, int | float)]
    if len(numbers) == len(column):
        far = _APART * max(map(abs, numbers))
        return 2 * sum(abs(a - b) > far for a, b in pairwise([*numbers, numbers[0]])) >= len(items)
    return all(isinstance(v, str) for v in column) and 2 * sum(a != b for a, b in pairs) >= len(items)


def check_single_items(wrongs: WrongAnswers, result: SectionResult) -> None:
    """The one item of a list with a wrong one on either side: whoever takes the best of many takes all."""
    value = wrongs.document.value
    alone = [path for path in lists(value, least=1) if len(get(value, path)) == 1 and path]
    if candidates_taken(wrongs.bench.task.instruction) >= _AMONG:
        return
    for path in alone[:_MAX_COLUMNS]:
        [item] = get(value, path)
        first, last = wrong_everywhere(item, 0), wrong_everywhere(item, 2)
        if item in (first, last):
            continue
        name = name_of(path)
        probes = [
            wrongs.probe(f"list.{slug(path)}/{kind}", f"{name}: {what}", replaced(value, [(path, changed)]))
            for kind, what, changed in (
                ("other", "another item in place of the only one", [first]),
                ("among", "the only item between two wrong ones", [first, item, last]),
            )
        ]
        wrong, among = wrongs.bench.run(probes)
        result.probes += probes
        lost = wrongs.base - wrong.reward
        if lost <= EPS or wrong.broke or among.broke:
            continue
        kept = share_kept(wrongs.base - among.reward, lost)
        wrongs.lost.append(1 - kept)
        if kept >= 0.95:
            result.findings.append(
                wrongs.bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"{name}: the right item among wrong ones keeps the credit",
                    cause=Cause.HEDGED,
                    seen=f"Between two wrong items it still scores {among.reward:g}.",
                    advice="Score one item, the first or the last, or let wrong ones cost: the best of many "
                    "is no answer.",
                    probe=probes[1],
                    before=wrongs.base,
                )
            )


def _varies(items: list[dict[str, Any]], key: str) -> bool:
    """Are at least half of a column's values other than the first, by more than a tolerance?"""
    numbers = [item[key] for item in items if isinstance(item.get(key), int | float)]
    reach = max(abs(n) for n in numbers)
    far = [n for n in numbers if abs(n - numbers[0]) > 0.1 * reach]
    return len(items) > 2 and len(numbers) == len(items) and 2 * len(far) >= len(items)


def _weigh_alike(wrongs: WrongAnswers, name: str, kept: float, probe: Probe, result: SectionResult) -> None:
    """One value in a whole column: a checker that looks at each record alone sees no two at one place."""
    wrongs.lost.append(1 - kept)
    if kept >= 0.95:
        result.findings.append(
            wrongs.bench.finding(
                Severity.MEDIUM,
                _HERE,
                f"{name} may be the same in every record",
                cause=Cause.ANY_VALUE,
                seen=f"With the value of the first record in all of them the answer still scores "
                f"{wrongs.bench.log[probe.name][1].reward:g}.",
                advice="Check the records against each other, too: two cannot use one thing at one time.",
                probe=probe,
                before=wrongs.base,
            )
        )


def report_skipped(bench: Bench, fields: list[FieldTrial], result: SectionResult) -> None:
    """Report values that never cost anything in one item of a list and do in another."""
    for trial in fields:
        others = [other for other in fields if other.scored and _same_column(trial, other)]
        if trial.costs and trial.free and any(_comparable(trial, other) for other in others):
            change, where = next(iter(trial.costs)), others[0].leaf.name
            result.findings.append(
                bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"{trial.leaf.name}: no wrong value costs anything there, in {where} it does",
                    cause=Cause.UNSCORED,
                    seen=f"Every change to it alone left the reward at {trial.base:g}; changes to "
                    f"{where} cost up to {others[0].stake:.3g}.",
                    advice="Compare every item, the first and the last as well.",
                    probe=trial.probes[change],
                    before=trial.base,
                )
            )


def _same_column(one: FieldTrial, other: FieldTrial) -> bool:
    """Do they differ only in their places in lists?"""
    if one is other or one.leaf.kind != other.leaf.kind or len(one.leaf.path) != len(other.leaf.path):
        return False
    steps = list(zip(one.leaf.path, other.leaf.path, strict=True))
    return all(a == b or (isinstance(a, int) and isinstance(b, int)) for a, b in steps)


def _comparable(trial: FieldTrial, other: FieldTrial) -> bool:
    """Zero was tried as a thousand; a number must be large enough that ten times as much is to be seen."""
    if trial.leaf.kind != "number" or not trial.leaf.number:
        return True
    return abs(trial.leaf.number) >= _COMPARABLE * abs(other.leaf.number)
