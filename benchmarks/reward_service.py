"""Does the reward service keep up with `adjudge run` on the same outputs? Part of `benchmarks.web`.

More askers than the queue has room for ask at once, each over a connection of its own, for one output after
the other; who is refused waits as long as it was told to, a second at most, and asks again. They share the
cores with the server, so they are lean: sockets and as much of HTTP as this needs. What they cost is told.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from adjudge.ledger import open_ledger
from benchmarks.served import server, tree_sec, wait_until_idle
from support.task_folders import write_task

ASKERS = 96
"""Programs that ask for a reward at once: more than the queue of the service has room for."""
_LONGEST_WAIT_SEC = 1.0


def service(home: Path, outputs: int) -> None:
    """The reward service at saturation against `adjudge run`, with all that both start."""
    run, run_sec = run_them(home, outputs)
    with open_ledger(home / "service.db"):
        pass
    with server(home / "service.db", "--tasks", str(home / "tasks")) as (address, process):
        asyncio.run(ask_all(address, 1, Asked()))  # the first output of all finds a sandbox
        wait_until_idle(process)
        spent, own = tree_sec(process), own_sec()
        began = time.perf_counter()
        asked = Asked()
        asyncio.run(ask_all(address, outputs, asked))
        rate = outputs / (time.perf_counter() - began)
        server_sec = (tree_sec(process) - spent) / outputs
        own = (own_sec() - own) / outputs
    print(f"  {rate:.1f} outputs per second, {rate / run:.2f} of adjudge run's {run:.1f}")
    print(
        f"  processor time per output: {1000 * server_sec:.2f} ms, of adjudge run {1000 * run_sec:.2f} ms, "
        f"of those who ask {1000 * own:.2f} ms"
    )
    assert asked.answered == outputs, "a request was lost"
    assert asked.refused or outputs < ASKERS, "the queue was never full"
    print(f"  {asked.answered} of {outputs} answered, {asked.refused} times 429")


def run_them(home: Path, outputs: int) -> tuple[float, float]:
    """Outputs per second of `adjudge run`, and the processor time of one."""
    write_task(home / "tasks" / "one")
    lines = []
    for number in range(outputs):
        file = home / f"{number}.json"
        file.write_text(f'{{"answer": {number}}}', encoding="utf-8")
        row = {"task": "tasks/one", "output": file.name, "agent": "a", "attempt": number + 1}
        lines.append(json.dumps(row))
    manifest = home / "manifest.jsonl"
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "adjudge", "run", str(manifest), "--experiment", "bench", "--no-cache"]
    before = _seconds(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run([*command, "--ledger", str(home / "run.db")], check=True, capture_output=True)
    took = time.perf_counter() - began
    return outputs / took, (_seconds(resource.RUSAGE_CHILDREN) - before) / outputs


@dataclass
class Asked:
    """What came of all requests."""

    answered: int = 0
    refused: int = 0
    left: list[int] = field(default_factory=list)


async def ask_all(address: str, outputs: int, asked: Asked) -> None:
    """Have so many outputs scored."""
    asked.left = list(range(outputs))
    await asyncio.gather(*(_ask(address, asked) for _ in range(min(ASKERS, outputs))))


async def _ask(address: str, asked: Asked) -> None:
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    while asked.left:
        body = json.dumps({"task": "one", "text": f'{{"answer": {asked.left.pop()}}}'}).encode()
        request = (
            f"POST /api/v1/score HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        while True:
            writer.write(request)
            status, headers, answer = await _answer(reader)
            if status != 429:
                break
            asked.refused += 1
            await asyncio.sleep(min(_LONGEST_WAIT_SEC, float(headers["retry-after"])))
        assert status == 200, answer
        assert json.loads(answer)["reward"] == 1.0, answer
        asked.answered += 1
    writer.close()
    await writer.wait_closed()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, await reader.readexactly(int(headers["content-length"]))


def own_sec() -> float:
    """Processor time of this process so far."""
    return _seconds(resource.RUSAGE_SELF)


def _seconds(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
