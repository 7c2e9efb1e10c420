"""`adjudge serve` says where it is, and why it cannot be there."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from adjudge.errors import UsageError
from adjudge.ledger import open_ledger
from adjudge.web.server import take_address, url_of
from adjudge.web.settings import ServeSettings
from support.command_line import run_adjudge


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    path = tmp_path / "l.db"
    open_ledger(path).close()
    return str(path)


def test_a_free_port_is_named_before_anybody_asks_and_ctrl_c_ends_it(ledger: str) -> None:
    command = [sys.executable, "-m", "adjudge", "serve", "--ledger", ledger, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ), text=True) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.fullmatch(r"serving at (http://127\.0\.0\.1:\d+/) until Ctrl-C\n", said)
            assert found, said
            # 202 is an answer, too: on a busy machine the first page may say that it is being worked out.
            assert httpx.get(found[1], timeout=60).status_code in (200, 202)
            process.send_signal(signal.SIGINT)
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


def test_a_port_that_is_taken_is_said_in_words(ledger: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run_adjudge("serve", "--ledger", ledger, "--port", port)
    assert done.code == 2
    assert f"127.0.0.1 port {port}: Address already in use" in done.stderr
    assert "--port 0 takes a free one" in done.stderr


def test_a_host_that_is_none_is_said_in_words() -> None:
    with pytest.raises(UsageError, match=r"no\.such\.host\.invalid port 8600"):
        take_address(ServeSettings(host="no.such.host.invalid"))


def test_the_address_is_one_that_a_browser_can_open() -> None:
    with take_address(ServeSettings(host="0.0.0.0", port=0)) as listening:  # noqa: S104 - what is tested
        assert url_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}/"
