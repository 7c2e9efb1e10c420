"""The desk: values that change and expire, and decisions that nobody else makes at the same time."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from adjudge.contracts import Judgment
from adjudge.errors import UsageError
from adjudge.ledger import Desk, Ledger, open_ledger
from adjudge.web import UserRole, Users
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.decide import decide
from adjudge.web.site import Site
from support.trial_samples import annotation, trial
from support.web_site import serving, settings


def test_values_come_go_and_expire(ledger: Ledger) -> None:
    desk = Desk(ledger)
    desk.put("a", "x", {"n": 1})
    desk.put("a", "x", {"n": 2})
    desk.put("a", "y/1", {"n": 3}, lasts=60)
    desk.put("a", "gone", {"n": 4}, lasts=-1)
    assert desk.get("a", "x") == {"n": 2}
    assert desk.get("a", "gone") is None
    assert desk.all("a", "y/") == {"y/1": {"n": 3}}
    assert desk.all("b") == {}
    assert (desk.remove("a", "x"), desk.remove("a", "x")) == (True, False)
    assert desk.get("a", "\0") is None
    with pytest.raises(UsageError, match="cannot be kept"):
        desk.put("a", "\0", {})
    assert ledger.verify().intact


def test_who_decides_at_the_desk_decides_alone(ledger: Ledger) -> None:
    """Eight threads add one to a number twenty times each; none of it is lost."""
    desk = Desk(ledger)
    desk.put("count", "n", {"n": 0})

    def add() -> None:
        for _ in range(20):
            with desk.exclusive() as drawer:
                before = drawer.get("count", "n") or {"n": 0}
                drawer.put("count", "n", {"n": before["n"] + 1})

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.get("count", "n") == {"n": 160}


def test_many_reviewers_share_a_queue_without_meeting(tmp_path: Path) -> None:
    """Six people take five trials each at once, of forty: thirty different ones."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(40)])
        users = Users(ledger)
        tokens = []
        for n in range(6):
            users.add(f"r{n}", UserRole.REVIEWER, password=None)
            tokens.append(users.make_token(f"r{n}")[1])
        with serving(ledger, settings(round_size=40)) as address:

            def work(token: str) -> None:
                headers = {"authorization": f"Bearer {token}"}
                with httpx.Client(base_url=address, headers=headers, timeout=120) as client:
                    for number in range(1, 6):
                        found = client.get("/review/next", params={"after": number - 1}).json()["number"]
                        body = {"judgment": "pass", "submission": f"submission-{number}"}
                        assert client.post(f"/review/{found}", json=body).is_success

            threads = [threading.Thread(target=work, args=(token,)) for token in tokens]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        said = {r.trial_id: r.evaluation.annotations or [] for r in ledger.iterate()}
    assert sorted(map(len, said.values())) == [0] * 10 + [1] * 30


def test_an_independent_third_decides_and_it_can_be_opened_again(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        [found] = ledger.record([trial(1)])
        ledger.annotate(found.trial_id, annotation("ada", "pass"))
        ledger.annotate(found.trial_id, annotation("bob", "fail"))
        users = Users(ledger)
        clients = {}
        for name in ("ada", "eve"):
            users.add(name, UserRole.REVIEWER, password=None)
            clients[name] = {"authorization": f"Bearer {users.make_token(name)[1]}"}
        place = f"/adjudication/{found.trial_id}"
        reward = ledger.get(found.trial_id).evaluation.reward
        with serving(ledger) as address, httpx.Client(base_url=address, timeout=60) as client:

            def post(who: str, path: str, **form: str) -> int:
                return client.post(path, data=form, headers=clients[who]).status_code

            assert post("ada", place, judgment="pass", reason="mine is right") == 400
            assert post("eve", place, judgment="pass", reason="") == 400
            assert post("eve", place, judgment="maybe", reason="who knows") == 400
            assert post("eve", place, judgment="pass", reason="the sign convention holds") == 303
            assert post("eve", place, judgment="fail", reason="changed my mind") == 400
            assert post("ada", f"{place}/reopen", reason="new evidence") == 303
            assert post("eve", place, judgment="fail", reason="the unit was wrong after all") == 303
            page = client.get(f"/trials/{found.trial_id}", headers={**clients["eve"], "accept": "text/html"})
        kept = [row.document["decision"] for row in ledger.attached("adjudication")]
        assert kept == ["pass", None, "fail"]
        assert ledger.get(found.trial_id).evaluation.reward == reward
        assert "the unit was wrong after all" in page.text


def test_two_who_decide_at_once_do_not_both_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second server has looked before the first one wrote."""
    with open_ledger(tmp_path / "l.db") as ledger:
        [found] = ledger.record([trial(1)])
        ledger.annotate(found.trial_id, annotation("ada", "pass"))
        ledger.annotate(found.trial_id, annotation("bob", "fail"))
        with closing(Site(ledger, settings())) as first, closing(Site(ledger, settings())) as second:
            second.book.refresh()
            with monkeypatch.context() as stale:
                stale.setattr(second.book, "refresh", lambda: None)
                decide(first, Visitor("eve", UserRole.REVIEWER), found.trial_id, Judgment.PASS, "it holds")
                with pytest.raises(UsageError, match="somebody else was quicker"):
                    decide(
                        second,
                        Visitor("dan", UserRole.REVIEWER),
                        found.trial_id,
                        Judgment.FAIL,
                        "it does not",
                    )
        assert [row.document["by"] for row in ledger.attached("adjudication")] == ["eve"]
