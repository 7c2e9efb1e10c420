"""What judges made of a trial, as columns: never without the word that says whether they can be trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from adjudge.judges import (
    Calibrations,
    CriterionResult,
    JudgeRecord,
    JudgeReward,
    standing_reward,
    trust_label,
)

_NOTHING: dict[str, Any] = {
    "judge_score": None,
    "judge_trust": None,
    "judge_abstained": None,
    "judge_rubric": None,
    "judge_models": None,
    "judge_reward": None,
    "judge_calibrations": None,
    "judge_reward_refused": None,
}


def judged_columns(judged: Sequence[JudgeRecord], known: Calibrations) -> dict[str, Any]:
    """Columns of a trial, by its newest judgement; all null without one."""
    if not judged:
        return _NOTHING
    made = judged[-1]
    return {
        "judge_score": made.score,
        "judge_trust": trust_label(made, known),
        "judge_abstained": made.abstained,
        "judge_rubric": made.rubric,
        "judge_models": list(made.models),
        **_reward(made, known),
    }


def judgement_rows(judged: Sequence[JudgeRecord], known: Calibrations) -> Iterator[dict[str, Any]]:
    """One row per judgement and criterion, the oldest judgement first."""
    for number, made in enumerate(judged, 1):
        whole = {
            "judgement": number,
            "rubric": made.rubric,
            "rubric_digest": made.rubric_digest,
            "judge": made.judge,
            "models": list(made.models),
            "samples": made.samples,
            "judgement_score": made.score,
            "suspected": list(made.suspected),
            **_reward(made, known),
        }
        yield from (whole | _criterion(one, made, known) for one in made.dimensions)


def _criterion(one: CriterionResult, made: JudgeRecord, known: Calibrations) -> dict[str, Any]:
    found = known.get((made.judge, one.id))
    trust = "calibrated" if found is not None and found.calibrated else "uncalibrated"
    return {
        "criterion": one.id,
        "by": one.by,
        "score": one.score,
        "verdict": None if one.verdict is None else json.dumps(one.verdict, ensure_ascii=False),
        "trust": trust if one.by == "judge" else None,
        "abstained": one.abstained,
        "weight": one.weight,
        "agreement": one.agreement,
        "spread": one.spread,
        "votes": len(one.votes),
        "dissent": one.dissent,
        "quotes": [quote.text for quote in one.quotes],
        "invented_quotes": one.invented_quotes,
        "evidence": one.evidence,
    }


def _reward(made: JudgeRecord, known: Calibrations) -> dict[str, Any]:
    found = standing_reward(made, known)
    if isinstance(found, JudgeReward):
        return {
            "judge_reward": found.value,
            "judge_calibrations": list(found.calibrations),
            "judge_reward_refused": None,
        }
    return {"judge_reward": None, "judge_calibrations": None, "judge_reward_refused": found.why}
