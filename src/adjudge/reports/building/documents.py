"""What only the trials' documents say: fields of breakdowns, who set a tag, the agent's time.

Reading documents costs a quarter of a millisecond a trial, columns a hundredth of that. So a report reads
them up to `MOST_READ` trials, and above that only where it is asked to.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from adjudge.contracts import ErrorSource, ScoredBy, TrialRecord
from adjudge.ledger import Ledger, TrialColumns, TrialFilter
from adjudge.scoring import breakdown_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_READ = 5_000


class FieldScores(Struct, frozen=True):
    """One field wherever it occurs: rows of the columns, and the score over its maximum, cut to [0, 1]."""

    rows: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)


class Documents(Struct, frozen=True):
    """What the documents said, by row of the columns."""

    fields: dict[str, FieldScores]
    no_maximum: int
    """Scores left out because nothing says what they are out of."""
    sources: dict[str, set[ErrorSource]]
    agent_sec: NDArray[np.float64]
    """NaN where not known."""
    tokens: NDArray[np.float64]
    """Input and output tokens of each row; NaN where not known."""
    judged: dict[int, float]
    """Rows that a judge scored, with what a verifier had given the same trial before, where one had."""
    versions: tuple[str, ...]


def read_documents(
    ledger: Ledger, wanted: TrialFilter, columns: TrialColumns, *, every: bool = False
) -> Documents | str:
    """Read the documents of these trials; or the sentence that says why not."""
    if len(columns) > MOST_READ and not every:
        return (
            f"{len(columns):,} trials are more than {MOST_READ:,}, so their breakdowns were not read; "
            "--fields reads them all"
        )
    place = {trial_id: number for number, trial_id in enumerate(_ids(ledger, columns))}
    fields: dict[str, FieldScores] = defaultdict(FieldScores)
    sources: dict[str, set[ErrorSource]] = defaultdict(set)
    agent_sec = np.full(len(columns), np.nan)
    tokens = np.full((len(columns), 2), np.nan)
    judged: dict[int, float] = {}
    versions: set[str] = set()
    no_maximum = 0
    for record in ledger.iterate(wanted, streams=False):
        row = place.get(record.trial_id)
        if row is None:  # recorded since the columns were read
            continue
        no_maximum += _read_fields(record, row, fields)
        for tag in record.evaluation.error_taxonomy or ():
            sources[tag.category].add(tag.source)
        if record.cost is not None and record.cost.seconds is not None:
            agent_sec[row] = record.cost.seconds
        if record.cost is not None:
            used = (record.cost.input_tokens, record.cost.output_tokens)
            tokens[row] = [np.nan if n is None else n for n in used]
        if record.run.scored_by is ScoredBy.JUDGE:
            judged |= _verifier_before(ledger, record, row)
        versions.add(record.adjudge_version)
    return Documents(
        dict(fields), no_maximum, dict(sources), agent_sec, tokens, judged, tuple(sorted(versions))
    )


def _ids(ledger: Ledger, columns: TrialColumns) -> list[str]:
    ids = ledger.trial_ids(columns.trial.tolist())
    return [ids[number] for number in columns.trial.tolist()]


def _read_fields(record: TrialRecord, row: int, fields: dict[str, FieldScores]) -> int:
    """Add the fields of one breakdown; how many had to be left out."""
    left_out = 0
    for entry in breakdown_rows(record.evaluation.breakdown or {}):
        if entry.score is None:
            continue
        share = entry.normalised if entry.max_score else None
        if share is None:
            left_out += 1
            continue
        found = fields[entry.field]
        found.rows.append(row)
        found.shares.append(share)
    return left_out


def _verifier_before(ledger: Ledger, record: TrialRecord, row: int) -> dict[int, float]:
    for earlier in ledger.history(record.trial_id)[1:]:
        validity = earlier.evaluation.validity
        if earlier.run.scored_by is ScoredBy.VERIFIER and validity.verifier_completed:
            return {row: earlier.evaluation.reward}
    return {}
