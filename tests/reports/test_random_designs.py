"""Random designs, degenerate ones among them: no format contradicts another, and no sentence is false."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from adjudge.ledger import TrialColumns, open_ledger
from adjudge.reports import Choices, build_gate, compare_groups, html, markdown, read_report, terminal
from adjudge.reports.models.comparison import Comparison
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.comparison_sentences import ALL_EQUAL
from adjudge.reports.rendering.terminal.canvas import Terminal
from adjudge.stats import GateOutcome
from support.report_ledgers import Rewards, make

KINDS = (
    "ties",
    "one task",
    "two tasks",
    "half missing",
    "constant",
    "all failed",
    "one side failed",
    "some failed",
    "attempts 1 and 9",
    "opposite",
    "0/1",
    "graded",
    "tiny differences",
    "no shared task",
    "many agents",
)


def rewards_of(kind: str, rng: np.random.Generator) -> Rewards:
    """Agents with rewards by task; None is a machinery failure."""
    n = {"one task": 1, "two tasks": 2}.get(kind, int(rng.integers(5, 24)))
    agents = 7 if kind == "many agents" else int(rng.choice([2, 2, 3]))
    base = rng.random(n).round(2)
    found: dict[str, dict[str, list[float | None]]] = {}
    for a in range(agents):
        drawn = (base + rng.normal(0.05 * a, 0.15, n)).clip(0, 1).round(2)
        if kind == "ties":
            drawn = base
        elif kind == "constant":
            drawn = np.full(n, [0.5, 0.7, 0.2][a % 3])
        elif kind == "opposite":
            drawn = base if a % 2 else (1 - base).round(2)
        elif kind == "0/1":
            drawn = (rng.random(n) < 0.3 + 0.3 * a).astype(float)
        elif kind == "tiny differences":
            drawn = (0.5 + 0.0001 * a + rng.normal(0, 0.00002, n)).round(6)
        tasks: dict[str, list[float | None]] = {}
        for t, reward in enumerate(drawn.tolist()):
            attempts = int(rng.choice([1, 9])) if kind == "attempts 1 and 9" else 1
            value: float | None = reward
            if (
                kind == "all failed"
                or (kind == "one side failed" and a == 0)
                or (kind == "some failed" and rng.random() < 0.3)
            ):
                value = None
            if kind == "half missing" and a == 0 and t % 2:
                continue
            name = f"own/{a}-{t}" if kind == "no shared task" else f"t/{t}"
            tasks[name] = [value] * attempts
        found[f"agent{a}"] = tasks
    return found


def read(path: Path, rewards: Rewards) -> TrialColumns:
    with open_ledger(make(path, rewards)) as ledger:
        return ledger.columns()


def texts(found: Comparison) -> Iterator[tuple[str, str]]:
    yield "terminal", terminal.render_comparison(found, Terminal(width=400))
    yield "markdown", unescape(markdown.render_comparison(found)).replace("\\", "")
    page = re.sub(r"<script.*?</script>", "", html.render_comparison(found), flags=re.DOTALL)
    yield "html", unescape(page)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_and_sentences_agree_in_every_format(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for at in range(4):
        rewards = rewards_of(kind, rng)
        columns = read(tmp_path / f"{at}.db", rewards)
        found = compare_groups(columns, (), Choices(), documents="not read")
        for pair in found.pairs:
            if pair.interval is not None:
                excludes = pair.interval.low > 0 or pair.interval.high < 0
                assert excludes == ((pair.better or pair.withheld) is not None)
            else:
                assert pair.better is None
        for form, text in texts(found):
            plain = " ".join(text.split())
            assert not re.search(r"\b(nan|NaN|inf|None)\b", plain), form
            for pair in found.pairs:
                if pair.shown.value is not None:
                    assert wording.estimate(pair.shown, sign=True) in plain, form
            both = [set(tasks) for tasks in rewards.values()]
            if ALL_EQUAL in plain:
                assert kind == "ties", form
            if kind in ("all failed", "no shared task") or not set.intersection(*both):
                assert ALL_EQUAL not in plain, form
        for agent in found.ranking:
            if all(r is None for tasks in [rewards[agent.agent]] for rs in tasks.values() for r in rs):
                assert agent.best_rank is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_gate_says_what_the_comparison_says(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(100 + len(kind))
    columns = read(tmp_path / "g.db", rewards_of(kind, rng))
    compared = compare_groups(columns, ("agent0", "agent1"), Choices(), documents="not read").pairs[0]
    found = build_gate(columns, "agent1", "agent0", Choices(), margin=0.05)
    assert found.verdict.comparison.difference.value == compared.comparison.difference.value
    assert found.verdict.comparison.difference.interval == compared.interval
    interval, outcome = compared.interval, found.verdict.outcome
    coverage = compared.comparison.difference.coverage
    if interval is None:
        assert outcome is GateOutcome.UNDECIDED
    elif coverage is None or not coverage.verifier_failed:
        expected = (
            GateOutcome.PASS
            if interval.low > -0.05
            else GateOutcome.REGRESSED
            if compared.better == "agent1"
            else GateOutcome.UNDECIDED
        )
        assert outcome is expected
    for text in (terminal.render_gate(found, Terminal(width=400)), markdown.render_gate(found)):
        assert not re.search(r"\b(nan|NaN|inf|None)\b", text)


def test_a_task_on_which_all_verifiers_failed_has_no_mean_and_is_not_the_hardest(tmp_path: Path) -> None:
    rewards: Rewards = {"ant": {"t/1": [None], "t/2": [0.25]}, "bee": {"t/1": [None, None], "t/2": [0.75]}}
    with open_ledger(make(tmp_path / "f.db", rewards)) as ledger:
        report = read_report(ledger)
    assert [(row.task, row.mean) for row in report.tasks] == [("t/2", 0.5), ("t/1", None)]
    assert "| t/1 | – | failed | failed |" in markdown.render_report(report)
