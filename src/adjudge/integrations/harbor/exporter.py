"""Trials as a Harbor job folder: what `harbor view` opens, and what Harbor's own models load.

One job folder per experiment, one trial folder per trial, named as Harbor names them. The files carry what
Harbor has a place for (`results`); the whole evaluation stands beside them in `verifier/adjudge.json`. A
trial whose machinery failed gets an exception and no reward, since Harbor's statistics would take a 0.0 for a
wrong answer; one whose output was unusable gets its 0.0. Agents, datasets and totals stand in the job's own
files.

Nothing is overwritten: a trial folder that exists is left as it is, so exporting twice adds only what is new.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct, field

from adjudge.contracts import TrialRecord
from adjudge.errors import UsageError
from adjudge.integrations.harbor.record import RESULT
from adjudge.integrations.harbor.results import (
    agent_settings,
    dataset_of,
    exception_of,
    original_result,
    rewards_of,
    trial_result,
)
from adjudge.ledger import Ledger, TrialFilter

NAMESPACE = uuid.UUID("6f1b2f0e-5a5c-5a53-9c0a-6a64676a7564")
"""Ids of exported jobs and trials follow from ours, so that the same trial has the same id in every
export."""
_WRITTEN_ANEW = (RESULT, "reward.json", "reward.txt")
"""Not copied: what they say is written from the evaluation, or was refused."""
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Exported(Struct):
    """What an export wrote."""

    jobs: dict[str, Path] = field(default_factory=dict)
    trials: int = 0
    already: int = 0


def export_jobs(ledger: Ledger, wanted: TrialFilter, target: Path) -> Exported:
    """Write every matching trial below `target`. UsageError if `target` is no folder or nothing
    matches."""
    if target.exists() and not target.is_dir():
        raise UsageError("the target is not a folder", file=target)
    done = Exported()
    tallies: dict[str, _Tally] = {}
    for record in ledger.iterate(wanted):
        name = _unmistakable(record.experiment)
        job = target / name
        tally = tallies.setdefault(name, _Tally(record.experiment))
        original = original_result(ledger, record)
        tally.add(record, original)
        done.jobs[record.experiment] = job
        folder = job / trial_name(record)
        if (folder / "result.json").exists():
            done.already += 1
            continue
        _write_trial(ledger, record, original, folder, tally.id)
        done.trials += 1
    if not tallies:
        raise UsageError("no trial matches, so there is nothing to export", file=ledger.location)
    for name, tally in tallies.items():
        _write_job(target / name, tally)
    return done


def trial_name(record: TrialRecord) -> str:
    """`<task[:32]>__<10 characters>`, as Harbor names its trials; its 7 would be too few for 100,000."""
    number, letters = _id(record.trial_id).int, ""
    for _ in range(10):
        number, place = divmod(number, len(_LETTERS))
        letters += _LETTERS[place]
    return f"{_safe(_short(record.task_id))[:32]}__{letters}"


class _Tally(Struct):
    """What a job's own result says."""

    experiment: str
    started: list[datetime] = field(default_factory=list)
    ended: list[datetime] = field(default_factory=list)
    trials: int = 0
    failed: int = 0
    evals: dict[str, dict[str, Any]] = field(default_factory=dict)
    agents: dict[str, dict[str, Any]] = field(default_factory=dict)
    datasets: dict[str, None] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    """Tokens and dollars of all trials together, as far as they are known."""

    @property
    def id(self) -> str:
        return str(_id(f"job:{self.experiment}"))

    def add(self, record: TrialRecord, original: dict[str, Any]) -> None:
        name, agent = trial_name(record), agent_settings(record)
        model = () if record.agent.model is None else (record.agent.model,)
        stats = self.evals.setdefault(
            "__".join((record.agent.name, *model, dataset_of(record))),
            {
                "n_trials": 0,
                "n_errors": 0,
                "metrics": [],
                "pass_at_k": {},
                "reward_stats": {},
                "exception_stats": {},
            },
        )
        self.agents.setdefault(json.dumps(agent, sort_keys=True), agent)
        self.datasets.setdefault(dataset_of(record))
        self.trials += 1
        stats["n_trials"] += 1
        if (caught := exception_of(record, original)) is not None:
            self.failed += 1
            stats["n_errors"] += 1
            stats["exception_stats"].setdefault(caught["exception_type"], []).append(name)
        for key, value in (rewards_of(record, original) or {}).items():
            stats["reward_stats"].setdefault(key, {}).setdefault(str(value), []).append(name)
        self._add_cost(record)
        self.started.append(record.started_at or record.scored_at)
        self.ended.append(record.finished_at or record.scored_at)

    def _add_cost(self, record: TrialRecord) -> None:
        cost = record.cost
        if cost is None:
            return
        known = {
            "n_input_tokens": cost.input_tokens,
            "n_cache_tokens": cost.cached_tokens,
            "n_output_tokens": cost.output_tokens,
            "cost_usd": cost.usd,
        }
        for key, amount in known.items():
            if amount is not None:
                self.used[key] = self.used.get(key, 0) + amount


