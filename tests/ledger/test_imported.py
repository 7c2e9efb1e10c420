"""A trial that is prepared from plain values is what its whole record would have become."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.contracts import (
    Agent,
    Cost,
    ErrorTag,
    EvaluationResult,
    Limit,
    OutputInfo,
    TrialIdentity,
    ValidityCheck,
    VerifierRun,
)
from adjudge.errors import UsageError
from adjudge.ledger import ImportedTrial, TrialEntry, prepare, prepare_imported
from adjudge.scoring import VerifierResult, make_record
from support import contract_strategies as some

verifier_results = st.builds(
    VerifierResult,
    reward=some.unit,
    verifier_completed=st.booleans(),
    errors=st.lists(some.text, max_size=2),
    breakdown=some.optional(some.json_objects),
    tags=st.lists(some.tags, max_size=2),
)
identities = st.builds(
    TrialIdentity, some.names, some.names, st.none(), some.names, some.optional(some.text), some.positive
)
costs = st.builds(Cost, usd=some.optional(st.floats(0, 1e6)), input_tokens=some.counts)
files = st.dictionaries(some.names, st.binary(max_size=80), max_size=3)
MOMENT = datetime.fromisoformat("2026-03-04T05:06:07.089+00:00")


@settings(max_examples=200, deadline=None)
@given(
    identities,
    verifier_results,
    files,
    st.lists(st.sampled_from(Limit), max_size=2),
    some.optional(costs),
    some.json_objects,
    some.text,
    some.moments,
)
def test_it_is_what_the_whole_record_becomes(
    identity: TrialIdentity,
    result: VerifierResult,
    files: dict[str, bytes],
    limits: list[Limit],
    cost: Cost | None,
    metadata: dict[str, Any],
    path: str,
    moment: datetime,
) -> None:
    got = prepare_imported(
        ImportedTrial("t1", identity, path, result, files, limits, cost, metadata), scored_at=moment
    )
    record = make_record(
        trial_id="t1",
        experiment=identity.experiment,
        task_id=identity.task_id,
        task_digest=None,
        agent=Agent(name=identity.agent, model=identity.model),
        attempt=identity.attempt,
        output=OutputInfo(path=path, sha256=None, size_bytes=None),
        evaluation=EvaluationResult(
            reward=result.reward,
            validity=ValidityCheck(
                output_parseable=True,
                schema_valid=True,
                verifier_completed=result.verifier_completed,
                errors=result.errors,
            ),
            breakdown=result.breakdown,
            error_taxonomy=result.tags or None,
        ),
        run=VerifierRun(
            backend="imported",
            artifacts={name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
            limits_hit=limits,
        ),
        cost=cost,
        metadata=metadata,
        scored_at=moment,
    )
    wanted = prepare(
        TrialEntry(record, blobs={hashlib.sha256(data).hexdigest(): data for data in files.values()})
    )
    assert got == wanted
    for maps in ((got.named, wanted.named), (got.columns, wanted.columns), (got.packed, wanted.packed)):
        assert list(maps[0]) == list(maps[1]), "what is written in another order has other numbers"


def test_half_of_a_surrogate_pair_is_refused() -> None:
    """No reader of ours lets one through; if one came all the same, it must not reach the ledger."""
    identity = TrialIdentity("e", "t", None, "a", None, 1)
    tag = ErrorTag.model_construct(category="\ud800", description=None, source="mechanical")
    for result, path in (
        (VerifierResult(1.0, True, ["\ud800"], None, []), "p"),
        (VerifierResult(1.0, True, [], {"a": "\ud800"}, []), "p"),
        (VerifierResult(1.0, True, [], None, [tag]), "p"),
        (VerifierResult(1.0, True, [], None, []), "\ud800"),
    ):
        with pytest.raises(UsageError, match="half of a surrogate pair"):
            prepare_imported(ImportedTrial("t1", identity, path, result, {}), scored_at=MOMENT)
