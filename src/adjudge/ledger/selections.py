"""How trials were chosen for review, as attachments of the trials: kept beside annotations, written once.

The newest record of a trial that has a probability counts; older ones stay.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from adjudge.contracts import ReviewSelection

if TYPE_CHECKING:
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.writing.attachments import NewAttachment

KIND = "review selection"


def record_selection(ledger: Ledger, trial_id: str, made: ReviewSelection) -> bool:
    """Record how a trial was chosen for review; False if exactly this is there already."""
    return record_selections(ledger, [(trial_id, made)])[0]


def record_selections(ledger: Ledger, items: Sequence[tuple[str, ReviewSelection]]) -> list[bool]:
    """Record many choices in one transaction. UsageError names a trial that is not there."""
    return ledger.attach([selection_attachment(trial_id, made) for trial_id, made in items])


def selection_attachment(trial_id: str, made: ReviewSelection) -> NewAttachment:
    """A choice as the ledger keeps it, for whoever writes it together with something else."""
    from adjudge.ledger.writing.attachments import NewAttachment

    return NewAttachment(KIND, _key(made), made.model_dump(mode="json"), trial_id=trial_id)


def read_selections(
    ledger: Ledger, trial_ids: Iterable[str] | None = None
) -> dict[str, list[ReviewSelection]]:
    """How trials were chosen for review, oldest first: of all trials, or of these. Others are absent."""
    found: dict[str, list[ReviewSelection]] = {}
    for row in ledger.attached(KIND, trial_ids=trial_ids):
        if row.trial_id is not None:
            # Through JSON, so that a timestamp may be text while every type stays strict.
            made = ReviewSelection.model_validate_json(json.dumps(row.document))
            found.setdefault(row.trial_id, []).append(made)
    return found


def _key(made: ReviewSelection) -> str:
    """Who and how, so that the same record written twice is one."""
    return hashlib.sha256(made.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()
