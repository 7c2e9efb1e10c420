"""axe-core finds nothing to complain about in any page, wide or narrow, light or dark; nothing overflows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import Choices, compare_groups, html, plan_from_assumptions, read_drilldown, read_report
from support.browser import running_browser
from support.command_line import run_adjudge
from support.report_ledgers import entries
from support.task_folders import write_task
from support.trial_samples import annotation

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LONG = "an-agent-with-a-name-that-is-far-too-long-for-any-column (and-a-model-of-2026-with-reasoning)"
OTHERS = [(390, "dark"), (820, "light"), (820, "dark"), (1280, "light")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A report of two experiments with failures and reviews, a comparison, a plan, an audit of two tasks."""
    folder = tmp_path_factory.mktemp("pages")
    rewards = {
        name: {f"folder/task-{n}": [((n * 7 + at) % 10) / 10] if n != at else [None] for n in range(12)}
        for at, name in enumerate((LONG, "bee", "cat"))
    }
    with open_ledger(folder / "ledger.db") as ledger:
        for experiment in ("first", "second"):
            ledger.record(entries(rewards, experiment=experiment))
        for n, record in enumerate(list(ledger.iterate())[:12]):
            ledger.annotate(record.trial_id, annotation("ada" if n % 2 else "bob", "pass"))
        report = read_report(ledger)
        compared = compare_groups(ledger.columns(), (), Choices(), documents="not read")
        made = {
            "report": html.render_report(report, read_drilldown(ledger, TrialFilter(), report)),
            "comparison": html.render_comparison(compared),
            "plan": html.render_plan(plan_from_assumptions(Choices(), delta=0.1, tasks=20)),
        }
    for name in ("echo", "other"):
        write_task(folder / "tasks" / name)
    quick = ("--no-ledger", "--no-preflight", "--section", "format")
    run_adjudge("audit", folder / "tasks", *quick, "-o", folder / "audit.html")
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    found = {name: (folder / f"{name}.html").as_uri() for name in made}
    return found | {"audit": (folder / "audit.html").as_uri()}


@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (390, "light"),
        (1280, "dark"),
        *(pytest.param(*other, marks=pytest.mark.app) for other in OTHERS),
    ],
)
@pytest.mark.parametrize("name", ["report", "comparison", "plan", "audit"])
def test_pages_are_accessible_at_every_width_in_both_themes(
    browser: Browser, pages: dict[str, str], name: str, width: int, theme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        bypass_csp=True,  # axe itself is an inline script
    )
    page = context.new_page()
    page.goto(pages[name])
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    found = axe.run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
    context.close()
