"""Who sends a request, and whether they may: the one place where a role is asked for.

A route says what it needs with `needs(UserRole.X)`; a test walks every route and role. On a server that only
this machine can reach, everybody is the one local user.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request

from adjudge.errors import UsageError
from adjudge.web.access.roles import UserRole
from adjudge.web.access.visitor import LOCAL, Visitor
from adjudge.web.site import Site


class NotKnown(UsageError):  # noqa: N818 - names a state, and is read as one
    """Nobody is logged in, and this needs somebody."""


class NotAllowed(UsageError):  # noqa: N818 - names a state, and is read as one
    """Somebody is logged in whose role is not enough."""


def site_of(request: Request) -> Site:
    """The site that the app serves."""
    found: Site = request.app.state.site
    return found


def visitor_of(request: Request) -> Visitor:
    """Who asks. NotKnown if that needs a log-in."""
    site_of(request)
    return LOCAL


def needs(role: UserRole) -> Any:
    """A parameter default: the visitor, whose role is at least this."""
    return Depends(need(role))


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


Here = Annotated[Site, Depends(site_of)]
Viewer = Annotated[Visitor, needs(UserRole.VIEWER)]
Reviewer = Annotated[Visitor, needs(UserRole.REVIEWER)]
Admin = Annotated[Visitor, needs(UserRole.ADMIN)]
