"""An evaluation that is prepared once for many trials is what each of their records would have become."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.contracts import Agent, TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger import RepeatedEvaluation, TrialEntry, prepare
from support import contract_strategies
from support.trial_samples import trial

STREAM = "x" * 3000 + '"scored_at":"then"'
ANSWER = b'{"answer": 1}'
DIGEST = hashlib.sha256(ANSWER).hexdigest()


def under(mine: TrialRecord, first: TrialRecord) -> TrialRecord:
    """My trial with the evaluation of the first one."""
    return mine.model_copy(
        update={
            "agent": Agent(name=mine.agent.name, model=mine.agent.model),
            "evaluation": first.evaluation,
            "run": first.run,
            "task_digest": first.task_digest,
            "started_at": None,
            "finished_at": None,
            "adjudge_version": first.adjudge_version,
        }
    )


@settings(max_examples=100, deadline=None)
@given(contract_strategies.trials, contract_strategies.trials, st.booleans())
def test_it_is_what_the_whole_record_becomes(first: TrialRecord, mine: TrialRecord, long: bool) -> None:
    if long:
        run = first.run.model_copy(update={"stdout": STREAM, "artifacts": {"reward.json": DIGEST}})
        first = first.model_copy(update={"run": run})
    mine = mine.model_copy(update={"output": first.output.model_copy(update={"path": mine.output.path})})
    blobs = {DIGEST: ANSWER}
    got = RepeatedEvaluation(TrialEntry(first, blobs=blobs, output_blob=DIGEST)).prepare(
        mine.identity,
        mine.output,
        trial_id=mine.trial_id,
        cost=mine.cost,
        metadata=mine.metadata,
        replaces="t@7",
        scored_at=mine.scored_at,
    )
    whole = TrialEntry(under(mine, first), blobs=blobs, output_blob=DIGEST, replaces="t@7")
    wanted = prepare(whole)
    assert got == wanted
    for maps in ((got.named, wanted.named), (got.columns, wanted.columns), (got.packed, wanted.packed)):
        assert list(maps[0]) == list(maps[1]), "what is written in another order has other numbers"


def test_a_time_in_the_breakdown_stays_as_the_verifier_wrote_it() -> None:
    first = trial(1, breakdown={"scored_at": "2001-01-01T00:00:00Z", "b": {"scored_at": "x"}}).record
    mine = trial(2).record
    again = RepeatedEvaluation(TrialEntry(first))
    for moment in (mine.scored_at, mine.scored_at.replace(year=2031, microsecond=0)):
        later = mine.model_copy(update={"scored_at": moment})
        got = again.prepare(
            later.identity,
            later.output,
            trial_id=later.trial_id,
            cost=later.cost,
            metadata=later.metadata,
            replaces=None,
            scored_at=moment,
        )
        assert got.evaluation == prepare(TrialEntry(under(later, first))).evaluation


def test_half_of_a_surrogate_pair_is_refused_in_the_same_words() -> None:
    first = trial(1).record
    mine = first.model_copy(update={"metadata": {"a": "\ud800"}})
    with pytest.raises(UsageError) as whole:
        prepare(TrialEntry(under(mine, first)))
    with pytest.raises(UsageError) as repeated:
        RepeatedEvaluation(TrialEntry(first)).prepare(
            mine.identity,
            mine.output,
            trial_id=mine.trial_id,
            cost=None,
            metadata=mine.metadata,
            replaces=None,
        )
    assert str(repeated.value) == str(whole.value)
