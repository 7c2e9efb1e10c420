"""The HTTP API under /api/v1: the ledger for programs, and a service that scores outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """The routes of the API, the busiest first."""
    from adjudge.web.api import machine, numbers, score, tasks, trials

    return [module.router for module in (score, trials, machine, tasks, numbers)]
