"""What a reviewer sends: a verdict with categories, notes, scores of single fields and the time it took.

The verdict becomes the specification's `Annotation`; the rest is a record of its own beside it. Neither
touches a reward. Who says it comes from the log-in, never from what was sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from adjudge.contracts import Annotation, Judgment
from adjudge.ledger import DeskDrawer, NewAttachment
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.book import REVIEW
from adjudge.web.review.items import read_item
from adjudge.web.review.queue import ReviewQueue
from adjudge.web.sent import SentModel

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord

SENT = "verdict"
_SENT_SEC = 86_400.0
"""For how long a submission is known; what is older is known by the item that it judged."""

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


def submit(queue: ReviewQueue, visitor: Visitor, number: int, sent: SentReview) -> None:
    """Record a verdict on an item. One that was sent before, and arrives again, changes nothing.

    The verdict, how it came about and the item are written together: a server that is killed has written all
    of it or nothing, and what is sent again finds that it is there.
    """

    def write(drawer: DeskDrawer) -> None:
        item = read_item(drawer, visitor.name, number)
        if item is None or item.submission == sent.submission or not _is_new(drawer, visitor, sent):
            return
        queue.book.refresh()
        blind = queue.is_blind(visitor, item)
        record_verdict(drawer, visitor, item.trial_id, sent, blind=blind, is_check=item.is_check)
        queue.settle(drawer, visitor, item, sent.submission)

    queue.write(write)


def withdraw(queue: ReviewQueue, visitor: Visitor, number: int) -> None:
    """Take a verdict back: nothing is deleted, so the reviewer now says that they cannot tell."""

    def write(drawer: DeskDrawer) -> None:
        item = read_item(drawer, visitor.name, number)
        if item is not None and item.judged:
            said = _annotation(visitor, datetime.now(UTC), Judgment.DEFER, [], "withdrawn")
            drawer.annotate(item.trial_id, said)
            queue.reopen(drawer, visitor, item)

    queue.write(write)


def annotate_once(queue: ReviewQueue, visitor: Visitor, trial_id: str, sent: SentReview) -> None:
    """Record a verdict on a trial that came by no queue; one that arrives again changes nothing."""

    def write(drawer: DeskDrawer) -> None:
        if _is_new(drawer, visitor, sent):
            record_verdict(drawer, visitor, trial_id, sent)

    queue.write(write)


def _is_new(drawer: DeskDrawer, visitor: Visitor, sent: SentReview) -> bool:
    """Notes that this submission arrived; False if it was noted before."""
    key = f"{visitor.name}/{sent.submission}"
    if drawer.get(SENT, key) is not None:
        return False
    drawer.put(SENT, key, {}, lasts=_SENT_SEC)
    return True


def record_verdict(
    drawer: DeskDrawer,
    visitor: Visitor,
    trial_id: str,
    sent: SentReview,
    *,
    blind: bool = False,
    is_check: bool = False,
) -> None:
    """Write the annotation, and beside it how it came about."""
    said = _annotation(visitor, datetime.now(UTC), sent.judgment, sent.categories, sent.notes or None)
    drawer.annotate(trial_id, said)
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
    drawer.attach([NewAttachment(REVIEW, key, document, trial_id=trial_id)])


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
