"""Trials as tables for other tools: one row a trial, or one row a field. The columns are documented here.

`TRIAL_COLUMNS` and `FIELD_COLUMNS` are the whole definition: names, types and meaning, in order. Parquet,
CSV, JSONL, `adjudge.frame` and docs/export.md all follow them. Unknown is null, never 0 or an empty string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.contracts import ErrorTag, Judgment, TrialRecord
from adjudge.ledger import DISAGREEMENT_THRESHOLD, disagrees
from adjudge.reports.result_confidence import result_confidence
from adjudge.reports.table_format import Level
from adjudge.scoring import breakdown_rows, outcome_of

Kind = Literal["string", "int", "float", "bool", "time", "strings", "json"]


@dataclass(frozen=True)
class Column:
    """One column: `json` is a JSON document as text, `strings` a list, `time` a moment in UTC."""

    name: str
    kind: Kind
    meaning: str


_WHO: tuple[Column, ...] = (
    Column("trial_id", "string", "The trial's id."),
    Column("experiment", "string", "The experiment it belongs to."),
    Column("task", "string", "The task's id."),
    Column("task_digest", "string", "SHA-256 of the task that made this evaluation."),
    Column("agent", "string", "The agent's name."),
    Column("model", "string", "The agent's model."),
    Column("attempt", "int", "Which attempt, from 1."),
    Column("reward", "float", "The reward, 0 to 1; 0.0 where the verifier failed: see `outcome`."),
    Column("outcome", "string", "scored, wrong, nothing usable, suspected or machinery failed."),
)
TRIAL_COLUMNS: tuple[Column, ...] = (
    *_WHO,
    Column("output_parseable", "bool", "Did the output parse as its declared format?"),
    Column("schema_valid", "bool", "Did it match the expected shape?"),
    Column("verifier_completed", "bool", "Did a usable reward appear?"),
    Column("validity_errors", "strings", "What was wrong, in words."),
    Column("tags", "strings", "Categories of the error taxonomy, in order, repeated as set."),
    Column("tag_sources", "strings", "Who set each tag: mechanical, human or judge."),
    Column("reviews_pass", "int", "Reviewers who say pass."),
    Column("reviews_fail", "int", "Reviewers who say fail."),
    Column("reviews_defer", "int", "Reviewers who cannot tell."),
    Column("disagreement", "bool", "Does a reviewer contradict the reward (at 0.5)? Null without reviews."),
    Column("agreement", "float", "Agreement on this result: its own, else of its reviewers; null below two."),
    Column("agreement_method", "string", "What that agreement is."),
    Column("interval_low", "float", "Lower end of the result's own interval, where it has one."),
    Column("interval_high", "float", "Upper end of it."),
    Column("interval_level", "float", "Its level."),
    Column("scored_by", "string", "verifier or judge."),
    Column("backend", "string", "Where the verifier ran."),
    Column("exit_code", "int", "The verifier's exit code; null where no process ran to its end."),
    Column("verifier_sec", "float", "How long the verifier ran."),
    Column("limits_hit", "strings", "The limits the verifier ran into."),
    Column("reused_from", "string", "The evaluation that was reused instead of running the verifier."),
    Column("output_path", "string", "Where the output was found, as the caller named it."),
    Column("output_sha256", "string", "SHA-256 of the output; null where there was none."),
    Column("output_bytes", "int", "Its size."),
    Column("output_type", "string", "Its media type."),
    Column("cost_usd", "float", "What the agent cost."),
    Column("input_tokens", "int", "Tokens the agent read."),
    Column("cached_tokens", "int", "Of them from a cache."),
    Column("output_tokens", "int", "Tokens the agent wrote."),
    Column("agent_sec", "float", "How long the agent took."),
    Column("started_at", "time", "When the agent began."),
    Column("finished_at", "time", "When it was done."),
    Column("scored_at", "time", "When this evaluation was made."),
    Column("adjudge_version", "string", "The version of adjudge that made it."),
    Column("agent_config", "json", "The agent's configuration."),
    Column("metadata", "json", "The trial's metadata."),
    Column("breakdown", "json", "`details.json` as the verifier wrote it."),
)
FIELD_COLUMNS: tuple[Column, ...] = (
    *_WHO,
    Column("position", "int", "The field's place in the breakdown, from 1."),
    Column("field", "string", "The field; groups are joined by dots."),
    Column("score", "float", "Its score; null where it does not apply."),
    Column("max_score", "float", "What the score is out of; null where nothing says."),
    Column("share", "float", "score / max_score, cut to 0 to 1; null where either is unknown."),
    Column("weight", "float", "Its weight, where the breakdown states one."),
    Column("evidence", "string", "What the verifier saw."),
)
COLUMNS: dict[Level, tuple[Column, ...]] = {"trial": TRIAL_COLUMNS, "field": FIELD_COLUMNS}


def rows_of(record: TrialRecord, level: Level) -> Iterator[dict[str, Any]]:
    """The rows of one trial, with every column of its level. A trial without fields has no field rows."""
    who = _who(record)
    if level == "trial":
        yield who | _trial(record)
        return
    for position, row in enumerate(breakdown_rows(record.evaluation.breakdown or {}), 1):
        yield who | {
            "position": position,
            "field": row.field,
            "score": _float(row.score),
            "max_score": _float(row.max_score),
            "share": row.normalised if row.max_score else None,
            "weight": _float(row.weight),
            "evidence": row.evidence,
        }


def _who(record: TrialRecord) -> dict[str, Any]:
    return {
        "trial_id": record.trial_id,
        "experiment": record.experiment,
        "task": record.task_id,
        "task_digest": record.task_digest,
        "agent": record.agent.name,
        "model": record.agent.model,
        "attempt": record.attempt,
        "reward": record.evaluation.reward,
        "outcome": outcome_of(record.evaluation).value,
    }


def _trial(record: TrialRecord) -> dict[str, Any]:
    result, run, output, cost = record.evaluation, record.run, record.output, record.cost
    tags: list[ErrorTag] = result.error_taxonomy or []
    said = [note.judgment for note in result.annotations or ()]
    sure = result_confidence([record])
    interval = sure.interval if sure else None
    return {
        "output_parseable": result.validity.output_parseable,
        "schema_valid": result.validity.schema_valid,
        "verifier_completed": result.validity.verifier_completed,
        "validity_errors": list(result.validity.errors),
        "tags": [tag.category for tag in tags],
        "tag_sources": [tag.source.value for tag in tags],
        "reviews_pass": said.count(Judgment.PASS),
        "reviews_fail": said.count(Judgment.FAIL),
        "reviews_defer": said.count(Judgment.DEFER),
        "disagreement": any(disagrees(j, result.reward, DISAGREEMENT_THRESHOLD) for j in said)
        if said
        else None,
        "agreement": sure.agreement if sure else None,
        "agreement_method": sure.agreement_method if sure else None,
        "interval_low": interval.low if interval else None,
        "interval_high": interval.high if interval else None,
        "interval_level": interval.level if interval else None,
        "scored_by": run.scored_by.value,
        "backend": run.backend,
        "exit_code": run.exit_code,
        "verifier_sec": run.duration_sec,
        "limits_hit": [limit.value for limit in run.limits_hit],
        "reused_from": run.reused_from,
        "output_path": output.path,
        "output_sha256": output.sha256,
        "output_bytes": output.size_bytes,
        "output_type": output.media_type,
        "cost_usd": cost.usd if cost else None,
        "input_tokens": cost.input_tokens if cost else None,
        "cached_tokens": cost.cached_tokens if cost else None,
        "output_tokens": cost.output_tokens if cost else None,
        "agent_sec": cost.seconds if cost else None,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "scored_at": record.scored_at,
        "adjudge_version": record.adjudge_version,
        "agent_config": _json(record.agent.config),
        "metadata": _json(record.metadata),
        "breakdown": _json(result.breakdown),
    }


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)
