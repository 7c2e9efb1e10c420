"""Adjudication: where reviewers disagree, somebody else decides."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from adjudge.contracts import Judgment
from adjudge.errors import UsageError
from adjudge.web.access.who import CHANGES, Admin, Here, Reviewer
from adjudge.web.pages.page import address, render
from adjudge.web.review.decide import decide, reopen, set_known

router = APIRouter()
PAGE = 20
Reason = Annotated[str, Form(max_length=20_000)]


@router.get("/adjudication", response_class=HTMLResponse)
def adjudication(
    request: Request,
    site: Here,
    visitor: Reviewer,
    first: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
) -> HTMLResponse:
    """The trials on which reviewers disagree, the undecided first."""
    site.book.refresh()
    visible = site.visible(visitor)
    found = [pair for pair in site.book.split_trials() if pair[0] not in visible.waiting]
    part = found[first : first + PAGE]
    records = visible.numbered([reviews.number for _, reviews in part])
    shown = [
        (trial_id, reviews, records[reviews.number])
        for trial_id, reviews in part
        if reviews.number in records
    ]
    waiting = sum(reviews.decision is None for _, reviews in found)
    return render(
        request,
        "adjudication.html.j2",
        shown=shown,
        total=len(found),
        waiting=waiting,
        following=address("/adjudication", first=first + PAGE) if first + PAGE < len(found) else None,
    )


@router.post("/adjudication/{trial_id}", dependencies=CHANGES)
def decide_one(
    site: Here, visitor: Reviewer, trial_id: str, judgment: Annotated[str, Form()], reason: Reason = ""
) -> Response:
    """Decide one trial."""
    site.visible(visitor).trial(trial_id)
    decide(site, visitor, trial_id, _verdict(judgment), reason)
    return RedirectResponse("/adjudication", 303)


@router.post("/adjudication/{trial_id}/reopen", dependencies=CHANGES)
def reopen_one(site: Here, visitor: Reviewer, trial_id: str, reason: Reason = "") -> Response:
    """Open a decided trial again."""
    site.visible(visitor).trial(trial_id)
    reopen(site, visitor, trial_id, reason)
    return RedirectResponse("/adjudication", 303)


@router.post("/trials/{trial_id}/known", dependencies=CHANGES)
def known(site: Here, visitor: Admin, trial_id: str, judgment: Annotated[str, Form()] = "") -> Response:
    """Say that the answer of a trial is known, or with an empty judgment no longer."""
    record = site.visible(visitor).trial(trial_id)
    set_known(site, visitor, record, _verdict(judgment) if judgment else None)
    return RedirectResponse(f"/trials/{trial_id}#reviews", 303)


def _verdict(word: str) -> Judgment:
    if word not in (Judgment.PASS, Judgment.FAIL):
        raise UsageError("this is no decision", field="judgment", found=word, allowed="pass, fail")
    return Judgment(word)
