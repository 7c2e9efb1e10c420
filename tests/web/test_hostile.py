"""Clients that are slow, too large or malformed are refused, and the server answers the next one."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from adjudge.ledger import open_ledger
from adjudge.web import UserRole, Users, server
from support.task_folders import write_task
from support.trial_samples import trial
from support.web_site import serving, settings

LONGEST = 1 << 20


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("hostile")
    write_task(place / "tasks" / "good")
    with open_ledger(place / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
        with serving(ledger, settings(tasks=place / "tasks", longest_body=LONGEST)) as made:
            yield made


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    """At the end the server still answers."""
    with httpx.Client(base_url=address, timeout=60, trust_env=False) as made:
        yield made
        assert made.get("/api/v1/health").status_code == 200


def connected(address: str) -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    made = socket.create_connection((host, int(port)), timeout=60)
    made.settimeout(60)
    return made


def closes(connection: socket.socket) -> bool:
    """Does the other end close the connection? Waits for it."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionError:
        pass
    return True


def test_headers_that_never_end_are_not_waited_for(
    address: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not those of a first request, nor those of one that follows on the same connection."""
    monkeypatch.setattr(server, "HEADER_SEC", 0.3)
    with connected(address) as first:
        first.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert closes(first)
    with connected(address) as second:
        second.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert second.recv(1 << 16).startswith(b"HTTP/1.1 200")
        second.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert closes(second)


def test_a_client_that_does_not_read_is_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for some megabytes and reads none of them."""
    monkeypatch.setattr(server, "READ_SEC", 0.3)
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n, stdout="x" * 20_000) for n in range(400)])
        with serving(ledger) as address, connected(address) as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.sendall(b"GET /api/v1/trials.jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            lost, waited = False, time.monotonic()
            while not lost and time.monotonic() - waited < 60:
                time.sleep(0.1)
                try:
                    lazy.send(b"GET /")
                except ConnectionError:
                    lost = True
            assert lost
            assert httpx.get(f"{address}/api/v1/health").status_code == 200


def test_a_body_that_never_ends_is_refused(tmp_path: Path) -> None:
    with (
        open_ledger(tmp_path / "l.db") as ledger,
        serving(ledger, settings(body_sec=0.3)) as address,
        connected(address) as slow,
    ):
        slow.sendall(
            b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b'Content-Length: 100\r\n\r\n{"task"'
        )
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 408")
        assert httpx.get(f"{address}/api/v1/health").status_code == 200


def test_an_upload_that_is_too_large_is_refused_with_or_without_its_length(client: httpx.Client) -> None:
    large = b"x" * (LONGEST + 1)
    path = "/api/v1/score/upload"
    files = {"output": ("a.json", large)}
    assert client.post(path, data={"task": "good"}, files=files).status_code == 413
    head = b'--x\r\nContent-Disposition: form-data; name="output"; filename="a"\r\n\r\n'
    pieces = iter([head, *[large[: LONGEST // 2]] * 3])
    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post(path, content=pieces, headers=headers).status_code == 413
    body = {"task": "good", "text": large.decode()}
    assert client.post("/api/v1/score", json=body).status_code == 413


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"\xff\xfe", 422),
        (b"[" * 100_000, 400),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, 400),
        (b'{"task": "good", "text": "\\ud800"}', 400),
        (b'{"task": "good", "text": NaN}', 422),
    ],
)
def test_json_that_makes_no_sense_is_refused(client: httpx.Client, content: bytes, status: int) -> None:
    answer = client.post("/api/v1/score", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert set(answer.json()) == {"error", "status"}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/..%2f..%2fsettings.py",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/trials/..%2f..%2fetc%2fpasswd",
        "/trials/%00",
        "/task?id=../../etc/passwd",
        "/api/v1/tasks/../../../etc/passwd",
        "/api/v1/tasks/%00",
    ],
)
def test_a_path_leads_nowhere_else(address: str, client: httpx.Client, path: str) -> None:
    """Sent as it is: a client would tidy it up."""
    with connected(address) as plain:
        plain.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        text = b""
        while part := plain.recv(1 << 16):
            text += part
    assert text.startswith(b"HTTP/1.1 404")
    assert b"root:" not in text


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/9.9",
        b"GET  / HTTP/1.1",
        b"\x00\x01\x02",
        b"GET /\xff HTTP/1.1",
        b"GET http://evil/ HTTP/1.1",
    ],
)
def test_what_is_no_request_is_no_danger(address: str, client: httpx.Client, line: bytes) -> None:
    with connected(address) as plain:
        plain.sendall(line + b"\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        text = b""
        while part := plain.recv(1 << 16):
            text += part
    assert not text.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("cookie", [b"x", b"\x7f", b"a" * 5000, b"\xe4", b";;=", b'"', b"%00", b"a=b=c; ; ="])
def test_a_cookie_that_makes_no_sense_is_nobody(cookie: bytes, tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        Users(ledger).add("ada", UserRole.VIEWER, password=None)
        with serving(ledger) as made, httpx.Client(base_url=made, timeout=60) as client:
            for name in (b"adjudge-session=", b"adjudge-csrf=", b""):
                answer = client.get("/trials", headers={b"cookie": name + cookie})
                assert answer.status_code == 401
            assert client.get("/log-in").status_code == 200
