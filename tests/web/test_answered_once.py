"""A request with an Idempotency-Key is answered once, however many servers share the ledger."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Desk, Ledger, open_ledger
from adjudge.web.api import once
from adjudge.web.api.once import SentKey, UnderWay, answer_once
from adjudge.web.service import ServiceBusy
from support.task_folders import write_task

SCRIPT = "#!/bin/bash\necho '{\"reward\": 0.75}' > /logs/verifier/reward.json\n"


@contextmanager
def served(ledger: str, tasks: Path) -> Iterator[str]:
    """The address of a server that is a process of its own."""
    command = [sys.executable, "-m", "adjudge", "serve", "--ledger", ledger, "--tasks", str(tasks)]
    command += ["--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ), text=True) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.search(r"http://\S+(?=/ )", said)
            assert found, said
            yield found[0]
        finally:
            process.kill()


def test_two_servers_score_a_request_once(ledger_url: str, tmp_path: Path) -> None:
    """Eight programs send each of five requests to two servers until they have its answer."""
    write_task(tmp_path / "tasks" / "one", script=SCRIPT)
    open_ledger(ledger_url).close()
    answers: dict[str, list[bytes]] = {f"key-{n}": [] for n in range(5)}
    statuses: set[int] = set()

    def ask(address: str) -> None:
        with httpx.Client(base_url=address, timeout=120, trust_env=False) as client:
            for key, found in answers.items():
                body = {"task": "one", "text": f'{{"answer": "{key}"}}'}
                while True:
                    answer = client.post("/api/v1/score", json=body, headers={"idempotency-key": key})
                    statuses.add(answer.status_code)
                    if answer.status_code not in (409, 429):
                        break
                    time.sleep(0.05)
                found.append(answer.content)

    with ExitStack() as servers:
        addresses = [servers.enter_context(served(ledger_url, tmp_path / "tasks")) for _ in range(2)]
        threads = [threading.Thread(target=ask, args=(addresses[n % 2],)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        scored = [
            int(
                re.findall(r"adjudge_scored_total (\d+)", httpx.get(f"{a}/api/v1/metrics", timeout=60).text)[
                    0
                ]
            )
            for a in addresses
        ]
    assert statuses <= {200, 409, 429}
    assert [len(found) for found in answers.values()] == [8] * 5
    assert all(len(set(found)) == 1 for found in answers.values())
    assert sum(scored) == 5


def test_who_asks_meanwhile_is_told_so_and_then_gets_the_answer(ledger: Ledger) -> None:
    made: list[int] = []

    async def work() -> tuple[str, str]:
        done = asyncio.Event()
        begun = asyncio.Event()

        async def make() -> object:
            begun.set()
            await done.wait()
            made.append(1)
            return {"text": "é" * (1 << 20)}

        def ask(request: bytes = b"a") -> asyncio.Task[str]:
            wanted = answer_once(Desk(ledger), "ada", "k", request, check=lambda: None, make=make)
            return asyncio.create_task(wanted)

        first = ask()
        await begun.wait()
        with pytest.raises(UnderWay):
            await ask()
        with pytest.raises(UsageError, match="another request"):
            await ask(b"b")
        done.set()
        answers = (await first, await ask())
        with pytest.raises(UsageError, match="another request"):
            await ask(b"b")
        return answers

    first, again = asyncio.run(work())
    assert first == again
    assert len(first) > 1 << 20
    assert made == [1]


def test_a_request_that_comes_to_nothing_may_be_sent_again_at_once(ledger: Ledger) -> None:
    async def fail() -> object:
        raise ServiceBusy(1, 1.0)

    async def answer() -> object:
        return {"reward": 1.0}

    def no_room() -> None:
        raise ServiceBusy(2, 1.0)

    async def ask(make: object = answer, check: object = lambda: None) -> str:
        return await answer_once(Desk(ledger), "ada", "k", b"a", check=check, make=make)  # type: ignore[arg-type]  # any of the above

    for _ in range(2):
        with pytest.raises(ServiceBusy):
            asyncio.run(ask(fail))
    with pytest.raises(ServiceBusy):
        asyncio.run(ask(answer, no_room))
    assert asyncio.run(ask()) == '{"reward":1.0}'
    assert asyncio.run(ask(fail, no_room)) == '{"reward":1.0}'


def test_a_killed_server_blocks_no_key_and_a_late_one_gives_the_same_answer(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(ledger)
    first, second = (SentKey("k", "ada", "digest", claim) for claim in ("one", "two"))
    desk.together(first.take)
    desk.together(first.take)  # a server that lives renews its claim
    with pytest.raises(UnderWay):
        desk.together(second.take)
    with monkeypatch.context() as over:
        over.setattr(once, "CLAIM_SEC", -1.0)
        desk.together(first.take)
    assert desk.together(second.take) is None
    desk.together(first.give_back)  # it is not the first one's any more
    with pytest.raises(UnderWay):
        desk.together(first.take)
    assert desk.together(lambda drawer: first.keep(drawer, "early")) == "early"
    assert desk.together(lambda drawer: second.keep(drawer, "late")) == "early"
    desk.together(second.give_back)
    assert desk.together(second.take) == "early"
