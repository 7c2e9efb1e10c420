"""When does a reviewer's judgment contradict the reward? One definition for every list, mark and report."""

from __future__ import annotations

from adjudge.contracts import Judgment

DISAGREEMENT_THRESHOLD = 0.5
"""A reward from here on counts as a pass when it is held against a reviewer's judgment."""


def disagrees(judgment: Judgment | str, reward: float, threshold: float = DISAGREEMENT_THRESHOLD) -> bool:
    """Pass below the threshold, or fail from it on. `defer` contradicts nothing."""
    if judgment == Judgment.PASS:
        return reward < threshold
    return judgment == Judgment.FAIL and reward >= threshold
