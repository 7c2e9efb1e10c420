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

    modules = (review, overview, trials, trial, tasks, compare, runs, agreement, adjudication, log_in)
    return [module.router for module in modules]
