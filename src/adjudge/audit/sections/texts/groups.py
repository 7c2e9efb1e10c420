"""Texts of one kind, all at once: in a long answer one of them costs next to nothing, and few can be tried.

A kind is a column of records, or one field. All texts of a kind become other letters: what then costs nothing
is not looked at. A column that counts is moved by one record, and the texts of an object by one field: a
verifier that looks for words anywhere does not see whose they are. Nor does it see that each field holds all
of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Leaf, Path, leaves, name_of, replaced, several_are_right, slug
from adjudge.audit.probes import Probe, Seen, far_apart, other_letters
from adjudge.audit.sections.fields.rules import required_of
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_LEAST = 3
_MOST_KINDS = 30
_MOST_MOVED = 4
_WORTH = 0.02


class _Kind(Struct):
    """Texts that differ only in the record in which they stand, and what it costs if all are wrong."""

    path: Path
    leaves: list[Leaf]
    cost: float = 0.0

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def scored(self) -> bool:
        return self.cost > EPS


def check_texts(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report texts that nobody looks at, and those that may stand anywhere."""
    value = wrongs.document.value
    if not wrongs.document.structured or wrongs.base < 1 - EPS:
        return
    kinds = _kinds(value)
    if sum(len(kind.leaves) for kind in kinds) < _LEAST:
        return  # each was tried by itself
    kinds = _weighed(wrongs, kinds[:_MOST_KINDS], result)
    _report_unscored(wrongs, kinds, result)
    for kind in _columns(wrongs, kinds)[:_MOST_MOVED]:
        _try_moved(wrongs, kind.name, kind.leaves, kind.cost, "in each other's record", result)
    for name, found in _objects(kinds)[:_MOST_MOVED]:
        _try_object(wrongs, name, found, result)


def _kinds(value: Any) -> list[_Kind]:
    found: dict[Path, _Kind] = {}
    for leaf in leaves(value):
        if leaf.kind == "text" and leaf.path and other_letters(str(leaf.value)) != leaf.value:
            path = _pattern(value, leaf.path)
            found.setdefault(path, _Kind(path, [])).leaves.append(leaf)
    return list(found.values())


def _pattern(value: Any, path: Path) -> Path:
    """The path with `*` for a place in a list, and for the name of one of several like records."""
    made: list[str | int] = []
    node = value
    for step in path:
        made.append("*" if isinstance(step, int) or _is_records(node) else step)
        node = node[step]
    return tuple(made)


def _is_records(node: Any) -> bool:
    """Is it an object of several objects that have the same keys?"""
    if not isinstance(node, dict) or len(node) < _LEAST:
        return False
    keys = [frozenset(child) if isinstance(child, dict) else None for child in node.values()]
    return None not in keys and len(set(keys)) == 1


def _weighed(wrongs: WrongAnswers, kinds: list[_Kind], result: SectionResult) -> list[_Kind]:
    """The kinds with what each costs; those that broke the verifier are left out."""
    probes = [
        _probe(wrongs, f"texts.{slug(kind.path)}/other", f"{kind.name}: other letters, as many", _other(kind))
        for kind in kinds
    ]
    result.probes += probes
    weighed = []
    for kind, seen in zip(kinds, wrongs.bench.run(probes), strict=True):
        if not seen.broke:
            kind.cost = wrongs.base - seen.reward
            weighed.append(kind)
    return weighed


def _other(kind: _Kind) -> list[tuple[Path, Any]]:
    return [(leaf.path, other_letters(str(leaf.value))) for leaf in kind.leaves]


def _probe(wrongs: WrongAnswers, name: str, what: str, changes: Sequence[tuple[Path, Any]]) -> Probe:
    return wrongs.probe(name, what, replaced(wrongs.document.value, changes))


def _report_unscored(wrongs: WrongAnswers, kinds: list[_Kind], result: SectionResult) -> None:
    """Texts that the task asks for by name; one that is for people only is no more than a low finding."""
    required = required_of(wrongs.bench.task)
    free = [kind for kind in kinds if not kind.scored and kind.path[-1] in required]
    if not free or not any(trial.scored for trial in wrongs.fields):
        return
    names = [kind.name for kind in free]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    probe = next(p for p in result.probes if p.name == f"discrimination/texts.{slug(free[0].path)}/other")
    result.findings.insert(  # before what single fields showed: it names more
        0,
        wrongs.bench.finding(
            Severity.LOW,
            _HERE,
            f"the task asks for {', '.join(names[:5])}{more}, and no wrong text there costs anything",
            cause=Cause.UNSCORED,
            seen=f"With other letters in all of them, one kind at a time, the answer scores {wrongs.base:g}.",
            advice="Score what the task asks for, or do not ask for it.",
            probe=probe,
            before=wrongs.base,
        ),
    )


