"""Does the way an agent works go with its reward? Transitions between kinds of turns, and references.

A reference is learned from trials with a high reward of *other* tasks than the one that is looked at, so no
trial flatters itself. Whether structure predicts reward at all is asked by permutation: rewards are shuffled
within tasks, references are learned anew each time, and the share of shuffles with as strong a link is p.
These are diagnostics beside the reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from adjudge.traces.kinds import TurnKind

KINDS = tuple(TurnKind)
LONGEST_SEQUENCE = 400
"""Turns of a sequence that an edit distance is computed over; its beginning."""
_MOST_CANDIDATES = 40


class KindSequence(Struct, frozen=True):
    """The kinds of one trial's turns."""

    trial_id: str
    task: str
    agent: str
    reward: float
    kinds: tuple[TurnKind, ...]


class StructureScore(Struct, frozen=True):
    """How one trial compares with references from other tasks; None if there is no reference."""

    trial_id: str
    similarity: float | None
    """Cosine of its transition matrix and the reference's."""
    distance: float | None
    """Edit distance to the reference sequence, as a share of the longer one."""


class StructureTest(Struct, frozen=True):
    """Does similarity go with reward within tasks? `value` is the correlation; None with the reason."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    trials: int
    tasks: int
    reason: str | None = None


def transition_counts(kinds: Sequence[TurnKind]) -> list[int]:
    """How often each kind follows each: 16 numbers, row by row."""
    counts = [0] * (len(KINDS) ** 2)
    for before, after in pairwise(kinds):
        counts[KINDS.index(before) * len(KINDS) + KINDS.index(after)] += 1
    return counts


def edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The fewest insertions, removals and replacements that make one the other."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def reference_sequence(sequences: Sequence[tuple[TurnKind, ...]]) -> tuple[TurnKind, ...] | None:
    """The one that lies nearest to all others; None of none."""
    some = sorted({kinds[:LONGEST_SEQUENCE] for kinds in sequences if kinds})[:_MOST_CANDIDATES]
    if not some:
        return None
    return min(some, key=lambda one: sum(edit_distance(one, other) for other in some))


def score_structures(trials: Sequence[KindSequence], high: float = 0.8) -> list[StructureScore]:
    """Each trial against what high-reward trials of other tasks look like."""
    import numpy as np

    counts = np.array([transition_counts(trial.kinds) for trial in trials], float).reshape(
        len(trials), len(KINDS) ** 2
    )
    good = np.array([trial.reward >= high for trial in trials], bool)
    tasks, codes = _codes(trials)
    similarity = _similarities(counts, good, codes)
    sequences = {
        code: reference_sequence(
            [trial.kinds for trial, c, ok in zip(trials, codes, good, strict=True) if ok and c != code]
        )
        for code in range(len(tasks))
    }
    return [
        StructureScore(
            trial.trial_id,
            None if np.isnan(value) else float(value),
            _distance(trial.kinds, sequences[int(code)]),
        )
        for trial, value, code in zip(trials, similarity, codes, strict=True)
    ]


def link_to_reward(
    trials: Sequence[KindSequence], *, high: float = 0.8, permutations: int = 999, seed: int = 0
) -> StructureTest:
    """The link of similarity and reward within tasks, with an interval and a permutation test."""
    import numpy as np

    ordered = sorted(trials, key=lambda trial: trial.trial_id)
    tasks, codes = _codes(ordered)
    counts = np.array([transition_counts(trial.kinds) for trial in ordered], float).reshape(
        len(ordered), len(KINDS) ** 2
    )
    rewards = np.array([trial.reward for trial in ordered], float)
    observed = _link(counts, rewards, codes, high)
    common: dict[str, Any] = {"trials": len(ordered), "tasks": len(tasks)}
    if observed is None:
        return StructureTest(
            None,
            None,
            None,
            None,
            reason="no task has trials of different rewards and a reference from others",
            **common,
        )
    generator = np.random.Generator(np.random.PCG64(seed))
    groups = [np.flatnonzero(codes == code) for code in range(len(tasks))]
    as_strong = 1
    for _ in range(permutations):
        shuffled = rewards.copy()
        for rows in groups:
            shuffled[rows] = rewards[rows][_order(generator, len(rows))]
        link = _link(counts, shuffled, codes, high)
        as_strong += link is None or abs(link) >= abs(observed) - 1e-12
    drawn = []
    similarity = _similarities(counts, rewards >= high, codes)
    for _ in range(permutations):
        picked = [groups[int(k)] for k in generator.integers(0, len(groups), len(groups))]
        rows = np.concatenate(picked)
        again = np.repeat(np.arange(len(picked)), [len(one) for one in picked])
        if (link := _within(similarity[rows], rewards[rows], again)) is not None:
            drawn.append(link)
    low, high_end = np.quantile(drawn, [0.025, 0.975]) if drawn else (None, None)
    return StructureTest(
        observed,
        None if low is None else float(low),
        None if high_end is None else float(high_end),
        as_strong / (permutations + 1),
        **common,
    )


def _codes(trials: Sequence[KindSequence]) -> tuple[list[str], Any]:
    import numpy as np

    tasks = sorted({trial.task for trial in trials})
    return tasks, np.array([tasks.index(trial.task) for trial in trials], int)


def _similarities(counts: Any, good: Any, codes: Any) -> Any:
    """The cosine of each trial's transitions with those of good trials of other tasks; NaN if undefined."""
    import numpy as np

    total = counts[good].sum(axis=0)
    number = int(codes.max()) + 1 if len(codes) else 0
    own = np.zeros((number, counts.shape[1]))
    np.add.at(own, codes[good], counts[good])
    reference = total - own[codes]
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.linalg.norm(counts, axis=1) * np.linalg.norm(reference, axis=1)
        return np.where(lengths > 0, (counts * reference).sum(axis=1) / lengths, np.nan)


def _link(counts: Any, rewards: Any, codes: Any, high: float) -> float | None:
    return _within(_similarities(counts, rewards >= high, codes), rewards, codes)


def _within(similarity: Any, rewards: Any, codes: Any) -> float | None:
    """The correlation of both once each task's own mean is taken off; None if nothing varies."""
    import numpy as np

    known = ~np.isnan(similarity)
    if known.sum() < 3:
        return None
    x, y, code = similarity[known], rewards[known], codes[known]
    sizes = np.bincount(code)
    x = x - (np.bincount(code, x) / np.maximum(sizes, 1))[code]
    y = y - (np.bincount(code, y) / np.maximum(sizes, 1))[code]
    spread = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return None if spread <= 1e-12 else round(float((x * y).sum()) / spread, 12)


def _order(generator: Any, n: int) -> Any:
    import numpy as np

    return np.argsort(generator.random(n), kind="stable")


def _distance(kinds: tuple[TurnKind, ...], reference: tuple[TurnKind, ...] | None) -> float | None:
    if reference is None or not kinds:
        return None
    own = kinds[:LONGEST_SEQUENCE]
    return edit_distance(own, reference) / max(len(own), len(reference))
