"""Harbor's `result.json` of one trial, written from ours: with what Harbor itself had recorded, if it had.

A trial that was imported keeps its `result.json` as a blob. From it comes what adjudge has no place for: the
agent's settings, the dataset, the step results, all reward keys, the exception as it was. Each part is taken
only if it has the shape that Harbor's own models demand, since anybody may have written that file. The reward
is always that of the evaluation, and a trial whose machinery failed has none.
"""

from __future__ import annotations

import math
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor.record import IMPORTED, RESULT
from adjudge.ledger import Ledger
from adjudge.scoring import Outcome, outcome_of

Json = dict[str, Any]
FAILED = "VerifierOutputParseError"
"""The exception of a trial without a usable reward: the one Harbor itself would have recorded."""
_EXCEPTION = ("exception_type", "exception_message", "exception_traceback", "occurred_at")
_TIMINGS = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_USED = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


def machinery_failed(record: TrialRecord) -> bool:
    """Is there no reward that Harbor's statistics could take?"""
    return outcome_of(record.evaluation) is Outcome.MACHINERY_FAILED


def original_result(ledger: Ledger, record: TrialRecord) -> Json:
    """What Harbor wrote of this trial; empty if it did not, or if the evaluation is a later one of ours."""
    digest = record.run.artifacts.get(RESULT)
    if record.run.backend != IMPORTED or digest is None or not ledger.has_blob(digest):
        return {}
    try:
        document = from_json(ledger.blob(digest), allow_inf_nan=False)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def rewards_of(record: TrialRecord, original: Json) -> dict[str, float] | None:
    """All reward keys, ours in the place of theirs; None if there is no reward."""
    if machinery_failed(record):
        return None
    return {**_rewards(original.get("verifier_result")), "reward": record.evaluation.reward}


def exception_of(record: TrialRecord, original: Json) -> Json | None:
    """The exception as Harbor had it; else one of ours for a trial without a usable reward."""
    if (caught := _exception(original.get("exception_info"))) is not None:
        return caught
    if not machinery_failed(record):
        return None
    return {
        "exception_type": FAILED,
        "exception_message": "; ".join(record.evaluation.validity.errors) or "no usable reward",
        "exception_traceback": "",
        "occurred_at": record.scored_at.isoformat(),
    }


def dataset_of(record: TrialRecord) -> str:
    """The dataset that a trial's task came from; the experiment if nobody said."""
    harbor = record.metadata.get("harbor")
    named = harbor.get("dataset") if isinstance(harbor, dict) else None
    return named if isinstance(named, str) and named else record.experiment


def agent_settings(record: TrialRecord) -> Json:
    """The agent as a config names it."""
    kwargs = record.agent.config.get("kwargs")
    settings = {"name": record.agent.name, "model_name": record.agent.model}
    return {**settings, "kwargs": kwargs} if isinstance(kwargs, dict) else settings


def trial_result(record: TrialRecord, original: Json, folder: Path, *, trial_id: str, job_id: str) -> Json:
    """The whole of `result.json`; `original` is what Harbor wrote, or empty."""
    model = record.agent.model
    rewards = rewards_of(record, original)
    scored = {"started_at": _iso(record.scored_at), "finished_at": _iso(record.scored_at)}
    timings = {name: timing for name in _TIMINGS if (timing := _timing(original.get(name))) is not None}
    return {
        "id": trial_id,
        "task_name": record.task_id,
        "trial_name": folder.name,
        "trial_uri": folder.resolve().as_uri(),
        "task_id": {"path": record.task_id},
        "source": dataset_of(record),
        "task_checksum": record.task_digest or _text(original.get("task_checksum")) or "unknown",
        "config": {
            "task": {"path": record.task_id, "source": dataset_of(record)},
            "trial_name": folder.name,
            "trials_dir": folder.parent.name,
            "agent": agent_settings(record),
            "job_id": job_id,
        },
        "agent_info": {
            "name": record.agent.name,
            "version": str(record.agent.config.get("version", "unknown")),
            "model_info": _model(original, model),
        },
        "agent_result": _cost(record),
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "exception_info": exception_of(record, original),
        "started_at": _iso(record.started_at or record.scored_at),
        "finished_at": _iso(record.finished_at or record.scored_at),
        "verifier": scored,
        **timings,
        **({"step_results": steps} if (steps := _steps(original.get("step_results"))) else {}),
    }


def _model(original: Json, model: str | None) -> Json | None:
    """A model's name and provider as Harbor had them; else our name for it, cut at its last slash."""
    if model is None:
        return None
    told = original.get("agent_info")
    told = told.get("model_info") if isinstance(told, dict) else None
    if isinstance(told, dict) and (name := _text(told.get("name"))) is not None:
        return {"name": name, "provider": _text(told.get("provider"))}
    provider, _, short = model.rpartition("/")
    return {"name": short, "provider": provider or None}


def _cost(record: TrialRecord) -> Json | None:
    cost = record.cost
    if cost is None:
        return None
    return {
        "n_input_tokens": cost.input_tokens,
        "n_cache_tokens": cost.cached_tokens,
        "n_output_tokens": cost.output_tokens,
        "cost_usd": cost.usd,
    }


def _steps(listed: Any) -> list[Json]:
    """The steps that have a name, each with what it holds in the right shape."""
    steps = [step for step in listed if isinstance(step, dict)] if isinstance(listed, list) else []
    return [_step(step) for step in steps if _text(step.get("step_name"))]


def _step(step: Json) -> Json:
    rewards = _rewards(step.get("verifier_result"))
    used = step.get("agent_result")
    return {
        "step_name": step["step_name"],
        "agent_result": {key: used[key] for key in _USED if _is_amount(used.get(key))}
        if isinstance(used, dict)
        else None,
        "verifier_result": {"rewards": rewards} if rewards else None,
        "exception_info": _exception(step.get("exception_info")),
        "agent_execution": _timing(step.get("agent_execution")),
        "verifier": _timing(step.get("verifier")),
    }


def _rewards(result: Any) -> dict[str, float]:
    rewards = result.get("rewards") if isinstance(result, dict) else None
    if not isinstance(rewards, dict):
        return {}
    return {key: value for key, value in rewards.items() if _is_number(value)}


def _exception(found: Any) -> Json | None:
    if not isinstance(found, dict) or not all(isinstance(found.get(key), str) for key in _EXCEPTION):
        return None
    return {key: found[key] for key in _EXCEPTION} if _is_moment(found["occurred_at"]) else None


def _timing(found: Any) -> Json | None:
    if not isinstance(found, dict):
        return None
    return {
        key: found.get(key) if _is_moment(found.get(key)) else None for key in ("started_at", "finished_at")
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_amount(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_moment(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _iso(moment: datetime) -> str:
    return moment.isoformat()
