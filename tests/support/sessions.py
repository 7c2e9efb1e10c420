"""A session that is started and, whatever happens, stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from adjudge.sandbox.session import Session


@asynccontextmanager
async def started_session(**options: Any) -> AsyncIterator[Session]:
    session = Session(**options)
    await session.start()
    try:
        yield session
    finally:
        await session.stop()
