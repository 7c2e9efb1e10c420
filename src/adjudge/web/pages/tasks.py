"""Tasks: how each does; and one task with its certificate, distribution, failures and trials."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from adjudge.contracts import Outcome
from adjudge.ledger import Sort, TrialFilter
from adjudge.reports import html
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import address, render
from adjudge.web.queries.numbers import verdict_of
from adjudge.web.queries.visible import NotThere
from adjudge.web.showing.text import render_markdown

router = APIRouter()
PAGE = 100


@router.get("/tasks", response_class=HTMLResponse)
def tasks(
    request: Request,
    site: Here,
    visitor: Viewer,
    q: Annotated[str, Query(max_length=500)] = "",
    first: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
) -> HTMLResponse:
    """The list of tasks, the hardest first, a page at a time; `q` is a part of their names."""
    answer = site.tasks(visitor, TrialFilter(), patience=site.patience)
    found = [one for one in answer.value if q.casefold() in one.task.casefold()]
    return render(
        request,
        "tasks.html.j2",
        tasks=found[first : first + PAGE],
        total=len(found),
        q=q,
        first=first,
        following=address("/tasks", q=q, first=first + PAGE) if first + PAGE < len(found) else None,
        outcomes=[o.value for o in Outcome],
        as_of=answer.row,
    )


@router.get("/task", response_class=HTMLResponse)
def task(request: Request, site: Here, visitor: Viewer, id: str) -> HTMLResponse:  # noqa: A002 - the query's own word
    """One task."""
    visible = site.visible(visitor)
    wanted = TrialFilter(task=id)
    if not visible.sees(id):
        raise NotThere("no trial is of this task", found=id)
    answer = site.report(visitor, wanted, patience=site.patience)
    found = site.shelf.get(id)
    if not answer.value.trials and found is None:
        raise NotThere("no trial is of this task", found=id)
    newest = visible.page(wanted, sort=Sort.NEWEST, limit=20, after=None)
    digest = found.digest if found is not None else _digest(answer.value)
    certificate = None if digest is None else site.ledger.certificate(digest)
    return render(
        request,
        "task.html.j2",
        **html.report_names(answer.value),
        id=id,
        task=found,
        instruction=render_markdown(found.instruction) if found is not None else "",
        certificate=certificate,
        verdict=verdict_of(certificate),
        newest=newest.records,
        wanted=wanted,
        as_of=answer.row,
    )


def _digest(report: Any) -> str | None:
    digests = [digest for row in report.tasks for digest in row.digests]
    return digests[-1] if digests else None
