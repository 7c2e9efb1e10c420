"""Documents attached to a trial, or to the ledger as a whole: traces, judgements, calls, calibrations.

An attachment has a kind, a key and a JSON document, and may keep bytes as blobs. It is written once per
(kind, trial, key): the same key again writes nothing, so work that was killed may simply be done again. It
never touches an evaluation, and no reward depends on one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from sqlalchemy import select

from adjudge.contracts import check_json
from adjudge.errors import UsageError
from adjudge.ledger.reading.ids import rows_of
from adjudge.ledger.store.blobs import digest_of, insert_blobs, pack
from adjudge.ledger.store.chain import Appender
from adjudge.ledger.store.names import NO_NAME, is_storable
from adjudge.ledger.store.schema import attachments, trials
from adjudge.ledger.store.sql import chunks, lock_head
from adjudge.ledger.writing.record import flush

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.store.database import Database

_PAGE = 500
_KEYS = 300
"""Keys that are looked up at once, beside up to `_PAGE` trials."""
_LONGEST_KEY = 500


class NewAttachment(Struct, frozen=True, dict=True):
    """Something to attach. UsageError for a document that is no plain JSON, or a key that cannot be kept."""

    kind: str
    key: str
    document: Mapping[str, Any]
    trial_id: str | None = None
    """None attaches it to the ledger as a whole."""
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """Bytes to keep with it, by the names under which the document's readers find them."""

    def __post_init__(self) -> None:
        try:
            check_json(dict(self.document))
        except ValueError as error:
            raise UsageError(f"an attachment must be plain JSON: {error}", field=self.kind) from None
        if not (self.key and len(self.key) <= _LONGEST_KEY and is_storable(self.key)):
            raise UsageError(
                "this key cannot be kept", field=self.kind, found=self.key, allowed="1 to 500 characters"
            )

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of each blob by its name."""
        return {name: digest_of(data) for name, data in self.blobs.items()}

    @cached_property
    def packed(self) -> dict[str, tuple[int, bytes]]:
        """The blobs as the ledger stores them."""
        return pack({self.digests[name]: data for name, data in self.blobs.items()})


class Attachment(Struct, frozen=True):
    """What was attached, as the ledger keeps it."""

    row: int
    kind: str
    key: str
    trial_id: str | None
    document: dict[str, Any]
    blobs: dict[str, str]
    """Name -> digest."""


def attach_to(connection: Connection, items: Sequence[NewAttachment], location: str) -> list[bool]:
    """Attach to trials by their ids. UsageError names one that the ledger at `location` does not have."""
    wanted = (item.trial_id for item in items if item.trial_id is not None)
    rows = rows_of(connection, wanted, location)
    at = ((NO_NAME if item.trial_id is None else rows[item.trial_id], item) for item in items)
    return attach(connection, list(at))


def attach(connection: Connection, items: Sequence[tuple[int, NewAttachment]]) -> list[bool]:
    """Attach to trials (by row; 0 for the ledger); says for each whether it was written."""
    appender = Appender(*lock_head(connection))
    there = _there(connection, items)
    answers = []
    for trial, item in items:
        identity = (item.kind, trial, item.key)
        answers.append(identity not in there)
        if identity in there:
            continue
        there.add(identity)
        insert_blobs(connection, item.packed)
        text = json.dumps(
            {"blobs": item.digests, "content": item.document},
            ensure_ascii=True,
            sort_keys=True,
            separators=(",", ":"),
        )
        appender.append("attachments", {"kind": item.kind, "trial": trial, "key": item.key, "document": text})
    flush(connection, appender)
    return answers


def _there(connection: Connection, items: Sequence[tuple[int, NewAttachment]]) -> set[tuple[str, int, str]]:
    """Which of these are there already: one statement for the many trials of a kind and key."""
    a = attachments.c
    by_key: dict[tuple[str, str], set[int]] = {}
    for trial, item in items:
        by_key.setdefault((item.kind, item.key), set()).add(trial)
    by_place: dict[tuple[str, frozenset[int]], list[str]] = {}
    for (kind, key), places in by_key.items():
        by_place.setdefault((kind, frozenset(places)), []).append(key)
    found: set[tuple[str, int, str]] = set()
    for (kind, together), keys in by_place.items():
        for some in chunks(together, _PAGE):
            for those in chunks(keys, _KEYS):
                statement = select(a.trial, a.key).where(a.kind == kind, a.trial.in_(some), a.key.in_(those))
                found.update((kind, trial, key) for trial, key in connection.execute(statement))
    return found


def read_attached(
    database: Database, kind: str, trial_ids: Iterable[str] | None, keys: Iterable[str] | None
) -> Iterator[Attachment]:
    """Attachments of a kind in the order of their rows: all, of these trials, or of the ledger by key."""
    if trial_ids is not None:
        wanted = list(dict.fromkeys(trial_ids))
        rows = [row for some in chunks(wanted) for row in _rows(database, kind, trials.c.trial_id.in_(some))]
        yield from sorted(rows, key=lambda found: found.row)
    elif keys is not None:
        a = attachments.c
        for some in chunks(dict.fromkeys(keys)):
            yield from _rows(database, kind, (a.trial == NO_NAME) & a.key.in_(some))
    else:
        yield from _paged(database, kind)


def _rows(database: Database, kind: str, condition: Any, limit: int | None = None) -> list[Attachment]:
    a = attachments.c
    statement = (
        select(a.seq, a.key, a.document, trials.c.trial_id)
        .select_from(attachments.outerjoin(trials, trials.c.seq == a.trial))
        .where(a.kind == kind, condition)
        .order_by(a.seq)
    )
    with database.reading() as connection:
        rows = connection.execute(statement if limit is None else statement.limit(limit)).all()
    return [_attachment(kind, row) for row in rows]


def _paged(database: Database, kind: str) -> Iterator[Attachment]:
    after = 0
    while page := _rows(database, kind, attachments.c.seq > after, _PAGE):
        yield from page
        after = page[-1].row


def _attachment(kind: str, row: Any) -> Attachment:
    whole = json.loads(row.document)
    return Attachment(row.seq, kind, row.key, row.trial_id, whole["content"], whole["blobs"])
