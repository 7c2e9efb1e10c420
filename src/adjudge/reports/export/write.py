"""Write trials as Parquet, CSV or JSONL, a batch at a time: memory stays flat however many there are.

A file appears whole or not at all: rows go to a neighbour that takes its name at the end.
"""

from __future__ import annotations

import csv
import errno
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from adjudge._escape import escape_json
from adjudge.errors import MachineryError, MissingExtra, UsageError, printable
from adjudge.judges import has_judgements, newest_calibrations, read_judgements
from adjudge.ledger import Ledger, TrialFilter, open_ledger
from adjudge.reports.export.rows import rows_of
from adjudge.reports.models.tables import COLUMNS, Column, Level, TableFormat

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 2_000
_AT_ONCE = 500
"""Trials whose judgements are read together."""


def export_table(
    ledger: Ledger, wanted: TrialFilter, target: Path, level: Level, form: TableFormat | None = None
) -> int:
    """Write the matching trials to a file; how many rows. The format follows the file's ending.

    No match writes a file with columns and no rows, which every reader can open.
    """
    form = form or format_of(target)
    with whole_file(target) as scratch:
        if form is TableFormat.PARQUET:
            return _write_parquet(ledger, wanted, scratch, level)
        with scratch.open("w", encoding="utf-8", newline="") as stream:
            return write_text(ledger, wanted, stream, level, form)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A neighbour of `target` to write to, which takes its name if the block ends well.

    A link stays a link: what it leads to is written. UsageError if nothing can be written there,
    MachineryError if the disk is full; what was there before stays.
    """
    target = Path(os.path.realpath(target))
    if not target.parent.is_dir():
        raise UsageError("this folder does not exist", found=str(target.parent))
    if target.is_dir():
        raise UsageError("this is a folder, not a file to write", found=str(target))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    except OSError as error:
        raise UsageError(
            "this folder cannot be written to", file=target.parent, found=error.strerror
        ) from None
    os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        scratch.chmod(0o644)
        scratch.replace(target)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise MachineryError(
            "the disk is full", file=target, remedy="Make room, and run the same command again."
        ) from None
    finally:
        scratch.unlink(missing_ok=True)


def format_of(target: Path) -> TableFormat:
    """The format by the ending of a name. UsageError where the ending says nothing."""
    endings = {f".{form.value}": form for form in TableFormat} | {".ndjson": TableFormat.JSONL}
    try:
        return endings[target.suffix.lower()]
    except KeyError:
        raise UsageError(
            "the ending of this name says nothing about the format",
            found=target.name,
            allowed=".parquet, .csv or .jsonl",
            remedy="Rename it, or give --format.",
        ) from None


def write_text(ledger: Ledger, wanted: TrialFilter, stream: TextIO, level: Level, form: TableFormat) -> int:
    """Write CSV or JSONL to a stream; how many rows."""
    columns = COLUMNS[level]
    count = 0
    if form is TableFormat.CSV:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([column.name for column in columns])
        for row in _rows(ledger, wanted, level):
            writer.writerow([_csv_cell(row[column.name], column) for column in columns])
            count += 1
        return count
    for row in _rows(ledger, wanted, level):
        plain = {column.name: _json_value(row[column.name], column) for column in columns}
        stream.write(escape_json(json.dumps(plain, ensure_ascii=False)) + "\n")
        count += 1
    return count


def frame(
    ledger: Ledger | str | Path | None = None,
    *,
    level: Level = "trial",
    where: TrialFilter | None = None,
) -> pa.Table:
    """Trials as a pyarrow Table, with the columns of `adjudge export`.

    `frame(...).to_pandas()` and `polars.from_arrow(frame(...))` take it from there; DuckDB queries it by the
    name of its variable. `ledger` is an open one, a path or a URL.
    """
    arrow = _pyarrow("adjudge.frame")
    if not isinstance(ledger, Ledger):
        with open_ledger(ledger, create=False) as opened:
            return frame(opened, level=level, where=where)
    schema = arrow_schema(level)
    batches = list(_batches(ledger, where or TrialFilter(), level, schema))
    return arrow.Table.from_batches(batches, schema=schema)


def arrow_schema(level: Level) -> pa.Schema:
    """The columns as Arrow types; each field carries its meaning."""
    arrow = _pyarrow("Parquet")
    types = {
        "string": arrow.string(),
        "json": arrow.string(),
        "int": arrow.int64(),
        "float": arrow.float64(),
        "bool": arrow.bool_(),
        "time": arrow.timestamp("us", tz="UTC"),
        "strings": arrow.list_(arrow.string()),
    }
    return arrow.schema(
        [arrow.field(c.name, types[c.kind], metadata={"meaning": c.meaning}) for c in COLUMNS[level]]
    )


def _write_parquet(ledger: Ledger, wanted: TrialFilter, target: Path, level: Level) -> int:
    _pyarrow("adjudge export to Parquet")
    from pyarrow.parquet import ParquetWriter

    schema = arrow_schema(level)
    count = 0
    with ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in _batches(ledger, wanted, level, schema):
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def _batches(
    ledger: Ledger, wanted: TrialFilter, level: Level, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    import pyarrow as arrow

    rows = _rows(ledger, wanted, level)
    while some := list(islice(rows, BATCH)):
        yield arrow.RecordBatch.from_pylist(some, schema=schema)


def _rows(ledger: Ledger, wanted: TrialFilter, level: Level) -> Iterator[dict[str, Any]]:
    records = ledger.iterate(wanted, streams=False)
    if level == "field" or not has_judgements(ledger):
        for record in records if level != "judgement" else ():
            yield from rows_of(record, level)
        return
    known = newest_calibrations(ledger)
    while some := list(islice(records, _AT_ONCE)):
        judged = read_judgements(ledger, [record.trial_id for record in some])
        for record in some:
            yield from rows_of(record, level, judged.get(record.trial_id, ()), known)


def _csv_cell(value: Any, column: Column) -> str:
    """Null is empty; a list is JSON; a float has every digit it needs to come back the same.

    Characters that would steer a terminal are spelled out: CSV has no escapes of its own.
    """
    if value is None:
        return ""
    if column.kind == "strings":
        return escape_json(json.dumps(value, ensure_ascii=False))
    if column.kind == "json":
        return escape_json(value)
    if column.kind == "bool":
        return "true" if value else "false"
    if column.kind == "time":
        return _moment(value)
    return repr(value) if column.kind == "float" else printable(str(value), keep_newlines=True)


def _json_value(value: Any, column: Column) -> Any:
    """JSON columns are objects here, not text; moments are ISO 8601."""
    if value is None:
        return None
    if column.kind == "json":
        return json.loads(value)
    return _moment(value) if column.kind == "time" else value


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _pyarrow(needed_for: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("export", needed_for=needed_for) from None
    return pyarrow
