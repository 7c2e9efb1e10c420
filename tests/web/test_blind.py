"""Blind beyond the review page: what waits for somebody's verdict is shown to them nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from adjudge.ledger import Ledger, Sort, TrialFilter, open_ledger
from adjudge.web import UserRole, Users
from adjudge.web.access.visitor import Visitor
from adjudge.web.queries.visible import Visible
from adjudge.web.review.items import QueueItem
from support.trial_samples import annotation, trial
from support.web_site import asking, serving, settings

API = "/api/v1"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[tuple[Ledger, dict[str, httpx.Client]]]:
    """Three trials on which p0 and p1 disagree, and a client for each of ada, bob, vic and an admin."""
    roles = {
        "ada": UserRole.REVIEWER,
        "bob": UserRole.REVIEWER,
        "vic": UserRole.VIEWER,
        "root": UserRole.ADMIN,
    }
    with open_ledger(tmp_path / "l.db") as ledger:
        found = ledger.record([trial(n) for n in range(3)])
        for one in found:
            ledger.annotate(one.trial_id, annotation("p0", "pass"))
            ledger.annotate(one.trial_id, annotation("p1", "fail"))
        users = Users(ledger)
        clients = {}
        with serving(ledger, settings(reviewers=5)) as address:
            for name, role in roles.items():
                users.add(name, role, password=None)
                headers = {"authorization": f"Bearer {users.make_token(name)[1]}", "accept": "text/html"}
                clients[name] = httpx.Client(
                    base_url=address, headers=headers, trust_env=False, timeout=60, follow_redirects=False
                )
            yield ledger, clients
            for client in clients.values():
                client.close()


def waiting_trial(ledger: Ledger, client: httpx.Client, name: str) -> str:
    """The trial of the first item that this reviewer is given."""
    from adjudge.ledger import Desk

    assert client.get("/review").headers["location"] == "/review/1"
    [item] = Desk(ledger).all("item", f"{name}/").values()
    return str(item["trial_id"])


def places(trial_id: str) -> list[str]:
    return [
        *("/", "/trials", "/adjudication", "/agreement/trials?a=p0&b=p1&x=pass&y=fail"),
        *(f"/trials/{trial_id}", f"/trials/{trial_id}/file/0"),
        *(f"{API}/trials", f"{API}/trials.jsonl", f"{API}/trials/{trial_id}"),
        *(f"{API}/trials/{trial_id}/{part}" for part in ("evaluations", "annotations", "tags")),
    ]


def review_of(client: httpx.Client, trial_id: str, name: str) -> dict[str, Any]:
    found = client.get(f"{API}/trials/{trial_id}/annotations").json()["reviews"]
    return next(one for one in found if one["reviewer_id"] == name)


def test_a_trial_that_waits_for_a_verdict_is_shown_nowhere_else(
    room: tuple[Ledger, dict[str, httpx.Client]],
) -> None:
    ledger, clients = room
    mine = waiting_trial(ledger, clients["ada"], "ada")
    for place in places(mine):
        answer = clients["ada"].get(place)
        by_id = mine in place
        assert answer.status_code == (409 if by_id else 200), place
        assert by_id or mine not in answer.text, place
        assert "p0" not in answer.text or not by_id, place
    assert mine in clients["bob"].get(f"{API}/trials.jsonl").text  # it is ada's alone
    tag = {"category": "a sign error"}
    assert clients["bob"].post(f"{API}/trials/{mine}/tags", json=tag).status_code == 201
    assert clients["ada"].post(f"{API}/trials/{mine}/tags", json=tag).status_code == 409
    assert clients["vic"].get(f"/trials/{mine}").status_code == 200
    sent = {"judgment": "pass", "submission": "submission-1"}
    assert clients["ada"].post("/review/1", json=sent).status_code == 200
    for place in places(mine):
        assert clients["ada"].get(place).status_code in (200, 404), place
    assert review_of(clients["ada"], mine, "ada")["blind"] is True


def test_who_looks_first_is_recorded_as_not_blind(room: tuple[Ledger, dict[str, httpx.Client]]) -> None:
    ledger, clients = room
    mine = waiting_trial(ledger, clients["ada"], "ada")
    assert "Judge it first" in clients["ada"].get(f"/trials/{mine}").text
    assert clients["ada"].post("/review/1/show").headers["location"] == f"/trials/{mine}"
    assert clients["ada"].get(f"/trials/{mine}").status_code == 200
    clients["ada"].post("/review/1", json={"judgment": "pass", "submission": "submission-1"})
    assert review_of(clients["ada"], mine, "ada")["blind"] is False


def test_a_verdict_by_the_api_counts_and_a_second_one_is_not_blind(
    room: tuple[Ledger, dict[str, httpx.Client]],
) -> None:
    ledger, clients = room
    mine = waiting_trial(ledger, clients["ada"], "ada")
    sent = clients["ada"].post(f"{API}/trials/{mine}/annotations", json={"judgment": "fail"})
    assert sent.status_code == 201
    assert clients["ada"].get(f"{API}/trials/{mine}").status_code == 200
    clients["ada"].post("/review/1", json={"judgment": "pass", "submission": "submission-1"})
    found = clients["ada"].get(f"{API}/trials/{mine}/annotations").json()["reviews"]
    assert [one["blind"] for one in found if one["reviewer_id"] == "ada"] == [False, False]


def test_only_admins_learn_which_answers_are_known(room: tuple[Ledger, dict[str, httpx.Client]]) -> None:
    ledger, clients = room
    mine = waiting_trial(ledger, clients["ada"], "ada")
    clients["ada"].post("/review/1", json={"judgment": "pass", "submission": "submission-1"})
    assert "known_answer" in review_of(clients["root"], mine, "ada")
    for name in ("ada", "bob", "vic"):
        assert "known_answer" not in review_of(clients[name], mine, "ada")


def test_a_trial_that_is_given_while_a_stream_goes_on_is_left_out_of_its_rest(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        found = ledger.record([trial(n) for n in range(250)])
        given: dict[str, QueueItem] = {}
        ada = Visitor("ada", UserRole.REVIEWER)
        stream = Visible(ledger, ada, (), lambda: dict(given)).stream(TrialFilter(), Sort.OLDEST)
        assert next(stream).trial_id == found[0].trial_id
        given[found[-1].trial_id] = QueueItem(1, found[-1].trial_id, "circuits/task-1")
        assert [record.trial_id for record in stream] == [one.trial_id for one in found[1:-1]]


def test_neither_cursors_nor_counts_nor_cells_tell_of_a_trial_that_waits(
    room: tuple[Ledger, dict[str, httpx.Client]],
) -> None:
    """A page of one, sorted by reward, must not end in a cursor that holds the reward of what it left out."""
    ledger, clients = room
    mine = waiting_trial(ledger, clients["ada"], "ada")
    reward = ledger.get(mine).evaluation.reward
    for sort in ("reward", "-reward", "oldest", "newest"):
        seen: list[str] = []
        after: dict[str, str] = {}
        while True:
            page = clients["ada"].get(f"{API}/trials", params={"sort": sort, "limit": 1, **after}).json()
            seen += [one["trial_id"] for one in page["trials"]]
            assert page["trials"], "an empty page says that something was left out here"
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert len(seen) == 2, sort
        assert mine not in seen, sort
    exactly = {"min_reward": repr(reward), "max_reward": repr(reward), "task": ledger.get(mine).task_id}
    assert clients["bob"].get("/trials/count", params=exactly).text == "1 trial"
    assert clients["ada"].get("/trials/count", params=exactly).text == "0 trials"
    assert clients["bob"].get(f"{API}/report", params=exactly).status_code == 200
    assert clients["ada"].get(f"{API}/report", params=exactly).status_code == 409
    assert clients["ada"].get(f"{API}/report").status_code == 200
    cell = {"a": "p0", "b": "p1", "x": "pass", "y": "fail"}
    totals = [clients[name].get("/agreement/trials", params=cell).text for name in ("ada", "bob")]
    assert ["2 trials" in totals[0], "3 trials" in totals[1]] == [True, True]
    split = [clients[name].get("/adjudication").text for name in ("ada", "bob")]
    assert ["<b>2</b> in all" in split[0], "<b>3</b> in all" in split[1]] == [True, True]


def test_no_row_of_numbers_stands_on_a_trial_that_waits(tmp_path: Path) -> None:
    """Each task has one trial: its row in a table of tasks would be the reward of that trial."""
    with open_ledger(tmp_path / "l.db") as ledger:
        made = [trial(n, task_id=f"t/{n}", agent_name=f"a{n % 2}", reward=0.25) for n in range(4)]
        made += [trial(n, task_id="t/0", agent_name=f"a{n % 2}", attempt=2, reward=0.75) for n in (4, 5)]
        for one in ledger.record(made):
            ledger.annotate(one.trial_id, annotation("p0", "pass"))
        users = Users(ledger)
        users.add("ada", UserRole.REVIEWER, password=None)
        headers = {"authorization": f"Bearer {users.make_token('ada')[1]}", "accept": "text/html"}
        with (
            serving(ledger, settings(reviewers=5, round_size=50)) as address,
            httpx.Client(base_url=address, headers=headers, timeout=60) as client,
        ):
            before = client.get(f"{API}/report").json()
            assert len(before["agreement"]["disagreements"]) == 4
            assert client.get("/review").status_code == 303
            while (mine := next_open(ledger))[1] == "t/0":  # this task has other trials
                sent = {"judgment": "pass", "submission": f"submission-{mine[2]}"}
                assert client.post(f"/review/{mine[2]}", json=sent).status_code == 200
                assert client.get("/review").status_code == 303
            trial_id, task, _ = mine
            assert task not in [one["task"] for one in client.get(f"{API}/tasks").json()["tasks"]]
            assert f">{task}<" not in client.get("/tasks").text
            found = client.get(f"{API}/report").json()
            [row] = [row for row in found["tasks"] if row["task"] == task]
            assert row["mean"] is None
            assert set(row["cells"]) == {None}
            assert any(row["mean"] is not None for row in found["tasks"])
            assert trial_id not in client.get(f"{API}/report").text
            compared = client.get(f"{API}/compare", params={"side": ["a0", "a1"]}).json()
            assert task not in [row["task"] for row in compared["tasks"]]


def next_open(ledger: Ledger) -> tuple[str, str, int]:
    """Trial, task and number of the one item that is open."""
    from adjudge.ledger import Desk

    [(key, item)] = Desk(ledger).all("item", "ada/").items()
    return item["trial_id"], item["task"], int(key.rpartition("/")[2])


def test_the_only_trial_of_a_ledger_stays_closed_as_a_number(tmp_path: Path) -> None:
    with asking(tmp_path / "l.db") as (client, ledger):
        ledger.record([trial(1, reward=0.4321)])
        assert client.get("/review").status_code == 303
        for place in ("/", "/tasks", f"{API}/report", f"{API}/tasks"):
            answer = client.get(place)
            assert answer.status_code in (200, 409), place
            assert "0.43" not in answer.text, place
