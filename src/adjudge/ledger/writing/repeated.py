"""One evaluation under many trials: what all of them have in common is prepared once.

What a deterministic verifier said of an output is recorded under every trial that has the same output. Its
half of the document, its columns, its long streams and the output itself are the same each time, but for the
moment; only the trial's own half is new. An entry made here is what `prepare` makes of the whole record:
`tests/ledger/test_repeated.py` compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from adjudge.contracts import Cost, OutputInfo, TrialIdentity
from adjudge.ledger.entry import TrialEntry
from adjudge.ledger.writing.documents import trial_half
from adjudge.ledger.writing.prepared import LARGEST_ATTEMPT, PreparedEntry, prepare

_MOMENT = '"scored_at":'


class RepeatedEvaluation:
    """The evaluation of one entry, to be recorded under others with the same output and verifier."""

    def __init__(self, entry: TrialEntry) -> None:
        self._first = prepare(entry)
        # the last field but one of the document: inside a text its quotes would be escaped
        self._begin, _, end = self._first.evaluation.rpartition(_MOMENT)
        self._end = end.removeprefix(to_json(entry.record.scored_at).decode())

    def prepare(
        self,
        identity: TrialIdentity,
        output: OutputInfo,
        *,
        trial_id: str,
        cost: Cost | None,
        metadata: Mapping[str, Any],
        replaces: str | None,
        scored_at: datetime | None = None,
    ) -> PreparedEntry:
        """This evaluation under one trial, whose output has the same digest.

        The parts are valid: they come from where rows are read. UsageError as by `prepare`.
        """
        trial = trial_half(trial_id, identity, output, cost=cost, metadata=metadata)
        moment = scored_at or datetime.now(UTC)
        first = self._first
        return PreparedEntry(
            trial_id,
            trial,
            f"{self._begin}{_MOMENT}{to_json(moment).decode()}{self._end}",
            {
                **first.named,
                "experiment": identity.experiment,
                "agent": identity.agent,
                "model": identity.model,
                "task": identity.task_id,
            },
            {
                **first.columns,
                "attempt": min(identity.attempt, LARGEST_ATTEMPT),
                "scored_at": moment.timestamp(),
                "cost_usd": None if cost is None else cost.usd,
            },
            first.categories,
            first.packed,
            first.output_blob,
            replaces,
            first.lacking,
        )
