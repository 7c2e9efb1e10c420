"""Many trials as arrays, for statistics: one statement, plain columns only, no JSON parsed.

Names come as codes into a tuple of categories, sorted, so the same ledger gives the same arrays on every
machine. Rows stand in the order in which they were recorded. A million trials are about 60 MB.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import select

from adjudge.ledger.filters import TrialFilter
from adjudge.ledger.reading.selection import select_by
from adjudge.ledger.store.names import NO_NAME, Names
from adjudge.ledger.store.planner import scan
from adjudge.ledger.store.schema import evaluations, trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from adjudge.ledger.ledger import Ledger

_CHUNK = 4_000


class Coded(Struct, frozen=True):
    """A column of names: `categories[codes[i]]` is row i's. A code of -1 is "none"."""

    codes: NDArray[np.int32]
    categories: tuple[str, ...]


class TrialColumns(Struct, frozen=True):
    """The current evaluation of each trial, column by column. All arrays have one length, perhaps 0."""

    trial: NDArray[np.int64]
    """The trial's number in the ledger; `Ledger.trial_ids` has the ids."""
    experiment: Coded
    agent: Coded
    model: Coded
    task: Coded
    task_digest: Coded
    outcome: Coded
    attempt: NDArray[np.int64]
    reward: NDArray[np.float64]
    output_parseable: NDArray[np.bool_]
    schema_valid: NDArray[np.bool_]
    verifier_completed: NDArray[np.bool_]
    duration_sec: NDArray[np.float64]
    """NaN if not known, as is `cost_usd`."""
    cost_usd: NDArray[np.float64]
    metadata: Mapping[str, Coded]
    """The keys of `TrialRecord.metadata` that were asked for; a value that is no string as its JSON."""

    def __len__(self) -> int:
        return len(self.reward)


_NAMED = ("experiment", "agent", "model", "task", "task_digest", "outcome")
_PLAIN = {
    "trial": "int64",
    "attempt": "int64",
    "reward": "float64",
    "output_parseable": "bool",
    "schema_valid": "bool",
    "verifier_completed": "bool",
    "duration_sec": "float64",
    "cost_usd": "float64",
}


def read_columns(
    connection: Connection, known: Names, wanted: TrialFilter, metadata: Sequence[str] = ()
) -> TrialColumns:
    """Read the matching trials. `metadata` keys cost a look into each trial's document."""
    import numpy as np

    chosen = select_by(connection, known, wanted)
    names = [*_NAMED, *_PLAIN]
    statement = (
        select(*(evaluations.c[name] for name in names)).where(chosen.where()).order_by(evaluations.c.seq)
    )
    statement = scan(connection, statement, chosen.candidates)
    if metadata:
        statement = statement.add_columns(trials.c.document).join(trials, trials.c.seq == evaluations.c.trial)
    named = {name: _Codes() for name in _NAMED}
    parts: dict[str, list[Any]] = {name: [np.empty(0, kind)] for name, kind in _PLAIN.items()}
    texts: dict[str, list[str | None]] = {key: [] for key in metadata}
    for rows in row_chunks(connection, statement):
        by_column = dict(zip((*names, "document"), zip(*rows, strict=True), strict=False))
        for name, codes in named.items():
            codes.add(by_column[name])
        for name, kind in _PLAIN.items():
            parts[name].append(np.array(by_column[name], dtype=kind))
        if metadata:
            _read_metadata(by_column["document"], texts)
    # each column's parts are given up as soon as they are one array: no more than one is held twice
    columns: dict[str, Any] = {name: named.pop(name).coded(connection, known) for name in _NAMED}
    columns |= {name: np.concatenate(parts.pop(name)) for name in _PLAIN}
    return TrialColumns(**columns, metadata={key: code(values) for key, values in texts.items()})


def may_have_metadata(ledger: Ledger, key: str) -> bool:
    """False if no trial of the ledger has this metadata key; True if one may have it.

    One pass over the documents, up to the first that holds the word in quotes.
    """
    quoted = json.dumps(key)
    found = select(trials.c.seq).where(trials.c.document.contains(quoted, autoescape=True)).limit(1)
    with ledger.database.reading() as connection:
        return connection.execute(found).first() is not None


def row_chunks(connection: Connection, statement: Any) -> Iterator[Sequence[Any]]:
    """The rows of a statement, some thousands at a time, never all of them."""
    if connection.dialect.name == "sqlite":
        # the driver's own tuples: wrapping a million of them costs half as much again as reading them
        cursor: Any = connection.execute(statement).cursor
        while rows := cursor.fetchmany(_CHUNK):
            yield rows
    else:
        yield from connection.execute(statement, execution_options={"yield_per": _CHUNK}).partitions()


def code(values: Sequence[str | None]) -> Coded:
    """Code a list of strings; None becomes -1."""
    import numpy as np

    categories = tuple(sorted({value for value in values if value is not None}))
    numbers: dict[str | None, int] = {text: number for number, text in enumerate(categories)}
    numbers[None] = -1
    return Coded(np.fromiter((numbers[value] for value in values), np.int32, len(values)), categories)


class _Codes:
    """A column of names while it is read: numbered as they come by, four bytes for each row."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, names: Sequence[int]) -> None:
        import numpy as np

        present, inverse = np.unique(np.array(names, np.int64), return_inverse=True)
        numbers = self._numbers
        codes = [numbers.setdefault(name, len(numbers)) for name in present.tolist()]
        self._parts.append(np.array(codes, np.int32)[inverse])

    def coded(self, connection: Connection, known: Names) -> Coded:
        import numpy as np

        codes, categories = _sorted_codes(connection, known, list(self._numbers))
        parts, self._parts = [np.empty(0, np.int32), *self._parts], []
        return Coded(codes[np.concatenate(parts)], categories)


def coded(connection: Connection, known: Names, numbers: NDArray[np.int64]) -> Coded:
    """Names by their numbers in the ledger, as codes into sorted categories."""
    import numpy as np

    present, inverse = np.unique(numbers, return_inverse=True)
    codes, categories = _sorted_codes(connection, known, present.tolist())
    return Coded(codes[inverse], categories)


def _sorted_codes(
    connection: Connection, known: Names, numbers: Sequence[int]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The code of each of these names, and the categories that codes stand for."""
    import numpy as np

    texts = known.texts(connection, numbers)
    categories = tuple(sorted(texts.values()))
    place = {text: index for index, text in enumerate(categories)}
    codes = [-1 if number == NO_NAME else place[texts[number]] for number in numbers]
    return np.array(codes, np.int32), categories


def _read_metadata(documents: Sequence[str], texts: dict[str, list[str | None]]) -> None:
    for document in documents:
        metadata = json.loads(document)["metadata"]
        for key, values in texts.items():
            value = metadata.get(key)
            values.append(
                value if value is None or isinstance(value, str) else json.dumps(value, sort_keys=True)
            )
