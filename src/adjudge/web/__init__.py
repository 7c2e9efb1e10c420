"""The review app and the HTTP API: what a server shows of a ledger, and what people add to it.

`settings` says what is served, `site` holds it open, `guard` stands at the door, `access` knows the roles,
`queries` is the one way to the ledger's trials (and hides what a role may not see), `showing` makes agents'
files safe to look at, `review` draws and records reviews, `pages` and `api` are thin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.web.access.users import Users
    from adjudge.web.access.visitor import UserRole
    from adjudge.web.app import make_app
    from adjudge.web.server import serve
    from adjudge.web.settings import ServeSettings

__all__ = ["ServeSettings", "UserRole", "Users", "make_app", "serve"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "access.visitor": ("UserRole",),
        "access.users": ("Users",),
        "app": ("make_app",),
        "server": ("serve",),
        "settings": ("ServeSettings",),
    },
)
