"""One value wrong, and others moved with it until nothing is wrong any more: only agreement is checked.

A wrong amount costs what is worked out from it. If other values, moved by as much up or down, win all of the
credit back, the verifier has worked them out from the answer itself. What wins credit is seen by the reward
and by the details. A number that stands in the verifier's own files is compared, and is no place to begin.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Leaf, Path, leaves, replaced, slug, spread
from adjudge.audit.probes import Probe, Seen, verifier_sources
from adjudge.audit.sections.attacks.programs import data_files
from adjudge.audit.sections.lists.subsets import left_open
from adjudge.audit.sections.measure import EPS, FieldTrial, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity, Task

_MOST_STARTS = 2
_MOST_OTHERS = 12
_MOST_ROUNDS = 3
_MOST_RUNS = 60
_MOST_TAILS = 3
_FAR = 0.37
"""No half, no tenth: a value that is moved by this share of it meets no other by chance."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LARGEST = 1 << 18

_Standing = tuple[float, int]
"""Reward, and how many entries of the details are as they are for the right answer."""


class _Move(Struct):
    """Numbers that are moved together, by as much in one direction."""

    leaves: list[Leaf]
    sign: int

    def changes(self, far: float) -> list[tuple[Path, Any]]:
        return [(leaf.path, _moved(leaf, self.sign * far)) for leaf in self.leaves]

    @property
    def paths(self) -> set[Path]:
        return {leaf.path for leaf in self.leaves}


