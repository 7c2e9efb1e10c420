"""Health, metrics, and the log of access."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import PlainTextResponse

from adjudge._version import __version__
from adjudge.ledger import head_row, new_attachments
from adjudge.web.access.users import LOG_KIND
from adjudge.web.access.who import Admin, Here, Viewer
from adjudge.web.api.shapes import MOST_LIMIT, api_router

router = api_router()


@router.get("/health")
def health(site: Here) -> dict[str, Any]:
    """Is the server alive and the ledger readable? Needs no log-in, and says nothing about the ledger."""
    head_row(site.ledger)
    return {"status": "ok", "version": __version__}


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(site: Here, visitor: Viewer) -> PlainTextResponse:
    """For Prometheus: the score service, requests, and where the chain stands."""
    service = site.service
    lines = [
        *_metric(
            "adjudge_ledger_row", "gauge", "The newest row of the ledger's chain.", head_row(site.ledger)
        ),
        *_metric("adjudge_score_workers", "gauge", "Outputs scored at once.", service.workers),
        *_metric("adjudge_score_in_flight", "gauge", "Outputs scored now or waiting.", service.taken),
        *_metric("adjudge_score_room", "gauge", "The most outputs that may wait or be scored.", service.room),
        *_metric("adjudge_scored_total", "counter", "Outputs with an evaluation.", service.scored),
        *_metric("adjudge_score_failed_total", "counter", "Outputs the machinery failed on.", service.failed),
        *_metric("adjudge_score_refused_total", "counter", "Outputs refused with 429.", service.refused),
        *_metric("adjudge_score_seconds_total", "counter", "Time spent scoring.", f"{service.busy_sec:.3f}"),
    ]
    lines += [
        "# HELP adjudge_requests_total Requests by method and status.",
        "# TYPE adjudge_requests_total counter",
    ]
    for (method, status), count in sorted(site.requests.items()):
        lines.append(f'adjudge_requests_total{{method="{method}",status="{status}"}} {count}')
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _metric(name: str, kind: str, words: str, value: object) -> tuple[str, ...]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}", f"{name} {value}"


@router.get("/log")
def read_log(
    site: Here,
    visitor: Admin,
    after: Annotated[int, Query(ge=0, le=1 << 62)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_LIMIT)] = 100,
) -> dict[str, Any]:
    """Who logged in, and who was given or lost access, from the chain; pass the last `row` as `after`."""
    rows = new_attachments(site.ledger, [LOG_KIND], after, head_row(site.ledger))[:limit]
    return {"log": [{"row": row.row, **row.document} for row in rows]}
