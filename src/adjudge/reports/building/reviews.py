"""Verifier, judges and people: do they agree, and what would people say of the rest?

A rater's verdict on a trial is pass, fail or missing. The verifier's is pass from a threshold on, and missing
where the machinery failed. The people's is that of most reviewers; a tie and a `defer` are missing. A
judge's is its reward, held against the same threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adjudge.contracts import ConfidenceMetadata, Judgment, ScoredBy, TrialRecord
from adjudge.ledger import Coded, Ledger, TrialColumns, TrialFilter, disagrees
from adjudge.reports.building.groups import statuses
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Agreement, Disagreement, Named, RaterPair
from adjudge.stats import (
    Estimate,
    Status,
    cohen_kappa,
    confidence_from_annotations,
    confidence_from_repeats,
    corrected_pass_rate,
    gwet_ac1,
    krippendorff_alpha,
    prediction_powered_mean,
)

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents

VERDICTS = (Judgment.FAIL.value, Judgment.PASS.value)
MOST_LISTED = 100
NO_REVIEWS = "nobody has reviewed these trials; adjudge annotate records what a person thinks"


@dataclass(frozen=True)
class Review:
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


@dataclass(frozen=True)
class Reviews:
    """Every annotated trial of the report, and verdicts of judges on trials that a verifier scored too."""

    reviews: tuple[Review, ...]
    judged: dict[int, float]
    """Row -> what a verifier gave, for trials whose current reward is a judge's."""


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
    return Reviews(tuple(found), judged) if found or judged else None


def build_agreement(
    reviews: Reviews | None, columns: TrialColumns, grouped: Coded, choices: Choices
) -> tuple[Agreement | None, str | None]:
    """The section, or none and why."""
    if reviews is None:
        return None, NO_REVIEWS
    said = [judgment for review in reviews.reviews for _, judgment in review.said]
    reviewers = sorted({who for review in reviews.reviews for who, _ in review.said})
    verdict = _verdicts(columns, choices.threshold)
    people = [r for r in reviews.reviews if r.people is not None]
    pairs = []
    for name, by_judge in (("verifier", False), ("judge", True)):
        mine = [r for r in people if r.by_judge is by_judge]
        if mine:
            pairs.append(
                _pair(name, "people", [verdict[r.row] for r in mine], [r.people for r in mine], choices)
            )
    if reviews.judged:
        rows = sorted(reviews.judged)
        verifier = [VERDICTS[reviews.judged[row] >= choices.threshold] for row in rows]
        pairs.append(_pair("verifier", "judge", verifier, [verdict[row] for row in rows], choices))
    against = _disagreements(reviews, columns, grouped, choices.threshold)
    return Agreement(
        reviewers=len(reviewers),
        annotated=len(reviews.reviews),
        annotations=len(said),
        deferred=said.count(Judgment.DEFER),
        pairs=tuple(pairs),
        among_reviewers=_among(reviews, reviewers, choices),
        people=_people(people, verdict, columns, choices),
        disagreements=tuple(against[:MOST_LISTED]),
        more_disagreements=max(0, len(against) - MOST_LISTED),
    ), None


def agreement_by_group(
    reviews: Reviews | None, grouped: Coded, columns: TrialColumns, choices: Choices
) -> list[tuple[int, Estimate] | None] | None:
    """For each group: how many reviewers saw it, and the AC1 of verifier and people there."""
    if reviews is None:
        return None
    verdict = _verdicts(columns, choices.threshold)
    found: list[tuple[int, Estimate] | None] = []
    for code in range(len(grouped.categories)):
        seen = [r for r in reviews.reviews if grouped.codes[r.row] == code]
        who = {name for r in seen for name, _ in r.said}
        mine = [r for r in seen if r.people is not None and not r.by_judge]
        table = [(verdict[r.row], r.people) for r in mine]
        found.append((len(who), _ac1(table, choices)) if seen else None)
    return found


def _verdicts(columns: TrialColumns, threshold: float) -> list[str | None]:
    failed = (statuses(columns.outcome) == Status.VERIFIER_FAILED).tolist()
    passed = (columns.reward >= threshold).tolist()
    return [None if bad else VERDICTS[good] for bad, good in zip(failed, passed, strict=True)]


def _pair(
    a: str, b: str, left: Sequence[str | None], right: Sequence[str | None], choices: Choices
) -> RaterPair:
    fail, good = VERDICTS
    counts = Counter(zip(left, right, strict=True))
    return RaterPair(
        a=a,
        b=b,
        both_pass=counts[good, good],
        only_a=counts[good, fail],
        only_b=counts[fail, good],
        both_fail=counts[fail, fail],
        kappa=cohen_kappa(left, right, categories=VERDICTS, method=choices.how),
        ac1=_ac1(list(zip(left, right, strict=True)), choices),
    )


def _ac1(table: list[tuple[str | None, str | None]], choices: Choices) -> Estimate:
    return gwet_ac1(table, categories=VERDICTS, method=choices.how)


def _among(reviews: Reviews, reviewers: list[str], choices: Choices) -> tuple[Estimate, ...]:
    if len(reviewers) < 2:
        return ()
    column = {who: at for at, who in enumerate(reviewers)}
    table: list[list[str | None]] = []
    for review in reviews.reviews:
        row: list[str | None] = [None] * len(reviewers)
        for who, judgment in review.said:
            row[column[who]] = None if judgment is Judgment.DEFER else judgment.value
        table.append(row)
    return (
        krippendorff_alpha(table, categories=VERDICTS, method=choices.how),
        gwet_ac1(table, categories=VERDICTS, method=choices.how),
    )


def _people(
    people: list[Review], verdict: list[str | None], columns: TrialColumns, choices: Choices
) -> tuple[Named, ...]:
    """The share people would pass: from the verifier's verdicts corrected, and from its rewards."""
    seen = [r for r in people if verdict[r.row] is not None and not r.by_judge]
    if not seen:
        return ()
    fail, good = VERDICTS
    counts = Counter((verdict[r.row], r.people) for r in seen)
    judged = Counter(v for v in verdict if v is not None)
    rate = corrected_pass_rate(
        judged[good],
        judged.total(),
        true_passes=counts[good, good],
        positives=counts[good, good] + counts[fail, good],
        true_fails=counts[fail, fail],
        negatives=counts[fail, fail] + counts[good, fail],
        method=choices.how,
    )
    rest = np.array([v is not None for v in verdict])
    rest[[r.row for r in seen]] = False
    mean = prediction_powered_mean(
        [float(r.people == good) for r in seen],
        columns.reward[[r.row for r in seen]],
        columns.reward[rest],
        method=choices.how,
    )
    return (
        Named(name="share of trials people would pass, from the verifier's verdicts", estimate=rate),
        Named(name="share of trials people would pass, from the rewards", estimate=mean),
    )


def _disagreements(
    reviews: Reviews, columns: TrialColumns, grouped: Coded, threshold: float
) -> list[Disagreement]:
    found = []
    for review in reviews.reviews:
        reward = float(columns.reward[review.row])
        if any(disagrees(judgment, reward, threshold) for _, judgment in review.said):
            found.append(
                Disagreement(
                    trial_id=review.trial_id,
                    group=grouped.categories[grouped.codes[review.row]],
                    task=columns.task.categories[columns.task.codes[review.row]],
                    reward=reward,
                    said=", ".join(f"{judgment} by {who}" for who, judgment in review.said),
                )
            )
    return sorted(found, key=lambda d: (d.task, d.group, d.trial_id))


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
