"""Is every page quick, does the app bear a room full of reviewers, does the reward service keep up with runs?

    python -m benchmarks.web [--trials 100000] [--seconds 60] [--reviewers 50] [--only pages]

Pages: the processor time of the app for each, in this process, the median of seven after the first; other
work on the machine does not count. The first may say 202: the numbers are being made, and it is asked again.
Load: the server is a process of its own over a SQLite ledger; the load is made beside it on the same cores.
Reviewers take, look, save drafts and decide, with a pause of one to three seconds between verdicts, each in
a rhythm of their own, while readers ask for a mix of pages as fast as they can. Service: outputs per second
at saturation over those of `adjudge run` on the same outputs just before (`reward_service.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from adjudge.ledger import TrialEntry, open_ledger
from adjudge.web import ServeSettings, UserRole, Users, make_app
from adjudge.web.server import warm
from benchmarks.reward_service import service
from benchmarks.served import memory_mb, server, tree_sec, wait_until_idle
from support.trial_samples import annotation, trial

PAGES = ("/", "/trials", "/trials?sort=-reward&outcome=scored", "/tasks", "/task?id=circuits/task-1", "/runs")
MORE = (
    *(
        "/trials?sort=reward&agent=agent-1&annotated=false",
        "/trials?disagreement=true",
        "/trials?task=circuits/*",
    ),
    *("/trials?sort=oldest&min_reward=0.3&max_reward=0.4", "/trials/count", "/trials/count?agent=agent-1"),
    *("/compare", "/compare?a=agent-0&b=agent-1", "/agreement", "/adjudication", "/review", "/review/1"),
    *("/agreement/trials?a=verifier&b=p0&x=pass&y=fail", "/review/next?after=0", "/api/v1/metrics"),
    *("/api/v1/trials?limit=50", "/api/v1/tasks", "/api/v1/tasks/circuits/task-1"),
)
TASKS, EXPERIMENTS = 500, 20
PAUSE_SEC = 2.0
REVIEWING = ("next", "page", "draft", "verdict")
"""What a reviewer asks for, in this order."""


async def page_times(path: Path, token: str) -> None:
    """Milliseconds of processor time that each page takes."""
    with open_ledger(path, create=False) as ledger:
        app = make_app(ledger, ServeSettings(round_size=200))
        began = time.process_time()
        warm(app.state.site)
        print(f"  {time.process_time() - began:.1f} s to work out the first numbers of all")
        headers = {"authorization": f"Bearer {token}", "accept": "text/html"}
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers
        ) as client:
            some = (await client.get("/api/v1/trials?limit=1")).json()["trials"][0]["trial_id"]
            for place in (*PAGES, *MORE, f"/trials/{some}"):
                began = time.process_time()
                answer = await client.get(place)
                first = time.process_time() - began
                said = " 202" if answer.status_code == 202 else ""
                while answer.status_code == 202:
                    await asyncio.sleep(0.5)
                    answer = await client.get(place)
                took = []
                for _ in range(7):
                    began = time.process_time()
                    answer = await client.get(place)
                    took.append(time.process_time() - began)
                    assert answer.status_code in (200, 303), (place, answer.status_code)
                middle = 1000 * statistics.median(took)
                print(f"  {middle:7.1f} ms  (first {1000 * first:7.1f} ms{said})  {place[:60]}", flush=True)
        app.state.site.close()


def load(address: str, tokens: list[str], seconds: float, process: subprocess.Popen[bytes]) -> None:
    """Reviewers at work and readers beside them: requests, errors, the 99th percentile, memory."""
    end = time.monotonic() + seconds
    took: dict[str, list[float]] = {kind: [] for kind in (*REVIEWING, "read")}
    errors: Counter[str] = Counter()
    lock = threading.Lock()

    def timed(
        client: httpx.Client, kind: str, method: str, path: str, body: object = None
    ) -> httpx.Response | None:
        began = time.perf_counter()
        try:
            answer = client.request(method, path, json=body)
        except httpx.HTTPError as error:
            errors[type(error).__name__] += 1
            return None
        with lock:
            took[kind].append(time.perf_counter() - began)
            if answer.status_code >= 400:
                errors[f"{answer.status_code} {path}"] += 1
        return answer

    def review(token: str) -> None:
        headers = {"authorization": f"Bearer {token}", "accept": "text/html"}
        with httpx.Client(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
            number = 0
            pause = random.Random(token)  # noqa: S311 - no secret, a rhythm of their own
            time.sleep(pause.uniform(0, PAUSE_SEC))
            while time.monotonic() < end:
                found = timed(client, "next", "GET", f"/review/next?after={number}")
                number = (found.json()["number"] if found is not None else None) or number
                timed(client, "page", "GET", f"/review/{number}")
                timed(client, "draft", "PUT", f"/review/{number}/draft", {"notes": "so far"})
                body = {"judgment": ("pass", "fail")[number % 2], "submission": f"load-{number:06d}"}
                timed(client, "verdict", "POST", f"/review/{number}", body)
                time.sleep(pause.uniform(0.5, 1.5) * PAUSE_SEC)

    def read() -> None:
        headers = {"authorization": f"Bearer {tokens[0]}", "accept": "text/html"}
        with httpx.Client(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
            for path in itertools.cycle(PAGES):
                if time.monotonic() > end:
                    return
                timed(client, "read", "GET", path)

    before, spent = memory_mb(process), tree_sec(process)
    threads = [threading.Thread(target=review, args=(token,)) for token in tokens]
    threads += [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    middle = memory_mb(process)
    for thread in threads:
        thread.join()
    tell_times(took, seconds, tree_sec(process) - spent)
    print(f"  errors: {dict(errors) or 'none'}")
    print(f"  memory: {before:.0f} MB, {middle:.0f} MB half-way, {memory_mb(process):.0f} MB at the end")


def tell_times(took: dict[str, list[float]], seconds: float, spent: float) -> None:
    """How many requests of each kind there were, and how long they took."""
    print("               per second    median      99 %   longest")
    took = {"reviewers": [one for kind in REVIEWING for one in took[kind]], **took}
    for kind, found in took.items():
        ordered = sorted(found) or [0.0]
        shown = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99, 1.0))
        print(f"  {kind:10}   {len(found) / seconds:10.1f}" + "".join(f"{ms:7.0f} ms" for ms in shown))
    requests = len(took["reviewers"]) + len(took["read"])
    print(f"  {1000 * spent / requests:.1f} ms of processor time per request, background work included")


def sample(number: int, all_of_them: int) -> TrialEntry:
    """Trial `number` of a benchmark: many tasks, three agents, experiments one after the other."""
    return trial(
        number,
        task_id=f"circuits/task-{number % TASKS}",
        agent_name=f"agent-{number // TASKS % 3}",
        experiment=f"run-{number * EXPERIMENTS // all_of_them}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--reviewers", type=int, default=50)
    parser.add_argument("--outputs", type=int, default=1500)
    parser.add_argument("--only", choices=("pages", "load", "service"))
    wanted = parser.parse_args()
    os.environ.pop("ADJUDGE_LEDGER", None)
    parts = (wanted.only,) if wanted.only else ("pages", "load", "service")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "ledger.db"
        tokens = [] if parts == ("service",) else fill(path, wanted.trials, wanted.reviewers)
        if "pages" in parts:
            print(f"pages at {wanted.trials:,} trials")
            asyncio.run(page_times(path, tokens[0]))
        if "load" in parts:
            with server(path, "--round", "200") as (address, process):
                wait_until_idle(process)
                print(f"load: {wanted.reviewers} reviewers and 2 readers for {wanted.seconds:.0f} s")
                load(address, tokens, wanted.seconds, process)
        if "service" in parts:
            print("the reward service at saturation")
            service(home, wanted.outputs)


def fill(path: Path, trials: int, reviewers: int) -> list[str]:
    """A ledger with so many trials, some of them reviewed; the tokens of its reviewers."""
    with open_ledger(path) as ledger:
        for first in range(0, trials, 1000):
            ledger.record([sample(n, trials) for n in range(first, min(first + 1000, trials))])
        ledger.annotate_all(
            [
                (r.trial_id, annotation(f"p{k}", ("pass", "fail")[(n * 7 + k * n) % 3 % 2]))
                for n, r in enumerate(ledger.query(limit=1000).records)
                for k in range(2)
            ]
        )
        users = Users(ledger)
        tokens = []
        for number in range(reviewers):
            users.add(f"r{number}", UserRole.REVIEWER, password=None)
            tokens.append(users.make_token(f"r{number}")[1])
    return tokens


if __name__ == "__main__":
    main()
