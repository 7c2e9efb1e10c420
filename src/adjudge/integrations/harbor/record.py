"""One trial folder becomes one `TrialEntry`: facts, files, output, evaluation. Never raises for what is in
it.

The trial's id follows from the experiment, Harbor's job id and the trial's name, so that the same folder
is the same trial wherever it lies. `run.artifacts` holds every file that is kept as a blob: the verifier's
under their own names, Harbor's `result.json`, the agent's trajectory and the collected artifacts below their
folders. The digest of `result.json` there tells whether an evaluation came from this very result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudge.contracts import (
    Agent,
    ErrorTag,
    EvaluationResult,
    OutputInfo,
    Task,
    TrialRecord,
    VerifierRun,
)
from adjudge.integrations.harbor.causes import REGRADE, cause_of, harbor_tag
from adjudge.integrations.harbor.evaluation import evaluate_steps, evaluate_trial, unfinished
from adjudge.integrations.harbor.facts import Facts, read_facts, why_not_storable
from adjudge.integrations.harbor.outputs import MANIFEST, Found, find_output
from adjudge.integrations.harbor.trial_files import VERIFIER, TrialFiles, read_trial_files
from adjudge.ledger import TrialEntry
from adjudge.runs import NOT_COLLECTED
from adjudge.sandbox import Artifact, ArtifactKind
from adjudge.scoring import OUTPUT_MISSING, make_record, mechanical

IMPORTED = "imported"
RESULT = "result.json"
STDOUT = "test-stdout.txt"
CAPTURED_CHARS = 256 * 1024
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of scoring if Harbor recorded none: a fixed one, so that importing twice adds nothing."""


class NamedAgent(Struct, frozen=True):
    """An agent as the config of a trial has it, and as its finished trials call it."""

    config: str
    name: str
    model: str | None
    version: str | None


class JobInfo(Struct, frozen=True):
    """What all trials of a job share."""

    name: str
    id: str | None = None
    version: str | None = None
    agents: tuple[NamedAgent, ...] = ()
    """Of a job that is still running: for the trials that know their agent from their config alone."""

    @property
    def text_first(self) -> bool:
        """Did this version read `reward.txt` before `reward.json`? True up to 0.6.6, and if nobody
        knows."""
        try:
            parts = tuple(int(part) for part in (self.version or "0").split(".")[:2])
        except ValueError:
            return False
        return parts < (0, 7)


class Options(Struct, frozen=True):
    """How to import."""

    experiment: str
    reward_key: str = "reward"
    find_task: Callable[[Facts], Task | None] = lambda _: None


def read_trial(folder: str, job: JobInfo, options: Options) -> TrialEntry:
    """The entry for one trial folder, whatever state it is in. It counts as attempt 1 until it is
    recorded."""
    facts = read_facts(folder)
    return make_entry(facts, read_trial_files(facts), job, options)


def make_entry(facts: Facts, read: TrialFiles, job: JobInfo, options: Options) -> TrialEntry:
    """The entry for a trial whose facts and files were read already."""
    if not facts.finished:
        facts = _called_as_its_siblings(facts, job)
    task = options.find_task(facts)
    found = find_output(read.collected, task, rewarded=_was_rewarded(facts))
    how: dict[str, Any] = {
        "gates": found.gates,
        "reward_key": options.reward_key,
        "text_first": job.text_first,
    }
    files = read.verifier
    if not facts.finished:
        evaluation = unfinished(facts)
    elif facts.steps is not None:
        evaluation = evaluate_steps(facts, read.by_step, **how)
    else:
        evaluation = evaluate_trial(facts, files, **how)
    evaluation = _tagged(evaluation, _tags(facts, job, found))
    everything = {
        **{_beside_ours(name): file for name, file in files.items()},
        **{f"artifacts/{n}": a for n, a in read.collected.artifacts.items()},
        **read.trajectories,
    }
    kept = dict(_kept(facts, everything))
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in kept.items()}
    record = make_record(
        trial_id=harbor_trial_id(options.experiment, facts.job_id or job.id or job.name, facts.trial_name),
        experiment=options.experiment,
        attempt=1,
        task_id=task.id if task is not None else facts.task_name or "unknown",
        task_digest=None,
        agent=Agent(name=facts.agent, model=facts.model, config=_agent_config(facts)),
        output=found.info,
        evaluation=evaluation,
        run=VerifierRun(
            backend=IMPORTED,
            duration_sec=_verifier_seconds(facts),
            stdout=_stdout(files),
            artifacts=digests,
        ),
        cost=facts.cost,
        metadata={"harbor": _metadata(facts, job, found.info, everything)},
        started_at=facts.started_at,
        finished_at=facts.finished_at,
        scored_at=facts.finished_at or facts.started_at or EPOCH,
    )
    return _entry(record, kept, digests, found)


