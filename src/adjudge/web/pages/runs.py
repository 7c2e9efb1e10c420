"""Runs: what is being recorded, as it is recorded, by server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, StreamingResponse

from adjudge.contracts import Outcome
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import render

router = APIRouter()
BEAT_SEC = 1.0
MOST_SEC = 600.0
"""After this long a stream ends; the browser begins a new one, and is asked again who it is."""


@router.get("/runs", response_class=HTMLResponse)
def runs(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """The page; the rows fill themselves."""
    found = site.activity.by_experiment(site.visible(visitor).sees)
    return render(request, "runs.html.j2", runs=found[:100], outcomes=[o.value for o in Outcome])


@router.get("/runs/events")
async def events(request: Request, site: Here, visitor: Viewer) -> StreamingResponse:
    """A line whenever something was recorded; a comment in between, so that a broken line is noticed."""
    sees = site.visible(visitor).sees

    async def lines() -> AsyncIterator[str]:
        before = ""
        for _ in range(int(MOST_SEC / BEAT_SEC)):
            found = await asyncio.to_thread(site.activity.by_experiment, sees)
            text = json.dumps([run.as_json() for run in found[:100]])
            yield f"data: {text}\n\n" if text != before else ": nothing new\n\n"
            before = text
            await asyncio.sleep(BEAT_SEC)

    return StreamingResponse(lines(), media_type="text/event-stream")
