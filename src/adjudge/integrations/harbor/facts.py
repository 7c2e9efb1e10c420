"""What Harbor's own record says of a trial: read from `result.json`, or from `config.json` if there is
none.

Harbor's models accept almost anything on load ("nan", true, "0.5"), and older versions wrote other fields.
Here every fact is taken only if it has the type it should have; anything else is a problem in words,
and the trial goes on without that fact. The rewards Harbor recorded are kept as found: they are only
compared.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from msgspec import Struct, field
from pydantic_core import from_json

from adjudge.contracts import Cost, check_json
from adjudge.errors import show
from adjudge.integrations.harbor.files import MAX_RESULT_BYTES, is_missing, read_file, shown

Json = dict[str, Any]
_MOST_CONFIG = 20_000
MAX_AMOUNT = 10**15
"""Of tokens or dollars; beyond it a number is a mistake, and would not fit a database."""


class Caught(Struct):
    """An exception that Harbor recorded."""

    type: str
    message: str


class Phase(Struct):
    """The verifier's part of a trial or of a step."""

    rewards: Any = None
    """`verifier_result.rewards` as found; None if there is no verifier result."""
    exception: Caught | None = None
    verifier_ran: bool = False
    verifier_sec: float | None = None


class Facts(Struct):
    """All that the importer takes from Harbor's record."""

    folder: str
    trial_name: str
    """The folder's name: that is how Harbor names it, and two folders are two trials whatever is in them."""
    finished: bool
    """Is there a result at all?"""
    raw: bytes = b""
    id: str | None = None
    job_id: str | None = None
    task_name: str | None = None
    task_path: str | None = None
    source: str | None = None
    agent: str = "unknown"
    agent_version: str | None = None
    agent_in_config: str | None = None
    """The agent as the trial's config has it, with model and settings: the same in all its trials."""
    model: str | None = None
    agent_kwargs: Json = field(default_factory=dict)
    mode: str | None = None
    custom_verifier: str | None = None
    verification_off: bool = False
    cost: Cost | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    whole: Phase = field(default_factory=Phase)
    steps: list[tuple[str, Phase]] | None = None
    source_trial: Json | None = None
    problems: list[str] = field(default_factory=list)


def read_facts(folder: str) -> Facts:
    """The facts of one trial folder. Never raises for what the folder holds."""
    name = shown(folder.rstrip("/").rpartition("/")[2])
    result = read_file(f"{folder}/result.json", MAX_RESULT_BYTES)
    if result.data:
        try:
            document = from_json(result.data, allow_inf_nan=True)
        except ValueError as error:
            return _from_config(folder, name, f"result.json: not JSON: {error}"[:300])
        if isinstance(document, dict):
            return facts_from(folder, name, document, result.data)
        return _from_config(folder, name, "result.json: not an object")
    if is_missing(result):
        return _from_config(folder, name, "result.json: there is none: the trial was not finished")
    what = "empty" if result.data is not None else f"not a plain file of usable size ({result.kind})"
    return _from_config(folder, name, f"result.json: {what}")


def facts_from(folder: str, name: str, document: Json, raw: bytes) -> Facts:
    """The facts in a result that was parsed already; `raw` are its bytes."""
    facts = Facts(folder, name, finished=True, raw=raw)
    _take(facts, document)
    return facts


def _from_config(folder: str, name: str, problem: str) -> Facts:
    facts = Facts(folder, name, finished=False, problems=[problem])
    config = read_file(f"{folder}/config.json", MAX_RESULT_BYTES)
    try:
        document = from_json(config.data or b"{}")
    except ValueError:
        document = {}
    if isinstance(document, dict):
        _take_config(facts, document)
    return facts


def _take(facts: Facts, document: Json) -> None:
    facts.id = _text(document.get("id"))
    if (told := document.get("trial_name")) not in (None, facts.trial_name):
        facts.problems.append(f"result.json: trial_name: not the folder's name; found {show(told)}")
    facts.task_name = _text(document.get("task_name"))
    facts.source = _text(document.get("source"))
    facts.mode = _text(document.get("verifier_environment_mode"))
    _take_config(facts, _object(document.get("config")))
    info = _object(document.get("agent_info"))
    facts.agent = _text(info.get("name")) or facts.agent
    facts.agent_version = _text(info.get("version"))
    if model := _object(info.get("model_info")):
        parts = (_text(model.get("provider")), _text(model.get("name")))
        facts.model = "/".join(part for part in parts if part) or facts.model
    facts.started_at = _moment(facts, document, "started_at")
    facts.finished_at = _moment(facts, document, "finished_at")
    facts.whole = _phase(facts, document)
    steps = document.get("step_results")
    steps = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    if steps:
        facts.steps = [
            (_text(step.get("step_name")) or str(place), _phase(facts, step))
            for place, step in enumerate(steps, 1)
        ]
    facts.cost = _cost(facts, document, steps)


