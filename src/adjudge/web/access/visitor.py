"""The person or program behind a request, as every query and page sees them."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.web.access.roles import UserRole

LOCAL_USER = "local"


@dataclass(frozen=True)
class Visitor:
    """Who asks. `name` is what stands in an annotation; it comes from the log-in and from nowhere else."""

    name: str
    role: UserRole
    discipline: str | None = None
    session: str | None = None
    """The session's id; None for a token and for the one local user."""


LOCAL = Visitor(LOCAL_USER, UserRole.ADMIN)
"""The one user of a server that only this machine can reach."""
