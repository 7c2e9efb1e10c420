"""A trial's output as a page shows it: its files by name, each with its view; or why there is nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import Task, TrialRecord
from adjudge.errors import LedgerError, printable
from adjudge.web.showing.view import View, view_of

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

FOLDER = "inode/directory"
MOST_FILES = 40


class ShownFile(Struct, frozen=True):
    """A file of an output. `at` is its place in the output, by which its raw bytes are asked for."""

    name: str
    at: int
    view: View
    size: int


class ShownOutput(Struct, frozen=True):
    """The files, the answer first; `note` says what is not shown."""

    files: tuple[ShownFile, ...]
    note: str | None = None


def show_output(ledger: Ledger, record: TrialRecord, task: Task | None = None) -> ShownOutput:
    """The output of a trial. Its name is the task's: what the caller called it may give the agent away."""
    try:
        files = output_files(ledger, record, task)
    except LedgerError as error:
        return ShownOutput((), printable(str(error)))
    if files is None:
        gone = (
            "there was no output" if record.output.sha256 is None else "the output was not kept in the ledger"
        )
        return ShownOutput((), gone)
    shown = tuple(
        ShownFile(printable(name), at, view_of(name, data), len(data))
        for at, (name, data) in enumerate(files[:MOST_FILES])
    )
    note = None if len(files) <= MOST_FILES else f"{MOST_FILES} of {len(files)} files are shown"
    return ShownOutput(shown, note)


def output_files(
    ledger: Ledger, record: TrialRecord, task: Task | None = None
) -> list[tuple[str, bytes]] | None:
    """Each file's name and bytes; None if nothing was kept. A link shows where it leads, as text."""
    entry = ledger.output_blob(record.trial_id)
    if entry is None:
        return None
    data = ledger.blob(entry)
    if record.output.media_type != FOLDER:
        return [(_name(record, task, data), data)]
    found = []
    for row in json.loads(data)["workspace"]:
        name = row["path"].encode("utf-8", "backslashreplace").decode()
        found.append(
            (name, f"a link to {row['link']}".encode() if "link" in row else ledger.blob(row["sha256"]))
        )
    expected = "" if task is None else task.verifier.expected_output_path
    return sorted(found, key=lambda file: (not expected.endswith(f"/{file[0]}"), file[0]))


_SUFFIXES = {
    "application/json": ".json",
    "application/jsonl": ".jsonl",
    "text/csv": ".csv",
    "application/yaml": ".yaml",
    "application/toml": ".toml",
    "application/xml": ".xml",
    "text/markdown": ".md",
    "text/x-python": ".py",
    "application/x-ipynb+json": ".ipynb",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}


def _name(record: TrialRecord, task: Task | None, data: bytes) -> str:
    if task is not None:
        return task.verifier.expected_output_path.rpartition("/")[2]
    return "output" + _SUFFIXES.get(record.output.media_type or "", "")
