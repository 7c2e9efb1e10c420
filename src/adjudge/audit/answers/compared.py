"""What a verifier compares an answer with, seen in runs of it on answers of marks that nothing else holds.

A reference may be computed anywhere, from anything. But somewhere it meets the answer. So a copy of the
verifier notes what meets what (`noting`), and is run on an answer in which every value is a mark of its own;
what met a mark is the reference of that field (`marks`). A verifier that stops at the first wrong value shows
one field per run, so what is known is put in and the next run follows. A list grows to the length that is
asked for, and an object of unknown names gets those that are looked up in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.marks import ANY, NUMERIC, WORDS, Item, Place, Told, read_notes, told_by
from adjudge.audit.answers.noting import NOTED, noting_copy
from adjudge.audit.documents import get, in_format, replaced
from adjudge.audit.probes import Bench, Conditions, Probe, only_answer

_MOST_RUNS = 40
_MOST_FIELDS = 120
_TURNS = len(ANY)
"""Kinds of marks."""
_LISTS = 2
"""More turns, in which a place of unknown type is a list: of a number, then of a word."""
_UNKNOWN = "qvxzzw"
"""A name of an object of which no name is known."""


class Compared(Struct, frozen=True):
    """An answer of what was compared, and the places of which nothing is known: they are as they were."""

    value: Any
    unknown: list[Place]


def compared(
    bench: Bench,
    start: Any,
    name: str,
    keep_sec: float = 0.0,
    write: Callable[[Any], str] | None = None,
) -> Compared | None:
    """The answer of this shape that holds what each of its values was compared with; None if nothing was.

    A value None may be of any type; a text that is not empty is kept as it is; an object with no name gets
    those that are looked up. No run is begun once less than `keep_sec` of the audit's time is left.
    """
    tests = noting_copy(bench)
    if tests is None:
        return None
    seen_so_far = _Seen({_UNKNOWN: None} if start == {} else start)
    turns = _TURNS if write is not None else _TURNS + _LISTS
    for number in range(_MOST_RUNS):
        if seen_so_far.turn >= turns or bench.budget.until_the_end() < keep_sec:
            break
        value, given = seen_so_far.marked()
        if not given:
            break
        data = in_format(value, bench.task.output.format) if write is None else f"{write(value)}\n".encode()
        probe = Probe(
            f"answer/{name}-{number}",
            "an answer of marks",
            only_answer(bench.task, data),
            Conditions(tests=tests),
        )
        [seen] = bench.run([probe])
        met = read_notes(seen.artifacts.get(NOTED, b""))
        if not seen_so_far.learn(told_by(met, given, value, seen_so_far.known.values())):
            seen_so_far.turn += 1
    return seen_so_far.result()


class _Seen:
    """The shape as far as it is known, and what stands where."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.known: dict[Place, Any] = {}
        self.within: dict[Place, float] = {}
        self.turn = 0
        self._named: set[Place] = {()} if isinstance(shape, dict) and _UNKNOWN in shape else set()

    def missing(self) -> list[tuple[int, Place]]:
        """The places of which nothing is known, with their numbers."""
        paths = [path for path, _ in open_places(self.shape)][:_MOST_FIELDS]
        return [(place, path) for place, path in enumerate(paths) if path not in self.known]

    def marked(self) -> tuple[Any, dict[Place, Any]]:
        """The answer with what is known and marks elsewhere, and each mark by its place."""
        given: dict[Place, Any] = {}
        values = dict(self.known)
        for place, path in self.missing():
            old = get(self.shape, path)
            if old is None and self.turn >= len(ANY):
                mark = (ANY[0], WORDS[0])[self.turn - len(ANY)](place)
                given[(*path, 0)], values[path] = mark, [mark]
                continue
            kinds = ANY if old is None else WORDS if isinstance(old, str) else NUMERIC
            given[path] = values[path] = self.within.get(path, kinds[self.turn % len(kinds)](place))
        return replaced(self.shape, values.items()), given

    def learn(self, told: Told) -> bool:
        """Take over what a run told; False if that is nothing new."""
        shape = repr(self.shape)
        before = repr((self.shape, self.known, self.within))
        for path, value in told.known.items():
            self._open(path[:-1], 1)
            self.known[path] = value
        self.within |= {path: point for path, point in told.within.items() if path not in told.known}
        for place, items in told.wholes.items():
            self._fill(place, items)
        for place, length in told.lengths.items():
            self._open(place, length)
        for place, names in told.names.items():
            self._name(place, names)
        self._forget()
        if repr(self.shape) != shape:  # new places are tried with each kind of mark
            self.turn = 0
        return before != repr((self.shape, self.known, self.within))

    def _forget(self) -> None:
        """Drop what was learned of places that are no more."""
        self.known = {path: value for path, value in self.known.items() if _stands(self.shape, path)}
        self.within = {path: point for path, point in self.within.items() if _stands(self.shape, path)}

    def _open(self, place: Place, length: int) -> None:
        """Make a list of so many items of what stands there, if it is a list or may be one."""
        old = get(self.shape, place)
        if old is None or (isinstance(old, list) and old and len(old) < length):
            self.shape = replaced(self.shape, [(place, [old[0] if old else None] * length)])

    def _fill(self, place: Place, items: list[Item]) -> None:
        if any(path[: len(place)] == place for path in self.known):
            return
        self._open(place, len(items))
        like = get(self.shape, place)[0]
        self.shape = replaced(self.shape, [(place, [like if () not in item else None for item in items])])
        self.known |= {
            (*place, n, *tail): leaf for n, item in enumerate(items) for tail, leaf in item.items()
        }

    def _name(self, place: Place, names: list[str]) -> None:
        """Give an object the names that are looked up in it, if its own were but examples."""
        old = get(self.shape, place)
        alike = bool(place) and all(isinstance(child, dict) for child in old.values())
        real = any(path[: len(place)] == place for path in self.known)
        first = place not in self._named and not (real and alike)
        if first and real:
            return
        kept = {} if first else {key: child for key, child in old.items() if key != _UNKNOWN}
        like = None if _UNKNOWN in old else next(iter(old.values()), None)
        self._named.add(place)
        more = {_UNKNOWN: None} if _UNKNOWN in old else {}
        self.shape = replaced(self.shape, [(place, {**kept, **dict.fromkeys(names, like), **more})])

    def result(self) -> Compared | None:
        """What is known, if anything is."""
        if isinstance(self.shape, dict) and _UNKNOWN in self.shape:
            self.shape = {key: child for key, child in self.shape.items() if key != _UNKNOWN}
        self._forget()
        if not self.known and not self.within:
            return None
        left = [path for _, path in self.missing() if path not in self.within]
        filled = {
            **{path: self.within[path] for _, path in self.missing() if path in self.within},
            **self.known,
        }
        return Compared(replaced(self.shape, filled.items()), left)


def _stands(shape: Any, path: Place) -> bool:
    """Is there such a place in a shape?"""
    for step in path:
        inside = (
            step in shape
            if isinstance(shape, dict)
            else isinstance(shape, list) and step in range(len(shape))
        )
        if not inside:
            return False
        shape = shape[step]
    return True


def open_places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every leaf of a shape, those of unknown type (None) too. A text that says something is kept."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from open_places(child, (*path, key))
    elif isinstance(value, list):
        for place, child in enumerate(value):
            yield from open_places(child, (*path, place))
    elif not (isinstance(value, str) and value):
        yield path, value
