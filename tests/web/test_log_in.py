"""Log-in: passwords, sessions, tokens, page tokens, and too many failures."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Ledger, open_ledger
from adjudge.web import UserRole, Users
from adjudge.web.access.attempts import MOST_FAILURES
from support.trial_samples import trial
from support.web_site import HTML, asking, serving, settings

PASSWORD = "correct horse battery"


@pytest.fixture
def ledger_with_ada(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
        Users(ledger).add("ada", UserRole.REVIEWER, password=PASSWORD, discipline="circuits")
        yield ledger


@pytest.fixture
def client(ledger_with_ada: Ledger) -> Iterator[httpx.Client]:
    with serving(ledger_with_ada) as address, httpx.Client(base_url=address, timeout=60) as made:
        yield made


def log_in(client: httpx.Client, password: str = PASSWORD, **more: str) -> httpx.Response:
    return client.post("/log-in", data={"name": "ada", "password": password, **more}, headers=HTML)


def test_who_is_not_known_is_sent_to_the_form_and_back(client: httpx.Client) -> None:
    sent = client.get("/trials?task=a", headers=HTML)
    assert sent.headers["location"] == "/log-in?next=%2Ftrials%3Ftask%3Da"
    assert client.get("/trials").status_code == 401
    back = log_in(client, next="/trials?task=a")
    assert (back.status_code, back.headers["location"]) == (303, "/trials?task=a")
    assert client.get("/trials", headers=HTML).status_code == 200


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example", "/\\evil", "javascript:x", ""])
def test_a_log_in_leads_nowhere_else(client: httpx.Client, address: str) -> None:
    assert log_in(client, next=address).headers["location"] == "/"


def test_a_cookie_is_for_this_site_alone(client: httpx.Client) -> None:
    cookie = log_in(client).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_too_many_failures_have_to_wait(client: httpx.Client) -> None:
    for _ in range(MOST_FAILURES):
        assert log_in(client, "wrong").status_code == 401
    refused = log_in(client)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0


def test_many_tries_at_once_are_no_more_than_one_after_the_other(client: httpx.Client) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: log_in(client, "wrong").status_code, range(16)))
    assert sorted(found) == [401] * MOST_FAILURES + [429] * (16 - MOST_FAILURES)


def test_whoever_logs_in_often_does_not_have_to_wait(client: httpx.Client) -> None:
    for _ in range(MOST_FAILURES + 2):
        assert log_in(client).status_code == 303


def test_the_cookie_of_another_server_on_this_machine_says_nothing(tmp_path: Path) -> None:
    """Browsers send cookies to every port of a host: a server without users would answer 401 for ever."""
    with asking(tmp_path / "one.db") as (client, _):
        assert client.get("/trials", headers={"cookie": "adjudge-session=of-another"}).status_code == 200


def test_a_change_needs_the_token_of_the_page(client: httpx.Client, ledger_with_ada: Ledger) -> None:
    log_in(client)
    client.get("/review", headers=HTML, follow_redirects=True)
    body = {"judgment": "pass", "submission": "12345678"}
    assert client.post("/review/1", json=body).status_code == 403
    assert client.post("/review/1", json=body, headers={"x-csrf-token": "0" * 32}).status_code == 403
    assert not [r for r in ledger_with_ada.iterate() if r.evaluation.annotations]
    token = client.cookies["adjudge-csrf"]
    assert client.post("/review/1", json=body, headers={"x-csrf-token": token}).status_code == 200
    again = client.post("/review/1", json=body, headers={"x-csrf-token": token})
    assert again.status_code == 200
    [said] = [a for r in ledger_with_ada.iterate() for a in r.evaluation.annotations or ()]
    assert (said.reviewer_id, said.reviewer_discipline) == ("ada", "circuits")
    forged = client.post("/review/1", json={**body, "reviewer_id": "bob"}, headers={"x-csrf-token": token})
    assert forged.status_code == 422


def test_log_out_ends_the_session(client: httpx.Client) -> None:
    log_in(client)
    client.get("/", headers=HTML)
    kept = dict(client.cookies)
    client.post("/log-out", data={"csrf": kept["adjudge-csrf"]})
    old = {"cookie": f"adjudge-session={kept['adjudge-session']}"}
    assert client.get("/trials", headers=old).status_code == 401


def test_tokens_work_until_they_are_taken_back(client: httpx.Client, ledger_with_ada: Ledger) -> None:
    users = Users(ledger_with_ada)
    key, token = users.make_token("ada")
    headers = {"authorization": f"Bearer {token}"}
    assert client.get("/trials", headers=headers).status_code == 200
    assert client.get("/trials", headers={"authorization": f"Bearer {token}x"}).status_code == 401
    users.revoke_token(key)
    assert client.get("/trials", headers=headers).status_code == 401
    with pytest.raises(UsageError, match="no such token"):
        users.revoke_token(key)


def test_what_is_removed_is_out_at_once(client: httpx.Client, ledger_with_ada: Ledger) -> None:
    log_in(client)
    users = Users(ledger_with_ada)
    _, token = users.make_token("ada")
    users.remove("ada")
    assert client.get("/trials").status_code == 401
    assert client.get("/trials", headers={"authorization": f"Bearer {token}"}).status_code == 401


def test_a_password_typed_as_a_name_is_not_kept_for_ever(
    client: httpx.Client, ledger_with_ada: Ledger
) -> None:
    wrong = {"name": "my-secret-password", "password": "ada"}
    assert client.post("/log-in", data=wrong, headers=HTML).status_code == 401
    assert log_in(client, "wrong").status_code == 401
    failed = [row.document["about"] for row in ledger_with_ada.attached("access")][-2:]
    assert failed == ["an unknown name", "ada"]


def test_the_chain_holds_the_log_and_no_secret(ledger_with_ada: Ledger, tmp_path: Path) -> None:
    users = Users(ledger_with_ada)
    _, token = users.make_token("ada")
    users.by_password("ada", PASSWORD)
    what = [row.document["what"] for row in ledger_with_ada.attached("access")]
    assert what == ["user added", "token made"]
    assert ledger_with_ada.verify().intact
    ledger_with_ada.backup(tmp_path / "copy.db")
    held = (tmp_path / "l.db").read_bytes() + (tmp_path / "copy.db").read_bytes()
    for secret in (PASSWORD, token, token.split("_", 2)[2]):
        assert secret.encode() not in held
    assert b"argon2" not in (tmp_path / "copy.db").read_bytes()


@pytest.mark.parametrize("name", ["", "local", "a b", "../x", "a" * 65, "<script>"])
def test_a_name_that_cannot_be_one(ledger_with_ada: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        Users(ledger_with_ada).add(name, UserRole.VIEWER, password=None)


def test_behind_tls_cookies_say_so(ledger_with_ada: Ledger) -> None:
    there = settings(behind_tls=True)
    with serving(ledger_with_ada, there) as address, httpx.Client(base_url=address) as made:
        assert "secure" in log_in(made).headers["set-cookie"].lower()
