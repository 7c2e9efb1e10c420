"""Where reviewers disagree, an independent third decides, with a reason. Decisions are added, never changed.

A decision can be re-opened, again with a reason; then another one may follow. All of them stay. A decision is
no annotation and changes no reward. An admin may say of a trial that its answer is known: reviewers then get
it now and then without being told, and the agreement page shows how often they were right.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adjudge.contracts import Judgment
from adjudge.errors import UsageError
from adjudge.ledger import NewAttachment
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.book import DECISION, KNOWN

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord
    from adjudge.web.site import Site

SHORTEST_REASON = 3


def decide(site: Site, visitor: Visitor, trial_id: str, judgment: Judgment, reason: str) -> None:
    """Decide a trial on which reviewers disagree. UsageError for one of those reviewers."""
    site.book.refresh()
    reviews = site.book.reviews_of(trial_id)
    number = len(reviews.decisions) + 1
    if visitor.name in reviews.said:
        raise UsageError(
            "whoever has reviewed a trial cannot decide it", found=visitor.name, remedy="Ask somebody else."
        )
    if not reviews.is_split:
        raise UsageError("reviewers do not disagree on this trial", found=trial_id)
    if reviews.decision is not None:
        raise UsageError("this trial is decided", found=trial_id, remedy="Re-open it first.")
    _add(site, visitor, trial_id, reviews.task, number, judgment.value, reason)


def reopen(site: Site, visitor: Visitor, trial_id: str, reason: str) -> None:
    """Open a decided trial again."""
    site.book.refresh()
    reviews = site.book.reviews_of(trial_id)
    number = len(reviews.decisions) + 1
    if reviews.decision is None:
        raise UsageError("there is no decision to re-open", found=trial_id)
    _add(site, visitor, trial_id, reviews.task, number, None, reason)


def set_known(site: Site, visitor: Visitor, record: TrialRecord, judgment: Judgment | None) -> None:
    """Say that a trial's answer is known, or no longer."""
    document = {
        "judgment": None if judgment is None else judgment.value,
        "task": record.task_id,
        "by": visitor.name,
        "at": datetime.now(UTC).isoformat(),
    }
    site.ledger.attach([NewAttachment(KNOWN, uuid.uuid4().hex, document, trial_id=record.trial_id)])
    site.book.refresh()


def _add(
    site: Site, visitor: Visitor, trial_id: str, task: str, number: int, decision: str | None, reason: str
) -> None:
    """Write the decision of this number; the ledger takes each once, whichever server asks first."""
    if len(reason.strip()) < SHORTEST_REASON:
        raise UsageError("a decision needs a reason", field="reason", found=reason)
    document = {
        "decision": decision,
        "task": task,
        "reason": reason.strip()[:20_000],
        "by": visitor.name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    (written,) = site.ledger.attach(
        [NewAttachment(DECISION, f"decision {number}", document, trial_id=trial_id)]
    )
    site.book.refresh()
    if not written:
        raise UsageError("somebody else was quicker", found=trial_id, remedy="Look at what they decided.")
