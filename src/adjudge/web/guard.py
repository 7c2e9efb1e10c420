"""What stands before every request: names, origins, sizes, time, and the headers of every answer.

A page elsewhere can make a visitor's browser send requests here, and by DNS rebinding even read the answers.
So the Host header must be a name that was configured, and whatever changes something must come from a page of
ours: its Origin, if a browser sends one, is the address that was asked. A page elsewhere may lead here by a
link, and load nothing. A body is bounded in size and time, and so are all that are held at once.

Every answer forbids scripts, styles and frames from anywhere but here; no inline script or style runs.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from msgspec import Struct

from adjudge.errors import Problem
from adjudge.web.settings import ServeSettings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


TOGETHER = 4
"""How many of the longest bodies are held at once: many clients that send much must not fill the memory."""


class _Refused(Exception):  # noqa: N818 - names a state, and is read as one
    """A body that is larger or slower than allowed."""


class CutOff(Exception):  # noqa: N818 - names a state, and is read as one
    """An answer that has begun cannot go on: the connection is broken, so that nobody takes it for whole."""


class _Progress(Struct):
    """How far a request is: whether its answer has begun, and why its body was refused, if it was."""

    begun: bool = False
    refusal: tuple[int, Problem] | None = None
    held: int = 0
    """How much of its body was taken in."""


class Guard:
    """ASGI middleware: refuses before anything of ours looks at a request."""

    def __init__(
        self, app: Asgi, settings: ServeSettings, counts: Counter[tuple[str, int]] | None = None
    ) -> None:
        self.app = app
        self.settings = settings
        self._counts = Counter() if counts is None else counts
        self._held = 0
        """Bytes of the bodies of all requests that are under way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        send = self._counted(scope["method"], send)
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        progress = _Progress()
        try:
            await self.app(scope, self._bounded(receive, progress), _with_headers(send, progress))
        except CutOff:
            return  # the server closes a connection whose answer has no end
        except _Refused:
            if not progress.begun and progress.refusal is not None:
                await _answer(send, *progress.refusal)
        finally:
            self._held -= progress.held

    def _counted(self, method: str, send: Send) -> Send:
        word = method if method in _METHODS else "OTHER"

        async def counting(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self._counts[word, message["status"]] += 1
            await send(message)

        return counting

    def _refusal(self, method: str, headers: MutableMapping[str, str]) -> tuple[int, Problem] | None:
        host = headers.get("host", "")
        if host_name(host) not in self.settings.allowed_hosts:
            return 421, Problem(
                "this server does not answer to this name",
                field="Host",
                found=host,
                remedy="Start it with --name NAME if browsers should reach it so.",
            )
        if method not in SAFE_METHODS and not _same_site(headers, host):
            return 403, Problem(
                "this request comes from a page of another site", field="Origin", found=headers.get("origin")
            )
        if not _from_here_or_followed(headers):
            return 403, Problem(
                "a page of another site loads this", field="Sec-Fetch-Site", found=headers["sec-fetch-site"]
            )
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return 400, Problem("this is no length", field="Content-Length", found=length)
        if int(length) > self.settings.longest_body:
            return 413, Problem(
                "the request is too large",
                field="Content-Length",
                found=int(length),
                allowed=f"up to {self.settings.longest_body} bytes",
            )
        return None

    def _bounded(self, receive: Receive, progress: _Progress) -> Receive:
        longest = self.settings.longest_body
        deadline = asyncio.get_running_loop().time() + self.settings.body_sec
        whole = False

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal whole
            if whole:  # what follows the body is the end of the connection, whenever that is
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                progress.refusal = 408, Problem("the request did not arrive in time")
                raise _Refused from None
            if message["type"] == "http.request":
                size = len(message.get("body", b""))
                progress.held += size
                self._held += size
                whole = not message.get("more_body", False)
                if progress.held > longest:
                    progress.refusal = (
                        413,
                        Problem("the request is too large", allowed=f"up to {longest} bytes"),
                    )
                elif self._held > TOGETHER * longest:
                    progress.refusal = (
                        503,
                        Problem("too many large requests at once", remedy="Send it again in a while."),
                    )
                if progress.refusal is not None:
                    raise _Refused
            return message

        return bounded


def host_name(host: str) -> str:
    """The name in a Host header, without its port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _same_site(headers: MutableMapping[str, str], host: str) -> bool:
    """Does this come from a page of ours, or from no page at all?"""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


def _from_here_or_followed(headers: MutableMapping[str, str]) -> bool:
    """Is this asked for by a page of ours, by no page at all, or because somebody followed a link?

    What a page elsewhere loads as a picture, a frame or a stream it cannot read, but on this machine nobody
    logs in, and a review page that is loaded claims a trial.
    """
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return True
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _with_headers(send: Send, progress: _Progress) -> Send:
    """Adds our headers. Whoever reads a body and takes its refusal for a fault of its own is overruled."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if progress.refusal is not None and not progress.begun:
            progress.begun = True
            await _answer(send, *progress.refusal)
        if progress.refusal is not None:
            return
        if message["type"] == "http.response.start":
            progress.begun = True
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in there),
            ]
        await send(message)

    return sending


async def _answer(send: Send, status: int, problem: Problem) -> None:
    body = json.dumps({"error": problem.as_json(), "status": status}).encode()
    headers = {**HEADERS, "content-type": "application/json", "connection": "close"}
    packed = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": packed})
    await send({"type": "http.response.body", "body": body})
