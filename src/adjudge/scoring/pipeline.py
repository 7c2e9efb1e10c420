"""Score one output, end to end: gates, verifier in the sandbox, artifacts, result.

The output is read once; gates and verifier see those bytes. An output that does not parse is still shown to
the verifier, because its details are evidence; one that is missing or unusable is not, and the verifier is
not run. A sandbox that fails raises (`SandboxError`, `SandboxUnavailable`): that says nothing about the
output and never becomes a reward.

An `EvaluationResult` holds nothing of the clock or the host's name, so the same output and task give the same
result byte for byte in the same sandbox; how the verifier ran stands in the `VerifierRun` beside it.

Whether the verifier could do its work is asked of every run: its words, what was seen of it and a look at
its files give signs (`adjudge.evidence`), and a reward below 1.0 of a task with a known right answer is held
against its control (`control`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from adjudge.contracts import (
    FILE_LEFT_OUT,
    MODULE_SHADOWS,
    OUTPUT_MISSING,
    OUTPUT_UNUSABLE,
    Agent,
    Cost,
    ErrorTag,
    EvaluationResult,
    Limit,
    Task,
    TrialIdentity,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
    mechanical,
)
from adjudge.errors import UsageError
from adjudge.evidence import Sign
from adjudge.gates import AgentOutput, check_output, output_of_bytes, read_output
from adjudge.packages import sandbox_for
from adjudge.sandbox import Sandbox, SandboxOutcome
from adjudge.scoring.artifacts import BadArtifact, read_reward
from adjudge.scoring.elsewhere import reward_elsewhere
from adjudge.scoring.record import make_record
from adjudge.scoring.scored import Scored
from adjudge.scoring.standing import NO_CONTROL, Control, Standing
from adjudge.scoring.verifier import run_verifier, stopped_by_output
from adjudge.tasks import load_task, open_steps

NOT_RUN = "not run"
"""The backend of a verifier that was not run, because there was nothing to verify."""
_NAMED = 5
"""How many files a tag names."""


def score(
    task: Task | Path | str,
    output: Path | str,
    *,
    sandbox: Sandbox | str = "auto",
    strict: bool = False,
    cold: bool = False,
) -> EvaluationResult:
    """Score one output: a file, or a folder that stands for the whole workspace.

    A `Path` to nothing is a missing output, which scores 0.0 and says so. A string that names nothing is
    refused with `UsageError`, because it may be the answer itself: that is for `score_text`. With `strict`, a
    bad verifier artifact raises `ArtifactError`; with `cold`, no trial is run warm. Raises `TaskError` for a
    task that cannot be used and `MachineryError` (`SandboxUnavailable`, `SandboxError`) if the machine
    failed: that is never a reward.
    """
    return _score(task, output, sandbox, strict=strict, cold=cold)[1].result


def score_text(
    task: Task | Path | str,
    text: str,
    *,
    sandbox: Sandbox | str = "auto",
    strict: bool = False,
    cold: bool = False,
) -> EvaluationResult:
    """Score an answer that is in memory: a text, which the verifier sees as a UTF-8 file. Else as `score`."""
    data = text.encode("utf-8", "surrogateescape")
    return score_bytes(task, data, sandbox=sandbox, strict=strict, cold=cold)


def score_bytes(
    task: Task | Path | str,
    data: bytes,
    *,
    sandbox: Sandbox | str = "auto",
    strict: bool = False,
    cold: bool = False,
) -> EvaluationResult:
    """Score an answer that is in memory, as the bytes of the file that it stands for. Else as `score`."""
    return _score(task, data, sandbox, strict=strict, cold=cold)[1].result


def score_trial(
    task: Task | Path | str,
    output: Path | str | bytes,
    *,
    experiment: str = "adhoc",
    agent: str | Agent = "unknown",
    model: str | None = None,
    attempt: int = 1,
    step: int | None = None,
    trial_id: str | None = None,
    cost: Cost | None = None,
    metadata: Mapping[str, Any] | None = None,
    sandbox: Sandbox | str = "auto",
    cold: bool = False,
) -> TrialRecord:
    """Score one output and say whose it was; `bytes` are the answer itself, a path leads to it.

    The trial's id follows from its identity (experiment, task, output, agent, model, attempt) unless one is
    given: the same again is the same trial, and a ledger records it once. `step`, of a training run, makes it
    another trial and stands in its metadata.
    """
    task, scored = _score(task, output, sandbox, cold=cold)
    who = agent if isinstance(agent, Agent) else Agent(name=agent, model=model)
    if step is not None:
        metadata = {"step": step, **(metadata or {})}
        identity = TrialIdentity(experiment, task.id, scored.output.sha256, who.name, who.model, attempt)
        trial_id = trial_id or identity.at_step(step)
    return make_record(
        experiment=experiment,
        task_id=task.id,
        task_digest=task.digest,
        agent=who,
        attempt=attempt,
        output=scored.output,
        evaluation=scored.result,
        run=scored.run,
        trial_id=trial_id,
        cost=cost,
        metadata=metadata,
    )


def score_output(
    task: Task,
    output: AgentOutput,
    sandbox: Sandbox,
    *,
    strict: bool = False,
    meanwhile: Callable[[], None] | None = None,
) -> Scored:
    """Score what was read already; what runs, re-scores and audits call. `meanwhile`: see `run_verifier`."""
    if output.problem is not None:
        return _not_run(output, check_output(task, output).errors)
    sandbox = sandbox_for(task, sandbox)
    if task.steps:
        return _score_steps(task, output, sandbox, strict=strict)
    seen = run_verifier(task, output, sandbox, meanwhile)
    from adjudge.scoring.result import ingest  # late: a command loads this while the verifier runs

    gates = check_output(task, output)
    claimed = read_reward(seen.artifacts, seen.names)
    control = None
    if seen.signs or not isinstance(claimed, float) or claimed < 1:
        control = control_for(task, sandbox)
    signs = seen.signs
    if control is not None and not signs and isinstance(claimed, float) and _undecided(control):
        from adjudge.scoring.second_look import hidden_signs  # late: few verifiers need it

        signs = hidden_signs(task, output, sandbox, seen.names.folder)
    result = ingest(
        seen.artifacts,
        output_parseable=gates.output_parseable,
        schema_valid=gates.schema_valid,
        gate_errors=gates.errors,
        exit_code=seen.outcome.exit_code,
        limits_hit=seen.outcome.limits_hit,
        stderr=seen.outcome.stderr,
        signs=signs,
        control=control,
        by_output=stopped_by_output(task, output, gates, seen, control),
        elsewhere=reward_elsewhere(task, seen.outcome.stdout) if isinstance(claimed, BadArtifact) else None,
        names=seen.names,
        remarks=_about_files(seen.outcome),
        strict=strict,
    )
    outcome = seen.outcome
    kept = {name: found.data for name, found in seen.artifacts.items() if found.data is not None}
    run = VerifierRun(
        backend=sandbox.name,
        exit_code=outcome.exit_code,
        duration_sec=outcome.duration_sec,
        limits_hit=list(outcome.limits_hit),
        memory_kept_by=outcome.memory_kept_by,
        way=outcome.way,
        stdout=outcome.stdout.decode("utf-8", "replace"),
        stderr=outcome.stderr.decode("utf-8", "replace"),
        artifacts={name: hashlib.sha256(data).hexdigest() for name, data in kept.items()},
        not_honoured=task.not_honoured,
    )
    return Scored(result, run, output.info, output.files, kept)


def _undecided(control: Control) -> bool:
    """Does no right answer tell whether the verifier can pass here?"""
    return control.standing in (Standing.NONE, Standing.INCONCLUSIVE)


def _score_steps(task: Task, output: AgentOutput, sandbox: Sandbox, *, strict: bool) -> Scored:
    """Score every step of a task until one stays below its `min_reward` or has no reward at all."""
    from adjudge.scoring.steps import ScoredStep, combine_steps, split_output, whole_output

    done: list[ScoredStep] = []
    with open_steps(task) as steps:
        apart = split_output(task, output, steps)
        for step in steps:
            missing = replace(
                output, files={}, answer=None, problem=f"nothing of step {step.name!r} is there", missing=True
            )
            mine = apart.get(step.name, missing) if apart else whole_output(step, output)
            scored = score_output(step.task, mine, sandbox, strict=strict)
            done.append(ScoredStep(step, scored))
            reward = scored.result.reward if scored.result.validity.verifier_completed else 0.0
            if step.min_reward is not None and reward < step.min_reward:
                break
        return combine_steps(task, output, done, one_for_all=not apart, backend=sandbox.name)


def _about_files(outcome: SandboxOutcome) -> list[ErrorTag]:
    """What was wrong with files of the agent's, whatever reward came of it."""
    tags = []
    if outcome.left_out:
        told = [f"{path}, because it {why}" for path, why in sorted(outcome.left_out.items())]
        tags.append(mechanical(FILE_LEFT_OUT, f"the verifier did not see {_some(told)}"))
    if outcome.shadowing:
        told = list(outcome.shadowing)
        tags.append(
            mechanical(MODULE_SHADOWS, f"also a name of the verifier's or of Python's own: {_some(told)}")
        )
    return tags


