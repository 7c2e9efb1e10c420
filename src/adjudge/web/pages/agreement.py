"""Agreement: reviewers, judges and the verifier against each other, and what people would say of the rest."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from adjudge.ledger import TrialFilter
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import address, render

router = APIRouter()
PAGE = 50
Word = Annotated[str, Query(max_length=500)]


@router.get("/agreement", response_class=HTMLResponse)
def agreement(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """The tables."""
    rated = site.ratings(visitor, patience=site.patience)
    report = site.report(visitor, TrialFilter(), patience=site.patience)
    return render(
        request,
        "agreement.html.j2",
        tables=rated.value,
        reviewed=len(rated.value.trials),
        agreement=report.value.agreement,
        as_of=rated.row,
    )


@router.get("/agreement/trials", response_class=HTMLResponse)
def cell(
    request: Request,
    site: Here,
    visitor: Viewer,
    a: Word,
    b: Word,
    x: Word,
    y: Word,
    first: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
) -> HTMLResponse:
    """The trials behind one cell of a table."""
    found = site.ratings(visitor, patience=site.patience).value.in_cell(a, b, x, y)
    visible = site.visible(visitor)
    found = [one for one in found if one.trial_id not in visible.waiting]
    part = [one.number for one in found[first : first + PAGE]]
    records = visible.numbered(part)
    more = first + PAGE
    return render(
        request,
        "agreement_trials.html.j2",
        a=a,
        b=b,
        x=x,
        y=y,
        total=len(found),
        records=[records[number] for number in part if number in records],
        following=address("/agreement/trials", a=a, b=b, x=x, y=y, first=more) if more < len(found) else None,
    )
