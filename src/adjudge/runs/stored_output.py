"""Keep an output in the ledger so that it can be scored again, and bring it back.

A file is kept as its own bytes. A folder is kept as an index, itself a blob: for each file its path below
its topmost folder (the whole path if there are several), its mode, and the digest of its bytes or the target
of its link.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import ErrorSource, OutputInfo, Task, TrialRecord
from adjudge.errors import LedgerError, describe
from adjudge.gates import AgentOutput, OutputFile, find_answer, workspace_of
from adjudge.scoring import OUTPUT_UNUSABLE

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

FOLDER = "inode/directory"
NOT_COLLECTED = "not collected"
"""How the path of an output begins that nobody kept: it may well have been there, so it is not missing."""


class StoredOutput(Struct, frozen=True):
    """The blobs of an output, and which of them leads to the rest; None if there was nothing to keep."""

    blobs: Mapping[str, bytes]
    entry: str | None


def store_output(info: OutputInfo, files: Mapping[str, OutputFile]) -> StoredOutput:
    """The blobs that bring this output back. An output that could not be read keeps nothing."""
    if not files:
        return StoredOutput({}, None)
    if info.media_type != FOLDER:
        (only,) = files.values()
        digest = hashlib.sha256(only.data).hexdigest()
        return StoredOutput({digest: only.data}, digest)
    blobs: dict[str, bytes] = {}
    index: list[dict[str, object]] = []
    several = len({path.split("/", 2)[1] for path in files}) > 1  # then paths are kept whole
    for path, file in sorted(files.items()):
        row: dict[str, object] = {"path": path if several else path.split("/", 2)[2], "mode": file.mode}
        if file.link is None:
            row["sha256"] = digest = hashlib.sha256(file.data).hexdigest()
            blobs[digest] = file.data
        else:
            row["link"] = file.link
        index.append(row)
    # Surrogate escapes (names that are not UTF-8) survive as JSON escapes: they come back as they were.
    data = json.dumps({"workspace": index}, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    entry = hashlib.sha256(data).hexdigest()
    blobs[entry] = data
    return StoredOutput(blobs, entry)


def restore_output(ledger: Ledger, record: TrialRecord, task: Task) -> AgentOutput:
    """The output of a trial as `task`'s verifier will see it; nothing is read from where it once lay.

    An output that was missing or unusable when it was scored is so still, for the reason on the record. One
    that was not kept is a LedgerError; so is one that was too large then and would not be today.
    """
    info = record.output
    expected = task.verifier.expected_output_path
    if info.path.startswith(NOT_COLLECTED):
        raise LedgerError(
            f"the output was {info.path}, so it cannot be scored again",
            file=ledger.location,
            remedy=f"Let the job collect {expected} (Harbor: --artifact {expected}) and import it again.",
        )
    if info.sha256 is None and (info.size_bytes is None or info.size_bytes > task.limits.output_mb << 20):
        return _as_it_was(record, expected)
    entry = ledger.output_blob(record.trial_id)
    if entry is None:
        raise LedgerError(
            "the output was not kept, so it cannot be scored again",
            file=ledger.location,
            remedy="Run it again from its manifest, or import it with its artifacts.",
        )
    data = ledger.blob(entry)
    if info.media_type != FOLDER:
        return AgentOutput(info, {expected: OutputFile(data)}, data, None)
    top = "/" + workspace_of(task).split("/")[1]
    files = {
        row["path"] if row["path"].startswith("/") else f"{top}/{row['path']}": OutputFile(
            b"" if "link" in row else ledger.blob(row["sha256"]), row["mode"], row.get("link")
        )
        for row in json.loads(data)["workspace"]
    }
    answer, why, notes = find_answer(task, files)
    if why is not None:
        return AgentOutput(info, {}, None, describe(why, file=expected), missing="missing" in why)
    return AgentOutput(info, files, answer, None, notes)


def _as_it_was(record: TrialRecord, expected: str) -> AgentOutput:
    """There was nothing that could be kept; the record says whether there was nothing at all."""
    for tag in record.evaluation.error_taxonomy or ():
        if tag.category == OUTPUT_UNUSABLE and tag.source is ErrorSource.MECHANICAL:
            return AgentOutput(record.output, {}, None, tag.description or OUTPUT_UNUSABLE)
    problem = describe("the output is missing", file=expected)
    return AgentOutput(record.output, {}, None, problem, missing=True)
