"""The desk of a server: small JSON values by kind and key that may change, and may expire.

Users, sessions, claims and drafts lie here, in the ledger's own database, so that every server over one
ledger sees the same. Nothing on the desk is evidence: it is not chained, not verified and not backed up.

`exclusive` holds the ledger's write lock: what is decided inside, nobody else decides at the same time. What
is annotated and attached inside is written with it: all of it is kept, or nothing.

Many requests ask the desk, and each asks the same few things: its statements are built once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Select, bindparam, delete, func, or_, select, text

from adjudge.errors import UsageError
from adjudge.ledger.reading.ids import row_of
from adjudge.ledger.store.database import patiently
from adjudge.ledger.store.names import Names, is_storable
from adjudge.ledger.store.schema import desk
from adjudge.ledger.store.sql import lock_head
from adjudge.ledger.writing.annotate import add_annotations
from adjudge.ledger.writing.attachments import attach_to

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.contracts import Annotation
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.writing.attachments import NewAttachment

T = TypeVar("T")

_LONGEST_VALUE = 1 << 20
_SWEEP_SEC = 60.0
"""How often what has expired is swept away; nobody sees it meanwhile."""
_SWEEP_SHARE = 100
"""A sweep looks at the whole desk: a large one is swept less often, for a hundredth of the time at most."""
_END = "\U0010ffff"

_c = desk.c
_IS_ALIVE = or_(_c.expires.is_(None), _c.expires > bindparam("now"))
_GET = select(_c.value).where(_c.kind == bindparam("of"), _c.key == bindparam("at"), _IS_ALIVE)
_WITHIN = (
    _c.kind == bindparam("of"),
    _c.key >= bindparam("begin"),
    _c.key < bindparam("end"),
    _IS_ALIVE,
)
_ALL = select(_c.key, _c.value).where(*_WITHIN).order_by(_c.key)
_FIRST = _ALL.limit(1)
_LAST = select(_c.key, _c.value).where(*_WITHIN).order_by(_c.key.desc()).limit(1)
_COUNT = select(func.count()).select_from(desk).where(*_WITHIN)
_PUT = text(
    "INSERT INTO desk (kind, key, value, expires) VALUES (:of, :at, :value, :expires) "
    "ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires = excluded.expires"
)
_REMOVE = delete(desk).where(_c.kind == bindparam("of"), _c.key == bindparam("at"))
_SWEEP = delete(desk).where(_c.expires <= bindparam("now"))


class Desk:
    """The desk of one ledger; may be shared by threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._database = ledger.database
        self._names = Names()
        self._sweep_at = time.monotonic() + _SWEEP_SEC

    @contextmanager
    def looking(self) -> Iterator[DeskDrawer]:
        """Look several times at one moment; changes nothing."""
        with self._database.reading() as connection:
            yield DeskDrawer(connection, self._database.location.shown, self._names)

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """A value; None if it is not there or has expired."""
        with self.looking() as drawer:
            return drawer.get(kind, key)

    def all(self, kind: str, begins: str = "") -> dict[str, dict[str, Any]]:
        """Every value of a kind whose key begins so, in the order of the keys."""
        with self.looking() as drawer:
            return drawer.all(kind, begins)

    def put(self, kind: str, key: str, value: Mapping[str, Any], *, lasts: float | None = None) -> None:
        """Keep a value, for so many seconds or for good; what was there is replaced."""
        with self._database.writing() as connection:
            DeskDrawer(connection, self._database.location.shown, self._names).put(
                kind, key, value, lasts=lasts
            )
            self._sweep(connection)

    def remove(self, kind: str, key: str) -> bool:
        """Take a value away; False if it was not there."""
        with self._database.writing() as connection:
            return DeskDrawer(connection, self._database.location.shown, self._names).remove(kind, key)

    @contextmanager
    def exclusive(self) -> Iterator[DeskDrawer]:
        """Look and change with nobody else at the desk; all of it is kept, or nothing."""
        with self._database.writing() as connection:
            lock_head(connection)
            yield DeskDrawer(connection, self._database.location.shown, self._names)
            self._sweep(connection)

    def together(self, work: Callable[[DeskDrawer], T]) -> T:
        """Do `work` as `exclusive` does, again if the database went away in the middle.

        A connection can be lost after the database has kept it all: `work` must find that it was done.
        """

        def once() -> T:
            with self.exclusive() as drawer:
                return work(drawer)

        return patiently(once)

    def _sweep(self, connection: Connection) -> None:
        began = time.monotonic()
        if began > self._sweep_at:
            self._sweep_at = began + _SWEEP_SEC
            connection.execute(_SWEEP, {"now": time.time()})
            self._sweep_at += _SWEEP_SHARE * (time.monotonic() - began)


class DeskDrawer:
    """The desk within one transaction."""

    def __init__(self, connection: Connection, location: str, names: Names) -> None:
        self._connection = connection
        self._location = location
        self._names = names

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """A value; None if it is not there or has expired."""
        if not is_storable(key):
            return None
        found = self._connection.execute(_GET, {"of": kind, "at": key, "now": time.time()}).scalar()
        return None if found is None else json.loads(found)

    def all(self, kind: str, begins: str = "") -> dict[str, dict[str, Any]]:
        """Every value of a kind whose key begins so."""
        rows = self._within(_ALL, kind, begins, begins + _END)
        return {key: json.loads(value) for key, value in rows}

    def first(self, kind: str, begin: str, end: str) -> tuple[str, dict[str, Any]] | None:
        """The first value of a kind, with its key, from one key up to another; None if there is none."""
        rows = self._within(_FIRST, kind, begin, end)
        return (rows[0][0], json.loads(rows[0][1])) if rows else None

    def last_key(self, kind: str, begins: str) -> str | None:
        """The last key of a kind that begins so."""
        rows = self._within(_LAST, kind, begins, begins + _END)
        return rows[0][0] if rows else None

    def count(self, kind: str, begins: str) -> int:
        """How many values of a kind have a key that begins so."""
        return int(self._within(_COUNT, kind, begins, begins + _END)[0][0])

    def put(self, kind: str, key: str, value: Mapping[str, Any], *, lasts: float | None = None) -> None:
        """Keep a value; what was there is replaced."""
        words = json.dumps(value, ensure_ascii=True, allow_nan=False)
        if not is_storable(key) or len(words) > _LONGEST_VALUE:
            raise UsageError("this cannot be kept", field=kind, found=key)
        until = None if lasts is None else time.time() + lasts
        self._connection.execute(_PUT, {"of": kind, "at": key, "value": words, "expires": until})

    def remove(self, kind: str, key: str) -> bool:
        """Take a value away; False if it was not there."""
        if not is_storable(key):
            return False
        return bool(self._connection.execute(_REMOVE, {"of": kind, "at": key}).rowcount)

    def annotate(self, trial_id: str, annotation: Annotation) -> bool:
        """`Ledger.annotate` within this transaction."""
        row = row_of(self._connection, trial_id, self._location)
        return add_annotations(self._connection, self._names, [(row, annotation)])[0]

    def attach(self, items: Sequence[NewAttachment]) -> list[bool]:
        """`Ledger.attach` within this transaction; for documents without bytes to keep."""
        return attach_to(self._connection, items, self._location)

    def _within(self, statement: Select[Any], kind: str, begin: str, end: str) -> Sequence[Any]:
        given = {"of": kind, "begin": begin, "end": end, "now": time.time()}
        return self._connection.execute(statement, given).all()
