"""What the reward service scores becomes a trial if it says whose it is: once, and failures as failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from adjudge.client import Client
from adjudge.contracts import Outcome, outcome_of
from adjudge.ledger import Ledger, TrialFilter, open_ledger
from support.task_folders import write_task
from support.web_site import serving, settings

GOOD = "#!/bin/bash\necho '{\"reward\": 0.75}' > /logs/verifier/reward.json\n"
WHOSE = {"experiment": "training", "agent": "ant", "model": "m-1"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Ledger, str]]:
    write_task(tmp_path / "tasks" / "good", script=GOOD)
    write_task(tmp_path / "tasks" / "silent", script="#!/bin/bash\ntrue\n")
    with open_ledger(tmp_path / "l.db") as ledger:
        wanted = settings(tasks=tmp_path / "tasks", workers=1, score_sec=30.0)
        with serving(ledger, wanted) as address:
            yield ledger, address


def test_an_output_that_says_whose_it_is_becomes_a_trial(served: tuple[Ledger, str]) -> None:
    ledger, address = served
    with Client(address) as client:
        plain = client.score("good", text='{"a": 1}')
        first = client.score("good", text='{"a": 1}', record=WHOSE)
        again = client.score("good", text='{"a": 1}', record=WHOSE)
        second = client.score("good", text='{"a": 1}', record={**WHOSE, "attempt": 2})
        files = client.score("good", files={"answer.json": b"{}"}, record=WHOSE)
    assert plain.trial_id is None
    assert (first.trial_id, first.reward) == (again.trial_id, again.reward)
    assert len({first.trial_id, second.trial_id, files.trial_id}) == 3
    assert first.trial_id is not None
    record = ledger.get(first.trial_id)
    assert (record.experiment, record.agent.name, record.agent.model) == ("training", "ant", "m-1")
    assert record.evaluation.reward == 0.75
    assert record.metadata == {"sent_by": "local"}
    assert ledger.count(TrialFilter()) == 3
    assert len(ledger.history(first.trial_id)) == 1
    blob = ledger.output_blob(first.trial_id)
    assert blob is not None
    assert ledger.blob(blob) == b'{"a": 1}'
    assert ledger.verify().intact


def test_a_machinery_failure_is_recorded_as_one_and_tried_again(served: tuple[Ledger, str]) -> None:
    ledger, address = served
    with Client(address) as client:
        first = client.score("silent", text="{}", record=WHOSE)
        again = client.score("silent", text="{}", record=WHOSE)
    assert (first.status, first.reward, first.trial_id) == ("machinery failed", None, again.trial_id)
    assert first.trial_id is not None
    records = ledger.history(first.trial_id)
    assert [outcome_of(r.evaluation) for r in records] == [Outcome.MACHINERY_FAILED] * 2


def test_a_name_that_cannot_be_one_is_refused(served: tuple[Ledger, str]) -> None:
    ledger, address = served
    for whose in (
        {},
        {"experiment": "x"},
        {**WHOSE, "agent": ""},
        {**WHOSE, "attempt": 0},
        {**WHOSE, "n": 1},
    ):
        body = {"task": "good", "text": "{}", "record": whose}
        assert httpx.post(f"{address}/api/v1/score", json=body, timeout=60).status_code == 422
    assert ledger.count(TrialFilter()) == 0


def test_an_upload_with_a_key_is_scored_once(served: tuple[Ledger, str]) -> None:
    _, address = served
    with httpx.Client(base_url=address, timeout=120) as client:

        def send(data: bytes) -> httpx.Response:
            return client.post(
                "/api/v1/score/upload",
                data={"task": "good"},
                files={"output": ("a.json", data)},
                headers={"idempotency-key": "k-1"},
            )

        first, again, other = send(b"{}"), send(b"{}"), send(b"[]")
        assert first.json() == again.json()
        assert other.status_code == 400
        assert "adjudge_scored_total 1\n" in client.get("/api/v1/metrics").text


def test_a_request_waits_a_bounded_time(tmp_path: Path) -> None:
    """The verifier takes longer than the request may; the place in the queue is given back when it ends."""
    script = "#!/bin/bash\nsleep 2\necho '{\"reward\": 1.0}' > /logs/verifier/reward.json\n"
    write_task(tmp_path / "tasks" / "slow", script=script)
    wanted = settings(tasks=tmp_path / "tasks", workers=1, score_sec=0.2)
    with open_ledger(tmp_path / "l.db") as ledger, serving(ledger, wanted) as address:
        body = {"outputs": [{"task": "slow", "text": "{}"}] * 3}
        answer = httpx.post(f"{address}/api/v1/score", json=body, timeout=60)
        assert answer.status_code == 504
        assert answer.json()["error"]["what"] == "this was not scored in time"