def _write_job(folder: Path, tally: _Tally) -> None:
    for stats in tally.evals.values():
        rewards = stats["reward_stats"].get("reward", {})
        total = sum(float(reward) * len(names) for reward, names in rewards.items())
        stats["metrics"] = [{"mean": total / stats["n_trials"]}]
    ended = max(tally.ended).astimezone().replace(tzinfo=None)  # a job's times are local, without a zone
    result = {
        "id": tally.id,
        "started_at": min(tally.started).astimezone().replace(tzinfo=None).isoformat(),
        "updated_at": ended.isoformat(),
        "finished_at": ended.isoformat(),
        "n_total_trials": tally.trials,
        "stats": {
            "n_completed_trials": tally.trials,
            "n_errored_trials": tally.failed,
            "evals": tally.evals,
            **tally.used,
        },
    }
    config = {
        "job_name": folder.name,
        "agents": [{k: v for k, v in agent.items() if v is not None} for agent in tally.agents.values()],
        "datasets": [{"name": name} for name in tally.datasets],
    }
    _write_json(folder / "config.json", config)
    _write_json(folder / "result.json", result)
    (folder / "job.log").touch()


def _write_trial(
    ledger: Ledger, record: TrialRecord, original: dict[str, Any], folder: Path, job_id: str
) -> None:
    for name in ("agent", "verifier", "artifacts"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for place, data in _files(ledger, record, original):
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    result = trial_result(record, original, folder, trial_id=str(_id(record.trial_id)), job_id=job_id)
    _write_json(folder / "config.json", {k: v for k, v in result["config"].items() if v is not None})
    (folder / "trial.log").touch()
    if result["exception_info"]:
        (folder / "exception.txt").write_text(result["exception_info"]["exception_message"] + "\n")
    _write_json(folder / "result.json", result)  # last: it marks the folder as complete


def _files(ledger: Ledger, record: TrialRecord, original: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Where each file of a trial goes, and its bytes. Ours come first, and nothing takes their places."""
    ours = dict(_our_files(record, original))
    yield from ours.items()
    collected = False
    for name, digest in sorted(record.run.artifacts.items()):
        first = name.split("/", 1)[0]
        place = _place(name)
        taken = any(place == other or place.startswith(f"{other}/") for other in ours)
        if first not in _WRITTEN_ANEW and not taken and _inside(name) and ledger.has_blob(digest):
            collected |= first == "artifacts"
            yield place, ledger.blob(digest)
    blob = ledger.output_blob(record.trial_id)
    if blob is not None and blob == record.output.sha256 and not collected:
        name = _safe(PurePosixPath(record.output.path).name) or "output"
        yield f"artifacts/logs/artifacts/{name}", ledger.blob(blob)


def _place(name: str) -> str:
    """Where an artifact lies in Harbor's folder. A verifier's own stand without their folder in a record."""
    first, *rest = name.split("/")
    if first == "steps" and len(rest) > 1 and rest[1] != "agent":
        return "/".join((first, rest[0], "verifier", *rest[1:]))
    return name if first in ("artifacts", "agent", "steps", "verifier") else f"verifier/{name}"


def _our_files(record: TrialRecord, original: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    evaluation = record.evaluation
    if (rewards := rewards_of(record, original)) is not None:
        yield "verifier/reward.json", json.dumps(rewards).encode()
    if evaluation.breakdown is not None:
        yield "verifier/details.json", json.dumps(evaluation.breakdown).encode()
    yield "verifier/test-stdout.txt", (record.run.stdout + record.run.stderr).encode("utf-8", "replace")
    yield "verifier/adjudge.json", evaluation.model_dump_json(indent=2).encode()


def _inside(name: str) -> bool:
    """May this name of an artifact become a path below the trial's folder? A verifier chose it."""
    parts = PurePosixPath(name).parts
    return (
        bool(parts)
        and not name.startswith("/")
        and ".." not in parts
        and "\0" not in name
        and len(name) < 200
    )


def _safe(text: str) -> str:
    return _UNSAFE.sub("-", text).strip("-.") or "unnamed"


def _unmistakable(experiment: str) -> str:
    """The name of its folder: the experiment's own if it can be one, else with a mark that tells it from
    others."""
    name = _safe(experiment)
    return name if name == experiment else f"{name}-{_id(experiment).hex[:6]}"


def _short(task_id: str) -> str:
    return task_id.rpartition("/")[2]


def _id(text: str) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, text)


def _write_json(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=4, ensure_ascii=True) + "\n")
