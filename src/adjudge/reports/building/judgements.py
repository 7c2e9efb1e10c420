"""What judges made of a trial, as the HTML page shows it: beside the reward, and how far they are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.judges import Calibrated, JudgeRecord
from adjudge.reports.rendering.clip import clip

_LONGEST = 800


def judgement_documents(records: Sequence[JudgeRecord], calibrated: Calibrated) -> list[dict[str, Any]]:
    """Plain JSON, the newest last; an abstention has a reason and no number."""
    return [
        {
            "head": clip(
                f"{'abstained' if made.score is None else f'{made.score:.4g}'} by {', '.join(made.models)}"
                f", rubric {made.rubric}",
                _LONGEST,
            ),
            "calibrated": all(
                (made.judge, one.id) in calibrated for one in made.dimensions if one.by == "judge"
            ),
            "lines": [
                clip(f"{one.id}: {one.abstained or f'{one.score:.4g}'}  {one.evidence or ''}", _LONGEST)
                for one in made.dimensions
            ]
            + [clip(f"injection suspected: {text}", _LONGEST) for text in made.suspected[:3]],
        }
        for made in records
    ]
