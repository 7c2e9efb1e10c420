"""`adjudge compare`: paired on shared tasks, worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import run_adjudge
from support.report_ledgers import HOSTILE, TWO_AGENTS, make, make_full


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """By task: ant 0.75, 1, 0.5, 1; bee 0.5, 0.5, 0, 0.25; cat tried two tasks of its own."""
    return make(tmp_path / "ledger.db", {**TWO_AGENTS, "cat": {"a/1": [0.5], "z/1": [1.0]}})


def test_two_agents(ledger: Path) -> None:
    """Differences 0.25, 0.5, 0.5, 0.75: mean 0.5. All 2^4 sign flips, two as far out: p = 2/16."""
    done = run_adjudge("compare", "ant", "bee", "--ledger", ledger, "--format", "json")
    found = json.loads(done.stdout)
    (pair,) = found["pairs"]
    comparison = pair["comparison"]
    assert comparison["difference"]["value"] == 0.5
    assert comparison["p"] == 0.125
    assert (comparison["wins"], comparison["losses"], comparison["ties"]) == (4, 0, 0)
    assert pair["better"] is None  # p = 0.125 shows nothing
    assert pair["plan"]["detectable"] is None  # four tasks can show nothing at 95 %
    assert next((t["task"], t["a"] - t["b"]) for t in found["tasks"]) == ("b/4", 0.75)


def test_the_order_of_the_names_is_the_sign(ledger: Path) -> None:
    done = run_adjudge("compare", "bee", "ant", "--ledger", ledger, "--format", "json")
    assert json.loads(done.stdout)["pairs"][0]["comparison"]["difference"]["value"] == -0.5


def test_the_words(ledger: Path) -> None:
    done = run_adjudge("compare", "ant", "bee", "--ledger", ledger, COLUMNS="200")
    assert "ant minus bee: +0.500 [" in done.stdout
    assert "on 4 shared tasks (0.812 against 0.312)" in done.stdout
    assert "Neither is shown to be better (p = 0.125, sign flips, all 2^4)." in done.stdout
    assert "ant is higher on 4 tasks, lower on 0, equal on 0." in done.stdout
    assert "could not have shown any difference" in done.stdout
    assert "To show a difference of 0.500" in done.stdout


@pytest.mark.parametrize("form", ["terminal", "md"])
def test_two_that_are_equal_everywhere(tmp_path: Path, form: str) -> None:
    rewards = {"a/1": [1.0], "a/2": [0.5], "a/3": [0.0]}
    path = make(tmp_path / "ledger.db", {"ant": rewards, "bee": rewards})
    done = run_adjudge("compare", "ant", "bee", "--ledger", path, "--format", form, COLUMNS="200")
    assert "They have the same mean on every task they share." in done.stdout
    assert "differ most" not in done.stdout


def test_what_was_dropped_from_the_pairing_is_said(ledger: Path) -> None:
    done = run_adjudge("compare", "ant", "cat", "--ledger", ledger, COLUMNS="200")
    assert "3 tasks dropped from the pairing: only ant has a result there" in done.stdout
    assert "No interval: one shared task has no standard error" in done.stdout


def test_every_pair_with_holm_and_ranks_that_show_ties(ledger: Path) -> None:
    done = run_adjudge("compare", "--ledger", ledger, "--format", "json")
    found = json.loads(done.stdout)
    assert len(found["pairs"]) == 3
    assert {(a["best_rank"], a["worst_rank"]) for a in found["ranking"]} == {(1, 3)}  # nothing is shown
    text = run_adjudge("compare", "--ledger", ledger).stdout
    assert "1–3" in text
    assert "not shown" in text


def test_before_and_after_a_re_score(tmp_path: Path) -> None:
    """One trial of a/1 was 1.0 and became 0.875: a difference of -0.125 on one task, and no interval."""
    path = make_full(tmp_path / "full.db")
    found = json.loads(run_adjudge("compare", "--rescored", "--ledger", path, "--format", "json").stdout)
    assert found["sides"] == ["after", "before"]
    assert found["pairs"][0]["comparison"]["difference"]["value"] == -0.125
    assert found["notes"] == ["1 of 17 trials were scored again; the reward of 1 moved."]
    options = ("--min-reward", "0.5", "--cluster", "category")
    some = run_adjudge("compare", "--rescored", "--ledger", path, *options, "--format", "json")
    found = json.loads(some.stdout)
    assert found["filter"] == {"min_reward": 0.5}
    assert [note for note in found["notes"] if "picked by what became of them" in note]
    assert [note for note in found["notes"] if "one category count as one cluster" in note]


def test_nothing_scored_again_is_an_error_that_says_so(ledger: Path) -> None:
    done = run_adjudge("compare", "--rescored", "--ledger", ledger)
    assert done.code == 2
    assert "none of these trials was scored again" in done.stderr


@pytest.mark.parametrize(
    ("names", "says"),
    [(("ant", "dog"), "no group is called so; found 'dog'"), (("ant", "ant"), "two different sides")],
)
def test_names_that_are_not_there(ledger: Path, names: tuple[str, str], says: str) -> None:
    done = run_adjudge("compare", *names, "--ledger", ledger)
    assert done.code == 2
    assert says in done.stderr


def test_an_agent_may_be_named_without_its_model(tmp_path: Path) -> None:
    path = make(tmp_path / "models.db", TWO_AGENTS, model="m-1")
    done = run_adjudge("compare", "ant", "bee (m-1)", "--ledger", path, "--format", "json")
    assert json.loads(done.stdout)["sides"] == ["ant (m-1)", "bee (m-1)"]


def test_pass_rates_are_compared_where_asked(ledger: Path) -> None:
    """reward >= 1: ant 0.5, 1, 0, 1; bee 0, 0.5, 0, 0: difference 2/4 = 0.5."""
    done = run_adjudge("compare", "ant", "bee", "--success", "1", "--ledger", ledger, "--format", "json")
    assert json.loads(done.stdout)["pairs"][0]["comparison"]["difference"]["value"] == 0.5


def test_fields_are_compared_with_benjamini_hochberg(ledger: Path) -> None:
    """One field, `value`, in all four tasks; its only p is its adjusted p."""
    found = json.loads(run_adjudge("compare", "ant", "bee", "--ledger", ledger, "--format", "json").stdout)
    (field,) = found["fields"]
    assert field["field"] == "value"
    assert field["comparison"]["shared"] == 4
    assert field["p_adjusted"] == field["comparison"]["p"]


def test_hostile_names_in_terminal_and_markdown(tmp_path: Path) -> None:
    path = make_full(tmp_path / "full.db")
    for form in ("terminal", "md"):
        done = run_adjudge("compare", "ant", HOSTILE, "--ledger", path, "--format", form)
        assert done.code == 0
        assert "\x1b" not in done.stdout
        assert form == "terminal" or "<script" not in done.stdout


@pytest.mark.parametrize(("wanted", "found"), [("ant", "only ant"), ("nobody", "no trials")])
@pytest.mark.parametrize("form", ["terminal", "md", "json"])
def test_fewer_than_two_sides_say_so(ledger: Path, wanted: str, found: str, form: str) -> None:
    done = run_adjudge("compare", "--agent", wanted, "--ledger", ledger, "--format", form)
    assert (done.code, done.stdout) == (2, "")
    assert "a comparison needs two sides" in done.stderr
    assert found in done.stderr
    assert "adjudge report tells of one side alone" in done.stderr
    if form == "json":
        assert json.loads(done.stderr)["error"]["found"] == repr(found)


def test_a_settled_question_asks_for_no_more_data(tmp_path: Path) -> None:
    """Twelve tasks, each 0.5 apart: p = 2/2^12, and nothing is left to plan."""
    path = make(
        tmp_path / "settled.db",
        {
            "ant": {f"t/{n}": [1.0 - n / 40] for n in range(12)},
            "bee": {f"t/{n}": [0.5 - n / 50] for n in range(12)},
        },
    )
    done = run_adjudge("compare", "ant", "bee", "--ledger", path, COLUMNS="200")
    assert "ant is better (p < 0.001" in done.stdout
    assert "could have shown" in done.stdout
    assert "To show a difference" not in done.stdout
