"""Reviewing in a real browser: by keyboard alone, two at once, through reloads and a killed server."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from adjudge.ledger import TrialFilter, head_row, open_ledger, read_selections
from adjudge.web import UserRole, Users
from support.browser import running_browser
from support.patience import wait_until
from support.trial_samples import trial
from support.web_site import serving, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "long enough to be one"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


def open_page(browser: Browser, address: str, user: str | None = None) -> Page:
    """A page of somebody who shares nothing with others; logged in, if there are users."""
    context = browser.new_context(base_url=address)
    context.set_default_timeout(60_000)
    page = context.new_page()
    if user is not None:
        page.goto("/log-in")
        log_in(page, user)
        page.wait_for_url(f"{address}/")
    return page


def ready(page: Page, number: int) -> None:
    page.wait_for_selector(f'#review[data-number="{number}"][data-ready="yes"]')


@pytest.mark.app
def test_twenty_trials_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    keys = [("p", "pass"), ("f", "fail"), ("d", "defer")]
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(25)])
        before = {r.trial_id: r.evaluation for r in ledger.iterate()}
        with serving(ledger) as address:
            page = open_page(browser, address)
            page.goto("/review")
            for number in range(1, 21):
                ready(page, number)
                if number == 3:
                    page.keyboard.press("c")
                    page.keyboard.type("unit mismatch, wrong sign")
                    page.keyboard.press("Escape")
                    page.keyboard.press("n")
                    page.keyboard.type("pfd are letters here")
                    page.keyboard.press("Escape")
                page.keyboard.press(keys[number % 3][0])
            ready(page, 21)
            assert "you said" in page.inner_text("#strip")
            page.keyboard.press("?")
            page.wait_for_selector("#help[open]")
            page.keyboard.press("Escape")
            page.keyboard.press("u")
            ready(page, 20)
            page.keyboard.press("k")
            ready(page, 19)
            page.keyboard.press("j")
            ready(page, 20)
            page.keyboard.press("p")
            ready(page, 21)
        said = [a for r in ledger.iterate() for a in r.evaluation.annotations or ()]
        assert len(said) == 20
        third = next(a for a in said if a.notes == "pfd are letters here")
        assert third.categories == ["unit mismatch", "wrong sign"]
        assert {a.reviewer_id for a in said} == {"local"}
        unchanged = {
            r.trial_id: r.evaluation.model_copy(update={"annotations": None}) for r in ledger.iterate()
        }
        assert unchanged == before
        drawn = read_selections(ledger)
        assert all(0 < s.probability <= 1 for found in drawn.values() for s in found if s.probability)
        seconds = [row.document["seconds"] for row in ledger.attached("review")]
        assert len(seconds) == 21
        assert all(s is not None and s >= 0 for s in seconds)
        assert ledger.verify().intact


def test_two_reviewers_at_once_never_get_the_same_trial(browser: Browser, tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(12)])
        for name in ("ada", "bob"):
            Users(ledger).add(name, UserRole.REVIEWER, password=PASSWORD)
        with serving(ledger) as address:
            pages = {name: open_page(browser, address, name) for name in ("ada", "bob")}
            for page in pages.values():
                page.goto("/review")
            for number in range(1, 5):
                for page in pages.values():
                    ready(page, number)
                for page in pages.values():
                    page.keyboard.press("p")
            for page in pages.values():
                ready(page, 5)
        by = {
            name: {r.trial_id for r in ledger.iterate(TrialFilter(reviewer=name))} for name in ("ada", "bob")
        }
    assert [len(found) for found in by.values()] == [4, 4]
    assert not by["ada"] & by["bob"]


def test_a_reload_and_a_killed_server_lose_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(n) for n in range(5)])
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    with _server(path, port) as process:
        page = open_page(browser, address)
        page.goto("/review")
        ready(page, 1)
        page.keyboard.press("n")
        page.keyboard.type("half a thought")
        page.reload()
        ready(page, 1)
        assert page.input_value("#notes") == "half a thought"
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.keyboard.press("f")
        assert wait_until(lambda: "kept and sent again" in page.inner_text("#saved"))
    with _server(path, port):
        ready(page, 2)
    with open_ledger(path) as ledger:
        [record] = ledger.iterate(TrialFilter(annotated=True))
        [said] = record.evaluation.annotations or []
        assert (said.judgment, said.notes) == ("fail", "half a thought")


def test_a_blind_page_is_the_same_whatever_it_hides(tmp_path: Path) -> None:
    """Reward, agent, breakdown, tags, streams and other votes differ; not one byte of the answers does."""
    answers = []
    for name, changes in {
        "good": {"reward": 1.0, "agent_name": "ant", "model": "m-1", "stdout": "all is well"},
        "bad": {"reward": 0.0, "agent_name": "bee", "model": None, "breakdown": None, "stderr": "alas"},
        "failed": {"completed": False, "reward": 0.0, "agent_name": "cat", "experiment": "other"},
    }.items():
        with open_ledger(tmp_path / f"{name}.db") as ledger:
            entry = trial(1, output=b'{"volts": 3}', task_id="circuits/one", **changes)
            [found] = ledger.record([entry])
            if name != "good":
                from support.trial_samples import annotation

                ledger.annotate(found.trial_id, annotation("eve", "fail", notes="no"))
            with serving(ledger, settings(reviewers=3)) as address, httpx.Client(base_url=address) as client:
                first = client.get("/review", headers={"accept": "text/html"}, follow_redirects=False)
                client.cookies.clear()
                page = client.get("/review/1", headers={"accept": "text/html"})
                client.cookies.clear()
                raw = client.get("/review/1/file/0")
                follow = client.get("/review/next?after=0")
                shown = {k: v for k, v in page.headers.items() if k not in ("set-cookie", "date")}
                answers.append(
                    (first.headers["location"], page.content, raw.content, raw.headers, follow.content, shown)
                )
    assert answers[0] == answers[1] == answers[2]
    assert b"volts" in answers[0][1]
    for word in (b"ant", b"m-1", b"eve", b"reward"):
        assert not re.search(rb">[^<]*\b" + word + rb"\b", answers[0][1].partition(b'id="help"')[0])


def log_in(page: Page, user: str) -> None:
    page.fill("input[name=name]", user)
    page.fill("input[name=password]", PASSWORD)
    page.click("button[type=submit].primary")


def test_a_verdict_outlives_its_session_and_is_nobody_elses(browser: Browser, tmp_path: Path) -> None:
    """A session ends while somebody decides: the verdict waits for their next log-in, not for another's."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(6)])
        users = Users(ledger)
        for name in ("ada", "bob"):
            users.add(name, UserRole.REVIEWER, password=PASSWORD)
        with serving(ledger) as address:
            page = open_page(browser, address, "ada")
            page.goto("/review")
            ready(page, 1)
            page.keyboard.press("n")
            page.keyboard.type("mine")
            page.keyboard.press("Escape")
            users.add("ada", UserRole.REVIEWER, password=PASSWORD)  # which ends her sessions
            page.keyboard.press("p")
            page.wait_for_url("**/log-in?next=*")
            log_in(page, "bob")
            page.goto("/review")
            ready(page, 1)
            assert page.input_value("#notes") == ""
            page.context.clear_cookies()
            page.goto("/log-in?next=/review/1")
            log_in(page, "ada")
            ready(page, 2)
        said = [a for r in ledger.iterate() for a in r.evaluation.annotations or ()]
    assert [(a.reviewer_id, a.judgment.value, a.notes) for a in said] == [("ada", "pass", "mine")]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _server(path: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """`adjudge serve` as a process of its own."""
    command = [sys.executable, "-m", "adjudge", "serve", "--ledger", str(path), "--port", str(port)]
    process = subprocess.Popen(command, env={**os.environ, "ADJUDGE_TRACEBACK": "1"})
    try:
        assert wait_until(lambda: _answers(port) or process.poll() is not None)
        yield process
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_nothing_moves_the_chain_but_what_people_do(tmp_path: Path) -> None:
    """Looking at pages writes nothing; only a round of the lottery does, once."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(5)])
        with serving(ledger) as address, httpx.Client(base_url=address) as client:
            row = head_row(ledger)
            for path in ("/", "/trials", "/tasks", "/agreement", "/adjudication"):
                assert client.get(path).status_code == 200
            assert head_row(ledger) == row
            client.get("/review")
            drawn = head_row(ledger)
            client.get("/review")
            assert head_row(ledger) == drawn > row
