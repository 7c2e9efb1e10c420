"""What people would say of all trials, from the few they reviewed: only if it is known how those were chosen.

A trial that was chosen with a known probability stands for one over it. Reviews of other trials are left out
and counted. If the probabilities do not add up to all trials (only disagreements were chosen, say), there is
no estimate, and the reason says so. Attempts at one task, or trials of one cluster, count as one in errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Named
from adjudge.stats import (
    Estimate,
    corrected_pass_rate,
    effective_counts,
    prediction_powered_mean,
    reviewed_mean,
    why_not_a_sample,
)

NAMES = (
    "share of trials people would pass, from their reviews alone",
    "share of trials people would pass, from the verifier's verdicts",
    "share of trials people would pass, from the rewards",
)


def what_people_would_pass(
    said: Mapping[int, bool],
    chances: Mapping[int, float],
    verdict: npt.NDArray[np.bool_],
    reward: npt.NDArray[np.float64],
    usable: npt.NDArray[np.bool_],
    cluster: npt.NDArray[np.int64],
    choices: Choices,
) -> tuple[Named, ...]:
    """Three estimates of the share of `usable` trials; nothing if no usable trial was reviewed.

    `said` is whether people passed a trial (by row), `chances` those of the trials that were chosen,
    reviewed yet or not. The other arrays are of all trials.
    """
    reviewed = [row for row in said if usable[row]]
    if not reviewed:
        return ()
    chosen = [row for row in chances if usable[row]]
    if not chosen:
        return tuple(
            Named(name=name, estimate=reviewed_mean([float(said[row]) for row in reviewed], None))
            for name in NAMES
        )
    rows = sorted(row for row in chosen if row in said)
    total = int(usable.sum())
    notes = _notes(reviewed, chosen, rows)
    why = why_not_a_sample([chances[row] for row in chosen], total) or (
        None if rows else "none of the trials chosen with a known probability has a verdict yet"
    )
    if why is not None:
        return tuple(
            Named(
                name=name,
                estimate=Estimate(
                    value=None, level=choices.level, method=name, n=len(rows), unit="reviews", reason=why
                ),
            )
            for name in NAMES
        )
    labels = np.array([said[row] for row in rows])
    p = np.array([chances[row] for row in rows])
    groups = cluster[rows]
    rest = usable.copy()
    rest[rows] = False
    estimates = (
        reviewed_mean(labels.astype(float), p, cluster=groups, method=choices.how),
        _corrected(labels, verdict[rows], p, groups, verdict[usable], cluster[usable], choices),
        prediction_powered_mean(
            labels.astype(float), reward[rows], reward[rest], chances=p, cluster=groups, method=choices.how
        ),
    )
    return tuple(
        Named(name=name, estimate=found.model_copy(update={"caveats": (*found.caveats, *notes)}))
        for name, found in zip(NAMES, estimates, strict=True)
    )


def _corrected(
    labels: npt.NDArray[np.bool_],
    verdict: npt.NDArray[np.bool_],
    chances: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    every_verdict: npt.NDArray[np.bool_],
    every_group: npt.NDArray[np.int64],
    choices: Choices,
) -> Estimate:
    passed, n = effective_counts(every_verdict, 1.0, every_group)
    counts: dict[str, Any] = {}
    for right, part, whole in (
        (True, "true_passes", "positives"),
        (False, "true_fails", "negatives"),
    ):
        of = labels == right
        counts[part], counts[whole] = effective_counts(verdict[of] == right, chances[of], groups[of])
    return corrected_pass_rate(passed, n, **counts, method=choices.how)


def _notes(reviewed: Sequence[int], chosen: Sequence[int], rows: Sequence[int]) -> tuple[str, ...]:
    notes = []
    if waiting := len(chosen) - len(rows):
        notes.append(
            f"{waiting:,} of {len(chosen):,} trials chosen for review have no verdict yet: the others speak "
            "for them"
        )
    if out := len(reviewed) - len(rows):
        those = "1 review" if out == 1 else f"{out:,} reviews"
        notes.append(f"{those} left out: nobody recorded with which chance the trial was chosen")
    return tuple(notes)
