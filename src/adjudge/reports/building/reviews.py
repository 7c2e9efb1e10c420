"""What people said of the trials of a report, read from the ledger, and how those trials were chosen.

A rater's verdict on a trial is pass, fail or missing. The people's is that of most reviewers; a tie and a
`defer` are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from adjudge.contracts import ConfidenceMetadata, Judgment, ScoredBy, TrialRecord
from adjudge.ledger import Ledger, TrialColumns, TrialFilter, read_selections
from adjudge.stats import confidence_from_annotations, confidence_from_repeats

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents

VERDICTS = (Judgment.FAIL.value, Judgment.PASS.value)


class Review(Struct, frozen=True):
    """One annotated trial: its row in the columns, and who said what."""

    row: int
    trial_id: str
    by_judge: bool
    said: tuple[tuple[str, Judgment], ...]

    @property
    def people(self) -> str | None:
        """The verdict of most reviewers; None on a tie or where all defer."""
        counts = Counter(judgment for _, judgment in self.said)
        passed, failed = counts[Judgment.PASS], counts[Judgment.FAIL]
        return None if passed == failed else VERDICTS[passed > failed]


class Reviews(Struct, frozen=True):
    """Every annotated trial of the report, and verdicts of judges on trials that a verifier scored too."""

    reviews: tuple[Review, ...]
    judged: dict[int, float]
    """Row -> what a verifier gave, for trials whose current reward is a judge's."""
    chances: dict[int, float] = field(default_factory=dict)
    """Row -> the probability with which a trial was chosen for review, if it is known."""


def read_reviews(
    ledger: Ledger, wanted: TrialFilter, columns: TrialColumns, documents: Documents | str
) -> Reviews | None:
    """Read what people said of these trials; None where nobody said anything and no judge spoke."""

    judged = {} if isinstance(documents, str) else documents.judged
    if wanted.annotated is False:
        return Reviews((), judged) if judged else None
    place: dict[str, int] | None = None
    found = []
    for record in ledger.iterate(wanted.model_copy(update={"annotated": True}), streams=False):
        if place is None:
            ids = ledger.trial_ids(columns.trial.tolist())
            place = {ids[number]: row for row, number in enumerate(columns.trial.tolist())}
        if record.trial_id in place:
            found.append(
                Review(
                    place[record.trial_id],
                    record.trial_id,
                    record.run.scored_by is ScoredBy.JUDGE,
                    tuple((a.reviewer_id, a.judgment) for a in record.evaluation.annotations or ()),
                )
            )
    if not found and not judged:
        return None
    return Reviews(tuple(found), judged, _chances(ledger, place or {}))


def _chances(ledger: Ledger, place: Mapping[str, int]) -> dict[int, float]:
    """The newest known probability of each trial of the report that was chosen for review."""
    known: dict[int, float] = {}
    for trial_id, made in (read_selections(ledger) if place else {}).items():
        chances = [one.probability for one in made if one.probability is not None]
        if chances and trial_id in place:
            known[place[trial_id]] = chances[-1]
    return known


def result_confidence(records: Sequence[TrialRecord]) -> ConfidenceMetadata | None:
    """How sure one can be of the first record: its own word, else its reviewers', else its repeats'.

    The records after it are its earlier evaluations, if they are known. Repeats are evaluations under
    the same task digest. A result with nothing but one reward has no confidence.
    """
    record = records[0]
    if record.evaluation.confidence is not None:
        return record.evaluation.confidence
    if record.evaluation.annotations:
        return confidence_from_annotations(record.evaluation.annotations)
    repeats = [r.evaluation.reward for r in records if r.task_digest == record.task_digest]
    return confidence_from_repeats(repeats) if len(repeats) > 1 else None
