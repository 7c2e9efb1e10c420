"""The trials behind an HTML report, one by one: what a reader sees who clicks on a number.

Each trial is a small JSON document: output, fields with evidence, what the verifier printed, tags,
annotations beside the reward, earlier evaluations. Documents are packed in chunks of `CHUNK` trials,
compressed; the page unpacks a chunk when one of its trials is opened. So thousands of trials fit into one
file, and opening it costs next to nothing.

What is left out is said: texts are cut in the middle at a length, trials beyond a number or a size stay in
the ledger. Those that people judged and those with a broken verifier come first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from pydantic_core import to_json

from adjudge.contracts import TrialRecord
from adjudge.errors import LedgerError, clip, printable
from adjudge.judges import JudgeRecord, newest_calibrations, read_judgements
from adjudge.ledger import Ledger, TrialColumns, TrialFilter
from adjudge.reports.building.groups import group, metadata_keys
from adjudge.reports.building.judgements import judgement_documents
from adjudge.reports.building.reviews import result_confidence
from adjudge.reports.building.traces import trace_document
from adjudge.reports.models.report import Report
from adjudge.reports.rendering.html.page import pack
from adjudge.runs import changed_fields
from adjudge.scoring import Outcome, breakdown_rows, outcome_of
from adjudge.traces import Trace, find_traces

CHUNK = 40
MOST_BYTES = 40 << 20
"""Of compressed chunks in one file."""
LONGEST_OUTPUT = 12_000
LONGEST_STREAM = 4_000
LONGEST_NOTE = 1_500
LONGEST_INSTRUCTION = 20_000
_FOLDER = "inode/directory"
_AT_ONCE = 500
"""Trials read with one question."""
MOST_FILES = 40
"""Files of a folder whose contents are shown."""


class Drilldown(Struct, frozen=True):
    """The packed documents, a packed index of them, and what was left out."""

    index: str
    chunks: tuple[str, ...]
    instructions: str
    trials: int
    left_out: str | None


def read_drilldown(
    ledger: Ledger,
    wanted: TrialFilter,
    report: Report,
    *,
    tasks: Path | None = None,
    most: int = 5_000,
) -> Drilldown:
    """Read and pack the trials of a report, at most `most`. Instructions come from `tasks`, where given."""
    columns = ledger.columns(wanted, metadata=metadata_keys(report.choices.group_by))
    reviewed = set(ledger.columns(_reviewed(wanted)).trial.tolist()) if report.agreement else set()
    rows = _chosen(columns, reviewed, most)
    names = group(columns, report.choices.group_by)
    place = {g.name: at for at, g in enumerate(report.groups)}
    index: list[list[Any]] = []
    chunks: list[str] = []
    packed: list[dict[str, Any]] = []
    size = 0
    kept: dict[int, bytes] | None = {}
    traces: dict[str, Trace] = {}
    judged: dict[str, list[JudgeRecord]] = {}
    known = newest_calibrations(ledger)
    found: dict[int, list[TrialRecord]] = {}
    for at, row in enumerate(rows):
        number = int(columns.trial[row])
        if at % _AT_ONCE == 0:
            some = columns.trial[rows[at : at + _AT_ONCE]].tolist()
            found = ledger.histories(some)
            kept = _outputs(ledger, some)
            ids = list(ledger.trial_ids(some).values())
            traces, judged = find_traces(ledger, ids), read_judgements(ledger, ids)
        records = found[number]
        document = _document(ledger, records, _one_output(ledger, records[0], kept, number))
        document["judgements"] = judgement_documents(judged.get(document["id"], []), known)
        document["trace"] = trace_document(ledger, traces.get(document["id"]))
        document["group"] = place[names.categories[names.codes[row]]]
        packed.append(document)
        index.append(_index_row(document, columns.task.categories[columns.task.codes[row]]))
        if len(packed) == CHUNK:
            chunks.append(pack(packed))
            size += len(chunks[-1])
            packed = []
            if size > MOST_BYTES:
                break
    if packed:
        chunks.append(pack(packed))
    return Drilldown(
        index=pack(index),
        chunks=tuple(chunks),
        instructions=pack(_instructions(tasks, report)),
        trials=len(index),
        left_out=_left_out(len(columns), len(index), most),
    )


def _reviewed(wanted: TrialFilter) -> TrialFilter:

    return wanted.model_copy(update={"annotated": True})


def _chosen(columns: TrialColumns, reviewed: set[int], most: int) -> list[int]:
    """Which rows go in, in the order of the columns: the telling ones first, then first attempts."""
    broken = {
        code
        for code, name in enumerate(columns.outcome.categories)
        if name in (Outcome.MACHINERY_FAILED.value, Outcome.SUSPECTED.value)
    }
    trial, outcome = columns.trial.tolist(), columns.outcome.codes.tolist()
    attempt = columns.attempt.tolist()
    if len(trial) <= most:
        return list(range(len(trial)))
    order = sorted(
        range(len(trial)),
        key=lambda row: (trial[row] not in reviewed, outcome[row] not in broken, attempt[row], row),
    )
    return sorted(order[:most])


def _index_row(document: dict[str, Any], task: str) -> list[Any]:
    return [
        document["id"],
        document["group"],
        task,
        document["attempt"],
        document["reward"],
        document["outcome"],
        document["experiment"],
        len(document["annotations"]),
        [tag["category"] for tag in document["tags"]],
    ]


def _left_out(found: int, kept: int, most: int) -> str | None:
    if found == kept:
        return None
    limit = f"--trials {most}" if kept == most else f"{MOST_BYTES >> 20} MiB"
    return (
        f"{kept:,} of {found:,} trials can be opened here (the limit is {limit}); every number counts all of "
        "them, and adjudge show has the rest."
    )


def _document(
    ledger: Ledger, records: Sequence[TrialRecord], kept: bytes | LedgerError | None
) -> dict[str, Any]:
    """One trial as the page shows it: plain JSON, long texts cut, control characters spelled out."""
    record = records[0]
    result, run = record.evaluation, record.run
    return {
        "id": record.trial_id,
        "experiment": _short(record.experiment),
        "task": _short(record.task_id),
        "digest": record.task_digest,
        "agent": _short(record.agent.name),
        "model": _short(record.agent.model),
        "attempt": record.attempt,
        "reward": result.reward,
        "outcome": outcome_of(result).value,
        "validity": {
            "output_parseable": result.validity.output_parseable,
            "schema_valid": result.validity.schema_valid,
            "verifier_completed": result.validity.verifier_completed,
        },
        "problems": [_short(error) for error in result.validity.errors[:20]],
        "fields": [
            [_short(row.field), row.score, row.max_score, _short(row.evidence), row.weight]
            for row in breakdown_rows(result.breakdown or {})[:200]
        ],
        "breakdown": _json(result.breakdown),
        "tags": [
            {"category": _short(t.category), "description": _short(t.description), "source": t.source.value}
            for t in result.error_taxonomy or ()
        ],
        "annotations": [
            {
                "reviewer": _short(a.reviewer_id),
                "discipline": _short(a.reviewer_discipline),
                "time": a.timestamp.isoformat(timespec="minutes"),
                "judgment": a.judgment.value,
                "categories": [_short(c) for c in a.categories],
                "notes": _short(a.notes),
            }
            for a in result.annotations or ()
        ],
        "confidence": _confidence(records),
        "output": _output(ledger, record, kept),
        "run": {
            "by": run.scored_by.value,
            "backend": run.backend,
            "exit": run.exit_code,
            "seconds": run.duration_sec,
            "limits": [limit.value for limit in run.limits_hit],
            "stdout": clip(run.stdout, LONGEST_STREAM),
            "stderr": clip(run.stderr, LONGEST_STREAM),
            "reused": run.reused_from,
        },
        "cost": record.cost.model_dump(exclude_none=True) if record.cost else {},
        "metadata": _json(record.metadata) if record.metadata else None,
        "scored": record.scored_at.isoformat(timespec="seconds"),
        "version": record.adjudge_version,
        "history": list(_history(records)),
    }


def _history(records: Sequence[TrialRecord]) -> Iterator[dict[str, Any]]:
    """Earlier evaluations, the newest of them first, with the fields that the next one moved."""
    for after, before in pairwise(records):
        yield {
            "reward": before.evaluation.reward,
            "outcome": outcome_of(before.evaluation).value,
            "digest": before.task_digest,
            "scored": before.scored_at.isoformat(timespec="seconds"),
            "moved": [
                [_short(c.field), c.before, c.after]
                for c in changed_fields(before.evaluation, after.evaluation)[:20]
            ],
        }


def _confidence(records: Sequence[TrialRecord]) -> dict[str, Any] | None:
    found = result_confidence(records)
    return None if found is None else found.model_dump(exclude_none=True, mode="json")


def _outputs(ledger: Ledger, numbers: Sequence[int]) -> dict[int, bytes] | None:
    """The kept outputs of these trials; None if one of them is damaged, so that each is asked for alone."""
    try:
        return ledger.outputs(numbers)
    except LedgerError:
        return None


def _one_output(
    ledger: Ledger, record: TrialRecord, kept: Mapping[int, bytes] | None, number: int
) -> bytes | LedgerError | None:
    """The output of one trial: its bytes, None if it was not kept, or why it cannot be read."""
    if kept is not None:
        return kept.get(number)
    try:
        entry = ledger.output_blob(record.trial_id)
        return None if entry is None else ledger.blob(entry)
    except LedgerError as error:
        return error


def _output(ledger: Ledger, record: TrialRecord, data: bytes | LedgerError | None) -> dict[str, Any]:
    """The answer as text, or every file of a folder, or why there is nothing to see."""
    info = record.output
    shown: dict[str, Any] = {
        "path": _short(info.path),
        "sha256": info.sha256,
        "size": info.size_bytes,
        "type": info.media_type,
        "text": None,
        "note": None,
        "files": [],
    }
    if isinstance(data, LedgerError):
        shown["note"] = printable(str(data))
        return shown
    if data is None:
        shown["note"] = (
            "there was no output" if info.sha256 is None else "the output was not kept in the ledger"
        )
    elif info.media_type == _FOLDER:
        rows = json.loads(data)["workspace"]
        shown["note"] = f"a folder with {len(rows)} file{'' if len(rows) == 1 else 's'}"
        shown["files"] = [[_short(row["path"]), *_file(ledger, row)] for row in rows[:MOST_FILES]]
        if len(rows) > MOST_FILES:
            shown["note"] += f", of which {MOST_FILES} are shown"
    else:
        shown["text"], shown["note"] = _text(data)
    return shown


def _file(ledger: Ledger, row: dict[str, Any]) -> tuple[str | None, str | None]:
    if "link" in row:
        return None, _short(f"a link to {row['link']}")
    try:
        return _text(ledger.blob(row["sha256"]))
    except LedgerError as error:
        return None, printable(str(error))


def _text(data: bytes) -> tuple[str | None, str | None]:
    """The text of a file, or what is there instead."""
    if b"\0" in data[:8192]:
        return None, f"binary, {len(data):,} bytes"
    return clip(data.decode("utf-8", "replace"), LONGEST_OUTPUT), None


def _instructions(root: Path | None, report: Report) -> dict[str, dict[str, Any]]:
    """Task -> instruction and digest, of the tasks that the report is about."""
    if root is None:
        return {}
    from adjudge.tasks import load_tasks

    wanted = {row.task for row in report.tasks}
    return {
        task.id: {"text": clip(task.instruction, LONGEST_INSTRUCTION), "digest": task.digest}
        for task in load_tasks(root)
        if task.id in wanted
    }


def _short(text: str | None) -> str | None:
    return None if text is None else clip(text, LONGEST_NOTE)


def _json(value: object) -> str | None:
    return None if value is None else clip(to_json(value, indent=1).decode(), LONGEST_OUTPUT)
