"""An entry with everything done that needs no lock: serialised, compressed, its columns picked out.

It holds plain values only, no models, so that it can be made in another process and sent over cheaply. Many
are made and written at a time, with Python's cycle collector out of the way (`collector_paused`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from adjudge.contracts import TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger.entry import MOST, TrialEntry, unstorable_cost
from adjudge.ledger.store.blobs import digest_of, pack
from adjudge.ledger.writing.documents import split
from adjudge.scoring import outcome_of

LARGEST_ATTEMPT = 2**62
"""What both databases can hold; a larger attempt is exact in the document."""


class PreparedEntry(NamedTuple):
    """A trial ready to be written."""

    trial_id: str
    trial: str
    evaluation: str
    """The two halves of the document."""
    named: Mapping[str, str | None]
    """Column of the evaluation -> the name its number will stand for; None: it has none."""
    columns: Mapping[str, Any]
    """The evaluation's other plain columns, as the database takes them."""
    categories: tuple[str, ...]
    """Of its tags."""
    packed: Mapping[str, tuple[int, bytes]]
    """Its blobs: digest -> (size, compressed)."""
    output_blob: bytes | None
    replaces: str | None
    lacking: frozenset[str] = frozenset()
    """Artifacts whose bytes were not given with it."""

    @property
    def reward(self) -> float:
        """As the verifier gave it."""
        return float(self.columns["reward"])

    @property
    def outcome(self) -> str:
        """What became of the trial, in one word."""
        return str(self.named["outcome"])

    def replacing(self, evaluation_id: str) -> PreparedEntry:
        """The same, meant to replace this evaluation."""
        return self._replace(replaces=evaluation_id)


def prepare(entry: TrialEntry) -> PreparedEntry:
    """Serialise and compress. UsageError for what is not UTF-8, does not fit, or is a mislabelled blob."""
    record = entry.record
    _check_numbers(record)
    halves = split(record)
    evaluation = record.evaluation
    blobs, blob = entry.blobs, entry.output_blob
    if blob is None and record.output.sha256 in blobs:
        blob = record.output.sha256
    columns = _columns(record)
    for name, stream in (("stdout", halves.stdout), ("stderr", halves.stderr)):
        if stream is not None:
            digest = digest_of(stream)
            columns[name] = _raw(digest)
            blobs = {**blobs, digest: stream}
    return PreparedEntry(
        trial_id=record.trial_id,
        trial=halves.trial,
        evaluation=halves.evaluation,
        named={
            "experiment": record.experiment,
            "agent": record.agent.name,
            "model": record.agent.model,
            "task": record.task_id,
            "task_digest": record.task_digest,
            "outcome": outcome_of(evaluation).value,
        },
        columns=columns,
        categories=tuple([tag.category for tag in evaluation.error_taxonomy or ()]),
        packed=pack(blobs),
        output_blob=_raw(blob),
        replaces=entry.replaces,
        lacking=frozenset(record.run.artifacts.values()).difference(blobs),
    )


def _check_numbers(record: TrialRecord) -> None:
    """Refuse here what every later export would stumble over."""
    if record.cost is not None and (problem := unstorable_cost(record.cost)):
        raise UsageError(problem, field="cost", found=record.cost)
    if record.output.size_bytes is not None and record.output.size_bytes > MOST:
        raise UsageError("too large to be kept", field="output.size_bytes", found=record.output.size_bytes)


def _columns(record: TrialRecord) -> dict[str, Any]:
    validity = record.evaluation.validity
    return {
        "attempt": min(record.attempt, LARGEST_ATTEMPT),
        "output_sha256": _raw(record.output.sha256),
        "reward": record.evaluation.reward,
        "output_parseable": int(validity.output_parseable),
        "schema_valid": int(validity.schema_valid),
        "verifier_completed": int(validity.verifier_completed),
        "scored_at": record.scored_at.timestamp(),
        "duration_sec": record.run.duration_sec,
        "cost_usd": None if record.cost is None else record.cost.usd,
        "stdout": None,
        "stderr": None,
    }


def _raw(digest: str | None) -> bytes | None:
    return None if digest is None else bytes.fromhex(digest)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collection until the end of the block, for work that makes many objects and no cycles.

    A batch makes tens of thousands that all live until it is done; left alone, the collector looks at them
    again and again and finds nothing, which takes a tenth of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
