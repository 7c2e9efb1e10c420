"""axe-core finds nothing to complain about on any page, light or dark; no page is wider than a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe

from adjudge.ledger import TrialFilter, open_ledger
from support.browser import running_browser
from support.report_ledgers import make_full
from support.task_folders import write_task
from support.trial_samples import annotation
from support.web_site import serving, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = (
    *("/", "/trials", "/tasks", "/task?id=a/1", "/compare?a=ant&b=bee", "/runs", "/agreement"),
    *("/agreement/trials?a=verifier&b=ada&x=pass&y=fail", "/adjudication", "/review", "/log-in", "/nowhere"),
    "/trials?q=a",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("axe")
    write_task(place / "tasks" / "a" / "1", instruction="# One\n\nWrite `/workspace/a.json`.\n\n- a\n")
    with open_ledger(make_full(place / "ledger.db")) as ledger:
        for record in list(ledger.iterate(TrialFilter(agent="bee"))):
            ledger.annotate_all(
                [(record.trial_id, annotation("ada", "pass")), (record.trial_id, annotation("bob", "fail"))]
            )
        with serving(ledger, settings(tasks=place / "tasks", reviewers=3)) as made:
            yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


@pytest.mark.app
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_accessible(browser: Browser, address: str, theme: str) -> None:
    page = browser.new_context(base_url=address, color_scheme=theme).new_page()  # type: ignore[arg-type]
    wrong: dict[tuple[str, str], list[str]] = {}
    page.goto("/trials")
    trial = page.locator("tbody td a").first.get_attribute("href")
    for path in (*PAGES, str(trial)):
        page.goto(path)
        for rule in Axe().run(page).response["violations"]:
            wrong[path, rule["id"]] = [node["html"][:200] for node in rule["nodes"][:3]]
    assert wrong == {}, "\n".join(f"{where}: {nodes}" for where, nodes in wrong.items())


@pytest.mark.app
@pytest.mark.parametrize("width", [390, 820])
def test_no_page_is_wider_than_the_screen(browser: Browser, address: str, width: int) -> None:
    page = browser.new_context(base_url=address, viewport={"width": width, "height": 800}).new_page()
    page.goto("/trials")
    trial = page.locator("tbody td a").first.get_attribute("href")
    wide = {}
    for path in (*PAGES, str(trial)):
        page.goto(path)
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: w for path, w in wide.items() if w > width} == {}


@pytest.mark.app
def test_nothing_that_an_agent_wrote_runs(browser: Browser, address: str) -> None:
    """Hostile names, outputs, notes and streams are on these pages; the browser runs and loads none of it."""
    page = browser.new_context(base_url=address).new_page()
    asked: list[str] = []
    refused: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    httpx.get(f"{address}/review")
    httpx.post(f"{address}/review/1/show")  # what waits for a verdict would not be on the list
    page.goto("/trials")
    trials = [link.get_attribute("href") for link in page.locator("tbody td:first-child a").all()]
    for path in (*PAGES, *map(str, trials)):
        page.goto(path)
        assert page.evaluate("window.pwned") is None, path
    assert [url for url in asked if not url.startswith(address)] == []
    assert [text for text in refused if "Content Security Policy" in text] == []
