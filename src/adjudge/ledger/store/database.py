"""One connection story for both databases: open, read, write, and say clearly what went wrong.

A write is one transaction that holds the ledger's only write lock from its first statement: `BEGIN
IMMEDIATE` in SQLite, a lock on the `head` row in PostgreSQL. So the chain has one writer at a time,
however many processes there are. Reads take no lock and never wait for a writer.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.errors import LedgerError, MissingExtra, UsageError
from adjudge.ledger.store.location import Location

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

BUSY_TIMEOUT_SEC = 60.0
"""How long a writer waits for the others."""
MAX_VARIABLES = 900
"""Values in one IN list; old SQLite builds allow 999."""
_LONGEST_LOG = 64_000
"""Pages of a log that is written back apart: a commit does it all the same if it grows beyond."""
_MANY_ROWS = 500
_ROOM_KIB = 65_536
_LONG_LOG = 32_000
"""Pages of the log of who writes many rows at a time, 256 MiB; it is gone when the ledger is closed."""
_ROOMY = "adjudge has room"
WAITS_SEC = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Between one try and the next when the database went away; about sixteen seconds in all."""

T = TypeVar("T")


class Database:
    """An engine and the words for its failures."""

    def __init__(self, location: Location, *, read_only: bool = False) -> None:
        self.location = location
        self.read_only = read_only
        self._was_there = location.path is not None and location.path.exists()
        self._checkpoints_apart = False
        self.engine = _engine(location, read_only=read_only)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.engine.dialect.name

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading; one statement or many, without a lock on anybody."""
        with self._worded(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that holds the write lock; committed at the end, undone by any exception."""
        if self.read_only:
            raise LedgerError("the ledger is read-only here", file=self.location.shown, remedy=_PERMISSIONS)
        path = self.location.path
        if path is not None and self._was_there and not path.exists():
            # an open file can still be written after it was deleted, and all of that is lost
            raise LedgerError(
                "the ledger's file is gone", file=self.location.shown, remedy="Put it back where it was."
            )
        with self._worded(), self.engine.connect() as connection:
            connection.execution_options(adjudge_begin="BEGIN IMMEDIATE")
            with connection.begin():
                self._was_there = True
                yield connection

    def make_room(self, connection: Connection, rows: int) -> None:
        """If many rows are to be written, let SQLite keep and write back more on this connection from now on.

        In a large ledger each row of a batch changes another page of every index whose keys fall anywhere.
        Pages that do not fit in memory are written and read several times within one transaction, and those
        that the next batches change as well are best written back once for all of them.
        """
        if rows >= _MANY_ROWS and self.dialect == "sqlite" and not connection.info.get(_ROOMY):
            connection.exec_driver_sql(f"PRAGMA cache_size = -{_ROOM_KIB}")
            if not self._checkpoints_apart:
                connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {_LONG_LOG}")
            connection.info[_ROOMY] = True

    def pragma(self, words: str) -> None:
        """Tell SQLite what it takes only outside a transaction.

        For some of it SQLite waits for nobody else, whatever its time-out, so the waiting is done here.
        """
        from sqlalchemy import exc

        deadline = time.monotonic() + BUSY_TIMEOUT_SEC
        with self._worded():
            while True:
                try:
                    with self.engine.connect() as connection:
                        connection.execution_options(adjudge_begin=None).exec_driver_sql(f"PRAGMA {words}")
                    return
                except exc.OperationalError as error:
                    if "locked" not in str(error.orig) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)

    def checkpoint_apart(self) -> None:
        """Have no commit of this process write SQLite's log back into the file: whoever asks for this calls
        `checkpoint` now and then. Many small commits wait long for the one that would write it all."""
        from sqlalchemy import event

        if self.dialect == "sqlite" and not self.read_only:
            self._checkpoints_apart = True

            @event.listens_for(self.engine, "connect")
            def connected(connection: Any, _: object) -> None:
                connection.execute(f"PRAGMA wal_autocheckpoint = {_LONGEST_LOG}")

            self.engine.dispose()  # connections that were made before

    def checkpoint(self) -> None:
        """Write SQLite's log back as far as nobody needs it; others read and write meanwhile."""
        if self.dialect == "sqlite" and not self.read_only:
            self.pragma("wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Give back every connection. Closing twice is harmless."""
        self.engine.dispose()

    @contextmanager
    def _worded(self) -> Iterator[None]:
        from sqlalchemy import exc

        try:
            yield
        except exc.DBAPIError as error:
            raise _worded(self.location, error) from error
        except exc.TimeoutError as error:
            raise LedgerError("every connection is in use", file=self.location.shown) from error


_PERMISSIONS = "Check who may write the file and its folder, or copy the ledger somewhere writable."


class Disconnected(LedgerError):  # noqa: N818 - names a state, and is read as one
    """The database went away in the middle; asking again may find it back."""


def patiently(ask: Callable[[], T]) -> T:
    """Do what may be repeated; a lost connection is tried again, then raised as `Disconnected`.

    A database that restarts is back within seconds; one that stays away is reported, and nothing is lost.
    """
    for wait in WAITS_SEC:
        try:
            return ask()
        except Disconnected:
            time.sleep(wait)
    return ask()


def _engine(location: Location, *, read_only: bool) -> Engine:
    from sqlalchemy import create_engine, event, exc

    if location.path is None:
        try:
            import psycopg  # noqa: F401 - only to name the extra that is missing
        except ImportError:
            raise MissingExtra("postgres", needed_for="a PostgreSQL ledger") from None
        try:
            return create_engine(location.url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
        except (ValueError, exc.ArgumentError):  # its own words may show the password
            raise UsageError(
                "this is no address of a PostgreSQL database",
                field="--ledger",
                found=location.shown,
                allowed="postgresql://USER@HOST:PORT/DATABASE",
            ) from None
    from adjudge.ledger.store.planner import HintedCompiler

    uri = f"file:{_quoted(str(location.path))}?mode={'ro' if read_only else 'rwc'}"
    if read_only and not os.access(location.path.parent, os.W_OK) and not _has_wal(location):
        uri += "&immutable=1"  # a WAL ledger needs its -shm file, which cannot be made here
    engine = create_engine(
        "sqlite://",
        creator=lambda: _connect(uri),
        poolclass=_queue_pool(),
        pool_size=16,
        max_overflow=24,
        pool_use_lifo=True,  # those used last have the pages that are wanted next
    )

    engine.dialect.statement_compiler = HintedCompiler

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        words = connection.get_execution_options().get("adjudge_begin", "BEGIN")
        if words is not None:
            connection.exec_driver_sql(words)

    return engine


def _queue_pool() -> Any:
    from sqlalchemy.pool import QueuePool

    return QueuePool


def _connect(uri: str) -> Any:
    import sqlite3

    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_TIMEOUT_SEC, isolation_level=None, check_same_thread=False
    )
    # NORMAL in WAL mode: a killed process loses nothing; a power cut may lose the last commits, each whole
    connection.execute("PRAGMA synchronous = NORMAL")
    # rows hold documents, and ids and digests fall anywhere into their indexes: twice SQLite's usual page is
    # half as many pages to write, and a log of up to 64 MiB writes most of them back once for many batches
    connection.execute("PRAGMA page_size = 8192")  # of a new ledger; others keep theirs
    connection.execute("PRAGMA wal_autocheckpoint = 8000")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16384")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(os.fsencode(path))


def _has_wal(location: Location) -> bool:
    return location.path is not None and os.path.exists(f"{location.path}-wal")  # noqa: PTH110 - a suffix, not a child


def _worded(location: Location, error: Any) -> LedgerError:
    """Say what a database error means to a person; the driver's own words stay, as what was found."""
    said = location.scrubbed(" ".join(str(error.orig).split()))
    kind: type[LedgerError] = Disconnected if error.connection_invalidated else LedgerError
    meant = next((meaning for meaning in _MEANINGS if meaning[0] in said), None)
    said = _CONNECTING.sub("", said)  # what failed comes last, and long words are cut
    if meant is not None:
        return kind(meant[1], file=location.shown, found=said, remedy=meant[2])
    if location.path is None and type(error.orig).__name__ in _LOST:
        return Disconnected(
            "the database cannot be reached",
            file=location.shown,
            found=said,
            remedy="Nothing recorded so far is lost; run the same command again when the database is back.",
        )
    return kind("the database refused", file=location.shown, found=said)


_CONNECTING = re.compile(r"connection (failed|is bad): connection to server .*? failed: (FATAL: )?")
_LOST = {"OperationalError", "AdminShutdown", "CrashShutdown", "CannotConnectNow", "ConnectionTimeout"}
_LOGIN = "Check the user, the password and the name of the database; PostgreSQL's createdb makes a new one."
_MEANINGS = (
    *(
        (words, "the database server does not let this user in there", _LOGIN)
        for words in (
            'FATAL: database "',
            'FATAL: role "',
            "authentication failed",
            "no password supplied",
            "no pg_hba.conf entry",
        )
    ),
    (
        "database or disk is full",
        "the disk is full",
        "What was recorded before is safe; make room and run the same command again.",
    ),
    (
        "disk I/O error",
        "the disk failed or is full",
        "What was recorded before is safe; make room or mend the disk, then run the same command again.",
    ),
    (
        "No space left on device",
        "the database server's disk is full",
        "Make room and run the same command again.",
    ),
    ("readonly database", "the ledger is read-only here", _PERMISSIONS),
    ("read-only transaction", "the ledger is read-only here", "Ask for write access to the database."),
    (
        "permission denied",
        "the database does not let this user in there",
        "Ask for access to the ledger's tables.",
    ),
    (
        "database is locked",
        f"another process held the ledger for more than {BUSY_TIMEOUT_SEC:.0f} s",
        "Run the same command again when it has finished.",
    ),
    ("file is not a database", "this file is not a ledger", "Give the path of a ledger, or of a new file."),
    ("malformed", "the file is damaged", "Restore a backup: adjudge ledger backup makes one."),
    ("unable to open database file", "the file cannot be opened", _PERMISSIONS),
    ("is insert-only", "the ledger keeps what was written", None),
)
