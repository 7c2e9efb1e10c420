"""Which trials to review next, drawn with known probabilities so that the interval narrows most.

The estimate's error comes from trials on which people may contradict the judge. So a trial is drawn with a
probability in proportion to how likely that is: the panel's own disagreement, and never zero, because a trial
that cannot be drawn is described by nobody (Neyman's allocation, as a Poisson draw). The probability is
recorded.

A trial's lot is the same in every round of one seed, and a later round draws from all trials, with the larger
probabilities that all rounds together have. So the rounds are one sample, and what was drawn stays drawn.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

from adjudge.judges.judgement import JudgeRecord

_LEAST_DOUBT = 0.05


def doubt(made: JudgeRecord) -> float:
    """How likely people are to contradict this judgement, from 0 to 1: what its own panel says."""
    shares = [1 - one.agreement for one in made.dimensions if one.by == "judge" and one.agreement is not None]
    if made.score is None:
        return 1.0
    return max(_LEAST_DOUBT, *shares) if shares else _LEAST_DOUBT


def chances(doubts: Mapping[str, float], count: int) -> dict[str, float]:
    """The probability of each trial, in proportion to the root of its doubt; they add up to `count`."""
    roots = {trial_id: math.sqrt(value) for trial_id, value in doubts.items()}
    certain: set[str] = set()
    while True:
        left = count - len(certain)
        total = math.fsum(root for trial_id, root in roots.items() if trial_id not in certain)
        if left <= 0 or total == 0:
            break
        more = {i for i, root in roots.items() if i not in certain and root * left >= total}
        if not more:
            break
        certain |= more
    return {
        trial_id: 1.0 if trial_id in certain else max(1e-6, root * max(left, 0) / total)
        for trial_id, root in roots.items()
    }


def draw(probabilities: Mapping[str, float], seed: int) -> Sequence[str]:
    """Each trial by its own lot, which depends on nothing but the seed and the trial."""
    return [trial_id for trial_id, chance in sorted(probabilities.items()) if _lot(trial_id, seed) < chance]


def _lot(trial_id: str, seed: int) -> float:
    digest = hashlib.sha256(f"{seed} {trial_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
