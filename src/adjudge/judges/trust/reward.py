"""A reward that includes a judge: only if the task asks for it, and only while calibrations vouch for it.

It stands on the judgement and nowhere else: `EvaluationResult.reward` is the verifier's and stays so. Three
things are asked. Does the rubric opt in (`reward = true`)? Is each of its criteria calibrated for this very
judge, at the agreement and on the number of trials that the *rubric* demands, whatever the calibration was
content with? Did nothing in the agent's text speak to the judge? A reward is looked at again whenever it is
read: once a newer calibration exists, the judgement that names the older one counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from adjudge.judges.judgement import JudgeRecord
from adjudge.judges.rubric import JudgeRubric
from adjudge.judges.trust.calibrated import Calibrations

NOT_ASKED = "the rubric does not ask for a reward that includes a judge"
AGAIN = "adjudge judge again, which asks nobody anew"


class Vouched(Struct, frozen=True):
    """The calibrations that let a judge into a reward."""

    calibrations: tuple[str, ...]


class NotVouched(Struct, frozen=True):
    """Why a judge reaches no reward."""

    why: str


class JudgeReward(Struct, frozen=True):
    """A reward that includes a judge, and what vouches for it."""

    value: float
    calibrations: tuple[str, ...]


def vouch(rubric: JudgeRubric, judge: str, known: Calibrations) -> Vouched | NotVouched:
    """Do calibrations vouch for this judge on every criterion of this rubric?"""
    if not rubric.reward:
        return NotVouched(NOT_ASKED)
    keys = []
    for dimension in rubric.judged:
        found = known.get((judge, dimension.id))
        why = None
        if found is None:
            why = "nobody has calibrated this judge for it (adjudge calibrate)"
        elif not found.calibrated:
            why = f"not calibrated: {found.why_not}"
        elif found.items < rubric.reward_items:
            why = f"calibrated on {found.items} trials, and the rubric demands {rubric.reward_items}"
        elif found.lower_end is None or found.lower_end < rubric.reward_agreement:
            low = "unknown" if found.lower_end is None else f"{found.lower_end:.3f}"
            why = f"the lower end of agreement is {low}, and the rubric demands {rubric.reward_agreement:g}"
        if why is not None or found is None:
            return NotVouched(f"{dimension.id}: {why}")
        keys.append(found.key)
    return Vouched(tuple(sorted(set(keys)))) if keys else NotVouched("no criterion is evaluated by a judge")


def with_reward(made: JudgeRecord, rubric: JudgeRubric, found: Vouched | NotVouched) -> JudgeRecord:
    """The judgement with its reward, or with why it has none. Of a rubric that asks for none: as it is."""
    if not rubric.reward or made.score is None:
        return made
    if isinstance(found, NotVouched):
        return made.model_copy(update={"reward_refused": found.why})
    if made.suspected:
        return made.model_copy(update={"reward_refused": "the agent's text is suspected to steer the judge"})
    return made.model_copy(update={"reward": made.score, "calibrations": list(found.calibrations)})


def standing_reward(made: JudgeRecord, known: Calibrations) -> JudgeReward | NotVouched:
    """The reward of a judgement as of now: refused once what it names is no longer the newest word."""
    if made.reward is None:
        return NotVouched(made.reward_refused or made.abstained or NOT_ASKED)
    for name in _judged(made):
        found = known.get((made.judge, name))
        if found is None or not found.calibrated:
            why = "there is no calibration" if found is None else str(found.why_not)
            return NotVouched(f"{name}: no longer calibrated: {why}")
        if found.key not in made.calibrations:
            return NotVouched(f"{name}: calibrated anew since this judgement; run {AGAIN}")
    return JudgeReward(made.reward, tuple(made.calibrations))


def is_calibrated(made: JudgeRecord, known: Calibrations) -> bool:
    """Is the judge calibrated for every criterion that it answered? A judgement without any is not."""
    names = _judged(made)
    return bool(names) and all(
        (found := known.get((made.judge, name))) is not None and found.calibrated for name in names
    )


def trust_label(made: JudgeRecord, known: Calibrations) -> str:
    """`calibrated` or `uncalibrated`: no judge's score is shown without it."""
    return "calibrated" if is_calibrated(made, known) else "uncalibrated"


def _judged(made: JudgeRecord) -> Sequence[str]:
    return [one.id for one in made.dimensions if one.by == "judge"]
