"""A side is called better only if no machinery failure could undo it; all formats say so, the gate agrees."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from adjudge.reports import Choices, build_gate, compare_groups, html, markdown, terminal
from adjudge.reports.models.comparison import Comparison, Pair
from adjudge.reports.rendering.terminal.canvas import Terminal
from adjudge.stats import GateOutcome
from support.report_ledgers import Rewards, make

TASKS = [f"t/{i}" for i in range(12)]
HALF_FAILED: Rewards = {
    "ant": {task: [0.6 + 0.01 * i] for i, task in enumerate(TASKS)},
    "bee": {task: [0.5, None] for task in TASKS},
}
"""bee has 0.25 with its failures worth 0, and 0.75 with them worth 1."""
ONE_FAILED: Rewards = {
    "ant": HALF_FAILED["ant"],
    "bee": {task: [0.1, 0.1, None if i == 0 else 0.1] for i, task in enumerate(TASKS)},
}
"""One failure of 36 moves bee's mean by 1/36."""
SENTENCE = (
    "ant is ahead (p < 0.001, sign flips, all 2^12), but is not called better: 12 machinery failures could "
    "undo it."
)


def compare(path: Path, rewards: Rewards, **how: str) -> Comparison:
    with open_ledger(make(path / "l.db", rewards)) as ledger:
        return compare_groups(ledger.columns(), ("ant", "bee"), Choices(**how), documents="not read")  # type: ignore[arg-type]  # a plain mapping


def only_pair(found: Comparison) -> Pair:
    assert len(found.pairs) == 1
    return found.pairs[0]


def test_what_failures_could_undo_is_withheld(tmp_path: Path) -> None:
    found = compare(tmp_path, HALF_FAILED)
    pair = only_pair(found)
    assert (pair.better, pair.withheld) == (None, "ant")
    assert (pair.comparison.better, pair.comparison.withheld) == (None, "a")
    assert pair.interval is not None
    assert pair.interval.low > 0
    assert [(a.best_rank, a.worst_rank) for a in found.ranking] == [(1, 2), (1, 2)]


def test_every_format_says_so(tmp_path: Path) -> None:
    found = compare(tmp_path, HALF_FAILED)
    page = re.sub(r"<script.*?</script>", "", html.render_comparison(found), flags=re.DOTALL)
    texts = {
        "terminal": terminal.render_comparison(found, Terminal(width=400)),
        "markdown": markdown.render_comparison(found),
        "html": re.sub(r"<[^>]*>", " ", page),
    }
    for form, text in texts.items():
        plain = " ".join(unescape(text).replace("\\", "").split())
        assert SENTENCE in plain, form
        assert "ant is better" not in plain, form
    assert json.loads(found.model_dump_json())["pairs"][0]["withheld"] == "ant"


def test_the_gate_agrees(tmp_path: Path) -> None:
    with open_ledger(make(tmp_path / "g.db", HALF_FAILED)) as ledger:
        gate = build_gate(ledger.columns(), "ant", "bee", Choices(), margin=0.02)
    assert gate.verdict.outcome is GateOutcome.UNDECIDED
    assert "could decide it" in gate.verdict.reason


@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_a_failure_that_changes_nothing_withholds_nothing(tmp_path: Path, policy: str) -> None:
    pair = only_pair(compare(tmp_path, ONE_FAILED, policy=policy))
    assert (pair.better, pair.withheld) == ("ant", None)


def test_tasks_that_failed_in_full_count_at_both_extremes(tmp_path: Path) -> None:
    """On the twelve shared tasks ant is clearly ahead; on twelve more the machinery failed for one side."""
    more = {f"u/{i}": [None] for i in range(12)}
    rewards: Rewards = {
        "ant": {**HALF_FAILED["ant"], **more},
        "bee": {**{task: [0.3] for task in TASKS}, **{task: [0.9] for task in more}},
    }
    pair = only_pair(compare(tmp_path, rewards))
    assert pair.comparison.shared == 12
    assert (pair.better, pair.withheld) == (None, "ant")
