"""Every page shows what the ledger holds, and no page lets anything of an agent's run."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import html
from adjudge.web.pages.page import TEMPLATES
from adjudge.web.server import warm
from adjudge.web.site import Site
from support.patience import wait_until
from support.report_ledgers import HOSTILE, make_full
from support.trial_samples import annotation, trial
from support.web_site import asking, settings

PAGES = ("/", "/trials", "/tasks", "/compare", "/compare?a=ant&b=bee", "/runs", "/task?id=a/1")


class _Inline(HTMLParser):
    """Collects what a strict policy would have to stop: handlers, styles and scripts within the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        self.found += [tag] if tag == "style" or (tag == "script" and "src" not in dict(attrs)) else []
        self.found += [
            str(value) for name, value in attrs if name == "href" and str(value).startswith("java")
        ]


def inline_parts(text: str) -> list[str]:
    parser = _Inline()
    parser.feed(text)
    return parser.found


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_full(tmp_path_factory.mktemp("web") / "ledger.db")


def test_every_page_answers_and_shows_its_subject(full: Path) -> None:
    with asking(full) as (client, _):
        pages = {path: client.get(path) for path in PAGES}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(PAGES, 200)
    assert "0.312" in pages["/"].text  # bee's mean, worked out in support.report_ledgers
    assert "minus" in pages["/compare?a=ant&b=bee"].text


def test_what_to_know_of_a_comparison_is_said_once(full: Path) -> None:
    with asking(full) as (client, _):
        text = client.get("/compare?a=ant&b=bee").text
    assert text.count("of a version of the verifier that not every side was scored by") == 1


def test_hostile_text_is_text_on_every_page(full: Path) -> None:
    with asking(full) as (client, ledger):
        ids = [record.trial_id for record in ledger.iterate()]
        texts = [client.get(path).text for path in (*PAGES, *(f"/trials/{i}" for i in ids))]
        hostile = client.get("/task", params={"id": f"a/{HOSTILE}"}).text
    for text in (*texts, hostile):
        assert "<script>window" not in text
        assert "<img src=x" not in text
        assert inline_parts(text) == []
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "&lt;script&gt;window.pwned=1" in hostile


def test_every_answer_forbids_what_is_not_ours(full: Path) -> None:
    with asking(full) as (client, _):
        for path in (*PAGES, "/static/app.js", "/nowhere"):
            headers = client.get(path).headers
            assert "script-src 'self'" in headers["content-security-policy"], path
            assert "unsafe" not in headers["content-security-policy"], path
            assert headers["x-content-type-options"] == "nosniff"


def test_a_trial_shows_reward_fields_reviews_and_that_people_disagree(full: Path) -> None:
    with asking(full) as (client, ledger):
        [first] = ledger.query(TrialFilter(disagreement=True, reviewer="ada", min_reward=0.8)).records
        page = client.get(f"/trials/{first.trial_id}").text
    assert "people and verifier disagree" in page
    assert "ada says fail" in page
    assert "Scored before" in page


def test_what_is_not_there_is_told_as_page_and_as_json(full: Path) -> None:
    with asking(full) as (client, _):
        page = client.get("/trials/none")
        told = client.get("/trials/none", headers={"accept": "application/json"})
    assert (page.status_code, told.status_code) == (404, 404)
    assert "no trial has this id" in page.text
    assert told.json()["error"]["what"] == "no trial has this id"
    assert told.json()["status"] == 404


def test_the_list_pages_by_cursor_and_finds(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(120)])
    with asking(tmp_path / "l.db") as (client, ledger):
        seen: list[str] = []
        address: str | None = "/trials?sort=oldest"
        while address:
            text = client.get(address).text
            seen += re.findall(r'<td class="num"><a href="/trials/([^"]+)"', text)
            more = re.search(r'id="more".*?href="([^"]+)"', text)
            address = more[1].replace("&amp;", "&") if more else None
        assert seen == [record.trial_id for record in ledger.iterate()]
        assert client.get("/trials/count?outcome=scored").text.endswith("trials")
        found = client.get("/trials", params={"q": seen[0]}, follow_redirects=False)
        assert found.headers["location"] == f"/trials/{seen[0]}"
        begun = client.get("/trials", params={"q": "circuits/task-1"}, follow_redirects=False)
        assert begun.headers["location"].startswith("/trials?task=circuits%2Ftask-1")
        bad = client.get("/trials?min_reward=x")
        assert bad.status_code == 400
        assert "min_reward" in bad.text


def test_the_list_names_each_category_of_a_trial_once_and_counts_the_rest(tmp_path: Path) -> None:
    words = ["sign", "sign", "unit", "Unit", "rounding"]
    tags = [ErrorTag(category=word, source=ErrorSource.MECHANICAL) for word in words]
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record(trial(1, tags=tags))
    with asking(tmp_path / "l.db") as (client, _):
        text = client.get("/trials").text
    assert re.findall(r'class="pill">([^<]+)<', text) == ["sign", "unit", "Unit"]
    assert "and 1 more" in text


def test_after_the_start_no_page_waits_for_its_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = html.environment(TEMPLATES)
    assert templates.cache is not None
    templates.cache.clear()
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
        with closing(Site(ledger, settings())) as site:
            warm(site)
    monkeypatch.setattr(templates, "compile", None)
    with asking(tmp_path / "l.db") as (client, _):
        for place in ("/", "/trials", "/tasks", "/compare", "/runs", "/agreement", "/review", "/trials/none"):
            assert client.get(place).status_code in (200, 303, 404), place


def test_a_comparison_names_those_that_are_compared(tmp_path: Path) -> None:
    """Also if an address names an agent without its model, and the list has it with one."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n, agent_name=("ant", "bee")[n % 2], model="m", task_id="t") for n in range(4)])
    with asking(tmp_path / "l.db") as (client, _):
        text = client.get("/compare?a=bee&b=ant").text
    assert re.findall(r"<option selected>([^<]*)<", text)[:2] == ["bee", "ant"]


def test_numbers_follow_the_ledger(tmp_path: Path) -> None:
    """An answer may be of a moment ago; what is asked next has made a new one."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(3)])
    with asking(tmp_path / "l.db") as (client, ledger):
        assert client.get("/trials/count").text == "3 trials"
        ledger.record([trial(n) for n in range(3, 5)])
        client.get("/trials/count")
        assert wait_until(lambda: client.get("/trials/count").text == "5 trials")


def test_hold_out_tasks_are_counted_for_those_who_may_see_them(full: Path) -> None:
    """The local user may; what others see is in test_roles."""
    with asking(full, settings(hold_out=("b/*",))) as (client, _):
        assert "b/3" in client.get("/tasks").text


def test_a_trial_of_which_very_much_was_said_shows_what_counts_and_the_newest(tmp_path: Path) -> None:
    """One reviewer changes their mind 300 times after another has spoken once."""
    with asking(tmp_path / "l.db") as (client, ledger):
        [found] = ledger.record([trial(1)])
        ledger.annotate(found.trial_id, annotation("zoe", "pass"))
        moments = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=n) for n in range(300)]
        said = [annotation("ada", "fail").model_copy(update={"timestamp": at}) for at in moments]
        ledger.annotate_all([(found.trial_id, one) for one in said])
        page = client.get(f"/trials/{found.trial_id}").text
        assert page.count("<b>ada</b>") == 99
        assert page.count("<b>zoe</b>") == 1
        assert "201 earlier ones not shown here" in page
