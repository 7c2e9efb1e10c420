"""The append-only store of trials, evaluations, annotations, tags, certificates and blobs.

A `Ledger` is the one door: it opens a connection for each call, so it may be shared by threads, and every
write is one transaction. Forked processes must open their own. What few commands ask for is imported late.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from adjudge.contracts import Annotation, ErrorTag, TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger.entry import Recorded, TrialEntry, TrialState
from adjudge.ledger.filters import Sort, TrialFilter
from adjudge.ledger.reading import ids, outputs, query, states
from adjudge.ledger.reading.columns import TrialColumns, read_columns
from adjudge.ledger.reading.query import LedgerReader, Page
from adjudge.ledger.store.blobs import (
    BlobFiles,
    check_digest,
    digest_of,
    insert_blobs,
    pack,
    read_blobs,
    write_files,
)
from adjudge.ledger.store.database import Database, patiently
from adjudge.ledger.store.names import Names
from adjudge.ledger.writing import annotate, attachments, certificates
from adjudge.ledger.writing.annotate import StoredAnnotation
from adjudge.ledger.writing.attachments import Attachment, NewAttachment
from adjudge.ledger.writing.prepared import PreparedEntry, collector_paused, prepare
from adjudge.ledger.writing.record import record_batch

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.reading.info import LedgerInfo
    from adjudge.ledger.reading.side_columns import ReplacedColumns, TagColumns
    from adjudge.ledger.upkeep.heads import SignedHead
    from adjudge.ledger.upkeep.verify import Verification

T = TypeVar("T")

_STREAM_PAGE = 500
EVERYTHING = TrialFilter()


class Ledger:
    """An open ledger; made by `open_ledger`, closed by `close` or by leaving its `with` block."""

    def __init__(self, database: Database, files: BlobFiles) -> None:
        self.database = database
        self.files = files
        self._names = Names()

    @property
    def location(self) -> str:
        """Where it is, safe to print."""
        return self.database.location.shown

    def close(self) -> None:
        """Give back every connection. Closing twice is harmless."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # writing

    @overload
    def record(self, entries: TrialEntry | TrialRecord) -> Recorded: ...

    @overload
    def record(self, entries: Iterable[TrialEntry | TrialRecord]) -> list[Recorded]: ...

    def record(
        self, entries: TrialEntry | TrialRecord | Iterable[TrialEntry | TrialRecord]
    ) -> Recorded | list[Recorded]:
        """Write one trial, or many in one transaction: all of them or nothing. Again, it writes nothing."""
        if isinstance(entries, TrialEntry | TrialRecord):
            return self.record([entries])[0]
        return self.record_prepared(
            [prepare(entry if isinstance(entry, TrialEntry) else TrialEntry(entry)) for entry in entries]
        )

    def record_prepared(self, batch: Sequence[PreparedEntry]) -> list[Recorded]:
        """`record` for entries that were prepared beforehand, perhaps by another process."""
        if not batch:
            return []

        def write() -> list[Recorded]:
            with collector_paused(), self.database.writing() as connection:
                self.database.make_room(connection, len(batch))
                return record_batch(connection, self._names, batch)

        for item in batch:
            self._write_files(item.packed)
        return patiently(write)

    def annotate(self, trial_id: str, annotation: Annotation) -> bool:
        """Add an annotation; False if this reviewer said exactly this at this time before."""
        return self.annotate_all([(trial_id, annotation)])[0]

    def annotate_all(self, items: Sequence[tuple[str, Annotation]]) -> list[bool]:
        """Add many annotations in one transaction. UsageError names a trial that is not there."""
        return self._added(items, annotate.add_annotations)

    def add_tags(self, trial_id: str, tags: Iterable[ErrorTag]) -> list[bool]:
        """Add tags after the fact; False for each that was there already."""
        return self.add_tags_all([(trial_id, tag) for tag in tags])

    def add_tags_all(self, items: Sequence[tuple[str, ErrorTag]]) -> list[bool]:
        """Add many tags in one transaction."""
        return self._added(items, annotate.add_tags)

    def _added(self, items: Sequence[tuple[str, Any]], add: Any) -> list[bool]:
        def write() -> list[bool]:
            with self.database.writing() as connection:
                rows = ids.rows_of(connection, (trial_id for trial_id, _ in items), self.location)
                answers: list[bool] = add(connection, self._names, [(rows[one], said) for one, said in items])
                return answers

        return patiently(write) if items else []

    def add_certificate(
        self, task_digest: str, document: dict[str, Any], *, deterministic: bool | None = None
    ) -> None:
        """Store what an audit found out about a task digest; the newest counts."""

        def write() -> None:
            with self.database.writing() as connection:
                certificates.add_certificate(connection, self._names, task_digest, document, deterministic)

        patiently(write)

    def attach(self, items: Sequence[NewAttachment]) -> list[bool]:
        """Attach documents to trials or to the ledger, all or none; False for each that was there already."""

        def write() -> list[bool]:
            with self.database.writing() as connection:
                return attachments.attach_to(connection, items, self.location)

        for item in items:
            self._write_files(item.packed)
        return patiently(write) if items else []

    def attached(
        self, kind: str, *, trial_ids: Iterable[str] | None = None, keys: Iterable[str] | None = None
    ) -> Iterator[Attachment]:
        """Attachments of a kind, oldest first: all, those of some trials, or those of the ledger by key."""
        return attachments.read_attached(self.database, kind, trial_ids, keys)

    def add_blob(self, data: bytes) -> str:
        """Keep bytes that belong to no trial, such as an audit's evidence; returns their digest."""
        digest = digest_of(data)
        packed = pack({digest: data})

        def write() -> None:
            with self.database.writing() as connection:
                insert_blobs(connection, packed)

        self._write_files(packed)
        patiently(write)
        return digest

    def _write_files(self, packed: Mapping[str, tuple[int, bytes]]) -> None:
        if not self.database.read_only:  # else the database says so, and no file is left behind
            write_files(self.files, packed)

    def backup(self, destination: str | Path, *, blobs: str | Path | None = None) -> Verification:
        """Copy everything into a new ledger at a path or URL, of either database, and verify the copy.

        A blob that is gone or damaged is left out, and is among the problems.
        """
        from adjudge.ledger.upkeep.backup import copy_ledger

        return copy_ledger(self, destination, blobs)

    # reading

    def get(self, trial_id: str) -> TrialRecord:
        """A trial with its current evaluation, annotations and tags. UsageError if it is not there.

        A verifier stream that is gone or damaged reads as the sentence that says so, here and in every list.
        """
        with self._reader() as reader:
            row = self._row(reader.connection, trial_id)
            return next(query.of_trial(reader, row, newest=True))

    def history(self, trial_id: str) -> list[TrialRecord]:
        """A trial with each of its evaluations, the current one first."""
        with self._reader() as reader:
            return list(query.of_trial(reader, self._row(reader.connection, trial_id)))

    def histories(self, rows: Sequence[int]) -> dict[int, list[TrialRecord]]:
        """`history` of many trials at once, by their numbers."""
        with self._reader() as reader:
            return query.of_trials(reader, rows)

    def find(self, prefix: str) -> str:
        """The full id of the one trial whose id begins with `prefix`. UsageError if none or several do."""
        with self.database.reading() as connection:
            return ids.find_trial(connection, prefix, self.location)

    def states(self, trial_ids: Iterable[str]) -> dict[str, TrialState]:
        """How each of these trials stands; those not in the ledger are left out."""
        wanted = list(trial_ids)
        return self._ask(lambda reader: states.read_states(reader.connection, reader.names, wanted))

    def artifacts(self, trial_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """The artifacts (name -> digest) of each trial's current evaluation; unknown ids are left out."""
        wanted = list(trial_ids)
        return self._ask(lambda reader: states.read_artifacts(reader.connection, wanted))

    def query(
        self,
        wanted: TrialFilter = EVERYTHING,
        *,
        sort: Sort = Sort.NEWEST,
        limit: int = 50,
        after: str | None = None,
        streams: bool = True,
        without: Iterable[str] = (),
    ) -> Page:
        """A page of trials, `without` some; pass the page's `next` as `after` for the one that follows."""
        with self._reader(streams=streams) as reader:
            out = ids.rows_of(reader.connection, without, self.location).values()
            return query.page(reader, wanted, sort=sort, limit=limit, after=after, without=list(out))

    def iterate(
        self, wanted: TrialFilter = EVERYTHING, *, sort: Sort = Sort.OLDEST, streams: bool = True
    ) -> Iterator[TrialRecord]:
        """Every matching trial as the ledger stands now; constant memory, no transaction left open."""
        with self.database.reading() as connection:
            as_of = query.last_row(connection)
        after: str | None = None
        while True:
            with self._reader(streams=streams) as reader:
                page = query.page(reader, wanted, sort=sort, limit=_STREAM_PAGE, after=after, as_of=as_of)
            yield from page.records
            if (after := page.next) is None:
                return

    def count(self, wanted: TrialFilter = EVERYTHING) -> int:
        """How many trials match."""
        with self._reader() as reader:
            return query.count(reader, wanted)

    def matches(self, trial_id: str, wanted: TrialFilter) -> bool:
        """Is this trial one of those that a filter chooses?"""
        with self._reader() as reader:
            return query.matches(reader, self._row(reader.connection, trial_id), wanted)

    def columns(self, wanted: TrialFilter = EVERYTHING, *, metadata: Sequence[str] = ()) -> TrialColumns:
        """The matching trials as arrays for statistics, in the order in which they were recorded."""
        with self.database.reading() as connection:
            return read_columns(connection, self._names, wanted, metadata)

    def tag_columns(self, wanted: TrialFilter = EVERYTHING) -> TagColumns:
        """The tag categories of the matching trials as arrays."""
        from adjudge.ledger.reading.side_columns import read_tags

        with self.database.reading() as connection:
            return read_tags(connection, self._names, wanted)

    def replaced_columns(self, wanted: TrialFilter = EVERYTHING) -> ReplacedColumns:
        """The evaluation just before the current one, of matching trials that were scored again."""
        from adjudge.ledger.reading.side_columns import read_replaced

        with self.database.reading() as connection:
            return read_replaced(connection, self._names, wanted)

    def annotations(self, trial_id: str) -> list[StoredAnnotation]:
        """Every annotation of a trial, oldest first, also those that were replaced."""
        with self.database.reading() as connection:
            return annotate.annotations_of(connection, self._row(connection, trial_id))

    def certificate(self, task_digest: str) -> dict[str, Any] | None:
        """The newest certificate of a task digest; None if it was never audited."""
        with self.database.reading() as connection:
            found = certificates.find_certificate(connection, self._names, task_digest)
        return None if found is None else found[0]

    def is_deterministic(self, task_digest: str) -> bool:
        """Did the newest audit of this task digest find its verifier deterministic? Never audited: False."""
        with self.database.reading() as connection:
            found = certificates.find_certificate(connection, self._names, task_digest)
        return found is not None and found[1] is True

    def find_evaluation(self, task_digest: str, output_sha256: str) -> tuple[str, TrialRecord] | None:
        """The newest finished scoring of this output by this verifier: (evaluation id, record)."""
        return self.find_evaluations(task_digest, [output_sha256]).get(output_sha256)

    def find_evaluations(
        self, task_digest: str, output_digests: Iterable[str]
    ) -> dict[str, tuple[str, TrialRecord]]:
        """`find_evaluation` for many outputs at once, by output digest."""
        wanted = list(output_digests)
        return self._ask(lambda reader: states.find_evaluations(reader, task_digest, wanted))

    def blob(self, digest: str) -> bytes:
        """The bytes of a blob, verified. LedgerError if they are missing or corrupt."""
        wanted = check_digest(digest)
        with self.database.reading() as connection:
            found = read_blobs(connection, self.files, [wanted])
        if wanted not in found:
            raise UsageError("the ledger has no such blob", file=self.location, found=digest)
        return found[wanted]

    def has_blob(self, digest: str) -> bool:
        """Does the ledger know this blob?"""
        with self.database.reading() as connection:
            return outputs.has_blob(connection, check_digest(digest))

    def output_blob(self, trial_id: str) -> str | None:
        """The blob that holds a trial's output; None if the output was not kept."""
        with self.database.reading() as connection:
            return outputs.output_blob(connection, self._row(connection, trial_id))

    def outputs(self, rows: Iterable[int]) -> dict[int, bytes]:
        """The kept outputs of trials, verified, by their numbers. One that was not kept is left out."""
        with self.database.reading() as connection:
            return outputs.read_outputs(connection, self.files, rows)

    def trial_ids(self, rows: Iterable[int]) -> dict[int, str]:
        """The ids of trials by their numbers, as `TrialColumns.trial` has them."""
        with self.database.reading() as connection:
            return ids.trial_ids(connection, rows)

    def info(self) -> LedgerInfo:
        """Counts, size and where the chain ends."""
        from adjudge.ledger.reading.info import read_info

        return read_info(self.database, self.files, self._names)

    def verify(self, expect: str | None = None) -> Verification:
        """Walk the whole chain; `expect` is a head kept elsewhere (`ROW:HASH`) that must still be on it."""
        from adjudge.ledger.upkeep.verify import parse_head, verify_chain

        return verify_chain(self.database, None if expect is None else parse_head(expect))

    def verify_blobs(self) -> Iterator[str | None]:
        """Read every blob: None for a sound one, else what is wrong with it; then each that is gone."""
        from adjudge.ledger.upkeep.evidence import verify_blobs

        return verify_blobs(self.database, self.files)

    def sign(self, witness: str, key: Path) -> SignedHead:
        """Sign where the chain stands now and add that to a witness: a file, git:PATH or a URL."""
        from adjudge.ledger.upkeep.witness import sign_ledger

        return sign_ledger(self.database, witness, key)

    def sign_if_asked(self) -> SignedHead | None:
        """Sign if the environment names a witness and a key: the end of every command that records."""
        witness, key = os.environ.get("ADJUDGE_WITNESS"), os.environ.get("ADJUDGE_SIGNING_KEY")
        if not witness:
            return None
        if not key:
            raise UsageError(
                "a witness is named, but no key to sign with",
                field="ADJUDGE_SIGNING_KEY",
                remedy="Name the file of a key; adjudge ledger key FILE makes one.",
            )
        return self.sign(witness, Path(key))

    def check_witness(self, witness: str, public_key: str | None = None) -> list[str]:
        """What this ledger lacks of what was signed; nothing if it extends every head of the witness."""
        from adjudge.ledger.upkeep.witness import check_witness

        return check_witness(self.database, witness, public_key)

    @contextmanager
    def _reader(self, *, streams: bool = True) -> Iterator[LedgerReader]:
        with self.database.reading() as connection:
            yield LedgerReader(connection, self.files, self._names, streams)

    def _ask(self, question: Callable[[LedgerReader], T]) -> T:
        """What a run asks in its middle: a server that restarts is waited for."""

        def ask() -> T:
            with self._reader() as reader:
                return question(reader)

        return patiently(ask)

    def _row(self, connection: Connection, trial_id: str) -> int:
        return ids.row_of(connection, trial_id, self.location)
