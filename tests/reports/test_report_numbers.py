"""A report says what the trials say: every number worked out beside its assertion."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import Choices, Report, read_report
from adjudge.stats import TrialTable, mean_reward
from support.report_ledgers import TWO_AGENTS, make
from support.trial_samples import trial


def report_of(path: Path, wanted: TrialFilter | None = None, **choices: object) -> Report:
    with open_ledger(path) as ledger:
        return read_report(ledger, wanted, Choices(**choices))  # type: ignore[arg-type]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return make(tmp_path / "two.db", TWO_AGENTS)


def test_the_mean_is_that_of_tasks_and_the_best_comes_first(two: Path) -> None:
    """ant: (0.75 + 1 + 0.5 + 1)/4 = 0.8125; bee: (0.5 + 0.5 + 0 + 0.25)/4 = 0.3125."""
    report = report_of(two)
    assert [g.name for g in report.groups] == ["ant", "bee"]
    assert [g.reward.value for g in report.groups] == [0.8125, 0.3125]
    assert (report.trials, report.task_count) == (16, 4)


def test_a_machinery_failure_stands_beside_the_headline_with_bounds(two: Path) -> None:
    """bee's failed attempt at b/4 as 0: 0.3125; as 1: (0.5 + 0.5 + 0 + 0.75)/4 = 0.4375."""
    bee = report_of(two).groups[1]
    assert bee.reward.coverage is not None
    assert (bee.reward.coverage.scored, bee.reward.coverage.verifier_failed) == (7, 1)
    assert bee.reward.bounds is not None
    assert (bee.reward.bounds.low, bee.reward.bounds.high) == (0.3125, 0.4375)
    assert bee.outcomes == {  # 0.5, 0.5, 1.0 and 0.5 are above zero; 0.0 occurs three times
        "scored": 4,
        "wrong": 3,
        "nothing usable": 0,
        "suspected": 0,
        "machinery failed": 1,
    }


def test_policy_exclude_leaves_failures_out_and_says_so(two: Path) -> None:
    """bee without the failure: b/4 is 0.5 alone, so (0.5 + 0.5 + 0 + 0.5)/4 = 0.375."""
    report = report_of(two, policy="exclude")
    assert report.groups[1].reward.value == 0.375
    assert any("1 trial whose verifier failed" in sentence for sentence in report.excluded)


def test_the_interval_is_that_of_stats(two: Path) -> None:
    ant = report_of(two).groups[0]
    expected = mean_reward(TrialTable.of([0, 0, 1, 1, 2, 2, 3, 3], [1, 0.5, 1, 1, 0.25, 0.75, 1, 1]))
    assert ant.reward == expected


def test_pass_rate_and_pass_at_k_come_from_stored_rewards(two: Path) -> None:
    """ant, reward >= 1: tasks pass 1/2, 2/2, 0/2, 2/2: rate 0.625; pass@2 = 3/4; pass^2 = 2/4."""
    passes = {p.name: p.estimate.value for p in report_of(two).groups[0].passes}
    assert passes == {"pass rate": 0.625, "pass@2": 0.75, "pass^2": 0.5}
    lower = {p.name: p.estimate.value for p in report_of(two, success=0.5, ks=(1, 2)).groups[0].passes}
    assert lower == {"pass rate": 0.875, "pass@2": 1.0, "pass^2": 0.75}  # only 0.25 fails


def test_cells_of_the_heat_map(two: Path) -> None:
    """Hardest first by the mean over all attempts: b/3 is (0.25 + 0.75 + 0 + 0)/4 = 0.25."""
    report = report_of(two)
    assert report.tasks[0].task == "b/3"
    assert report.tasks[0].mean == 0.25
    row = {t.task: t for t in report.tasks}["b/4"]
    ant, bee = row.cells
    assert ant is not None
    assert bee is not None
    assert (ant.mean, ant.attempts, ant.failed) == (1.0, 2, 0)
    assert (bee.mean, bee.attempts, bee.failed) == (0.25, 2, 1)


def test_the_distribution_counts_every_trial_that_has_a_reward(two: Path) -> None:
    """ant: 0.25 in 0.2-0.3, 0.5 in 0.5-0.6, 0.75 in 0.7-0.8, five times exactly 1."""
    ant, bee = report_of(two).groups
    assert ant.distribution == (0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 5)
    assert sum(bee.distribution) == 7  # the failure has no reward


