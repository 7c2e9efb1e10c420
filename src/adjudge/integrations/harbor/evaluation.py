"""From a Harbor verifier's files to an `EvaluationResult`: the files count, Harbor's record is only compared.

Rules on top of the strict ingestion that every verifier gets:

- up to Harbor 0.6.6 `reward.txt` was read before `reward.json`; a job of that age is read the same way;
- a verifier that never ran wrote nothing, so a reward file beside it is somebody else's and does not count;
- a custom verifier class writes no files, so there the recorded rewards stand in for the file;
- a verifier that Harbor timed out had not finished, whatever it had written;
- a multi-step trial has a reward only if every step that began has one. Harbor's mean leaves crashed steps
  out; ours does not hide them. Each step is a row of the breakdown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.contracts import ErrorTag, EvaluationResult, Limit, ValidityCheck
from adjudge.errors import show
from adjudge.gates import OutputCheck
from adjudge.integrations.harbor.causes import VERIFIER_TIMEOUT, cause_tag, harbor_tag
from adjudge.integrations.harbor.ctrf import ctrf_breakdown
from adjudge.integrations.harbor.facts import Facts, Phase
from adjudge.sandbox import Artifact, ArtifactKind
from adjudge.scoring import (
    REWARD_DISAGREES,
    VERIFIER_FAILURE,
    ArtifactNames,
    contradiction,
    ingest,
    mechanical,
)

RECORD_DISAGREES = "record disagrees with files"
NO_GATES = OutputCheck(output_parseable=True, schema_valid=True, errors=())
_REWARD_FILES = ("reward.json", "reward.txt")
_TOLERANCE = 1e-9

Files = Mapping[str, Artifact]


def evaluate_trial(
    facts: Facts, files: Files, *, gates: OutputCheck, reward_key: str, text_first: bool
) -> EvaluationResult:
    """The evaluation of a trial with one verifier."""
    result = _evaluate(facts, facts.whole, files, gates=gates, reward_key=reward_key, text_first=text_first)
    tags = list(result.error_taxonomy or ())
    if facts.whole.exception is not None:
        tags.append(cause_tag(facts.whole.exception.type, facts.whole.exception.message))
    tags += _compared(result, facts.whole.rewards, reward_key)
    return _with(result, tags, facts.problems)


def evaluate_steps(
    facts: Facts, files: Mapping[str, Files], *, gates: OutputCheck, reward_key: str, text_first: bool
) -> EvaluationResult:
    """The evaluation of a multi-step trial; `files` holds the verifier's files of each step by its name."""
    results = [
        (
            name,
            phase,
            _evaluate(
                facts,
                phase,
                files.get(name, {}),
                gates=NO_GATES,
                reward_key=reward_key,
                text_first=text_first,
            ),
        )
        for name, phase in facts.steps or ()
    ]
    tags: list[ErrorTag] = []
    errors: list[str] = [*gates.errors]
    breakdown: dict[str, Any] = {}
    for name, phase, result in results:
        evidence = "; ".join(result.validity.errors) or "the verifier's reward"
        score = result.reward if result.validity.verifier_completed else None
        breakdown[name] = {
            "score": score,
            "max_score": 1.0,
            "evidence": evidence,
            "details": result.breakdown,
        }
        errors += [f"step {name!r}: {error}" for error in result.validity.errors]
        tags += [
            tag.model_copy(update={"description": f"step {name!r}: {tag.description}"})
            for tag in result.error_taxonomy or ()
        ]
        if phase.exception is not None:
            tags.append(cause_tag(phase.exception.type, phase.exception.message, step=name))
    if (caught := facts.whole.exception) is not None:
        errors.append(f"the trial ended with {caught.type} before all its steps were done")
        tags += [mechanical(VERIFIER_FAILURE, errors[-1]), cause_tag(caught.type, caught.message)]
    scores = [r.reward if r.validity.verifier_completed else None for _, _, r in results]
    reward, complete = _combine(scores, facts.whole.rewards, reward_key)
    crashed = facts.whole.exception is not None or any(
        p.exception and not p.verifier_ran for _, p, _ in results
    )
    complete = complete and not crashed
    result = EvaluationResult(
        reward=reward if complete and gates.output_parseable else 0.0,
        validity=ValidityCheck(
            output_parseable=gates.output_parseable,
            schema_valid=gates.schema_valid,
            verifier_completed=complete,
            errors=errors,
        ),
        breakdown=breakdown,
    )
    return _with(result, tags + _compared(result, facts.whole.rewards, reward_key), facts.problems)


