"""Open a ledger: find it, make it if that is allowed, and say clearly why one cannot be used.

A new ledger gets its tables at once and is stamped with the newest migration. An existing one is only asked
for its stamp. With today's it is opened; with an older one the message names the command that migrates it;
one that is not known here was made by a newer adjudge.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import LedgerError
from adjudge.ledger.store.location import BLOBS_VARIABLE, Location, default_blobs, locate, storable

if TYPE_CHECKING:
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.store.database import Database

_last_opened: list[Location] = []
"""The ledger that this process opened last, for `forged_ledger`."""
BLOBS_SETTING = "blobs"
CREATED_SETTING = "created_at"


def open_ledger(
    ledger: str | Path | None = None,
    *,
    create: bool = True,
    blobs: str | Path | None = None,
    read_only: bool = False,
) -> Ledger:
    """Open the ledger at a path or URL (None: `ADJUDGE_LEDGER`, else `./adjudge.db`).

    A ledger that does not exist is made, unless `create` is False. `blobs` names the place for large blobs;
    the first one that a ledger without any is opened with is remembered. LedgerError says why a ledger cannot
    be opened.
    """
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.store.blobs import BlobFiles
    from adjudge.ledger.store.database import Database

    location = locate(ledger)
    exists = _check_file(location, create=create and not read_only)
    cannot_write = exists and location.path is not None and not os.access(location.path, os.W_OK)
    database = Database(location, read_only=read_only or cannot_write)
    place = blob_place(str(blobs or os.environ.get(BLOBS_VARIABLE) or ""))
    try:
        _ready(database, create=create and not read_only, blobs=place)
        remembered = _setting(database, BLOBS_SETTING) or default_blobs(location)
        if place and not remembered and not database.read_only:
            _remember(database, storable(place))
        where = place or remembered
    except BaseException:
        database.close()
        raise
    _last_opened[:] = [location]
    return Ledger(database, BlobFiles(where))


def forged_ledger() -> LedgerError | None:
    """Of a failure that nobody expected: was it the last ledger that holds what adjudge never wrote?

    Whoever can write the file can put anything into any cell, and what reads it trusts that adjudge did.
    """
    from adjudge.ledger.store.database import Database
    from adjudge.ledger.upkeep.verify import verify_chain

    for location in _last_opened:
        try:
            with closing(Database(location, read_only=True)) as database:
                found = verify_chain(database)
        except LedgerError as error:
            return error
        if not found.intact:
            return LedgerError(
                f"the ledger is not as it was written: {found.problems[0]}",
                file=location.shown,
                remedy="`adjudge ledger verify` says more. Go back to a backup.",
            )
    return None


@contextmanager
def borrow_ledger(
    ledger: Ledger | str | Path | None = None, *, create: bool = False, blobs: str | Path | None = None
) -> Iterator[Ledger]:
    """A ledger to work with: one that is open already stays open; any other is opened and closed again."""
    if ledger is None or isinstance(ledger, str | Path):
        with open_ledger(ledger, create=create, blobs=blobs) as opened:
            yield opened
    else:
        yield ledger


def migrate_ledger(ledger: str | Path | None = None) -> tuple[str, str]:
    """Bring a ledger up to date; returns its schema version before and after. Today's is left as it is."""
    from adjudge.ledger.store.database import Database
    from adjudge.ledger.store.migrate import revisions, upgrade
    from adjudge.ledger.store.schema import VERSION

    location = locate(ledger)
    _check_file(location, create=False)
    database = Database(location)
    try:
        found = schema_version(database)
        if found is None:
            raise _no_ledger(location)
        if found not in revisions():
            raise _other_version(location, found)
        if found != VERSION:
            upgrade(database)
        return found, VERSION
    finally:
        database.close()


def blob_place(blobs: str) -> str | None:
    """Where blobs go, as it can be remembered: a URL as it is, a path made absolute."""
    if not blobs or "://" in blobs:
        return blobs or None
    return str(Path(blobs).expanduser().absolute())


