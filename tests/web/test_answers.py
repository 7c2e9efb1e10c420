"""Kept answers: only the first asker waits, no longer than they want, and nobody can ask for everything."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from adjudge.ledger import open_ledger
from adjudge.web.queries import cache
from adjudge.web.queries.cache import AnswerStore, ServerEnding, StillWorking, TooManyQuestions
from adjudge.web.queries.numbers import make_report
from support.patience import wait_until
from support.trial_samples import trial
from support.web_site import asking, settings


@pytest.fixture
def store() -> Iterator[AnswerStore]:
    made = AnswerStore(lambda: 1)
    yield made
    made.close()


def test_a_page_does_not_wait_and_finds_the_answer_later(store: AnswerStore) -> None:
    go = threading.Event()

    def make() -> str:
        go.wait()
        return "made"

    for _ in range(2):
        with pytest.raises(StillWorking):
            store.ask("question", make, patience=0.01)
    go.set()
    assert store.ask("question", make).value == "made"


def test_what_fails_is_told_and_asked_again(store: AnswerStore) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            store.ask("question", fail)


def test_many_questions_at_once_are_refused_and_known_answers_are_not(store: AnswerStore) -> None:
    go = threading.Event()
    store.ask("known", lambda: 1)
    refused = 0
    for number in range(100):
        try:
            store.ask(number, go.wait, patience=0)
        except StillWorking:
            pass
        except TooManyQuestions:
            refused += 1
    assert refused == 68  # 32 may wait
    assert store.ask("known", lambda: 2).value == 1
    go.set()


def test_new_answers_have_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a new answer to one question, no other is begun before it has rested; who asks gets the old."""
    monkeypatch.setattr(cache, "_PAUSE", 0.0)
    monkeypatch.setattr(cache, "_REST", 1e12)
    head = 1
    store = AnswerStore(lambda: head)
    with closing(store):
        for question in ("one", "two"):
            assert store.ask(question, lambda: "old").value == "old"
        head = 2
        store.ask("one", lambda: "new")
        assert wait_until(lambda: store.ask("one", lambda: "newer").value == "new")
        assert store.ask("two", lambda: "new").value == "old"
        assert store.ask("three", lambda: "first").value == "first"  # who has no answer yet is not kept


def test_large_answers_make_room_for_each_other(store: AnswerStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for two; the one that was asked for last stays, and a very large one is kept alone."""
    monkeypatch.setattr(cache, "_MOST_BYTES", 2500)
    made: list[str] = []

    def ask(question: str, size: int = 1000) -> None:
        def make() -> bytes:
            made.append(question)
            return bytes(size)

        store.ask(question, make)

    for question in ("one", "two", "one", "three", "one", "two"):
        ask(question)
    assert made == ["one", "two", "three", "two"]
    ask("huge", 5000)
    ask("huge", 5000)
    ask("one")
    assert made[4:] == ["huge", "one"]


def test_a_page_says_that_it_works_and_loads_again(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
    with asking(tmp_path / "l.db", settings(patience_sec=0.0)) as (client, _):
        first = client.get("/tasks")
        assert first.status_code == 202
        assert 'id="working"' in first.text
        assert wait_until(lambda: client.get("/tasks").status_code == 200)
        assert "counting" in client.get("/trials/count?agent=agent-1").text
        assert wait_until(lambda: client.get("/trials/count?agent=agent-1").text == "1 trial")


def test_programs_that_wait_for_a_report_keep_no_page_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty ask for one report, which takes until everything else was answered."""
    go = threading.Event()

    def slowly(*wanted: Any) -> Any:
        go.wait()
        return make_report(*wanted)

    monkeypatch.setattr("adjudge.web.site.make_report", slowly)
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
    with asking(tmp_path / "l.db") as (client, _), ExitStack() as stack:
        place = (client.base_url.host, client.base_url.port or 0)
        asked = [stack.enter_context(socket.create_connection(place)) for _ in range(60)]
        for one in asked:
            one.sendall(b"GET /api/v1/report?agent=agent-1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for _ in range(10):
            assert client.get("/trials").status_code == 200
            assert client.get("/api/v1/health").status_code == 200
        go.set()
        for one in asked:
            assert one.recv(15, socket.MSG_WAITALL) == b"HTTP/1.1 200 OK"


def test_who_waits_for_an_answer_when_the_server_ends_is_told(store: AnswerStore) -> None:
    """Also the thread that makes the first answers: what escapes it is a traceback on a terminal."""
    go_on, told = threading.Event(), []

    def ask() -> None:
        try:
            store.ask("waits", lambda: 1)
        except ServerEnding as error:
            told.append(str(error))

    for number in range(cache._MAKERS):
        with pytest.raises(StillWorking):
            store.ask(number, go_on.wait, patience=0)
    asker = threading.Thread(target=ask)
    asker.start()
    wait_until(lambda: "waits" in store._making)
    closer = threading.Thread(target=store.close)
    closer.start()
    asker.join()
    go_on.set()
    closer.join()
    assert told == ["the server is ending"]
    with pytest.raises(ServerEnding):
        store.ask("late", lambda: 1)
