"""Run the app: open the ledger, bind the address, serve until stopped."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import AdjudgeError, MissingExtra, UsageError
from adjudge.ledger import TrialFilter, open_ledger
from adjudge.web.access.visitor import UserRole, Visitor
from adjudge.web.memory import bound_pages, share_one_heap
from adjudge.web.settings import ServeSettings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Config

    from adjudge.ledger import Ledger
    from adjudge.web.site import Site

HEADER_SEC = 15.0
"""How long a client may take to send the headers of a request."""
READ_SEC = 60.0
"""How long a client may take to read what waits for it."""
MOST_CONNECTIONS = 512
CHECKPOINT_SEC = 5.0
SWITCH_SEC = 0.0005
"""How long a thread computes before another may. Every statement of a database lets others go on, and whoever
wants to continue after it waits so long for each that computes: with Python's 5 ms, pages that take ten
statements wait for a page that takes none."""


def serve(
    ledger: str | Path | None,
    settings: ServeSettings,
    *,
    blobs: str | None = None,
    announce: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a ledger until a signal ends it; `announce` is told the address once it is taken.

    UsageError if the address needs what is not there, or cannot be had.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("web", needed_for="the review app") from None
    from adjudge.web.access.users import Users
    from adjudge.web.app import make_app

    share_one_heap()
    with open_ledger(ledger, create=False, blobs=blobs) as opened:
        if not settings.is_local and not Users(opened).any():
            raise UsageError(
                "beyond this machine there must be users, and there are none",
                field="--name" if settings.names else "--host",
                found=list(settings.names) or settings.host,
                remedy="Add one: adjudge users add NAME --role admin. On 127.0.0.1 none are needed.",
            )
        app = make_app(opened, settings)
        opened.database.checkpoint_apart()
        bound_pages(opened)
        with take_address(settings) as listening:
            threading.Thread(target=warm, args=(app.state.site,), daemon=True).start()
            announce(url_of(listening))
            with _checkpoints(opened), _quick_switches():
                uvicorn.Server(configure(app, settings)).run(sockets=[listening])


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Threads take turns often while the server runs, and as before when it has ended."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SEC)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _checkpoints(ledger: Ledger) -> Iterator[None]:
    """Write the ledger's log back every few seconds, in a thread, so that no verdict waits for that."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(CHECKPOINT_SEC):
            with suppress(AdjudgeError):  # whoever writes is told
                ledger.database.checkpoint()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def take_address(settings: ServeSettings) -> socket.socket:
    """A socket that listens where the settings say. UsageError if another program has it, or nobody can."""
    try:
        found = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(found[0][4][:2], family=found[0][0], backlog=2048)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise UsageError(
            "this address cannot be served on",
            field="--host and --port",
            found=f"{settings.host} port {settings.port}: {why or error}",
            remedy="If another program has the port, name another; --port 0 takes a free one.",
        ) from None


def url_of(listening: socket.socket) -> str:
    """What to type into a browser on this machine."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"  # noqa: S104 - as above
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def warm(site: Site) -> None:
    """Make the answers that the first pages ask for, so that nobody waits for a million trials."""
    from adjudge.web.pages.overview import WAITING
    from adjudge.web.pages.page import compile_templates

    compile_templates()
    for role in (UserRole.ADMIN, UserRole.VIEWER):
        with suppress(AdjudgeError):  # whoever asks for the page is told
            visitor = Visitor("nobody", role)
            site.report(visitor, TrialFilter())
            site.tasks(visitor, TrialFilter())
            site.ratings(visitor)
            site.names(visitor)
            for wanted in WAITING.values():
                site.count(visitor, wanted)
            site.runs(visitor)
    with suppress(AdjudgeError):
        site.pool()


def configure(app: FastAPI, settings: ServeSettings) -> Config:
    """How uvicorn serves it: bounded connections, patient with nobody, quiet."""
    from uvicorn import Config

    return Config(
        app,
        host=settings.host,
        port=settings.port,
        http=_patient_protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )


def _patient_protocol() -> type[asyncio.Protocol]:
    """uvicorn's, but patient with nobody for ever.

    A client that does not finish the headers of a request, its first or a later one, is sent away, and so is
    one that asks for much and does not read it: while it waits, it holds a snapshot of the ledger open.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Patient(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._asked = self.loop.call_later(HEADER_SEC, self._send_away)
            self._read: asyncio.TimerHandle | None = None

        def data_received(self, data: bytes) -> None:
            waiting = self._between_requests()
            super().data_received(data)
            if self._between_requests() and not self.transport.is_closing():
                if not waiting or self._asked.cancelled():
                    self._asked = self.loop.call_later(HEADER_SEC, self._send_away)
            else:
                self._asked.cancel()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._read = self.loop.call_later(READ_SEC, self._send_away)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._read is not None:
                self._read.cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            self._asked.cancel()
            if self._read is not None:
                self._read.cancel()
            super().connection_lost(exc)

        def _between_requests(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _send_away(self) -> None:
            if not self.transport.is_closing():
                self.transport.abort()

    return Patient
