"""Runs: what is being recorded, live by server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, StreamingResponse

from adjudge.contracts import Outcome
from adjudge.web.access.who import Here, NotKnown, Viewer, find_visitor
from adjudge.web.pages.page import render

router = APIRouter()
BEAT_SEC = 1.0
MOST_SEC = 600.0
"""After this long a stream ends; the browser begins a new one."""
MOST_RUNS = 100


@router.get("/runs", response_class=HTMLResponse)
def runs(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """The page; the rows fill themselves."""
    found = site.runs(visitor, patience=site.patience)
    return render(request, "runs.html.j2", runs=found[:MOST_RUNS], outcomes=[o.value for o in Outcome])


@router.get("/runs/events")
async def events(request: Request, site: Here, visitor: Viewer) -> StreamingResponse:
    """A line whenever something was recorded; a comment in between, so that a broken line is noticed.

    Each beat asks again who this is: a stream of somebody who was removed ends.
    """

    def look() -> str | None:
        try:
            found = site.runs(find_visitor(request))
        except NotKnown:
            return None
        return json.dumps([run.as_json() for run in found[:MOST_RUNS]])

    async def lines() -> AsyncIterator[str]:
        before = ""
        for _ in range(int(MOST_SEC / BEAT_SEC)):
            text = await asyncio.to_thread(look)
            if text is None:
                return
            yield f"data: {text}\n\n" if text != before else ": nothing new\n\n"
            before = text
            await asyncio.sleep(BEAT_SEC)

    return StreamingResponse(lines(), media_type="text/event-stream")