def test_grouping_by_category_model_and_metadata(tmp_path: Path) -> None:
    path = make(tmp_path / "m.db", TWO_AGENTS)
    with open_ledger(path) as ledger:
        ledger.record([trial(500, task_id="c/9", reward=0.5, model="m", metadata={"shift": "night"})])
    by_category = {g.name: g.tasks for g in report_of(path, group_by="category").groups}
    assert by_category == {"a": 2, "b": 2, "c": 1}
    assert {g.name for g in report_of(path, group_by="model").groups} == {"m", "(none)"}
    by_key = {g.name: g.trials for g in report_of(path, group_by="metadata.shift").groups}
    assert by_key == {"night": 1, "(none)": 16}
    with pytest.raises(UsageError, match="cannot group by this"):
        report_of(path, group_by="colour")


def test_clusters_change_the_interval_but_not_the_mean(two: Path) -> None:
    plain, clustered = report_of(two).groups[0].reward, report_of(two, cluster="category").groups[0].reward
    assert clustered.value == plain.value
    assert clustered.clusters == 2
    assert clustered.interval != plain.interval


def test_an_agent_with_two_models_is_two_groups(tmp_path: Path) -> None:
    path = tmp_path / "models.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(n, agent_name="one", model=m, task_id="t/1") for n, m in enumerate("xy")])
    assert {g.name for g in report_of(path).groups} == {"one (x)", "one (y)"}


def test_fields_are_averaged_like_rewards_and_a_missing_breakdown_is_not_zero(two: Path) -> None:
    """bee's field `value`: a/1 0.5, a/2 0.5, b/3 0, b/4 only the attempt that was scored: 0.5."""
    (row,) = report_of(two).fields
    assert row.field == "value"
    assert row.trials == 15
    assert row.groups[1] is not None
    assert row.groups[1].value == (0.5 + 0.5 + 0 + 0.5) / 4


def test_cost_is_known_or_not_known(two: Path) -> None:
    ant = report_of(two).groups[0]
    assert (ant.cost_usd.known, ant.cost_usd.total, ant.cost_usd.per_trial) == (8, 2.0, 0.25)
    assert ant.agent_sec is not None
    assert ant.agent_sec.total is None


def test_the_same_ledger_gives_the_same_report_whatever_the_order_of_its_rows(tmp_path: Path) -> None:
    """All but the digest of the rows, which says in which order they stand."""
    backwards = {agent: dict([*TWO_AGENTS[agent].items()][::-1]) for agent in [*TWO_AGENTS][::-1]}
    reports = [
        report_of(make(tmp_path / f"{n}.db", rewards)).model_dump(
            exclude={"provenance": True, "comparison": {"data_sha256"}}
        )
        for n, rewards in enumerate((TWO_AGENTS, backwards))
    ]
    assert reports[0] == reports[1]


def test_a_report_survives_json(two: Path) -> None:
    report = report_of(two)
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_pooled_experiments_and_two_versions_of_a_task_are_said(tmp_path: Path) -> None:
    path = make(tmp_path / "pool.db", TWO_AGENTS)
    with open_ledger(path) as ledger:
        ledger.record(
            [trial(700, experiment="second", task_id="a/1", task_digest="b" * 64, agent_name="ant")]
        )
    notes = " ".join(report_of(path).notes)
    assert "2 experiments are pooled" in notes
    assert "More than one version of the verifier scored 1 task" in notes


def test_a_success_that_nobody_can_trust_pays_no_cost(tmp_path: Path) -> None:
    """Three trials at 0.25 dollars, two with a reward of 1, one of them by a failed machinery: 0.75."""
    with open_ledger(tmp_path / "costs.db") as ledger:
        ledger.record(
            [
                trial(0, agent_name="ant", model=None, reward=1.0),
                trial(1, agent_name="ant", model=None, reward=1.0, completed=False),
                trial(2, agent_name="ant", model=None, reward=0.0),
            ]
        )
    assert report_of(tmp_path / "costs.db").groups[0].cost_per_success == 0.75
