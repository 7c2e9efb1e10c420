"""docs/statistics.md tells the truth: its example runs, its table is the simulation's, its names exist."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

from benchmarks.coverage_plot import rate_table, table
from benchmarks.simulate import RATES_END, RATES_START, TABLE_END, TABLE_START

import adjudge.stats
from adjudge.stats import GateOutcome, TrialTable, gate

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "statistics.md").read_text()


def test_the_example_runs() -> None:
    parser = doctest.DocTestParser()
    example = parser.get_doctest(PAGE.replace("```", ""), {}, "statistics.md", None, 0)
    assert len(example.examples) == 23
    results = doctest.DocTestRunner().run(example)
    assert results.failed == 0


def test_the_table_is_that_of_the_last_simulation() -> None:
    summary = json.loads((DOCS / "assets" / "coverage.json").read_text())
    shown = PAGE.split(TABLE_START)[1].split(TABLE_END)[0].strip()
    assert shown == table(summary)
    assert PAGE.split(RATES_START)[1].split(RATES_END)[0].strip() == rate_table(summary)


def test_every_function_named_in_the_table_exists() -> None:
    section = PAGE.split("## The numbers")[1].split("**Clusters.**")[0]
    names = re.findall(r"`([a-z_]+)[`(]", section)
    assert len(names) >= 13
    assert [name for name in names if name not in adjudge.stats.__all__] == []


def test_the_gate_paragraph_is_true() -> None:
    """z²/(n + z²) < 0.02 means n > 49 z² = 188.2."""

    def outcome(n: int) -> GateOutcome:
        trials = TrialTable.of(range(n), [0.5] * n)
        return gate(trials, trials, margin=0.02).outcome

    assert (outcome(188), outcome(189)) == (GateOutcome.UNDECIDED, GateOutcome.PASS)
