"""The person or program behind a request, as every query and page sees them, and what they may do.

Three roles, each of which may do what those before it may:

viewer     reads trials, tasks, reports, comparisons; never a hold-out task
reviewer   also reviews and tags trials, decides if others disagree, scores outputs; sees hold-out tasks
admin      also sets known answers and reads the log of access
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

LOCAL_USER = "local"


class UserRole(StrEnum):
    """What somebody may do; the later ones may do more."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    def may(self, needed: UserRole) -> bool:
        """Is this role enough for what needs that one?"""
        order = list(UserRole)
        return order.index(self) >= order.index(needed)

    @property
    def sees_hold_out(self) -> bool:
        """May it see tasks that are held out?"""
        return self is not UserRole.VIEWER


class Visitor(Struct, frozen=True):
    """Who asks. `name` is what stands in an annotation; it comes from the log-in and from nowhere else."""

    name: str
    role: UserRole
    discipline: str | None = None
    session: str | None = None
    """The session's id; None for a token and for the one local user."""


LOCAL = Visitor(LOCAL_USER, UserRole.ADMIN)
"""The one user of a server that only this machine can reach."""
