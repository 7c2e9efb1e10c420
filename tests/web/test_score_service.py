"""The reward service: real verifiers, bounded, honest when full, and never a zero for a broken machine."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from adjudge.client import AsyncClient, Client
from adjudge.client.answers import wait_of
from adjudge.errors import UsageError
from adjudge.gates import AgentOutput
from adjudge.ledger import Ledger, open_ledger
from adjudge.scoring import score_output
from adjudge.web.service import ScoreService, ServiceBusy, check_paths
from support.task_folders import write_task
from support.web_site import serving, settings

API = "/api/v1/score"
GOOD = "#!/bin/bash\necho '{\"reward\": 0.75}' > /logs/verifier/reward.json\n"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    root = tmp_path / "tasks"
    write_task(root / "good", script=GOOD)
    write_task(root / "silent", script="#!/bin/bash\ntrue\n")
    return root


def test_outputs_are_scored_alone_in_batches_and_as_files(tasks: Path, tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger, serving(ledger, settings(tasks=tasks)) as address:
        with Client(address) as client:
            one = client.score("good", text='{"a": 1}', key="first")
            again = client.score("good", text='{"a": 1}', key="first")
            many = client.score_texts([("good", "{}"), ("silent", "{}")])
            files = client.score("good", files={"answer.json": b"{}", "more/notes.txt": b"x"})
        with httpx.Client(base_url=address) as plain:
            other = plain.post(API, json={"task": "good", "text": "x"}, headers={"idempotency-key": "first"})
            sent = plain.post(
                f"{API}/upload", data={"task": "good"}, files={"output": ("../../etc/x", b"{}")}
            )

        async def ask() -> float | None:
            async with AsyncClient(address) as client:
                return (await client.score("good", text="{}")).reward

        assert asyncio.run(ask()) == 0.75
    assert (one.reward, one.status) == (0.75, "scored")
    assert again == one
    assert other.status_code == 400
    assert sent.json()["reward"] == 0.75
    assert files.status == "scored"
    assert [(a.reward, a.status) for a in many] == [(0.75, "scored"), (None, "machinery failed")]
    assert many[1].evaluation is not None


REFUSED: tuple[tuple[dict[str, object], int], ...] = (
    ({"task": "good"}, 400),
    ({"task": "good", "text": "x", "files": {}}, 400),
    ({"task": "good", "files": {"../x": "a"}}, 400),
    ({"task": "good", "files": {"/etc/passwd": "a"}}, 400),
    ({"task": "good", "files": {"a": "x", "a/b": "y"}}, 400),
    ({"task": "good", "files": {"a/b": "x", "./a": "y"}}, 400),
    ({"task": "good", "files": {"\u00e9" * 150: "x"}}, 400),
    ({"task": "good", "files_base64": {"a": "%%%"}}, 400),
    ({"task": "good", "files_base64": {"a": "\u00e9"}}, 400),
    ({"task": "../good", "text": "x"}, 404),
    ({"outputs": []}, 422),
    ({"task": "good", "text": "x", "more": 1}, 422),
)


def test_what_cannot_be_scored_is_refused(tasks: Path, tmp_path: Path) -> None:
    with (
        open_ledger(tmp_path / "l.db") as ledger,
        serving(ledger, settings(tasks=tasks)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        for body, status in REFUSED:
            assert client.post(API, json=body).status_code == status, body
        batch = {"outputs": [{"task": "good", "text": "x"}, {"task": "good", "text": 5}]}
        assert client.post(API, json=batch).json()["error"]["field"] == "batch.outputs.1.text"


def test_a_full_queue_says_when_to_come_back_and_loses_nothing(ledger: Ledger) -> None:
    small = ScoreService(ledger, settings(workers=1, score_queue=2))
    small.take(3)
    with pytest.raises(ServiceBusy) as busy:
        small.take(1)
    assert busy.value.retry_after >= 1
    assert small.refused == 1
    small.give_back(3)
    small.take(3)
    small.close()


def test_at_saturation_every_request_is_answered_or_refused(tasks: Path, tmp_path: Path) -> None:
    """Twelve at once for three places: each gets a reward or 429, and after that the queue is empty again."""
    answers: list[httpx.Response] = []
    small = settings(tasks=tasks, workers=1, score_queue=2)
    with open_ledger(tmp_path / "l.db") as ledger, serving(ledger, small) as address:

        def ask() -> None:
            with httpx.Client(base_url=address, timeout=120) as client:
                answers.append(client.post(API, json={"task": "good", "text": "{}"}))

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with httpx.Client(base_url=address) as client:
            assert "adjudge_score_in_flight 0\n" in client.get("/api/v1/metrics").text
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 429}
    assert len(statuses) == 12
    assert all(a.json()["reward"] == 0.75 for a in answers if a.status_code == 200)
    assert all(int(a.headers["retry-after"]) >= 1 for a in answers if a.status_code == 429)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "a/../b",
        "/a",
        "a\0",
        "a\\b",
        "./a",
        "a/",
        "a//b",
        "a/.",
        "x" * 501,
        "a/" + "b" * 201,
        "\u00e9" * 101,
    ],
)
def test_a_path_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check_paths({name: b""})


def test_a_client_waits_for_a_full_queue_as_long_as_its_timeout() -> None:
    """However often it is refused; each time a little longer than it was told."""
    told = {"retry-after": "2"}
    waited, waits = 0.0, 0
    while (wait := wait_of(told, waited, 60.0)) is not None:
        assert 2.0 <= wait <= 3.0
        waited += wait
        waits += 1
    assert 20 <= waits <= 30
    assert waited <= 60.0
    assert wait_of({}, 0.0, 60.0) is None


def test_more_clients_than_places_get_all_their_rewards(tasks: Path, tmp_path: Path) -> None:
    """Six programs for one place: each is refused again and again, and none gives up."""
    rewards: list[float | None] = []
    small = settings(tasks=tasks, workers=1, score_queue=0)
    with open_ledger(tmp_path / "l.db") as ledger, serving(ledger, small) as address:

        def ask() -> None:
            with Client(address) as client:
                rewards.append(client.score("good", text="{}").reward)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert rewards == [0.75] * 6


def test_what_nobody_foresaw_costs_one_output_only(
    tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others of a batch have their rewards, and it has none."""

    def fail_or_score(task: Any, output: AgentOutput, sandbox: Any) -> Any:
        if output.info.size_bytes == len("[{}]"):
            raise RuntimeError("a bug")
        return score_output(task, output, sandbox)

    monkeypatch.setattr("adjudge.web.service.score_output", fail_or_score)
    with (
        open_ledger(tmp_path / "l.db") as ledger,
        serving(ledger, settings(tasks=tasks)) as address,
        Client(address) as client,
    ):
        first, second = client.score_texts([("good", "{}"), ("good", "[{}]")])
    assert (first.status, first.reward) == ("scored", 0.75)
    assert (second.status, second.reward) == ("machinery failed", None)
    assert second.problem is not None
    assert "unexpected" in second.problem.what
