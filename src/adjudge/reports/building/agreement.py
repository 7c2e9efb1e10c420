"""Verifier, judges and people: do they agree, and what would people say of the rest?

A rater's verdict on a trial is pass, fail or missing. The verifier's is pass from a threshold on, and missing
if the machinery failed; a judge's is its reward, held against the same threshold. Attempts at one task, or
trials of one cluster, are agreed about together: intervals draw whole clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adjudge.contracts import Judgment
from adjudge.ledger import Coded, TrialColumns, disagrees
from adjudge.reports.building.groups import statuses, trials_of
from adjudge.reports.building.people import what_people_would_pass
from adjudge.reports.building.reviews import VERDICTS, Reviews
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Agreement, Disagreement, RaterPair
from adjudge.stats import Estimate, Status, cohen_kappa, gwet_ac1, krippendorff_alpha

MOST_LISTED = 100
MOST_PAIRS = 40
"""Of single reviewers with the verifier and with each other."""
NO_REVIEWS = "nobody has reviewed these trials; adjudge annotate records what a person thinks"


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
    cluster = _clusters(columns, choices)
    pairs = []
    for name, by_judge in (("verifier", False), ("judge", True)):
        mine = [r for r in people if r.by_judge is by_judge]
        if mine:
            pairs.append(
                _pair(
                    name,
                    "people",
                    [verdict[r.row] for r in mine],
                    [r.people for r in mine],
                    cluster[[r.row for r in mine]],
                    choices,
                )
            )
    if reviews.judged:
        rows = sorted(reviews.judged)
        verifier = [VERDICTS[reviews.judged[row] >= choices.threshold] for row in rows]
        pairs.append(
            _pair("verifier", "judge", verifier, [verdict[row] for row in rows], cluster[rows], choices)
        )
    against = _disagreements(reviews, columns, grouped, verdict, choices.threshold)
    one_by_one, more = _one_by_one(reviews, reviewers, verdict, cluster, choices)
    return Agreement(
        reviewers=len(reviewers),
        annotated=len(reviews.reviews),
        annotations=len(said),
        deferred=said.count(Judgment.DEFER),
        pairs=tuple(pairs),
        by_reviewer=tuple(one_by_one),
        more_by_reviewer=more,
        among_reviewers=_among(reviews, reviewers, cluster, choices),
        people=what_people_would_pass(
            {r.row: r.people == VERDICTS[1] for r in people if not r.by_judge},
            reviews.chances,
            columns.reward >= choices.threshold,
            columns.reward,
            np.array([v is not None for v in verdict], np.bool_),
            cluster,
            choices,
        ),
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
    cluster = _clusters(columns, choices)
    found: list[tuple[int, Estimate] | None] = []
    for code in range(len(grouped.categories)):
        seen = [r for r in reviews.reviews if grouped.codes[r.row] == code]
        who = {name for r in seen for name, _ in r.said}
        mine = [r for r in seen if r.people is not None and not r.by_judge]
        table = [(verdict[r.row], r.people) for r in mine]
        at = cluster[[r.row for r in mine]]
        found.append((len(who), _ac1(table, at, choices)) if seen else None)
    return found


def _verdicts(columns: TrialColumns, threshold: float) -> list[str | None]:
    failed = (statuses(columns.outcome) == Status.VERIFIER_FAILED).tolist()
    passed = (columns.reward >= threshold).tolist()
    return [None if bad else VERDICTS[good] for bad, good in zip(failed, passed, strict=True)]


def _clusters(columns: TrialColumns, choices: Choices) -> npt.NDArray[np.int64]:
    """The cluster of each trial; without a key, its task: attempts at one task are judged alike."""
    chosen = trials_of(columns, choices.cluster).cluster
    return np.asarray(columns.task.codes if chosen is None else chosen, np.int64)


def _one_by_one(
    reviews: Reviews,
    reviewers: Sequence[str],
    verdict: Sequence[str | None],
    cluster: npt.NDArray[np.int64],
    choices: Choices,
) -> tuple[list[RaterPair], int]:
    """Each reviewer against the verifier, then each pair of reviewers, those with most trials first.

    Only pairs with a trial on which both say pass or fail; and how many more there are than are listed.
    """
    column = {who: at for at, who in enumerate(reviewers)}
    rows = [r.row for r in reviews.reviews]
    said = np.full((len(reviewers) + 1, len(rows)), None, object)
    for at, review in enumerate(reviews.reviews):
        said[-1, at] = None if review.by_judge else verdict[review.row]
        for who, judgment in review.said:
            said[column[who], at] = None if judgment is Judgment.DEFER else judgment.value
    known = np.array([[one is not None for one in row] for row in said.tolist()], np.bool_)
    verifier = len(reviewers)
    order = [(at, verifier) for at in range(verifier)]
    order += sorted(
        combinations(range(verifier), 2), key=lambda pair: -int((known[pair[0]] & known[pair[1]]).sum())
    )
    names = (*reviewers, "verifier")
    asked = [(a, b, np.flatnonzero(known[a] & known[b])) for a, b in order]
    asked = [(a, b, both) for a, b, both in asked if len(both)]
    found = [
        _pair(
            names[a],
            names[b],
            said[a, both].tolist(),
            said[b, both].tolist(),
            cluster[np.array(rows)[both]],
            choices,
        )
        for a, b, both in asked[:MOST_PAIRS]
    ]
    return found, len(asked) - len(found)


def _pair(
    a: str,
    b: str,
    left: Sequence[str | None],
    right: Sequence[str | None],
    cluster: npt.NDArray[np.int64],
    choices: Choices,
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
        kappa=cohen_kappa(left, right, categories=VERDICTS, cluster=_repeated(cluster), method=choices.how),
        ac1=_ac1(list(zip(left, right, strict=True)), cluster, choices),
    )


def _ac1(
    table: list[tuple[str | None, str | None]], cluster: npt.NDArray[np.int64], choices: Choices
) -> Estimate:
    return gwet_ac1(table, categories=VERDICTS, cluster=_repeated(cluster), method=choices.how)


def _repeated(cluster: npt.NDArray[np.int64]) -> list[int] | None:
    """The clusters, if any holds more than one trial."""
    return None if len(np.unique(cluster)) == len(cluster) else cluster.tolist()


def _among(
    reviews: Reviews, reviewers: list[str], cluster: npt.NDArray[np.int64], choices: Choices
) -> tuple[Estimate, ...]:
    if len(reviewers) < 2:
        return ()
    column = {who: at for at, who in enumerate(reviewers)}
    table: list[list[str | None]] = []
    for review in reviews.reviews:
        row: list[str | None] = [None] * len(reviewers)
        for who, judgment in review.said:
            row[column[who]] = None if judgment is Judgment.DEFER else judgment.value
        table.append(row)
    groups = _repeated(cluster[[r.row for r in reviews.reviews]])
    return (
        krippendorff_alpha(table, categories=VERDICTS, cluster=groups, method=choices.how),
        gwet_ac1(table, categories=VERDICTS, cluster=groups, method=choices.how),
    )


def _disagreements(
    reviews: Reviews,
    columns: TrialColumns,
    grouped: Coded,
    verdict: Sequence[str | None],
    threshold: float,
) -> list[Disagreement]:
    """A machinery failure is no verdict, so nobody can contradict it."""
    found = []
    for review in reviews.reviews:
        if verdict[review.row] is None:
            continue
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