def check_climb(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report values that may be wrong together."""
    if not wrongs.document.structured or wrongs.base < 1 - EPS:
        return
    if left_open(wrongs.bench.task.instruction) or any(f.cause == Cause.AGREES for f in result.findings):
        return
    numbers = [leaf for leaf in leaves(wrongs.document.value) if leaf.kind == "number" and leaf.path]
    starts = _starts(wrongs) if len(numbers) > 1 else []
    for start in starts[:_MOST_STARTS]:
        if _climb(wrongs, start, numbers, result):
            return


def _starts(wrongs: WrongAnswers) -> list[Leaf]:
    """One value of each kind that counts and stands nowhere in the verifier, those first that cost most."""
    worth = sorted(wrongs.fields, key=lambda trial: -trial.stake)
    known = _known_numbers(wrongs.bench.task, data_files(wrongs.bench)) if worth else set()
    found: dict[tuple[str, ...], FieldTrial] = {}
    for trial in worth:
        fit = trial.leaf.kind == "number" and trial.leaf.number and trial.scored and not trial.kept("half")
        if fit and abs(float(trial.leaf.number)) not in known:
            pattern = tuple("*" if isinstance(step, int) else step for step in trial.leaf.path)
            found.setdefault(pattern, trial)
    return [trial.leaf for trial in found.values()]


def _known_numbers(task: Task, names: Sequence[str]) -> set[float]:
    """The numbers that are written in the verifier's sources and data."""
    texts = list(verifier_sources(task))
    for name in names:
        path = task.folder / "tests" / name
        if path.is_file() and path.stat().st_size < _LARGEST:
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    found: set[float] = set()
    for text in texts:
        for match in _NUMBER.finditer(text):
            for written in (match[0], match[0].replace(",", "")):
                if re.fullmatch(r"\d{1,40}(?:\.\d{1,40})?", written):
                    found.add(float(written))
    return found


def _moved(leaf: Leaf, by: float) -> Any:
    number = leaf.number + by
    return leaf.with_number(round(number) if isinstance(leaf.number, int) else round(number, 6))


def _climb(wrongs: WrongAnswers, start: Leaf, numbers: Sequence[Leaf], result: SectionResult) -> bool:
    far = _FAR * abs(start.number)
    far = float(max(1, round(far))) if all(isinstance(x.number, int) for x in (start, *numbers)) else far
    far = round(far, 2) if far >= 1 else far
    moves = [_Move([start], 1)]
    reached = wrongs.bench.run([first := _probe(wrongs, start, moves, far)])[0]
    result.probes.append(first)
    right = _breakdown(wrongs.bench.run([wrongs.probe("unchanged", "", wrongs.document.value)])[0])
    if reached.broke or reached.reward >= wrongs.base - EPS:
        return False
    runs = 1
    for _ in range(_MOST_ROUNDS):
        moved = set().union(*(move.paths for move in moves))
        others = [move for move in _others(start, numbers) if not move.paths & moved]
        runs += len(others)
        if not others or runs > _MOST_RUNS:
            return False
        probes = [_probe(wrongs, start, [*moves, move], far) for move in others]
        result.probes += probes
        seen = wrongs.bench.run(probes)
        before = _standing(reached, right)
        gains = sorted(
            (
                (_standing(one, right), place)
                for place, one in enumerate(seen)
                if not one.broke and _better(_standing(one, right), before)
            ),
            key=lambda gain: (-gain[0][0], -gain[0][1], gain[1]),
        )
        if not gains:
            return False
        together = list(_apart([others[place] for _, place in gains]))
        probe = _probe(wrongs, start, [*moves, *together], far)
        [after] = wrongs.bench.run([probe])
        result.probes.append(probe)
        best = gains[0][1]
        if _better(_standing(after, right), _standing(seen[best], right)):
            moves, reached, last = [*moves, *together], after, probe
        else:
            moves, reached, last = [*moves, others[best]], seen[best], probes[best]
        if reached.reward >= wrongs.base - EPS:
            return _report(wrongs, start, moves, far, last, reached, result)
    return False


def _others(start: Leaf, numbers: Sequence[Leaf]) -> Iterator[_Move]:
    """Other values up and down: in the same record, elsewhere, and the rest of a column from there on."""
    beside = [leaf for leaf in numbers if leaf.path[:-1] == start.path[:-1] and leaf.path != start.path]
    first = [leaf for leaf in numbers if leaf.path[:1] != start.path[:1] and leaf not in beside]
    rest = [leaf for leaf in numbers if leaf not in beside and leaf not in first and leaf.path != start.path]
    if all(isinstance(leaf.path[0], int) for leaf in numbers):
        first, rest = [], [*first, *rest]
    chosen = [*spread(beside, _MOST_OTHERS // 2), *spread(first, _MOST_OTHERS)]
    chosen = [*chosen[:_MOST_OTHERS], *spread(rest, 2)][:_MOST_OTHERS]
    for leaf in chosen:
        yield from (_Move([leaf], 1), _Move([leaf], -1))
    places = [number for number, step in enumerate(start.path) if isinstance(step, int)]
    if not places:
        return
    at = places[-1]
    for key in list(dict.fromkeys(leaf.path[-1] for leaf in beside))[:_MOST_TAILS]:
        tail = [
            leaf
            for leaf in numbers
            if len(leaf.path) == len(start.path)
            and leaf.path[:at] == start.path[:at]
            and leaf.path[-1] == key
            and _after(leaf.path[at], start.path[at])
        ]
        if len(tail) > 1:
            yield from (_Move(tail, 1), _Move(tail, -1))


def _after(one: str | int, other: str | int) -> bool:
    return isinstance(one, int) and isinstance(other, int) and one >= other


def _apart(moves: Sequence[_Move]) -> Iterator[_Move]:
    """Those of several moves that move no value twice, the first of each."""
    taken: set[Path] = set()
    for move in moves:
        if not move.paths & taken:
            taken |= move.paths
            yield move


def _probe(wrongs: WrongAnswers, start: Leaf, moves: Sequence[_Move], far: float) -> Probe:
    changes = [change for move in moves for change in move.changes(far)]
    told = [f"{slug(move.leaves[0].path)}{'+' if move.sign > 0 else '-'}{len(move.leaves)}" for move in moves]
    name = f"climb.{slug(start.path)}/{Counter(told).total()}-{'-'.join(told[1:])}"
    what = f"{start.name} off by {far:g}"
    if len(moves) > 1:
        names = [move.leaves[0].name for move in moves[1:]]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        what = f"{what}, and {', '.join(names[:3])}{more} by as much"
    return wrongs.probe(_short(name), what, replaced(wrongs.document.value, changes))


def _short(name: str) -> str:
    """A probe's name belongs to one output, however many values moved."""
    return name if len(name) <= 100 else f"{name[:88]}-{crc32(name.encode()):08x}"


def _breakdown(seen: Seen) -> Counter[str]:
    """The numbers and truth values of the details, each with its place."""
    found = [leaf for leaf in leaves(seen.breakdown or {}) if leaf.kind != "text" and leaf.rest is None]
    return Counter(f"{leaf.path}={leaf.value}" for leaf in found)


def _standing(seen: Seen, right: Counter[str]) -> _Standing:
    return seen.reward, (right & _breakdown(seen)).total()


def _better(one: _Standing, other: _Standing) -> bool:
    return one[0] > other[0] + 0.001 or (abs(one[0] - other[0]) <= 0.001 and one[1] > other[1])


def _report(
    wrongs: WrongAnswers,
    start: Leaf,
    moves: Sequence[_Move],
    far: float,
    probe: Probe,
    seen: Seen,
    result: SectionResult,
) -> bool:
    """Unless values were only exchanged, which is another flaw, or none."""
    changed = dict(change for move in moves for change in move.changes(far))
    old = Counter(str(leaf.value) for move in moves for leaf in move.leaves)
    if Counter(map(str, changed.values())) == old:
        return False
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{probe.what}: keeps the credit",
            cause=Cause.AGREES,
            seen=f"The right answer earns {wrongs.base:g}, {start.name} wrong alone less, and this one, "
            f"with {len(changed)} wrong values, {seen.reward:g}.",
            advice="Compare every value that is asked for with the right one; that values follow from each "
            "other is not enough.",
            probe=probe,
            before=wrongs.base,
        )
    )
    return True
