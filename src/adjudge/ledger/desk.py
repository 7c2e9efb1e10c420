"""The desk of a server: small JSON values by kind and key that may change, and may expire.

Users, sessions, claims and drafts lie here, in the ledger's own database, so that every server over one
ledger sees the same. Nothing on the desk is evidence: it is not chained, not verified and not backed up.

`exclusive` holds the ledger's write lock: what is decided inside, nobody else decides at the same time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, or_, select

from adjudge.errors import UsageError
from adjudge.ledger.store.names import is_storable
from adjudge.ledger.store.schema import desk
from adjudge.ledger.store.sql import lock_head

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.ledger import Ledger

_LONGEST_VALUE = 1 << 20


class Desk:
    """The desk of one ledger; may be shared by threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._database = ledger.database

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """A value; None if it is not there or has expired."""
        with self._database.reading() as connection:
            return DeskDrawer(connection).get(kind, key)

    def all(self, kind: str, begins: str = "") -> dict[str, dict[str, Any]]:
        """Every value of a kind whose key begins so, in the order of the keys."""
        with self._database.reading() as connection:
            return DeskDrawer(connection).all(kind, begins)

    def put(self, kind: str, key: str, value: Mapping[str, Any], *, lasts: float | None = None) -> None:
        """Keep a value, for so many seconds or for good; what was there is replaced."""
        with self.exclusive() as drawer:
            drawer.put(kind, key, value, lasts=lasts)

    def remove(self, kind: str, key: str) -> bool:
        """Take a value away; False if it was not there."""
        with self.exclusive() as drawer:
            return drawer.remove(kind, key)

    @contextmanager
    def exclusive(self) -> Iterator[DeskDrawer]:
        """Look and change with nobody else at the desk; all of it is kept, or nothing."""
        with self._database.writing() as connection:
            lock_head(connection)
            yield DeskDrawer(connection)


class DeskDrawer:
    """The desk within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """A value; None if it is not there or has expired."""
        if not is_storable(key):
            return None
        c = desk.c
        found = self._connection.execute(
            select(c.value).where(c.kind == kind, c.key == key, _alive())
        ).scalar()
        return None if found is None else json.loads(found)

    def all(self, kind: str, begins: str = "") -> dict[str, dict[str, Any]]:
        """Every value of a kind whose key begins so."""
        c = desk.c
        statement = select(c.key, c.value).where(c.kind == kind, _alive()).order_by(c.key)
        if begins:
            statement = statement.where(c.key >= begins, c.key < begins + "\U0010ffff")
        return {key: json.loads(value) for key, value in self._connection.execute(statement)}

    def put(self, kind: str, key: str, value: Mapping[str, Any], *, lasts: float | None = None) -> None:
        """Keep a value; what has expired is swept away on the way."""
        text = json.dumps(value, ensure_ascii=True, allow_nan=False)
        if not is_storable(key) or len(text) > _LONGEST_VALUE:
            raise UsageError("this cannot be kept", field=kind, found=key)
        c = desk.c
        self._connection.execute(
            delete(desk).where(or_((c.kind == kind) & (c.key == key), c.expires <= time.time()))
        )
        until = None if lasts is None else time.time() + lasts
        self._connection.execute(insert(desk).values(kind=kind, key=key, value=text, expires=until))

    def remove(self, kind: str, key: str) -> bool:
        """Take a value away; False if it was not there."""
        c = desk.c
        if not is_storable(key):
            return False
        return bool(self._connection.execute(delete(desk).where(c.kind == kind, c.key == key)).rowcount)


def _alive() -> Any:
    return or_(desk.c.expires.is_(None), desk.c.expires > time.time())
