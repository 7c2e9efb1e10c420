"""`adjudge serve` as a process of its own, and what it uses: for the parts of `benchmarks.web`."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server(ledger: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`adjudge serve` as a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "adjudge", "serve", "--ledger", str(ledger)]
    command += ["--port", str(port), *options]
    process = subprocess.Popen(command)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield address, process
    finally:
        process.terminate()
        process.wait()


def memory_mb(process: subprocess.Popen[bytes]) -> float:
    """What the server holds in memory now."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def tree_sec(process: subprocess.Popen[bytes]) -> float:
    """Processor time of a process and of all that it started and has waited for."""
    parts = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, parts[11:15])) / os.sysconf("SC_CLK_TCK")


def wait_until_idle(process: subprocess.Popen[bytes]) -> None:
    """Until a server that has just started has made what its first pages ask for."""
    spent = -1.0
    while tree_sec(process) > spent + 0.05:
        spent = tree_sec(process)
        time.sleep(1)
