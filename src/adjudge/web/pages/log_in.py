"""Log in and out. The pages' token is not asked for here: the Origin of a log-in was checked at the door."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from adjudge.errors import UsageError
from adjudge.web.access.users import SESSION_SEC
from adjudge.web.access.who import CHANGES, SESSION_COOKIE, Here, Viewer
from adjudge.web.pages.page import render

router = APIRouter()


class TooOften(UsageError):  # noqa: N818 - names a state, and is read as one
    """Too many failures; `retry_after` says how many seconds to wait."""

    status = 429

    def __init__(self, seconds: float) -> None:
        super().__init__("too many failed log-ins", remedy=f"Try again in {math.ceil(seconds)} s.")
        self.retry_after = math.ceil(seconds)


@router.get("/log-in", response_class=HTMLResponse)
def log_in_page(request: Request, next: str = "/") -> HTMLResponse:  # noqa: A002 - the query's own word
    """The form."""
    return render(request, "log_in.html.j2", next=_inside(next), failed=False)


@router.post("/log-in", response_class=HTMLResponse)
def log_in(
    request: Request,
    site: Here,
    name: Annotated[str, Form(max_length=64)],
    password: Annotated[str, Form(max_length=1000)],
    next: Annotated[str, Form(max_length=2000)] = "/",  # noqa: A002 - the form's own word
) -> Response:
    """Check a name and a password; a session begins, or the form comes back."""
    place = request.client.host if request.client else "nowhere"
    keys = (f"name {name}", f"from {place}")
    if wait := site.attempts.begin(*keys):
        raise TooOften(wait)
    found = site.users.by_password(name, password)
    if found is None:
        # a name that is nobody's may be a password in the wrong field, and the log is for ever
        site.users.log("log-in failed", name if site.users.knows(name) else "an unknown name", by=place)
        return render(request, "log_in.html.j2", status=401, next=_inside(next), failed=True)
    site.attempts.succeeded(*keys)
    session = site.users.begin_session(found.name)
    site.users.log("logged in", found.name, by=found.name)
    answer = RedirectResponse(_inside(next), 303)
    answer.set_cookie(
        SESSION_COOKIE,
        session,
        max_age=int(SESSION_SEC),
        httponly=True,
        samesite="strict",
        secure=site.settings.behind_tls,
        path="/",
    )
    return answer


@router.post("/log-out", dependencies=CHANGES)
def log_out(site: Here, visitor: Viewer) -> Response:
    """End the session."""
    if visitor.session is not None:
        site.users.end_session(visitor.session)
        site.users.log("logged out", visitor.name, by=visitor.name)
    answer = RedirectResponse("/log-in", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def _inside(address: str) -> str:
    """An address of ours; anything that leads elsewhere becomes the first page."""
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_ours else "/"
