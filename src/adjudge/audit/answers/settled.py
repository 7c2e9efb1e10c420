"""Answers whose values agree with each other, found by moving each to what a verifier holds it against.

Some verifiers work their references out from the answer: interest from the balance that is stated, a head
from the flow that is echoed. Then no value is right by itself. So an answer of numbers that nothing else
holds is run in a copy of the verifier that notes what meets what (`noting`). What a value is held against
takes its place, and the next run shows what follows from that, until nothing moves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.climb import EPS, Climb
from adjudge.audit.answers.compared import Compared
from adjudge.audit.answers.marks import NUMERIC, Met, Place, moved_by, read_notes
from adjudge.audit.answers.noting import NOTED, WATCHED, noting_copy
from adjudge.audit.answers.written import blocks_shown
from adjudge.audit.documents import get, in_format, leaves, replaced
from adjudge.audit.probes import Bench, Conditions, Files, Probe, only_answer

_ROUNDS, _FIRST_ROUNDS = 48, 12
_MOST = 120
_TURNS, _MOST_SETTLED = 2, 4
_STALE = 3
"""Runs that earn no more: two values that chase each other never settle."""
_QUANTITY = re.compile(
    r"(?<![\w.,])(?P<number>-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(?![\w.,]*\d)"
    r"[ \t]*(?P<unit>[A-Za-z%°µ][\w/%·^²³]*)?"
)
_CLAUSE = r"[;\n|]|\.\s|\d"
_BEFORE, _BEHIND = 60, 24
_LEAST_WORD = 3


class Settled(Struct, frozen=True):
    """The values that agree best, what they earn, and what they earned before any of them had moved."""

    value: Any
    reward: float
    before: float


def settled(
    bench: Bench,
    start: Any,
    name: str,
    write: Callable[[Any], Files],
    *,
    turn: int = 0,
    first: Mapping[Place, Any] | None = None,
    fixed: Collection[Place] = (),
    keep_sec: float = 0.0,
    enough: float = 1.0,
) -> Settled | None:
    """The numbers of a shape as they agree with each other; None if nothing is compared with any of them.

    Texts stay as they are. Numbers of which something is known begin as what they are given `first`, and
    those that are `fixed` never move. What earns so much more than at first is `enough`.
    """
    tests = noting_copy(bench)
    places = [leaf.path for leaf in leaves(start) if leaf.kind == "number"]
    if tests is None or not 1 < len(places) <= _MOST:
        return None
    marks = {path: (first or {}).get(path, mark_of(turn, place)) for place, path in enumerate(places)}
    value = replaced(start, marks.items())
    free = {path: mark for path, mark in marks.items() if path not in fixed}
    best: Settled | None = None
    stale = 0
    for number in range(_ROUNDS):
        idle = best is not None and best.reward <= best.before and number >= _FIRST_ROUNDS
        if idle or stale >= _STALE or bench.budget.until_the_end() < keep_sec:
            break
        env = ((WATCHED, json.dumps(list(free.values()))),)
        conditions = Conditions(tests=tests, env=env)
        probe = Probe(f"answer/{name}-{number}", "values that agree", write(value), conditions)
        [seen] = bench.run([probe])
        more = best is None or seen.reward > best.reward + 1e-6
        stale = 0 if more else stale + (best is not None and best.reward > 0)
        if more:
            best = Settled(value, seen.reward, seen.reward if best is None else best.before)
        if best is not None and best.reward - best.before >= enough:
            break
        moved = moved_by(_checks(read_notes(seen.artifacts.get(NOTED, b""))), free)
        moved = {
            path: new for path, new in moved.items() if new
        } or moved  # zero is what much is held against
        if not moved:
            break
        free |= moved
        value = replaced(value, moved.items())
    return best if number else None


def settle(climb: Climb, made: Compared, source: str, write: Callable[[Any], str] | None = None) -> None:
    """Try the values of this shape that agree with each other, first with what the task gives for some."""
    bench = climb.bench
    task = bench.task
    start = replaced(made.value, [(path, 1.0) for path in made.unknown if get(made.value, path) is None])

    def files(value: Any) -> Files:
        data = in_format(value, task.output.format) if write is None else f"{write(value)}\n".encode()
        return only_answer(task, data)

    for turn in range(_TURNS):
        if climb.best >= 1.0 - EPS or climb.settled >= _MOST_SETTLED:
            return
        climb.settled += 1
        first = told_values(task.instruction, start)
        name = f"settled-{climb.settled}"
        found = settled(bench, start, name, files, turn=turn, first=first, keep_sec=climb.keep_sec)
        if found is None or found.reward <= max(climb.best, EPS):
            continue
        climb.try_value(found.value if write is None else write(found.value).encode(), source=source)
        for leaf in leaves(found.value)[:_MOST] if climb.best < 1.0 - EPS and write is None else ():
            if leaf.kind == "truth":
                climb.try_value(replaced(climb.value, [(leaf.path, not leaf.value)]), source=source)


def mark_of(turn: int, place: int) -> float:
    """Each has a number of its own; a second turn has others of the same size."""
    mark = NUMERIC[turn % 3](place)
    return mark if turn < 3 else float(f"{mark * 1.37:.5g}")


def _checks(met: list[Met]) -> list[Met]:
    """Where a value is held against another; what is only worked out with it is none of that."""
    whole = [one for one in met if one.op in ("==", "!=") and one.one != 0 != one.other]
    return [*(one for one in met if one.op in ("close", "off", "between")), *whole]


def told_values(instruction: str, value: Any) -> dict[Place, Any]:
    """Numbers of the instruction for the fields that are called like them: `level_m` for "level 1.60 m".

    A field is told by its unit and a word, or by all of its words, beside one number only; a number tells
    the one field that is called most like it.
    """
    shown = list(_quantities(instruction))
    fits: list[tuple[int, Place, int]] = []
    for leaf in leaves(value):
        name = str(leaf.path[-1]).lower() if leaf.path else ""
        words = [word for word in re.split(r"[^a-z]+", name) if len(word) >= _LEAST_WORD]
        for place, (_, unit, said) in enumerate(shown if leaf.kind == "number" else ()):
            named = sum(any(one.startswith(word) for one in said) for word in words)
            same = bool(unit) and name.endswith(f"_{unit}")
            if (same and named) or (words and named == len(words)):
                fits.append((named + 2 * same, leaf.path, place))
    found: dict[Place, Any] = {}
    used: set[int] = set()
    for fit, path, place in sorted(fits, key=lambda one: -one[0]):
        rivals = {shown[n][0] for f, p, n in fits if p == path and f == fit and n not in used}
        if path not in found and place not in used and len(rivals) == 1:
            found[path] = shown[place][0]
            used.add(place)
    return {path: number for path, number in found.items() if list(found.values()).count(number) == 1}


def _quantities(instruction: str) -> Iterator[tuple[float, str, list[str]]]:
    """(number, unit, words beside it in its clause) of the sentences; what an example shows is none."""
    for block in blocks_shown(instruction):
        instruction = instruction.replace(block, "\n") if "\n" in block.strip() else instruction
    for match in _QUANTITY.finditer(instruction):
        before = re.split(_CLAUSE, instruction[max(0, match.start() - _BEFORE) : match.start()])[-1]
        behind = re.split(_CLAUSE, instruction[match.end() : match.end() + _BEHIND])[0]
        unit = re.sub(r"[^a-z0-9]+", "_", (match["unit"] or "").lower()).strip("_")
        said = re.findall(r"[a-z]+", f"{before} {behind}".lower())
        yield float(match["number"].replace(",", "")), unit, said
