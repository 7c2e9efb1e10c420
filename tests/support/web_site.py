"""The app over a small ledger, served for real on a free port of this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from adjudge.ledger import Ledger, open_ledger
from adjudge.web import ServeSettings, make_app
from adjudge.web.server import configure
from support.patience import wait_until

HTML = {"accept": "text/html"}


def settings(**changes: Any) -> ServeSettings:
    """The usual settings on a free port, with changes."""
    return ServeSettings(**{"port": 0, "patience_sec": 60.0, **changes})


@contextmanager
def serving(ledger: Ledger, wanted: ServeSettings | None = None) -> Iterator[str]:
    """The address of a server over this ledger, in a thread."""
    made = wanted or settings()
    server = uvicorn.Server(configure(make_app(ledger, made), made))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        assert wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def asking(
    path: Path | str, wanted: ServeSettings | None = None, **headers: str
) -> Iterator[tuple[httpx.Client, Ledger]]:
    """A client of a server over this ledger, and the ledger."""
    with (
        open_ledger(path) as ledger,
        serving(ledger, wanted) as address,
        httpx.Client(base_url=address, headers={**HTML, **headers}, trust_env=False, timeout=60) as client,
    ):
        yield client, ledger
