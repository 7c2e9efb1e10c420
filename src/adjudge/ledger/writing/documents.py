"""A `TrialRecord` in two halves, as the ledger keeps it: what stays, and what one scoring made of it.

Both halves are compact JSON objects with no key in common, so the record is their concatenation and the
contract's own JSON reader checks it on the way out. Verifier streams longer than `STREAM_LIMIT` leave the
document and become blobs. Annotations and later tags are never part of a document; they have their own rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, ValidationError, to_json

from adjudge.contracts import (
    Annotation,
    Cost,
    ErrorTag,
    OutputInfo,
    StrictModel,
    TrialIdentity,
    TrialRecord,
)
from adjudge.errors import LedgerError, UsageError
from adjudge.ledger.entry import unstorable_cost

STREAM_LIMIT = 1024
"""Characters of stdout or stderr that stay in the document."""

_TRIAL = {
    "trial_id",
    "experiment",
    "attempt",
    "task_id",
    "agent",
    "output",
    "cost",
    "metadata",
    "started_at",
    "finished_at",
}


_EVALUATION: dict[str, Any] = {**dict.fromkeys(_TRIAL, True), "evaluation": {"annotations"}}
"""What is left out of the other half."""


class Split(NamedTuple):
    """A record ready to be stored."""

    trial: str
    evaluation: str
    stdout: bytes | None
    stderr: bytes | None
    """The stream itself, if it does not stand in the document."""


def split(record: TrialRecord) -> Split:
    """Take a record apart. Annotations on it are left out: they are recorded by `annotate`."""
    stdout, stderr = _long(record.run.stdout, record), _long(record.run.stderr, record)
    left_out = _EVALUATION
    if stdout is not None or stderr is not None:
        emptied = {name for name, stream in (("stdout", stdout), ("stderr", stderr)) if stream is not None}
        left_out = {**_EVALUATION, "run": emptied}
    try:
        trial, evaluation = to_json(record, include=_TRIAL), to_json(record, exclude=left_out)
        return Split(trial.decode(), evaluation.decode(), stdout, stderr)
    except (PydanticSerializationError, UnicodeEncodeError):
        raise not_text(record.trial_id) from None


def trial_half(
    trial_id: str,
    identity: TrialIdentity,
    output: OutputInfo | Mapping[str, Any],
    *,
    cost: Cost | None,
    metadata: Mapping[str, Any],
) -> str:
    """The half that stays, of a trial whose agent has no configuration and whose hours nobody knows.

    It is what `split` makes of the whole record, without making one. The parts are valid.
    """
    if cost is not None and (problem := unstorable_cost(cost)):
        raise UsageError(problem, field="cost", found=cost)
    try:
        return to_json(
            {
                "trial_id": trial_id,
                "experiment": identity.experiment,
                "attempt": identity.attempt,
                "task_id": identity.task_id,
                "agent": {"name": identity.agent, "model": identity.model, "config": {}},
                "output": output,
                "cost": cost,
                "metadata": metadata,
                "started_at": None,
                "finished_at": None,
            }
        ).decode()
    except (PydanticSerializationError, UnicodeEncodeError):
        raise not_text(trial_id) from None


def _long(stream: str, record: TrialRecord) -> bytes | None:
    if len(stream) <= STREAM_LIMIT:
        return None
    try:
        return stream.encode("utf-8")
    except UnicodeEncodeError:
        raise not_text(record.trial_id) from None


def document_of(thing: StrictModel) -> str:
    """An annotation or a tag as JSON. UsageError if it holds what UTF-8 cannot carry."""
    try:
        return thing.model_dump_json()
    except (PydanticSerializationError, UnicodeEncodeError):
        raise not_text(type(thing).__name__) from None


def not_text(field: str) -> UsageError:
    """What is said of a record that no UTF-8 file can carry."""
    return UsageError(
        "a string in it holds half of a surrogate pair, which no UTF-8 file can carry",
        field=field,
        remedy="Replace it before recording, for instance with str.encode('utf-8', 'replace').",
    )


def join(
    trial: str,
    evaluation: str,
    *,
    stdout: str | None = None,
    stderr: str | None = None,
    annotations: Iterable[Annotation] = (),
    tags: Iterable[ErrorTag] = (),
) -> TrialRecord:
    """Put a record together again, with what people and judges have said since.

    LedgerError if the record cannot be read: a newer adjudge may write what this one does not know.
    """
    record = _record(f"{trial[:-1]},{evaluation[1:]}")
    streams = {name: text for name, text in (("stdout", stdout), ("stderr", stderr)) if text is not None}
    changes: dict[str, Any] = {}
    if streams:
        changes["run"] = record.run.model_copy(update=streams)
    said = list(annotations)
    later = list(tags)
    if said or later:
        verdict: dict[str, Any] = {}
        if said:
            verdict["annotations"] = said
        if later:
            first = record.evaluation.error_taxonomy or []
            verdict["error_taxonomy"] = [*first, *(tag for tag in later if tag not in first)]
        changes["evaluation"] = record.evaluation.model_copy(update=verdict)
    return record.model_copy(update=changes) if changes else record


def _record(document: str) -> TrialRecord:
    try:
        return TrialRecord.model_validate_json(document)
    except ValidationError as error:
        raise LedgerError(
            "a trial in this ledger cannot be read by this version of adjudge",
            field=".".join(str(part) for part in error.errors()[0]["loc"]),
            remedy="If a newer adjudge wrote it, upgrade: pip install --upgrade adjudge. "
            "Otherwise `adjudge ledger verify` says whether the row was changed.",
        ) from None
