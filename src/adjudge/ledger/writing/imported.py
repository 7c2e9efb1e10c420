"""A trial whose artifacts were made elsewhere, prepared from plain values that were checked when read.

Of a hundred thousand folders each would become five models, only to be written as JSON at once; that took as
long as reading its files. So what the contract writes around the values is made once, by the contract, from a
record with known values in their places. What comes out is, byte for byte, what `prepare` makes of the whole
record, or the chain would depend on the way: `tests/ledger/test_imported.py` compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from adjudge.contracts import (
    Agent,
    Cost,
    EvaluationResult,
    Limit,
    OutputInfo,
    TrialIdentity,
    ValidityCheck,
    VerifierRun,
    mechanical,
    outcome_from,
)
from adjudge.ledger.store.blobs import pack_new
from adjudge.ledger.writing.documents import not_text, split, trial_half
from adjudge.ledger.writing.prepared import LARGEST_ATTEMPT, PreparedEntry
from adjudge.scoring import make_record

if TYPE_CHECKING:
    from adjudge.scoring import VerifierResult

IMPORTED = "imported"
_NONE = frozenset[str]()


class ImportedTrial(NamedTuple):
    """Whose trial it is, where its artifacts were, and what they say. All of it is valid."""

    trial_id: str
    identity: TrialIdentity
    """Without an output: nobody has seen it here."""
    path: str
    result: VerifierResult
    files: Mapping[str, bytes]
    """The artifacts that could be read, by name."""
    limits_hit: Sequence[Limit] = ()
    cost: Cost | None = None
    metadata: Mapping[str, Any] = {}


def prepare_imported(trial: ImportedTrial, *, scored_at: datetime | None = None) -> PreparedEntry:
    """Serialise and compress. UsageError for what is not UTF-8 or does not fit."""
    identity, result = trial.identity, trial.result
    moment = scored_at or datetime.now(UTC)
    packed: dict[str, tuple[int, bytes]] = {}
    digests = {name: pack_new(data, packed) for name, data in trial.files.items()}
    output = {"path": trial.path, "sha256": None, "size_bytes": None, "media_type": None}
    try:
        values = (
            to_json(result.reward),
            b"true" if result.verifier_completed else b"false",
            to_json(result.errors) if result.errors else b"[]",
            to_json(result.breakdown),
            to_json(result.tags) if result.tags else b"null",
            to_json(trial.limits_hit) if trial.limits_hit else b"[]",
            to_json(digests),
            to_json(moment),
        )
        evaluation = (_around() % values).decode()
    except (PydanticSerializationError, UnicodeEncodeError):
        raise not_text(trial.trial_id) from None
    outcome = outcome_from(result.reward, result.tags, parseable=True, completed=result.verifier_completed)
    return PreparedEntry(
        trial.trial_id,
        trial_half(trial.trial_id, identity, output, cost=trial.cost, metadata=trial.metadata),
        evaluation,
        {
            "experiment": identity.experiment,
            "agent": identity.agent,
            "model": identity.model,
            "task": identity.task_id,
            "task_digest": None,
            "outcome": outcome.value,
        },
        {
            "attempt": min(identity.attempt, LARGEST_ATTEMPT),
            "output_sha256": None,
            "reward": result.reward,
            "output_parseable": 1,
            "schema_valid": 1,
            "verifier_completed": int(result.verifier_completed),
            "scored_at": moment.timestamp(),
            "duration_sec": None,
            "cost_usd": None if trial.cost is None else trial.cost.usd,
            "stdout": None,
            "stderr": None,
        },
        tuple([tag.category for tag in result.tags]),
        packed,
        None,
        None,
        _NONE,
    )


@cache
def _around() -> bytes:
    """The evaluation's half of a document, with a place for each value that differs, in their order."""
    known: dict[str, Any] = {
        "reward": 0.8125,
        "verifier_completed": True,
        "errors": ["the errors"],
        "breakdown": {"the breakdown": 1},
        "error_taxonomy": [mechanical("the tags", "")],
        "limits_hit": [Limit.DISK],
        "artifacts": {"the artifacts": "0" * 64},
        "scored_at": datetime(2001, 2, 3, tzinfo=UTC),
    }
    record = make_record(
        experiment=IMPORTED,
        task_id=IMPORTED,
        task_digest=None,
        agent=Agent(name=IMPORTED),
        attempt=1,
        output=OutputInfo(path="", sha256=None, size_bytes=None),
        evaluation=EvaluationResult(
            reward=known["reward"],
            validity=ValidityCheck(
                output_parseable=True,
                schema_valid=True,
                verifier_completed=known["verifier_completed"],
                errors=known["errors"],
            ),
            breakdown=known["breakdown"],
            error_taxonomy=known["error_taxonomy"],
        ),
        run=VerifierRun(backend=IMPORTED, artifacts=known["artifacts"], limits_hit=known["limits_hit"]),
        scored_at=known["scored_at"],
    )
    text = split(record).evaluation.encode().replace(b"%", b"%%")
    for name, value in known.items():
        text = text.replace(b'"%b":%b' % (name.encode(), to_json(value)), b'"%b":%%b' % name.encode())
    return text
