"""Turn classifications in the ledger: written once per trace and classifier, read as sequences of kinds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from adjudge.ledger import NewAttachment
from adjudge.traces.attached import Trace
from adjudge.traces.kinds import CLASSIFICATION_KIND, TurnClassification
from adjudge.traces.structure import KindSequence

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord
    from adjudge.ledger import Ledger


def classification_key(trace: Trace, classifier: str) -> str:
    """The same trace and classifier are classified once."""
    return hashlib.sha256(f"{classifier} {trace.digest}".encode()).hexdigest()


def record_kinds(
    ledger: Ledger, trace: Trace, classifier: str, found: Sequence[TurnClassification], turns: int
) -> bool:
    """Attach the kinds of a trace's turns to its trial; False if this classifier has done so before."""
    document = {
        "classifier": classifier,
        "trace": trace.digest,
        "assistant_turns": turns,
        "turns": [json.loads(one.model_dump_json()) for one in sorted(found, key=lambda o: o.turn_index)],
    }
    key = classification_key(trace, classifier)
    return ledger.attach([NewAttachment(CLASSIFICATION_KIND, key, document, trace.trial_id)])[0]


def read_kinds(
    ledger: Ledger, records: Iterable[TrialRecord]
) -> tuple[list[KindSequence], list[TurnClassification]]:
    """The newest classification of each trial as a sequence, and every classified turn among them."""
    by_id = {record.trial_id: record for record in records}
    newest = {str(row.trial_id): row for row in ledger.attached(CLASSIFICATION_KIND, trial_ids=by_id)}
    sequences, turns = [], []
    for trial_id, row in newest.items():
        found = [TurnClassification.model_validate_json(json.dumps(one)) for one in row.document["turns"]]
        record = by_id[trial_id]
        turns += found
        sequences.append(
            KindSequence(
                trial_id,
                record.task_id,
                record.agent.name,
                record.evaluation.reward,
                tuple(one.bond_type for one in found),
            )
        )
    return sequences, turns