def _some(items: list[str]) -> str:
    rest = len(items) - _NAMED
    return "; ".join(items[:_NAMED]) + (f"; and {rest} more" if rest > 0 else "")


def control_for(task: Task, sandbox: Sandbox) -> Control:
    """The control of a task in a sandbox: scored at the first question, remembered for all others."""
    if task.steps:
        return NO_CONTROL  # each step would need what the agent has after the one before
    from adjudge.scoring.control import control_of  # late: a right answer needs no control

    return control_of(task, sandbox_for(task, sandbox), _reward_and_signs)


def _reward_and_signs(task: Task, output: AgentOutput, sandbox: Sandbox) -> tuple[float | None, list[Sign]]:
    seen = run_verifier(task, output, sandbox)
    claimed = read_reward(seen.artifacts, seen.names)
    limited = Limit.WALL_TIME in seen.outcome.limits_hit or Limit.MEMORY in seen.outcome.limits_hit
    return (claimed if isinstance(claimed, float) and not limited else None), list(seen.signs)


def _score(
    task: Task | Path | str,
    output: Path | str | bytes,
    sandbox: Sandbox | str,
    *,
    strict: bool = False,
    cold: bool = False,
) -> tuple[Task, Scored]:
    if not isinstance(task, Task):
        task = load_task(task)
    read = output_of_bytes(task, output) if isinstance(output, bytes) else _read(task, output)
    if isinstance(sandbox, str):
        from adjudge.sandbox import choose_sandbox  # late: whoever brings a sandbox needs no search for one

        sandbox = choose_sandbox(sandbox, warm=not cold)
    elif cold:
        from adjudge.sandbox import only_cold

        sandbox = only_cold(sandbox)
    return task, score_output(task, read, sandbox, strict=strict)


def _read(task: Task, output: Path | str) -> AgentOutput:
    found = read_output(task, output)
    if found.missing and isinstance(output, str):
        raise UsageError(
            "this string names no file or folder",
            field="output",
            found=output,
            allowed="a path",
            remedy="Give an answer as text to score_text, and an output that may be missing as a Path.",
        )
    return found


def _not_run(output: AgentOutput, errors: tuple[str, ...]) -> Scored:
    """There is nothing to verify: the agent's doing, and told apart from a wrong answer."""
    problem = output.problem or ""
    result = EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(
            output_parseable=False, schema_valid=False, verifier_completed=False, errors=list(errors)
        ),
        error_taxonomy=[mechanical(OUTPUT_MISSING if output.missing else OUTPUT_UNUSABLE, problem)],
    )
    return Scored(result, VerifierRun(backend=NOT_RUN), output.info, {}, {})
