"""Compare: two agents on the tasks that both tried."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter
from adjudge.reports import html
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import render

router = APIRouter()


@router.get("/compare", response_class=HTMLResponse)
def compare(
    request: Request, site: Here, visitor: Viewer, a: str = "", b: str = "", experiment: str = ""
) -> HTMLResponse:
    """The comparison of two agents; a form until both are chosen."""
    names = [group.name for group in site.report(visitor, TrialFilter(), patience=site.patience).value.groups]
    wanted = TrialFilter(experiment=experiment) if experiment else TrialFilter()
    found = problem = None
    if a and b:
        value = site.comparison(visitor, wanted, (a, b), patience=site.patience).value
        found, problem = (None, value.problem) if isinstance(value, UsageError) else (value, None)
    return render(
        request,
        "compare.html.j2",
        names=names,
        a=a or (names[0] if names else ""),
        b=b or (names[1] if len(names) > 1 else ""),
        experiment=experiment,
        experiments=[run.experiment for run in site.runs(visitor, patience=site.patience)],
        found=found,
        problem=problem,
        **(html.section_names(found) if found is not None else {}),
    )