def unfinished(facts: Facts) -> EvaluationResult:
    """The evaluation of a trial without a result: a failure of the machine, never of the agent."""
    why = "; ".join(facts.problems)
    return EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(
            output_parseable=True, schema_valid=True, verifier_completed=False, errors=[why]
        ),
        error_taxonomy=[mechanical(VERIFIER_FAILURE, why), harbor_tag("trial unfinished", why)],
    )


def _evaluate(
    facts: Facts, phase: Phase, files: Files, *, gates: OutputCheck, reward_key: str, text_first: bool
) -> EvaluationResult:
    artifacts = dict(files)
    notes: list[str] = []
    if text_first and "reward.txt" in artifacts:
        artifacts.pop("reward.json", None)
    if not phase.verifier_ran:
        stray = [name for name in _REWARD_FILES if artifacts.pop(name, None) is not None]
        reason = "verification was disabled" if facts.verification_off else "the verifier was never run"
        notes.append(reason + (f"; {', '.join(stray)} found there is not its own" if stray else ""))
    elif facts.custom_verifier and not any(name in artifacts for name in _REWARD_FILES):
        artifacts["reward.json"] = _as_file(phase.rewards)
        notes_for_custom = f"reward taken from result.json: {facts.custom_verifier} writes no reward file"
        notes.append(notes_for_custom)
    timed_out = phase.exception is not None and phase.exception.type == VERIFIER_TIMEOUT
    result = ingest(
        artifacts,
        output_parseable=gates.output_parseable,
        schema_valid=gates.schema_valid,
        gate_errors=(*gates.errors, *notes),
        limits_hit=(Limit.WALL_TIME,) if timed_out else (),
        names=ArtifactNames(key=reward_key),
    )
    if result.breakdown is None and "ctrf.json" in artifacts and "details.json" not in artifacts:
        result = _with_ctrf(result, artifacts["ctrf.json"])
    return result


def _with_ctrf(result: EvaluationResult, artifact: Artifact) -> EvaluationResult:
    breakdown = ctrf_breakdown(artifact.data)
    if breakdown is None:
        return result
    tags = list(result.error_taxonomy or ())
    if result.validity.verifier_completed and (why := contradiction(result.reward, breakdown)):
        text = f"the reward is {result.reward:.4g}, but in ctrf.json {why}"
        tags.append(mechanical(REWARD_DISAGREES, text))
    return result.model_copy(update={"breakdown": breakdown, "error_taxonomy": tags or None})


def _combine(scores: Sequence[float | None], rewards: Any, reward_key: str) -> tuple[float, bool]:
    """The mean of the steps, or the last one's reward if Harbor's record shows that rule instead."""
    known = [score for score in scores if score is not None]
    if len(known) < len(scores) or not known:
        return 0.0, False
    mean = math.fsum(known) / len(known)
    recorded = _recorded(rewards, reward_key)
    if recorded is not None and abs(recorded - mean) > _TOLERANCE and abs(recorded - known[-1]) <= _TOLERANCE:
        return known[-1], True
    return mean, True


def _compared(result: EvaluationResult, rewards: Any, reward_key: str) -> list[ErrorTag]:
    """A tag if Harbor's record and the files say different things."""
    recorded = _recorded(rewards, reward_key)
    if recorded is None:
        if result.validity.verifier_completed:
            text = f"result.json holds no number under {reward_key!r}; found {show(rewards)}"
            return [harbor_tag(RECORD_DISAGREES, f"{text}; the files say {result.reward:.6g}")]
        return []
    if result.validity.verifier_completed and abs(recorded - result.reward) <= _TOLERANCE:
        return []
    files = f"{result.reward:.6g}" if result.validity.verifier_completed else "nothing usable"
    return [harbor_tag(RECORD_DISAGREES, f"result.json says {show(recorded)}, the files say {files}")]


def _recorded(rewards: Any, reward_key: str) -> float | None:
    value = rewards.get(reward_key) if isinstance(rewards, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if abs(value) < 1e300:
        return value
    return math.inf if value > 0 else -math.inf  # an integer may be of any size


def _as_file(rewards: Any) -> Artifact:
    data = json.dumps(rewards).encode()
    return Artifact(ArtifactKind.FILE, len(data), data)


def _with(result: EvaluationResult, tags: list[ErrorTag], problems: Sequence[str]) -> EvaluationResult:
    if not tags and not problems:
        return result
    validity = result.validity
    if problems:
        validity = validity.model_copy(update={"errors": [*validity.errors, *problems]})
    return result.model_copy(update={"validity": validity, "error_taxonomy": tags or None})
