"""The API: what it answers, in one shape when it refuses, and that annotating moves no reward."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.client import ApiError, Client
from adjudge.contracts import TrialRecord
from adjudge.ledger import Ledger, open_ledger
from support.report_ledgers import make_full
from support.web_site import asking, serving

API = "/api/v1"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_full(tmp_path_factory.mktemp("api") / "ledger.db")


def test_every_refusal_has_one_shape(full: Path) -> None:
    """`{"error": {"what", "file", "field", "found", "allowed", "remedy"}, "status": n}`, whatever was wrong.

    Each part is a text or null; `what` is always a text; `status` is the HTTP status. This is the contract.
    """
    asked = {
        f"{API}/trials/none": 404,
        f"{API}/trials?min_reward=x": 400,
        f"{API}/trials?agnet=a": 400,
        f"{API}/trials?limit=0": 422,
        f"{API}/trials?after=zzz": 400,
        f"{API}/compare?side=nobody&side=none": 400,
        f"{API}/tasks/none": 404,
        f"{API}/nowhere": 404,
    }
    with asking(full) as (client, _):
        for path, status in asked.items():
            answer = client.get(path)
            body = answer.json()
            assert (answer.status_code, body["status"]) == (status, status), path
            assert set(body["error"]) == {"what", "file", "field", "found", "allowed", "remedy"}
            assert isinstance(body["error"]["what"], str)
        assert client.post(f"{API}/score", content=b"{").status_code == 422
        assert client.delete(f"{API}/trials").json()["status"] == 405
        assert client.delete(f"{API}/trials/none/tags").headers["allow"] == "GET, POST"


def test_a_mistake_of_the_server_has_the_same_shape(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Ledger, "count", fail)
    with asking(full) as (client, _):
        answer = client.get(f"{API}/tasks/circuits/task-1")
    assert (answer.status_code, answer.json()["status"]) == (500, 500)
    assert "a bug" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_trials_by_page_and_as_a_stream_are_the_ledgers(full: Path) -> None:
    with asking(full) as (client, ledger):
        wanted = [record.trial_id for record in ledger.iterate()]
        seen, after = [], None
        while True:
            more = f"&after={after}" if after else ""
            page = client.get(f"{API}/trials?sort=oldest&limit=5{more}").json()
            seen += [TrialRecord.model_validate_json(json.dumps(t)).trial_id for t in page["trials"]]
            if (after := page["next"]) is None:
                break
        lines = client.get(f"{API}/trials.jsonl").text.splitlines()
        one = client.get(f"{API}/trials/{wanted[0]}").text
        assert seen == wanted
        assert [json.loads(line)["trial_id"] for line in lines] == wanted
        assert TrialRecord.model_validate_json(one) == ledger.get(wanted[0])
        assert len(client.get(f"{API}/trials/{seen[-2]}/evaluations").json()) >= 1
        assert client.get(f"{API}/report").json()["kind"] == "adjudge report"
        assert client.get(f"{API}/compare?side=ant&side=bee").json()["pairs"]
        assert client.get(f"{API}/health").json()["status"] == "ok"
        assert "adjudge_requests_total" in client.get(f"{API}/metrics").text
        tasks = client.get(f"{API}/tasks").json()["tasks"]
        assert client.get(f"{API}/tasks/{tasks[0]['task']}").json()["trials"] == tasks[0]["trials"]


def test_annotating_never_changes_a_reward(tmp_path: Path) -> None:
    path = make_full(tmp_path / "ledger.db")
    with open_ledger(path) as ledger, serving(ledger) as address, Client(address) as client:
        columns = ("trial_id", "reward", "outcome")

        def rewards() -> list[tuple[object, ...]]:
            with ledger.database.reading() as connection:
                text = f"SELECT {', '.join(columns)} FROM current_trials ORDER BY trial_id"  # noqa: S608
                return [tuple(row) for row in connection.exec_driver_sql(text)]

        from adjudge.reports import frame

        in_database, in_api = rewards(), [(t.trial_id, t.evaluation.reward) for t in client.trials()]
        exported = {row["trial_id"]: row["reward"] for row in frame(ledger).to_pylist()}
        for record in list(client.trials()):
            for judgment in ("pass", "fail", "defer"):
                client.annotate(record.trial_id, judgment, categories=["unit mismatch"], notes="no")
        assert rewards() == in_database
        assert [(t.trial_id, t.evaluation.reward) for t in client.trials()] == in_api
        assert {row["trial_id"]: row["reward"] for row in frame(ledger).to_pylist()} == exported
        assert all(t.evaluation.annotations for t in client.trials())
        assert ledger.verify().intact


def test_the_client_raises_what_the_server_says(full: Path) -> None:
    with open_ledger(full) as ledger, serving(ledger) as address, Client(address) as client:
        with pytest.raises(ApiError, match="no trial has this id") as refused:
            client.trial("none")
        assert refused.value.status == 404
        assert client.health()["status"] == "ok"
        assert [t.agent.name for t in client.trials(agent="ant", min_reward=1.0)]
        assert client.report(group_by="experiment")["groups"]
        assert client.compare("ant", "bee")["pairs"]
