"""Among many agents every format shows the interval that belongs to the verdict, with the same digits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from support.command_line import run_adjudge
from support.report_ledgers import make


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five agents, 16 tasks; neighbours differ so little that a pair alone would show more than Holm does."""
    rng = np.random.default_rng(4)
    rewards = {}
    for i in range(5):
        drawn = rng.normal(0.3 + 0.05 * i, 0.1, 16).clip(0, 1)
        rewards[f"agent{i}"] = {f"t/{n}": [round(float(x), 2)] for n, x in enumerate(drawn)}
    return make(tmp_path_factory.mktemp("many") / "ledger.db", rewards)


def shown(ledger: Path, form: str) -> str:
    return run_adjudge("compare", "--ledger", ledger, "--format", form, COLUMNS="250").stdout


def test_an_interval_excludes_zero_exactly_if_a_better_side_is_named(ledger: Path) -> None:
    pairs = json.loads(shown(ledger, "json"))["pairs"]
    assert len(pairs) == 10
    alone = 0
    for pair in pairs:
        low, high = pair["interval"]["low"], pair["interval"]["high"]
        assert (low > 0 or high < 0) == (pair["better"] is not None)
        if pair["better"]:
            assert pair["better"] == (pair["a"] if low > 0 else pair["b"])
        ends = pair["comparison"]["difference"]["interval"]
        alone += (ends["low"] > 0 or ends["high"] < 0) and pair["better"] is None
        assert pair["interval"]["level"] >= 0.95
        assert pair["plan"]["level"] == pair["interval"]["level"]
    assert alone > 0  # else the test could not tell the two apart


@pytest.mark.parametrize("form", ["terminal", "md", "html"])
def test_every_format_shows_those_intervals(ledger: Path, form: str) -> None:
    text = shown(ledger, form)
    for pair in json.loads(shown(ledger, "json"))["pairs"]:
        low, high = pair["interval"]["low"], pair["interval"]["high"]
        assert f"[{low:+.3f}, {high:+.3f}]" in text
    assert "at the level at which Holm tests the pair among 10" in " ".join(text.split())


def test_what_a_pair_could_show_counts_the_other_pairs(ledger: Path) -> None:
    many = json.loads(shown(ledger, "json"))["pairs"]
    two = json.loads(
        run_adjudge("compare", "agent0", "agent1", "--ledger", ledger, "--format", "json").stdout
    )["pairs"][0]
    (same,) = [p for p in many if {p["a"], p["b"]} == {"agent0", "agent1"}]
    assert same["plan"]["detectable"] > two["plan"]["detectable"]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve agents on ten tasks: 66 pairs, and Holm's first step asks for 12 tasks."""
    rewards = {
        f"agent{i:02d}": {f"t/{n}": [round(0.05 * i + 0.01 * n, 2)] for n in range(10)} for i in range(12)
    }
    return make(tmp_path_factory.mktemp("crowd") / "ledger.db", rewards)


@pytest.mark.parametrize("form", ["terminal", "md"])
def test_a_text_lists_no_more_pairs_than_people_read(crowd: Path, form: str) -> None:
    text = " ".join(shown(crowd, form).split()).replace("\\", "")
    assert "These are the 45 pairs with the smallest p; 21 more are in --format html and json." in text
    assert "A better side is named in 0 of all 66." in text


@pytest.mark.parametrize("form", ["terminal", "md", "html"])
def test_too_few_tasks_for_so_many_pairs_are_said(crowd: Path, form: str) -> None:
    """2/2^n is at most 0.05/66 from n = 12 on."""
    text = " ".join(shown(crowd, form).split()).replace("\\", "")
    assert "Among 66 pairs it takes 12 shared tasks to show anything, whatever the rewards" in text


def test_a_page_shows_who_beats_whom_and_says_if_nobody_does(crowd: Path, ledger: Path) -> None:
    assert "No side is shown to be better than another." in shown(crowd, "html")
    page, pairs = shown(ledger, "html"), json.loads(shown(ledger, "json"))["pairs"]
    named = sum(pair["better"] is not None for pair in pairs)
    assert named > 0
    assert page.count(">+</td>") == page.count(">−</td>") == named


def test_a_number_and_its_percent_sign_stay_on_one_line(ledger: Path) -> None:
    page = shown(ledger, "html")
    assert "&nbsp;%): an interval excludes 0" in page
    assert "\\xa0" not in page


def test_a_claim_among_many_pairs_carries_its_caveat_in_every_format(tmp_path: Path) -> None:
    """Ten small wins: shown, and a rare kind of task that is missing here could reverse it."""
    means = {"Ant": 0.9, "Bee": 0.6, "Cow": 0.3}
    rewards = {name: {f"t{n}": [mean + n / 1000] for n in range(10)} for name, mean in means.items()}
    ledger = make(tmp_path / "a.db", rewards)
    found = json.loads(run_adjudge("compare", "--ledger", ledger, "--json").stdout)
    caveats = {caveat for pair in found["pairs"] for caveat in pair["caveats"]}
    assert caveats
    for form in ("terminal", "md", "html"):
        text = run_adjudge("compare", "--ledger", ledger, "--format", form).stdout
        shown = " ".join(text.split()).lower()
        for caveat in caveats:
            assert caveat[:60].lower() in shown, form


def test_a_plan_keeps_the_names_of_its_sides(tmp_path: Path) -> None:
    ledger = make(
        tmp_path / "a.db", {name: {f"t{n}": [n % 2] for n in range(8)} for name in ("Ant-XL", "Bee")}
    )
    assert (
        "from Ant-XL and Bee"
        in run_adjudge("plan", "Ant-XL", "Bee", "--ledger", ledger, "--format", "md").stdout
    )
