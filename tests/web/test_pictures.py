"""The screenshots of the reviewers' guide are made here: ADJUDGE_PICTURES=1 pytest -m app tests/web"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import httpx
import pytest

from adjudge.ledger import TrialFilter, open_ledger
from support.browser import running_browser
from support.demo_run import make_demo_run
from support.doc_pages import ROOT
from support.trial_samples import annotation
from support.web_site import serving, settings

ASSETS = ROOT / "docs" / "assets"


@pytest.mark.app
def test_the_guide_shows_the_app_as_it_is(tmp_path: Path) -> None:
    make_demo_run(tmp_path / "home")
    place = tmp_path / "home" / "adjudge.db"
    made = tmp_path / "pictures"
    made.mkdir()
    with open_ledger(place) as ledger:
        wrong = ledger.query(TrialFilter(task="electrical/voltage-drop", max_reward=0.4)).records[0]
        ledger.annotate(wrong.trial_id, annotation("ada", "pass", notes="The method is right."))
        with (
            serving(ledger, settings(tasks=ROOT / "examples" / "tasks", round_size=20)) as address,
            running_browser() as browser,
        ):
            for theme in ("light", "dark"):
                context = browser.new_context(
                    base_url=address,
                    color_scheme=theme,
                    viewport={"width": 1280, "height": 800},
                )
                page = context.new_page()
                page.goto(f"/trials/{wrong.trial_id}")
                page.screenshot(path=made / f"trial-{theme}.png")
                assert page.is_visible("text=people and verifier disagree")
                page.goto("/review")
                page.wait_for_selector('#review[data-ready="yes"]')
                page.screenshot(path=made / f"review-{theme}.png")
                assert page.is_visible("text=Pass")
                httpx.post(f"{address}/review/1/show")  # the next theme may show whichever trial this was
    for name in ("review-light.png", "trial-dark.png"):
        if os.environ.get("ADJUDGE_PICTURES"):
            shutil.copy(made / name, ASSETS / name)
        assert (ASSETS / name).exists(), f"{name} is missing; see the top of this file"