def _check_file(location: Location, *, create: bool) -> bool:
    """Is there a file? Refuses a directory, a device, and a file that may not be made."""
    if location.path is None:
        return True
    try:
        mode = location.path.stat().st_mode
    except FileNotFoundError:
        if not create:
            raise _no_ledger(location) from None
        if not location.path.parent.is_dir():
            raise LedgerError(
                "the folder for the ledger does not exist",
                file=location.shown,
                remedy=f"Make it: mkdir -p {shlex.quote(str(location.path.parent))}",
            ) from None
        return False
    except OSError as error:
        raise LedgerError(f"the ledger cannot be looked at: {error.strerror}", file=location.shown) from error
    if not stat.S_ISREG(mode):
        what = "a directory" if stat.S_ISDIR(mode) else "no regular file"
        raise LedgerError(
            f"this is {what}, and a ledger is a file", file=location.shown, remedy="Give the path of a file."
        )
    return location.path.stat().st_size > 0


def _no_ledger(location: Location) -> LedgerError:
    return LedgerError(
        "there is no ledger here",
        file=location.shown,
        remedy="Name one with --ledger PATH|URL or ADJUDGE_LEDGER; adjudge run makes a new one.",
    )


def _ready(database: Database, *, create: bool, blobs: str | None) -> None:
    """Make the tables if there are none; refuse every schema but today's."""
    from adjudge.ledger.store.schema import VERSION

    found = schema_version(database)
    if found == VERSION:
        return
    if found is not None:
        raise _other_version(database.location, found)
    if not create:
        raise _no_ledger(database.location)
    create_tables(database, blobs)


def schema_version(database: Database) -> str | None:
    """The migration a database is stamped with; None if it is empty; LedgerError for other tables."""
    from sqlalchemy import inspect, select

    from adjudge.ledger.store.schema import alembic_version, head

    with database.reading() as connection:
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return None
        if alembic_version.name not in tables or head.name not in tables:
            if database.location.path is None and alembic_version.name not in tables:
                raise LedgerError(
                    "this database holds other tables and no ledger",
                    file=database.location.shown,
                    found=", ".join(sorted(tables)),
                    remedy="Give a ledger a database (or a schema on the search_path) of its own.",
                )
            raise LedgerError(
                "this database is not a ledger",
                file=database.location.shown,
                found=", ".join(sorted(tables)),
                remedy="Give the path of a ledger, or of a new file.",
            )
        return connection.execute(select(alembic_version.c.version_num)).scalar()


def _other_version(location: Location, found: str) -> LedgerError:
    from adjudge.ledger.store.migrate import revisions

    if found in revisions():
        return LedgerError(
            "this ledger has an older schema",
            file=location.shown,
            found=found,
            remedy=f"Migrate it: adjudge ledger migrate --ledger {shlex.quote(location.shown)}",
        )
    return LedgerError(
        "this ledger was made by a newer adjudge",
        file=location.shown,
        found=found,
        remedy="Upgrade: pip install --upgrade adjudge",
    )


def create_tables(database: Database, blobs: str | None) -> None:
    """Make every table in one transaction; if two processes try at once, the second finds them made."""
    from sqlalchemy import insert, inspect, text

    from adjudge.ledger.store.chain import GENESIS
    from adjudge.ledger.store.schema import VERSION, VIEW, alembic_version, guards, head, settings, tables_for

    if database.dialect == "sqlite":
        database.pragma("journal_mode = WAL")
    with database.writing() as connection:
        if database.dialect == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(72110433)"))
        if inspect(connection).has_table(head.name):
            return
        tables_for(database.dialect).create_all(connection, checkfirst=False)
        for statement in (*guards(database.dialect), VIEW):
            connection.exec_driver_sql(statement)
        connection.execute(insert(head).values(id=1, seq=0, hash=GENESIS))
        connection.execute(insert(alembic_version).values(version_num=VERSION))
        kept = {CREATED_SETTING: datetime.now(UTC).isoformat(timespec="seconds")}
        if blobs:
            kept[BLOBS_SETTING] = storable(blobs)
        connection.execute(insert(settings), [{"key": key, "value": value} for key, value in kept.items()])


def _remember(database: Database, place: str) -> None:
    """Keep a PostgreSQL ledger's place for blobs, so that whoever reads them need not know it."""
    from adjudge.ledger.store.schema import settings
    from adjudge.ledger.store.sql import insert_rows

    with database.writing() as connection:
        insert_rows(connection, settings, [{"key": BLOBS_SETTING, "value": place}], unless_there=True)


def _setting(database: Database, key: str) -> str | None:
    from sqlalchemy import select

    from adjudge.ledger.store.schema import settings

    with database.reading() as connection:
        return connection.execute(select(settings.c.value).where(settings.c.key == key)).scalar()
