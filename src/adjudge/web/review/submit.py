"""What a reviewer sends: a verdict with categories, notes, scores of single fields and the time it took.

The verdict becomes the specification's `Annotation`; the rest is a record of its own beside it. Neither
touches a reward. Who says it comes from the log-in, never from what was sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from adjudge.contracts import Annotation, Judgment
from adjudge.ledger import NewAttachment
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.book import REVIEW
from adjudge.web.review.queue import QueueItem, ReviewQueue
from adjudge.web.sent import SentModel

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord
    from adjudge.web.site import Site

Short = Annotated[str, Field(min_length=1, max_length=200)]
Note = Annotated[str, Field(max_length=20_000)]


class FieldReview(SentModel):
    """What a reviewer says of a single field."""

    score: float | None = Field(default=None, ge=0, le=1)
    note: Annotated[str, Field(max_length=2_000)] | None = None


class SentDraft(SentModel):
    """What was typed so far."""

    categories: list[Short] = Field(default_factory=list, max_length=20)
    notes: Note | None = None
    fields: dict[Short, FieldReview] = Field(default_factory=dict, max_length=100)
    seconds: float | None = Field(default=None, ge=0, le=86_400)


class SentReview(SentModel):
    """What is sent from a review page."""

    judgment: Judgment
    categories: list[Short] = Field(default_factory=list, max_length=20)
    notes: Note | None = None
    fields: dict[Short, FieldReview] = Field(default_factory=dict, max_length=100)
    seconds: float | None = Field(default=None, ge=0, le=86_400)
    submission: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,64}$")]
    """Made by the sender: the same one sent again counts once."""


def submit(site: Site, queue: ReviewQueue, visitor: Visitor, item: QueueItem, sent: SentReview) -> None:
    """Record a verdict on an item. One that was sent before, and arrives again, changes nothing."""
    if item.submission == sent.submission:
        return
    with queue.writing:
        at = queue.moment_of(visitor, sent.submission)
        blind = item.trial_id in queue.waiting(visitor)
        record_verdict(site, visitor, item.trial_id, sent, at=at, blind=blind, is_check=item.is_check)
        queue.settle(visitor, item, sent.submission)


def withdraw(site: Site, queue: ReviewQueue, visitor: Visitor, item: QueueItem) -> None:
    """Take a verdict back: nothing is deleted, so the reviewer now says that they cannot tell."""
    if not item.judged:
        return
    said = _annotation(visitor, datetime.now(UTC), Judgment.DEFER, [], "withdrawn")
    site.ledger.annotate(item.trial_id, said)
    queue.reopen(visitor, item)


def record_verdict(
    site: Site,
    visitor: Visitor,
    trial_id: str,
    sent: SentReview,
    *,
    at: datetime,
    blind: bool = False,
    is_check: bool = False,
) -> None:
    """Write the annotation, and beside it how it came about; the same at the same time again adds nothing."""
    said = _annotation(visitor, at, sent.judgment, sent.categories, sent.notes or None)
    site.ledger.annotate(trial_id, said)
    document: dict[str, Any] = {
        "reviewer_id": visitor.name,
        "timestamp": said.timestamp.isoformat(),
        "judgment": sent.judgment.value,
        "fields": {name: found.model_dump() for name, found in sent.fields.items()},
        "seconds": sent.seconds,
        "blind": blind,
        "known_answer": is_check,
    }
    key = f"{visitor.name}/{sent.submission}"
    site.ledger.attach([NewAttachment(REVIEW, key, document, trial_id=trial_id)])


def reveal(record: TrialRecord, visitor: Visitor, own: str | None) -> dict[str, Any]:
    """What a reviewer sees once they have judged: where the verifier and the others stood."""
    others = [a for a in record.evaluation.annotations or () if a.reviewer_id != visitor.name]
    return {
        "trial_id": record.trial_id,
        "agent": record.agent.name,
        "reward": record.evaluation.reward,
        "judgment": own,
        "others": [{"reviewer": a.reviewer_id, "judgment": a.judgment.value} for a in others],
    }


def _annotation(
    visitor: Visitor, at: datetime, judgment: Judgment, categories: list[str], notes: str | None
) -> Annotation:
    return Annotation(
        reviewer_id=visitor.name,
        reviewer_discipline=visitor.discipline,
        timestamp=at,
        judgment=judgment,
        categories=categories,
        notes=notes,
    )
