"""An error as an answer: its status, and its parts as JSON for programs or as a page for people."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from adjudge.errors import AdjudgeError, LedgerError, MachineryError, Problem
from adjudge.web.access.who import NotAllowed, NotKnown
from adjudge.web.queries.cache import StillWorking
from adjudge.web.queries.visible import NotThere

_STATUS: tuple[tuple[type[AdjudgeError], int], ...] = (
    (NotThere, 404),
    (NotKnown, 401),
    (NotAllowed, 403),
    (LedgerError, 503),
    (MachineryError, 503),
)


def status_of(error: AdjudgeError) -> int:
    """The HTTP status of an error; what a caller got wrong is 400."""
    own = getattr(error, "status", None)
    if isinstance(own, int):
        return own
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


def answer_problem(
    request: Request, status: int, problem: Problem, headers: Mapping[str, str] | None = None
) -> Response:
    """`{"error": {what, file, field, found, allowed, remedy}, "status": n}`, or a page that says the same."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": problem.as_json(), "status": status}, status, headers=headers)
    if status == 401 and request.method == "GET":
        from urllib.parse import urlencode

        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/log-in?{urlencode({'next': asked})}", 303)
    from adjudge.web.pages.page import render

    name = "working.html.j2" if status == StillWorking.status else "problem.html.j2"
    page = render(request, name, status=status, problem=problem)
    page.headers.update(headers or {})
    return page