def _columns(wrongs: WrongAnswers, kinds: list[_Kind]) -> list[_Kind]:
    """Columns that count and belong to something: another column of their records counts as well.

    What names the records is left where it is; to move it is to move all others.
    """
    found = []
    for kind in kinds:
        if "*" not in kind.path[:-1] or len(kind.leaves) < _LEAST or not kind.scored:
            continue
        records = kind.path[: -1 - kind.path[:-1][::-1].index("*")]
        columns = [k for k in kinds if k.scored and k.path[: len(records)] == records]
        texts = [k for k in columns if k is not kind]
        numbers = [
            trial
            for trial in wrongs.fields
            if trial.scored
            and trial.leaf.kind != "text"
            and _pattern(wrongs.document.value, trial.leaf.path)[: len(records)] == records
        ]
        names = next((k for k in columns if _apart(k)), None)
        if (texts or numbers) and names is not kind:
            found.append(kind)
    return found


def _apart(kind: _Kind) -> bool:
    """Is each of its texts another one?"""
    return len({str(leaf.value) for leaf in kind.leaves}) == len(kind.leaves)


def _objects(kinds: list[_Kind]) -> list[tuple[str, list[Leaf]]]:
    """Objects of several single texts that differ, by name."""
    groups: dict[Path, list[Leaf]] = {}
    for kind in kinds:
        if "*" not in kind.path and len(kind.path) > 1:
            groups.setdefault(kind.path[:-1], []).append(kind.leaves[0])
    return [
        (name_of(path), found)
        for path, found in groups.items()
        if len({str(leaf.value) for leaf in found}) == len(found) >= _LEAST
    ]


def _try_object(wrongs: WrongAnswers, name: str, found: list[Leaf], result: SectionResult) -> None:
    every = _probe(
        wrongs,
        f"texts.{slug((name,))}/all-other",
        f"{name}: other letters in every field",
        [(leaf.path, other_letters(str(leaf.value))) for leaf in found],
    )
    [seen] = wrongs.bench.run([every])
    result.probes.append(every)
    stake = wrongs.base - seen.reward
    if seen.broke or stake < _WORTH:
        return
    _try_moved(wrongs, name, found, stake, "in each other's field", result)
    told = "; ".join(str(leaf.value) for leaf in found)
    probe = _probe(
        wrongs,
        f"texts.{slug((name,))}/everywhere",
        f"{name}: every text of it in each field",
        [(leaf.path, told) for leaf in found],
    )
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and share_kept(wrongs.base - seen.reward, stake) >= KEPT:
        advice = "Take one value for each field, and refuse a field that holds several."
        _report(wrongs, probe, seen, Cause.HEDGED, advice, result)


def _try_moved(
    wrongs: WrongAnswers,
    name: str,
    found: list[Leaf],
    stake: float,
    where: str,
    result: SectionResult,
) -> None:
    texts = [leaf.value for leaf in found]
    moved = far_apart(texts)
    if 2 * sum(a != b for a, b in zip(texts, moved, strict=True)) < len(texts):
        return
    changes = [(leaf.path, text) for leaf, text in zip(found, moved, strict=True)]
    probe = _probe(wrongs, f"texts.{slug((name,))}/moved", f"{name}: the texts {where}", changes)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    kept = share_kept(wrongs.base - seen.reward, stake)
    wrongs.lost.append(1 - kept)
    if not seen.broke and kept >= KEPT:
        _report(wrongs, probe, seen, Cause.SWAPPED, "Look each value up by its own name.", result)


def _report(
    wrongs: WrongAnswers, probe: Probe, seen: Seen, cause: Cause, advice: str, result: SectionResult
) -> None:
    plan = several_are_right(wrongs.bench.task.instruction)  # another one may be as good, or nearly
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW if plan else Severity.MEDIUM,
            _HERE,
            f"{probe.what} keep the credit" if cause is Cause.SWAPPED else f"{probe.what} keeps the credit",
            cause=cause,
            seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
            advice=advice,
            probe=probe,
            before=wrongs.base,
        )
    )
