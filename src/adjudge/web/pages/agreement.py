"""Agreement: reviewers against each other and the verifier, and what people would say of all trials."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from adjudge.ledger import TrialFilter
from adjudge.web.access.visitor import Visitor
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import render
from adjudge.web.queries.cache import KeptAnswer
from adjudge.web.queries.raters import Ratings, rater_tables, read_ratings, trials_in_cell
from adjudge.web.site import Site

router = APIRouter()
MOST = 200


@router.get("/agreement", response_class=HTMLResponse)
def agreement(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """The tables."""
    visible = site.visible(visitor)
    ratings = _ratings(site, visitor)
    tables = site.answers.ask(
        ("raters", visible.hidden), lambda: rater_tables(_ratings(site, visitor).value, site.book)
    )
    report = site.report(visitor, TrialFilter())
    return render(
        request,
        "agreement.html.j2",
        tables=tables.value,
        reviewed=len(ratings.value),
        agreement=report.value.agreement,
        as_of=tables.row,
    )


@router.get("/agreement/trials", response_class=HTMLResponse)
def cell(request: Request, site: Here, visitor: Viewer, a: str, b: str, x: str, y: str) -> HTMLResponse:
    """The trials behind one cell of a table."""
    found = trials_in_cell(_ratings(site, visitor).value, a, b, x, y)
    visible = site.visible(visitor)
    return render(
        request,
        "agreement_trials.html.j2",
        a=a,
        b=b,
        x=x,
        y=y,
        total=len(found),
        records=[visible.trial(trial_id) for trial_id in found[:MOST]],
    )


def _ratings(site: Site, visitor: Visitor) -> KeptAnswer[Ratings]:
    visible = site.visible(visitor)
    return site.answers.ask(
        ("ratings", visible.hidden), lambda: read_ratings(site.ledger, visible, site.book)
    )
