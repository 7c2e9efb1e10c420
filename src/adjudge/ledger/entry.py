"""What is handed to the ledger to be recorded, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from adjudge.contracts import Cost, TrialIdentity, TrialRecord


class TrialEntry(Struct, frozen=True):
    """A trial to record, with the bytes it refers to."""

    record: TrialRecord
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """SHA-256 -> bytes: the output, the artifacts, whatever should be there a year from now."""
    output_blob: str | None = None
    """The blob to score again: the output's own bytes (the default, if they are among `blobs`), or for a
    folder whatever describes it."""
    replaces: str | None = None
    """The id of the evaluation this one is meant to replace, to run one again under the same task digest."""


class Written(StrEnum):
    """What became of an entry."""

    TRIAL = "trial"
    """A new trial with its first evaluation."""
    EVALUATION = "evaluation"
    """Another evaluation of a trial that was there."""
    NOTHING = "nothing"
    """It was all there already."""
    CONFLICT = "conflict"
    """The id stands for another trial; nothing was written for this entry."""


class Recorded(NamedTuple):
    """The answer for one entry. `evaluation_id` is the trial's current evaluation; None on conflict."""

    trial_id: str
    written: Written
    evaluation_id: str | None
    conflict: str | None = None


class TrialState(Struct, frozen=True):
    """How a trial stands: what a run needs to know before it scores again."""

    trial_id: str
    identity: TrialIdentity
    evaluation_id: str
    task_digest: str | None
    reward: float
    outcome: str


MOST = (1 << 63) - 1
"""The largest whole number that both databases and Parquet hold."""


def unstorable_cost(cost: Cost) -> str | None:
    """Which number of these no database holds, in words; None if all fit."""
    for name in ("input_tokens", "cached_tokens", "output_tokens"):
        value = getattr(cost, name)
        if value is not None and value > MOST:
            return f"{name} is too large to be kept; the most is {MOST}"
    return None


def evaluation_id(trial_id: str, seq: int) -> str:
    """The id of an evaluation: its trial and its row."""
    return f"{trial_id}@{seq}"


def evaluation_row(identifier: str) -> int | None:
    """The row of an evaluation by its id; None if this is no such id."""
    _, _, seq = identifier.rpartition("@")
    return int(seq) if seq.isascii() and seq.isdigit() and len(seq) < 19 else None
