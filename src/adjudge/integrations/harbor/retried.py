"""A try that Harbor gave up and deleted: recorded from the little that may be kept of it.

Harbor removes secrets from a trial's folder only when the trial is over, so nothing that could hold one is
taken from a try in the middle: no message, no log, no artifact. What stays is that it was tried, when, and
by which exception it ended.
"""

from __future__ import annotations

import json
from typing import Any

from adjudge.contracts import EvaluationResult, ValidityCheck, VerifierRun
from adjudge.integrations.harbor.causes import cause_of, harbor_tag
from adjudge.integrations.harbor.facts import facts_from
from adjudge.integrations.harbor.record import RESULT, JobInfo, Options, make_entry
from adjudge.integrations.harbor.trial_files import NO_TRIAL_FILES
from adjudge.ledger import TrialEntry
from adjudge.scoring import VERIFIER_FAILURE, mechanical, record_again

RETRIED = "tried again"
_KEPT = ("id", "task_name", "trial_name", "source", "agent_info", "started_at", "finished_at")


def retried_entry(result: dict[str, Any], job: JobInfo, options: Options) -> TrialEntry:
    """The entry for a try whose folder is gone; `result` is Harbor's record of it."""
    caught = result.get("exception_info") or {}
    name = str(caught.get("exception_type", "no exception"))
    document = {key: result.get(key) for key in _KEPT}
    config = result.get("config") or {}
    document["config"] = {"job_id": config.get("job_id"), "task": config.get("task")}
    raw = json.dumps({**document, "exception_type": name}, sort_keys=True).encode()
    facts = facts_from("/nonexistent", str(result.get("trial_name")), document, raw)
    why = f"this try ended with {name}; Harbor deleted its folder and tried again"
    evaluation = EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(
            output_parseable=True, schema_valid=True, verifier_completed=False, errors=[why]
        ),
        error_taxonomy=[
            mechanical(VERIFIER_FAILURE, why),
            harbor_tag(cause_of(name), name),
            harbor_tag(RETRIED, why),
        ],
    )
    entry = make_entry(facts, NO_TRIAL_FILES, job, options)
    run = VerifierRun(
        backend=entry.record.run.backend, artifacts={RESULT: entry.record.run.artifacts[RESULT]}
    )
    record = entry.record.model_copy(update={"evaluation": evaluation, "run": run})
    return TrialEntry(record, blobs={run.artifacts[RESULT]: raw})


def earlier_try(retried: TrialEntry, final: TrialEntry) -> TrialEntry:
    """A try that was given up, as an evaluation of the trial that came of it in the end."""
    was = retried.record
    record = record_again(
        final.record, evaluation=was.evaluation, run=was.run, task_digest=None, scored_at=was.scored_at
    )
    return TrialEntry(
        record,
        blobs={**final.blobs, **retried.blobs},
        output_blob=final.output_blob,
    )
