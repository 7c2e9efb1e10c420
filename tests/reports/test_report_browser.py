"""The HTML report in a real browser: click through it, in both themes, on a phone; nothing hostile runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import html, read_drilldown, read_report
from support.browser import running_browser
from support.report_ledgers import make_full

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browser")
    with open_ledger(make_full(folder / "ledger.db")) as ledger:
        report = read_report(ledger)
        page = html.render_report(report, read_drilldown(ledger, TrialFilter(), report))
    (folder / "report.html").write_text(page, encoding="utf-8")
    return (folder / "report.html").as_uri()


@pytest.fixture
def problems() -> list[str]:
    """What the console complained about, and what came over the network."""
    return []


@pytest.fixture
def page(browser: Browser, file: str, problems: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfinished", lambda request: problems.append(request.url) if request.url != file else None)
    page.goto(file)
    page.wait_for_selector("#trial-table tbody tr")
    yield page
    assert page.evaluate("window.pwned") is None
    assert problems == []
    context.close()


def test_a_cell_leads_to_its_attempts_and_a_trial_to_everything_about_it(page: Page) -> None:
    page.locator("#heat tbody tr", has_text="a/1").locator("td.cell").first.click()
    drawer = page.locator("#drawer")
    assert "attempt 1: 0.875" in drawer.inner_text()
    drawer.get_by_text("attempt 1: 0.875").click()
    page.wait_for_function("location.hash.startsWith('#trial=')")
    page.wait_for_selector("#drawer .verdict")
    text = drawer.inner_text()
    for part in ("Fields and evidence", "again", "fail by ada", "contradicts the reward", "1.000 → 0.875"):
        assert part in text
    page.keyboard.press("Escape")
    assert not drawer.evaluate("node => node.open")


def test_arrow_keys_walk_through_the_heat_map(page: Page) -> None:
    """One cell takes the Tab key's focus; a task that was filtered out and a gap are stepped over."""
    assert page.locator("#heat td[tabindex='0']").count() == 1
    page.get_by_placeholder("Filter tasks").fill("b/")
    page.locator("#heat tbody tr:visible td.cell").first.focus()
    place = "[document.activeElement.parentNode.cells[0].textContent, document.activeElement.dataset.cell]"
    start = page.evaluate(place)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert int(page.evaluate(place)[1]) > int(start[1])
    assert {page.evaluate(place)[0], start[0]} == {"b/3", "b/4"}
    page.keyboard.press("ArrowDown")  # there is no further row
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(place) == start
    assert page.locator("#heat td[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer[open]")


def test_tables_sort_and_filter(page: Page) -> None:
    heading = page.locator("#heat thead th").first
    heading.click()
    names = page.locator("#heat tbody th").all_inner_texts()
    assert names == sorted(names, key=str.lower)
    heading.click()
    assert page.locator("#heat tbody th").all_inner_texts() == names[::-1]
    page.get_by_placeholder("Filter tasks").fill("b/")
    shown = page.locator("#heat tbody tr:visible th").all_inner_texts()
    assert sorted(shown) == ["b/3", "b/4"]
    assert "2 of 5" in page.locator("#tasks .count").inner_text()
    page.locator("#trial-outcome").select_option("machinery failed")
    assert page.locator("#trial-table tbody tr").count() == 1


def test_deep_links(page: Page) -> None:
    page.evaluate("location.hash = '#agent=bee'")
    page.wait_for_function("document.querySelector('#trial-count').textContent.startsWith('8 of')")
    agents = set(page.locator("#trial-table tbody td:nth-child(5)").all_inner_texts())
    assert agents == {"bee"}
    page.locator("#trial-clear").click()
    assert page.locator("#trial-table tbody tr").count() == 17
    page.evaluate("location.hash = '#trial=nobody'")
    page.wait_for_selector("#drawer[open]")
    assert "not in this file" in page.locator("#drawer").inner_text()


def test_a_link_to_a_trial_opens_it(browser: Browser, file: str, page: Page) -> None:
    trial = page.locator("#trial-table tbody tr").first.get_attribute("data-trial")
    other = browser.new_page()
    other.goto(f"{file}#trial={trial}")
    other.wait_for_selector("#drawer[open] .verdict")
    assert trial is not None
    assert trial in other.locator("#drawer").inner_text()
    other.close()


def test_hostile_text_is_shown_as_text(page: Page) -> None:
    page.locator("#trial-filter").fill("pwned")
    page.locator("#trial-table tbody tr").first.click()
    page.wait_for_selector("#drawer[open] .verdict")
    drawer = page.locator("#drawer")
    assert "<script>window.pwned=1</script>" in drawer.inner_text()
    assert r"\x1b[31mred" in drawer.inner_text()
    assert page.locator("#drawer img, #drawer script, main img, main script").count() == 0
    page.keyboard.press("Escape")
    for target in page.locator("[data-tip]").all()[:40]:
        if target.is_visible():
            target.hover(force=True)
    assert page.evaluate("window.pwned") is None


def test_the_policy_stops_what_is_injected(page: Page, problems: list[str]) -> None:
    page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 2';
        document.body.append(s); document.body.insertAdjacentHTML('beforeend',
        '<img src="https://127.0.0.1:9/x" onerror="window.pwned=3">'); }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None
    assert problems
    assert all("Content Security Policy" in text for text in problems)
    problems.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_and_the_switch(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_page_never_scrolls_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_paper_is_white_and_wide_enough_whatever_the_theme(page: Page) -> None:
    page.set_viewport_size({"width": 700, "height": 990})
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('#rewards')).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert not page.locator("#trials").is_visible()


def test_the_numbers_can_be_saved(page: Page) -> None:
    with page.expect_download() as started:
        page.locator("#save").click()
    assert '"kind": "adjudge report"' in Path(started.value.path()).read_text(encoding="utf-8")


def test_without_scripts_the_numbers_are_there(browser: Browser, file: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(file)
    text = plain.locator("main").inner_text()
    assert "0.797" in text  # ant after the re-score: ((0.875 + 0.5)/2 + 1 + 0.5 + 1)/4 = 0.796875
    assert "need scripts" in text
    context.close()
