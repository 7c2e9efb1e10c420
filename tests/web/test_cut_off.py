"""What ends in the middle: a stream whose reader may read no longer, and a server that is stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from adjudge.contracts import TrialRecord
from adjudge.errors import LedgerError
from adjudge.ledger import Ledger, open_ledger
from adjudge.web import UserRole, Users
from support.patience import wait_until
from support.trial_samples import trial
from support.web_site import asking

STREAM = "/api/v1/trials.jsonl"


def test_a_stream_is_cut_off_when_its_token_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle: what was sent until then has no end, so nobody takes it for all there is."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(300)])
        Users(ledger).add("ada", UserRole.VIEWER, password=None)
        key, token = Users(ledger).make_token("ada")
    iterate = Ledger.iterate

    def taking_back(self: Ledger, *wanted: Any, **more: Any) -> Iterator[TrialRecord]:
        for place, record in enumerate(iterate(self, *wanted, **more)):
            if place == 150:
                Users(self).revoke_token(key)
            yield record

    with asking(tmp_path / "l.db", authorization=f"Bearer {token}") as (client, _):
        assert len(client.get(STREAM).text.splitlines()) == 300
        monkeypatch.setattr(Ledger, "iterate", taking_back)
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(STREAM)
        assert client.get(STREAM).status_code == 401


def test_a_stream_is_cut_off_when_the_ledger_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    iterate = Ledger.iterate

    def failing(self: Ledger, *wanted: Any, **more: Any) -> Iterator[TrialRecord]:
        for place, record in enumerate(iterate(self, *wanted, **more)):
            if place == 150:
                raise LedgerError("the disk failed")
            yield record

    with asking(tmp_path / "l.db") as (client, ledger):
        ledger.record([trial(n) for n in range(300)])
        monkeypatch.setattr(Ledger, "iterate", failing)
        lines: list[str] = []
        with client.stream("GET", STREAM) as answer, pytest.raises(httpx.RemoteProtocolError):
            lines.extend(answer.iter_lines())
        assert json.loads(lines[-1])["error"]["what"] == "the disk failed"
        assert client.get("/api/v1/health").status_code == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_verdict_is_lost_or_doubled_by_servers_that_are_stopped(
    tmp_path: Path, how: signal.Signals
) -> None:
    """Three reviewers send what got no answer once more, as browsers do; their server is stopped twice."""
    path = tmp_path / "l.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(n) for n in range(40)])
        users = Users(ledger)
        for name in ("ada", "bob", "eve"):
            users.add(name, UserRole.REVIEWER, password=None)
        tokens = {name: users.make_token(name)[1] for name in ("ada", "bob", "eve")}
    port = _free_port()
    done: Counter[str] = Counter()

    def review(name: str, token: str) -> None:
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False) as client:
            for number in range(1, 9):
                _until_answered(client, "GET", f"/review/next?after={number - 1}")
                sent = {"judgment": "pass", "submission": f"submission-{number}"}
                _until_answered(client, "POST", f"/review/{number}", sent)
                done[name] += 1

    threads = [threading.Thread(target=review, args=pair, daemon=True) for pair in tokens.items()]
    server = _serve(path, port)
    try:
        for thread in threads:
            thread.start()
        for enough in (5, 14):
            assert wait_until(lambda enough=enough: done.total() >= enough)  # type: ignore[misc]
            server.send_signal(how)
            server.wait()
            server = _serve(path, port)
        for thread in threads:
            thread.join()
    finally:
        server.kill()
        server.wait()
    with open_ledger(path, create=False) as ledger:
        said = Counter(a.reviewer_id for r in ledger.iterate() for a in r.evaluation.annotations or ())
        assert said == dict.fromkeys(tokens, 8)
        assert len(list(ledger.attached("review"))) == 24
        assert sum(len(ledger.annotations(r.trial_id)) for r in ledger.iterate()) == 24
        assert ledger.verify().intact


def _until_answered(client: httpx.Client, method: str, path: str, body: object = None) -> None:
    def ask() -> bool:
        try:
            return client.request(method, path, json=body, timeout=60).status_code == 200
        except httpx.TransportError:
            return False

    assert wait_until(ask), path


def _serve(path: Path, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "adjudge", "serve", "--ledger", str(path), "--port", str(port)]
    return subprocess.Popen(command, env={**os.environ, "ADJUDGE_TRACEBACK": "1"})


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