def _called_as_its_siblings(facts: Facts, job: JobInfo) -> Facts:
    """One agent of a job has one name, whether a trial of it has finished or not."""
    for agent in job.agents:
        if agent.config == facts.agent_in_config:
            return replace(facts, agent=agent.name, model=agent.model, agent_version=agent.version)
    return facts


def harbor_trial_id(experiment: str, job: str, trial: str) -> str:
    """The id of an imported trial."""
    identity = json.dumps([experiment, job, trial], ensure_ascii=True)
    return "h" + hashlib.sha256(identity.encode()).hexdigest()[:24]


def _tags(facts: Facts, job: JobInfo, found: Found) -> Iterator[ErrorTag]:
    """What is known of a trial beyond its verifier's files."""
    if found.missing is not None:
        yield mechanical(OUTPUT_MISSING, found.missing)
    if facts.source_trial is not None:
        yield harbor_tag(REGRADE, f"of trial {facts.source_trial.get('trial_id')} in job {job.name!r}")


def _tagged(evaluation: EvaluationResult, tags: Iterable[ErrorTag]) -> EvaluationResult:
    """With these tags too, but for those whose category is there already."""
    old = list(evaluation.error_taxonomy or ())
    new = [tag for tag in tags if tag.category not in {other.category for other in old}]
    return evaluation.model_copy(update={"error_taxonomy": old + new}) if new else evaluation


def _entry(
    record: TrialRecord, kept: Mapping[str, bytes], digests: Mapping[str, str], found: Found
) -> TrialEntry:
    blobs = {digests[name]: data for name, data in kept.items()}
    blobs.update(found.blobs)
    return TrialEntry(record, blobs=blobs, output_blob=found.entry)


def _beside_ours(name: str) -> str:
    """A verifier's file under its own name, unless that is one of those that stand for other things here."""
    first = name.partition("/")[0]
    return f"{VERIFIER}/{name}" if first in (RESULT, "agent", "artifacts", VERIFIER) else name


def _kept(facts: Facts, everything: Mapping[str, Artifact]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of all that should be there a year from now."""
    for name, artifact in everything.items():
        if (
            artifact.data is not None and name != STDOUT and not name.endswith(MANIFEST)
        ):  # STDOUT: `run.stdout`
            yield name, artifact.data
    if facts.raw:
        yield RESULT, facts.raw


def _was_rewarded(facts: Facts) -> bool:
    rewards = facts.whole.rewards
    return isinstance(rewards, dict) and any(rewards.values())


def _stdout(files: Mapping[str, Artifact]) -> str:
    """What the verifier printed: stderr is in it, Harbor joins the two."""
    parts = [file.data for name, file in files.items() if name.endswith(STDOUT) and file.data]
    return b"\n".join(parts)[:CAPTURED_CHARS].decode("utf-8", "replace") if parts else ""


def _verifier_seconds(facts: Facts) -> float | None:
    if facts.steps is None:
        return facts.whole.verifier_sec
    known = [phase.verifier_sec for _, phase in facts.steps if phase.verifier_sec is not None]
    return sum(known) if known else None


def _agent_config(facts: Facts) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if facts.agent_version:
        config["version"] = facts.agent_version
    if facts.agent_kwargs:
        config["kwargs"] = facts.agent_kwargs
    return config


def _storable(rewards: Any) -> Any:
    return rewards if isinstance(rewards, dict) and why_not_storable(rewards) is None else None


def _metadata(
    facts: Facts, job: JobInfo, output: OutputInfo, everything: Mapping[str, Artifact]
) -> dict[str, Any]:
    """Where the trial comes from, in Harbor's words; what is not known is left out."""
    too_large = [name for name, file in everything.items() if file.kind is ArtifactKind.OVERSIZED]
    caught = facts.whole.exception
    steps = [
        {
            "name": name,
            "rewards": _storable(phase.rewards),
            "exception": phase.exception.type if phase.exception else None,
        }
        for name, phase in facts.steps or ()
    ]
    known = {
        "job": job.name,
        "job_id": facts.job_id or job.id,
        "trial": facts.trial_name,
        "trial_id": facts.id,
        "version": job.version,
        "task": facts.task_name,
        "task_path": facts.task_path,
        "dataset": facts.source,
        "verifier_mode": facts.mode,
        "exception": {"type": caught.type, "cause": cause_of(caught.type)} if caught else None,
        "steps": steps or None,
        "regrade_of": facts.source_trial,
        "too_large_to_keep": too_large[:20] or None,
        "gates": f"not run: {output.path}" if output.path.startswith(NOT_COLLECTED) else None,
    }
    return {name: value for name, value in known.items() if value is not None}
