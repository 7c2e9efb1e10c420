"""Three roles, each of which may do what those before it may.

viewer     reads trials, tasks, reports, comparisons; never a hold-out task
reviewer   also reviews and tags trials, decides if others disagree, scores outputs; sees hold-out tasks
admin      also sets known answers and reads the log of access
"""

from __future__ import annotations

from enum import StrEnum


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
