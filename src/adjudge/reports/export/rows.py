"""One trial as rows of a table, in the columns that `models.tables` defines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from adjudge.contracts import ErrorTag, Judgment, TrialRecord
from adjudge.judges import Calibrations, JudgeRecord
from adjudge.ledger import DISAGREEMENT_THRESHOLD, disagrees
from adjudge.reports.building.reviews import result_confidence
from adjudge.reports.export.judged import judged_columns, judgement_rows
from adjudge.reports.models.tables import Level
from adjudge.scoring import breakdown_rows, outcome_of


def rows_of(
    record: TrialRecord, level: Level, judged: Sequence[JudgeRecord] = (), known: Calibrations | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of one trial, with every column of its level. A trial without fields has no field rows.

    `judged` are its judgements, the newest last; a trial without any has no judgement rows.
    """
    who = _who(record)
    if level == "trial":
        yield who | _trial(record) | judged_columns(judged, known or {})
        return
    if level == "judgement":
        yield from (who | row for row in judgement_rows(judged, known or {}))
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
