"""Score a task in steps: each step's verifier on what the agent had after it, and one reward for all.

The output is a folder with one folder for each step (`<step>/`, `steps/<step>/`, or `steps/<step>/artifacts/`
as Harbor keeps them), each the workspace after that step. Any other output is the state after the last
step, and every step is scored on it, which the result says.

A step below its `min_reward` ends the task. The reward is the mean of the steps that were done, or that of
the last one (`multi_step_reward_strategy`), as Harbor counts; but a step whose verifier failed leaves no
reward at all: a failure is never left out of a mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudge.contracts import (
    OUTPUT_MISSING,
    OUTPUT_UNUSABLE,
    ErrorTag,
    EvaluationResult,
    Task,
    ValidityCheck,
    VerifierRun,
)
from adjudge.gates import AgentOutput, OutputFile, find_answer, workspace_of
from adjudge.scoring.scored import Scored
from adjudge.tasks import TaskStep, step_strategy

_LAYOUTS = ("{workspace}/steps/{name}/artifacts/", "{workspace}/steps/{name}/", "{workspace}/{name}/")
_ONE_FOR_ALL = "the output has no folder for each step, so every step is scored on the same state"
_MOST_STREAM = 1 << 18
_OF_ONE_STEP = frozenset({OUTPUT_MISSING, OUTPUT_UNUSABLE})
"""What is true of a step and not of the trial: others have outputs."""


class ScoredStep(Struct, frozen=True):
    """One step that was done."""

    step: TaskStep
    scored: Scored


def split_output(task: Task, output: AgentOutput, steps: Sequence[TaskStep]) -> dict[str, AgentOutput]:
    """What the agent had after each step, by the step's name; those without anything are not in it."""
    workspace = workspace_of(task)
    found: dict[str, AgentOutput] = {}
    for step in steps:
        for layout in _LAYOUTS:
            top = layout.format(workspace=workspace, name=step.name)
            inside = {p.removeprefix(top): f for p, f in output.files.items() if p.startswith(top)}
            if inside:
                found[step.name] = _as_output(step.task, output, inside)
                break
    return found


def whole_output(step: TaskStep, output: AgentOutput) -> AgentOutput:
    """An output without folders for steps, as that of one step."""
    answer, problem, notes = find_answer(step.task, output.files)
    return replace(output, answer=answer, problem=problem, notes=notes)


def _as_output(task: Task, output: AgentOutput, inside: Mapping[str, OutputFile]) -> AgentOutput:
    workspace = workspace_of(task)
    from_root = all(path.startswith(f"{workspace[1:]}/") for path in inside)
    top = "" if from_root else workspace
    files = {f"{top}/{path}": file for path, file in inside.items()}
    answer, problem, notes = find_answer(task, files)
    return AgentOutput(output.info, files, answer, problem, notes)


def combine_steps(
    task: Task, output: AgentOutput, done: Sequence[ScoredStep], *, one_for_all: bool, backend: str
) -> Scored:
    """One result of all steps: rewards by the task's strategy, everything else side by side by name."""
    rewards = [one.scored.result.reward for one in done]
    complete = all(_is_complete(one.scored.result) for one in done)
    reward = rewards[-1] if step_strategy(task) == "final" else math.fsum(rewards) / len(rewards)
    errors: list[str] = [_ONE_FOR_ALL] if one_for_all else []
    tags: list[ErrorTag] = []
    breakdown: dict[str, Any] = {}
    for one in done:
        name, result = one.step.name, one.scored.result
        errors += [f"step {name!r}: {error}" for error in result.validity.errors]
        tags += [
            tag.model_copy(update={"description": f"step {name!r}: {tag.description}"})
            for tag in result.error_taxonomy or ()
            if tag.category not in _OF_ONE_STEP
        ]
        breakdown[name] = {
            "score": result.reward if _is_complete(result) else None,
            "max_score": 1.0,
            "evidence": "; ".join(result.validity.errors) or "the verifier's reward",
            "details": result.breakdown,
        }
    for name in task.steps[len(done) :]:
        last = done[-1].step
        why = f"not done: step {last.name!r} got less than its min_reward, {last.min_reward:g}"
        breakdown[name] = {"score": None, "max_score": 1.0, "evidence": why}
    result = EvaluationResult(
        reward=reward if complete else 0.0,
        validity=ValidityCheck(
            output_parseable=True,
            schema_valid=all(one.scored.result.validity.schema_valid for one in done),
            verifier_completed=complete,
            errors=errors,
        ),
        breakdown=breakdown,
        error_taxonomy=tags or None,
    )
    return Scored(result, _run_of(task, done, backend), output.info, output.files, _artifacts(done))


def _is_complete(result: EvaluationResult) -> bool:
    """Is there a reward to count? An agent that left nothing after a step has one: 0.0."""
    return result.validity.verifier_completed or not result.validity.output_parseable


def _run_of(task: Task, done: Sequence[ScoredStep], backend: str) -> VerifierRun:
    runs = [(one.step.name, one.scored.run) for one in done]
    return VerifierRun(
        backend=backend,
        exit_code=runs[-1][1].exit_code,
        duration_sec=math.fsum(run.duration_sec or 0.0 for _, run in runs),
        limits_hit=list(dict.fromkeys(limit for _, run in runs for limit in run.limits_hit)),
        memory_kept_by=runs[-1][1].memory_kept_by,
        way=runs[-1][1].way,
        stdout="".join(f"== step {name} ==\n{run.stdout}" for name, run in runs)[:_MOST_STREAM],
        stderr="".join(f"== step {name} ==\n{run.stderr}" for name, run in runs if run.stderr)[:_MOST_STREAM],
        artifacts={f"{name}/{item}": digest for name, run in runs for item, digest in run.artifacts.items()},
        not_honoured=task.not_honoured,
    )


def _artifacts(done: Sequence[ScoredStep]) -> dict[str, bytes]:
    return {f"{one.step.name}/{name}": data for one in done for name, data in one.scored.artifacts.items()}