def _take_config(facts: Facts, config: Json) -> None:
    facts.job_id = _text(config.get("job_id"))
    task = _object(config.get("task"))
    facts.task_path = _text(task.get("path"))
    if facts.task_name is None:
        named = _text(task.get("name")) or (facts.task_path or "").rstrip("/").rpartition("/")[2]
        facts.task_name = named or None
    agent = _object(config.get("agent"))
    facts.agent = (
        _text(agent.get("name")) or _text(agent.get("import_path")) or ("oracle" if config else "unknown")
    )
    facts.model = _text(agent.get("model_name"))
    facts.agent_in_config = json.dumps(agent, sort_keys=True)[:_MOST_CONFIG] if agent else None
    facts.agent_kwargs = _storable(facts, agent, "kwargs") or {}
    verifier = _object(config.get("verifier"))
    facts.custom_verifier = _text(verifier.get("import_path"))
    facts.verification_off = verifier.get("disable") is True
    facts.source_trial = _storable(facts, config, "source_trial")


def _phase(facts: Facts, document: Json) -> Phase:
    verifier = document.get("verifier")
    phase = Phase(
        rewards=_object(document.get("verifier_result")).get("rewards"),
        verifier_ran=isinstance(verifier, dict),
        verifier_sec=_seconds(facts, verifier),
    )
    if caught := _object(document.get("exception_info")):
        message = _text(caught.get("exception_message"), 4000) or ""
        phase.exception = Caught(_text(caught.get("exception_type")) or "unnamed exception", message)
    return phase


def _cost(facts: Facts, document: Json, steps: list[Any]) -> Cost | None:
    """Of the trial, or of its steps together; None if nothing is known."""
    parts = [d for d in (document, *steps) if isinstance(d, dict) and isinstance(d.get("agent_result"), dict)]
    used = [part["agent_result"] for part in parts]
    seconds = _sum(_seconds(facts, part.get("agent_execution")) for part in (parts or [document]))
    cost = Cost(
        usd=_sum(_amount(facts, one, "cost_usd") for one in used),
        input_tokens=_count(facts, used, "n_input_tokens"),
        cached_tokens=_count(facts, used, "n_cache_tokens"),
        output_tokens=_count(facts, used, "n_output_tokens"),
        seconds=seconds,
    )
    return None if cost == _NO_COST else cost


_NO_COST = Cost()


def _count(facts: Facts, used: list[Json], name: str) -> int | None:
    total = _sum(_amount(facts, one, name) for one in used)
    return None if total is None else int(total)


def _amount(facts: Facts, document: Json, name: str) -> float | None:
    value = document.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MAX_AMOUNT:
        facts.problems.append(f"result.json: agent_result.{name}: not an amount; found {show(value)}")
        return None
    return value


def _sum(values: Any) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _seconds(facts: Facts, timing: Any) -> float | None:
    if not isinstance(timing, dict):
        return None
    start, end = _moment(facts, timing, "started_at"), _moment(facts, timing, "finished_at")
    return max(0.0, (end - start).total_seconds()) if start and end else None


def _moment(facts: Facts, document: Json, name: str) -> datetime | None:
    value = document.get(name)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        facts.problems.append(f"result.json: {name}: not a time with its zone; found {show(value)}")
        return None
    return moment


def _storable(facts: Facts, document: Json, name: str) -> Json | None:
    """An object that a record can hold as it is; None if there is none, or it holds NaN or is too deep."""
    value = document.get(name)
    if not isinstance(value, dict) or not value:
        return None
    if (problem := why_not_storable(value)) is not None:
        facts.problems.append(f"result.json: {name}: left out: {problem}")
        return None
    return value


def why_not_storable(value: Json) -> str | None:
    """What keeps a record from holding this object: NaN, too deep, half a character."""
    try:
        check_json(value)
    except ValueError as error:
        return str(error)[:300]
    return None


def _text(value: Any, limit: int = 500) -> str | None:
    return value[:limit] if isinstance(value, str) and value else None


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
