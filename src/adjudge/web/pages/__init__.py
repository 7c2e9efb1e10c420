"""What people look at: thin routes that ask the site and fill a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """The routes of every page."""
    from adjudge.web.pages import compare, overview, runs, tasks, trial, trials

    return [module.router for module in (overview, trials, trial, tasks, compare, runs)]
