"""Failures fall under given categories with reasons and quotes, or are proposed until a person names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.judges import (
    classify_failure,
    cluster_failures,
    confirm_failures,
    failure_tag,
    record_failure,
)
from adjudge.ledger import Ledger, TrialFilter, open_ledger
from adjudge.traces import attach_trace
from support.command_line import run_adjudge
from support.judge_cases import Scripted, answer, asker, memo, panel
from support.trace_files import FILES

OTHER = "another kind of failure"
CATEGORIES: dict[str, str | None] = {"unit mismatch": r"\bmV\b", "sign error": "-7"}


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def says(verdict: Any, **changes: Any) -> Scripted:
    return Scripted(lambda r: answer(r, {"failure": verdict, "began": 1}, **changes))


def test_a_failure_falls_under_a_category_with_its_quotes(book: Ledger) -> None:
    record = memo(book, "The drop is 7200 mV.", reward=0.0)
    judge = says("unit mismatch", reason="in mV, not V", quotes=["7200 mV", "nowhere"])
    found = classify_failure(book, record, CATEGORIES, panel(), asker(book, {"test:a": judge}))
    assert (found["category"], found["confidence"], found["invented_quotes"]) == ("unit mismatch", 1.0, 1)
    assert found["quotes"] == [{"text": "7200 mV", "start": 12, "end": 19}]
    tag = failure_tag("unit mismatch", found)
    assert tag.source.value == "judge"
    assert tag.description == 'in mV, not V (confidence 1.00, uncalibrated); at 12: "7200 mV"'
    assert "What the verifier said of it" in judge.asked[0].prompt.user


def test_with_a_trace_it_says_at_which_turn_the_failure_began(book: Ledger, tmp_path: Path) -> None:
    record = memo(book, "7200 mV", reward=0.0)
    path = tmp_path / "trajectory.jsonl"
    path.write_bytes(FILES["trajectory.jsonl"])
    attach_trace(book, record.trial_id, path)
    found = classify_failure(
        book, record, CATEGORIES, panel(), asker(book, {"test:a": says("unit mismatch")})
    )
    assert found["began_at_turn"] == 1
    assert "began at turn 1" in str(failure_tag("x", found).description)


def test_a_split_or_silent_panel_abstains(book: Ledger) -> None:
    record = memo(book, "7200 mV", reward=0.0)
    split = {"test:a": says("unit mismatch"), "test:b": says("sign error")}
    found = classify_failure(book, record, CATEGORIES, panel(list(split)), asker(book, split))
    assert found == {"category": None, "why": "the verdicts are split evenly"}
    silent = {"test:c": says(None)}
    assert (
        classify_failure(book, record, CATEGORIES, panel(["test:c"]), asker(book, silent))["category"] is None
    )


def test_other_failures_are_put_together_by_their_reasons() -> None:
    found: dict[str, dict[str, Any]] = {
        "a": {"category": OTHER, "reason": "The memo ignores the ambient temperature factor."},
        "b": {"category": OTHER, "reason": "It ignores the ambient temperature factor entirely."},
        "c": {"category": OTHER, "reason": "Wrong standard edition quoted."},
        "d": {"category": "sign error", "reason": "negative"},
        "e": {"category": None},
    }
    clusters = cluster_failures(found)
    assert [(c.name, c.trials, c.confirmed) for c in clusters] == [
        ("sign error", ("d",), True),
        ("ambient factor ignores", ("a", "b"), False),
        ("edition quoted standard", ("c",), False),
    ]


def test_the_command_tags_proposes_and_confirms(book: Ledger, tmp_path: Path) -> None:
    memo(book, "7200 mV", number=1, reward=0.0)
    memo(book, "-7.2 V", number=2, reward=0.2)
    odd = memo(book, "nothing", number=3, reward=0.0)
    memo(book, "7.2 V", number=4, reward=1.0)
    options = (
        *(
            "classify",
            "--model",
            "offline",
            "--category",
            r"unit mismatch=\bmV\b",
            "--category",
            "sign error=-7",
        ),
        *("--ledger", tmp_path / "a.db"),
    )
    done = json.loads(run_adjudge(*options, "--json").stdout)
    assert done["failed"] == 3
    names = {cluster["name"]: cluster["confirmed"] for cluster in done["clusters"]}
    assert names == {"unit mismatch": True, "sign error": True, "applies declared default": False}
    assert book.count(TrialFilter(tag="unit mismatch")) == 1
    head = book.info().head
    run_adjudge(*options)
    assert book.info().head == head
    wrong = run_adjudge(*options, "--confirm", "x=y")
    assert (wrong.code, "applies declared default" in wrong.stderr) == (2, True)
    run_adjudge(*options, "--confirm", "applies declared default=no answer")
    again = json.loads(run_adjudge(*options, "--json").stdout)
    assert {cluster["name"]: cluster["confirmed"] for cluster in again["clusters"]} == {
        "unit mismatch": True,
        "sign error": True,
        "no answer": True,
    }
    twice = run_adjudge(*options, "--confirm", "applies declared default=no answer", "--json")
    assert json.loads(twice.stdout)["confirmed_now"] == 0
    assert [r.trial_id for r in book.iterate(TrialFilter(tag="no answer"))] == [odd.trial_id]


def test_a_failure_that_a_person_named_later_keeps_its_turn(book: Ledger, tmp_path: Path) -> None:
    odd = memo(book, "nothing", reward=0.0)
    found = {"category": OTHER, "confidence": 1.0, "reason": "odd", "quotes": [], "began_at_turn": 4}
    record_failure(book, odd.trial_id, "k", found)
    assert confirm_failures(book, "no answer", {odd.trial_id: found}) == 1
    assert confirm_failures(book, "no answer", {odd.trial_id: found}) == 0
    rows = json.loads(run_adjudge("tags", "--ledger", tmp_path / "a.db", "--json").stdout)["category"]
    assert [(row["name"], row["began_at_turns"]) for row in rows] == [("no answer", [4])]


def test_a_dry_run_asks_nobody_and_counts_the_calls(book: Ledger, tmp_path: Path) -> None:
    memo(book, "7200 mV", number=1, reward=0.0)
    traced = memo(book, "-7.2 V", number=2, reward=0.2)
    path = tmp_path / "conversation.jsonl"
    path.write_text('{"role": "user", "content": "Go."}\n{"role": "assistant", "content": "Hm."}\n')
    attach_trace(book, traced.trial_id, path)
    head = book.info().head
    options = (
        *("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1"),
        *("--dry-run", "--json", "--ledger", tmp_path / "a.db"),
    )
    done = json.loads(run_adjudge("classify", "--category", "sign error", *options).stdout)
    assert (done["trials"], done["calls"], done["usd"]) == (2, 3, None)
    done = json.loads(run_adjudge("traces", "classify", *options).stdout)
    assert (done["trials"], done["calls"]) == (2, 1)
    assert book.info().head == head
    assert run_adjudge("traces", "classify", "--dry-run", "--ledger", tmp_path / "a.db").code == 2


def test_without_a_category_it_says_what_to_do(book: Ledger, tmp_path: Path) -> None:
    memo(book, "x", reward=0.0)
    done = run_adjudge("classify", "--model", "offline", "--ledger", tmp_path / "a.db")
    assert (done.code, "no category is known" in done.stderr) == (2, True)
