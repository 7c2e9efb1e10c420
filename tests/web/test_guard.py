"""What stands at the door: names, origins, sizes, time."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from adjudge.web import ServeSettings
from adjudge.web.guard import TOGETHER, Guard, host_name
from support.web_site import asking, settings


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "[::2]:80"])
def test_a_name_that_is_not_ours_gets_nothing(host: str, tmp_path: Path) -> None:
    """DNS rebinding: a page of another name that resolves to this machine."""
    with asking(tmp_path / "l.db") as (client, _):
        answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"]["field"] == "Host"


@pytest.mark.parametrize("host", ["127.0.0.1:8600", "localhost", "LOCALHOST:1", "[::1]:8600"])
def test_loopback_has_its_names(host: str, tmp_path: Path) -> None:
    with asking(tmp_path / "l.db") as (client, _):
        assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_changes_nothing(headers: dict[str, str], tmp_path: Path) -> None:
    with asking(tmp_path / "l.db") as (client, _):
        answer = client.post("/trials", headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.json()["error"]["what"]


@pytest.mark.parametrize(
    ("mode", "dest", "status"),
    [
        ("no-cors", "image", 403),
        ("cors", "empty", 403),
        ("navigate", "iframe", 403),
        ("navigate", "document", 200),
    ],
)
def test_another_site_leads_here_and_loads_nothing(mode: str, dest: str, status: int, tmp_path: Path) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    with asking(tmp_path / "l.db") as (client, _):
        assert client.get("/trials", headers=headers).status_code == status


def test_a_body_is_bounded_whether_or_not_it_says_its_length(tmp_path: Path) -> None:
    with asking(tmp_path / "l.db", settings(longest_body=1000)) as (client, _):
        assert client.post("/trials", content=b"x" * 1001).status_code == 413
        pieces = [b"x" * 600, b"x" * 600]
        form = {"content-type": "application/x-www-form-urlencoded"}
        assert client.post("/log-in", content=iter(pieces), headers=form).status_code == 413
        assert client.post("/trials", content=iter(pieces)).status_code == 405  # nobody reads this body


def asked(settings: ServeSettings, messages: list[MutableMapping[str, Any]], *, reads: bool = True) -> int:
    """The status that a request made of these messages gets; after the last one nothing comes."""
    sent: list[MutableMapping[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while reads and (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> MutableMapping[str, Any]:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)
        return {}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")]}
    asyncio.run(Guard(app, settings)(scope, receive, send))
    return int(sent[0]["status"])


def test_a_body_in_pieces_is_counted() -> None:
    piece = {"type": "http.request", "body": b"x" * 600, "more_body": True}
    assert asked(settings(longest_body=1000), [dict(piece), dict(piece)]) == 413
    assert asked(settings(longest_body=1000), [{"type": "http.request", "body": b"x"}]) == 200


def test_bodies_are_bounded_together() -> None:
    """Four of the longest are held; a fifth is refused, and let in once one of them is done."""
    scope = {"type": "http", "method": "POST", "headers": [(b"host", b"127.0.0.1")]}
    longest = 1000

    async def work() -> list[int]:
        done = asyncio.Event()
        read: asyncio.Queue[None] = asyncio.Queue()
        statuses: list[int] = []

        async def app(_: Any, receive: Any, send: Any) -> None:
            await receive()
            read.put_nowait(None)
            await done.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        guard = Guard(app, ServeSettings(longest_body=longest))

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": b"x" * longest}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        held = [asyncio.create_task(guard(dict(scope), receive, send)) for _ in range(TOGETHER)]
        for _ in held:
            await read.get()
        await guard(dict(scope), receive, send)
        done.set()
        await asyncio.gather(*held)
        await guard(dict(scope), receive, send)
        return statuses

    assert asyncio.run(work()) == [503, *[200] * TOGETHER, 200]


def test_a_slow_client_is_sent_away() -> None:
    begun = {"type": "http.request", "body": b"x", "more_body": True}
    assert asked(settings(body_sec=0.05), [begun]) == 408


def test_names_of_hosts() -> None:
    assert [host_name(h) for h in ("A:80", "[::1]:80", "a")] == ["a", "::1", "a"]


@pytest.mark.parametrize(
    ("host", "names", "local"),
    [
        ("127.0.0.1", (), True),
        ("localhost", (), True),
        ("192.0.2.1", (), False),
        ("127.0.0.1", ("a",), False),
    ],
)
def test_what_only_this_machine_can_reach(host: str, names: tuple[str, ...], local: bool) -> None:
    assert ServeSettings(host=host, names=names).is_local is local
