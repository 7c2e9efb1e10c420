"""Overview: agents with intervals and coverage, experiments, what happened last, what waits for review."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from adjudge.ledger import Sort, TrialFilter
from adjudge.reports import html
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import render

router = APIRouter()
WAITING = {
    "not reviewed": TrialFilter(annotated=False),
    "people and reward disagree": TrialFilter(disagreement=True),
    "verifier suspected": TrialFilter(outcome="suspected"),
    "machinery failed": TrialFilter(outcome="machinery failed"),
}
"""What waits for people."""


@router.get("/", response_class=HTMLResponse)
def overview(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """The first page."""
    visible = site.visible(visitor)
    answer = site.report(visitor, TrialFilter(), patience=site.patience)
    waits = {
        name: (wanted, site.count(visitor, wanted, patience=site.patience).value)
        for name, wanted in WAITING.items()
    }
    newest = visible.page(TrialFilter(), sort=Sort.NEWEST, limit=8, after=None)
    return render(
        request,
        "overview.html.j2",
        **html.report_names(answer.value),
        as_of=answer.row,
        runs=site.runs(visitor, patience=site.patience)[:12],
        newest=newest.records,
        waits=waits,
        location=site.ledger.location,
    )
