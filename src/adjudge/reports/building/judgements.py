"""What judges made of a trial, as the HTML page shows it: beside the reward, and how far they are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.judges import Calibrations, JudgeRecord, JudgeReward, is_calibrated, standing_reward
from adjudge.reports.rendering.clip import clip

_LONGEST = 800


def judgement_documents(records: Sequence[JudgeRecord], known: Calibrations) -> list[dict[str, Any]]:
    """Plain JSON, the newest last; an abstention has a reason and no number."""
    return [
        {
            "head": clip(
                f"{'abstained' if made.score is None else f'{made.score:.4g}'} by {', '.join(made.models)}"
                f", rubric {made.rubric}",
                _LONGEST,
            ),
            "calibrated": is_calibrated(made, known),
            "lines": [
                clip(f"{one.id}: {one.abstained or f'{one.score:.4g}'}  {one.evidence or ''}", _LONGEST)
                for one in made.dimensions
            ]
            + _reward_lines(made, known)
            + [clip(f"injection suspected: {text}", _LONGEST) for text in made.suspected[:3]],
        }
        for made in records
    ]


def _reward_lines(made: JudgeRecord, known: Calibrations) -> list[str]:
    """The reward that includes the judge, or why a rubric that asks for one got none."""
    if made.reward is None and made.reward_refused is None:
        return []
    found = standing_reward(made, known)
    if isinstance(found, JudgeReward):
        keys = ", ".join(key[:12] for key in found.calibrations)
        return [clip(f"judge reward {found.value:.4g}, calibration {keys}", _LONGEST)]
    return [clip(f"no judge reward: {found.why}", _LONGEST)]
