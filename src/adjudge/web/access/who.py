"""Who sends a request, and whether they may: the one place where a role is asked for.

A route says what it needs with `Viewer`, `Reviewer` or `Admin`; a test walks every route and role. Somebody
is known by a token in the Authorization header or by the cookie of a session. On a server that only this
machine can reach, and that has no users, everybody is the one local user.

What changes something and comes with a cookie must also bring the page's token, which only our pages can
read.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request

from adjudge.errors import UsageError
from adjudge.web.access.visitor import LOCAL, UserRole, Visitor
from adjudge.web.site import Site

SESSION_COOKIE = "adjudge-session"
PAGE_COOKIE = "adjudge-csrf"
KEPT_COOKIE = "adjudge-kept"
"""Under which name a browser keeps what was typed: it belongs to one reviewer and one ledger."""
PAGE_HEADER = "x-csrf-token"


class NotKnown(UsageError):  # noqa: N818 - names a state, and is read as one
    """Nobody is logged in, and this needs somebody."""


class NotAllowed(UsageError):  # noqa: N818 - names a state, and is read as one
    """Somebody is logged in whose role is not enough."""


def site_of(request: Request) -> Site:
    """The site that the app serves."""
    found: Site = request.app.state.site
    return found


async def _site(request: Request) -> Site:
    """The same for a route: awaited, because everything else is handed to a thread of its own."""
    return site_of(request)


def visitor_of(request: Request) -> Visitor:
    """Who asks. NotKnown if that needs a log-in."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is None:
        known = request.state.visitor = find_visitor(request)
    return known


def find_visitor(request: Request) -> Visitor:
    """Who asks, looked up now. NotKnown if that needs a log-in."""
    site = site_of(request)
    header = request.headers.get("authorization", "")
    found: Visitor | None = None
    if header:
        kind, _, token = header.partition(" ")
        found = site.users.by_token(token.strip()) if kind.lower() == "bearer" else None
    else:
        session = request.cookies.get(SESSION_COOKIE)
        found = site.users.by_session(session) if session else None
        # a browser also sends the cookies of other servers on this machine: they say nothing here
        if found is None and site.is_for_one():
            return LOCAL
    if found is None:
        raise NotKnown(
            "nobody is logged in, or no longer",
            remedy="Log in, or send a token: Authorization: Bearer adjudge_...",
        )
    return found


def page_token(site: Site, visitor: Visitor) -> str:
    """The token that pages of this visitor bring along."""
    owner = visitor.session or visitor.name
    return hmac.new(site.page_secret, owner.encode(), hashlib.sha256).hexdigest()[:32]


def kept_name(site: Site, visitor: Visitor) -> str:
    """The same for a reviewer in every session; another for others, and over another ledger."""
    return hmac.new(site.page_secret, f"kept\n{visitor.name}".encode(), hashlib.sha256).hexdigest()[:16]


def need(role: UserRole) -> Callable[[Request], Visitor]:
    """The check itself; `needed_role` tells a test what a route asks for."""

    def check(request: Request) -> Visitor:
        visitor = visitor_of(request)
        if not visitor.role.may(role):
            raise NotAllowed(
                f"this needs the role {role.value}",
                field=visitor.name,
                found=visitor.role,
                remedy="Ask whoever runs this server: adjudge users add gives roles.",
            )
        return visitor

    check.needed_role = role  # type: ignore[attr-defined]
    return check


async def from_our_page(request: Request) -> None:
    """Refuses a change that a browser sends with its cookies, but not from a page of ours.

    A program sends a token or, on this machine, nothing of a browser's: neither can be made to by a page.
    """
    is_browser = "cookie" in request.headers or "origin" in request.headers
    if not is_browser or request.headers.get("authorization"):
        return
    given: Any = request.headers.get(PAGE_HEADER)
    if given is None and "form" in request.headers.get("content-type", ""):
        given = (await request.form()).get("csrf")
    wanted = page_token(site_of(request), visitor_of(request))
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise NotAllowed(
            "this request does not come from a page of this server", remedy="Load the page again."
        )


Here = Annotated[Site, Depends(_site)]
Viewer = Annotated[Visitor, Depends(need(UserRole.VIEWER))]
Reviewer = Annotated[Visitor, Depends(need(UserRole.REVIEWER))]
Admin = Annotated[Visitor, Depends(need(UserRole.ADMIN))]
CHANGES = [Depends(from_our_page)]
"""The dependencies of every route that changes something."""
