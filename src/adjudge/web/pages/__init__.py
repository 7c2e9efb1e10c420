"""What people look at: thin routes that ask the site and fill a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """The routes of every page."""
    from adjudge.web.pages import (
        adjudication,
        agreement,
        compare,
        log_in,
        overview,
        review,
        runs,
        tasks,
        trial,
        trials,
    )

    modules = (log_in, overview, trials, trial, tasks, compare, runs, review, agreement, adjudication)
    return [module.router for module in modules]
