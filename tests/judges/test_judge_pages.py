"""Judges where people read: reports in every format, the calibration page, tags; with their trust."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.judges import JudgeRubric, record_calibration, record_failure
from adjudge.ledger import open_ledger
from adjudge.reports import read_report
from support.command_line import run_adjudge
from support.judge_cases import (
    WHY,
    Scripted,
    asker,
    judge_all,
    judged_ledger,
    labels_file,
    panel,
    rubric_file,
    saying,
)
from support.trial_samples import trial

pytest.importorskip("jinja2", reason="needs jinja2: pip install 'adjudge[reports]'")
RUBRIC = JudgeRubric(name="why", dimensions=[WHY], reward=True)


def test_every_format_of_a_report_has_judges_and_whether_to_trust_them(tmp_path: Path) -> None:
    book, truth = judged_ledger(tmp_path / "a.db", 12, RUBRIC)
    options = ("--ledger", tmp_path / "a.db")
    shown = " ".join(run_adjudge("report", *options).stdout.split())
    assert "judges' scores, beside the rewards" in shown
    assert re.search(r"test:a, why score uncalibrated 0\.\d+ \[0\.\d+, 0\.\d+\] 12 0", shown)
    assert "judge reward" not in shown
    run_adjudge("report", *options, "-o", tmp_path / "report.md")
    markdown = (tmp_path / "report.md").read_text()
    assert re.search(r"\| test:a, why \| why \| uncalibrated \| 0\.", markdown)
    page = tmp_path / "report.html"
    assert run_adjudge("report", *options, "-o", page).code == 0
    assert '<span class="pill">uncalibrated</span>' in page.read_text()

    document = {"criterion": "why", "calibrated": True, "items": 60, "lower_end": 0.9, "why_not": None}
    record_calibration(book, panel().identity(RUBRIC), "why", document)
    judge_all(book, RUBRIC)
    found = read_report(book)
    assert [(row.what, row.trust) for row in found.judges] == [
        ("judge reward", "calibrated"),
        ("score", "calibrated"),
        ("why", "calibrated"),
    ]
    assert {row.trials for row in found.judges} == {len(truth)}
    assert "judge reward" in run_adjudge("report", *options).stdout


def test_abstentions_are_counted_and_are_in_no_mean(tmp_path: Path) -> None:
    from adjudge.judges import JudgeRun, JudgeTally

    with open_ledger(tmp_path / "a.db") as book:
        book.record([trial(n, output=f"{n}".encode(), reward=0.5) for n in range(4)])
        judge = Scripted(saying(why=True), saying(), saying(why=True), saying())
        run = JudgeRun(
            book, panel(), asker(book, {"test:a": judge}), lambda _: RUBRIC, {}, JudgeTally(), workers=1
        )
        run.execute(list(book.iterate()))
        rows = read_report(book).judges
    assert {(row.trials, row.abstained) for row in rows} == {(2, 2)}
    assert all(row.overall is not None and row.overall.value == 1.0 for row in rows)


def test_a_report_without_judges_says_nothing_of_them(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as book:
        book.record([trial(1), trial(2)])
    assert "judges' scores" not in run_adjudge("report", "--ledger", tmp_path / "a.db").stdout


def test_the_calibration_page(tmp_path: Path) -> None:
    _, truth = judged_ledger(tmp_path / "a.db", 60, JudgeRubric(name="why", dimensions=[WHY]))
    page = tmp_path / "calibration.html"
    done = run_adjudge(
        *("calibrate", "--rubric", rubric_file(tmp_path / "judge.toml"), "--ledger", tmp_path / "a.db"),
        *("--labels", labels_file(tmp_path / "labels.jsonl", truth), "-o", page),
    )
    assert done.code == 0, done.stderr
    text = page.read_text()
    assert "<h1>Calibration of why</h1>" in text
    assert '<span class="pill">calibrated</span>' in text
    for part in ("kappa", "Krippendorff&#39;s alpha", "sensitivity", "people: yes", "shorter outputs"):
        assert part in text
    assert "default-src &#39;none&#39;" in text
    with open_ledger(tmp_path / "a.db") as book:
        assert [row.document["calibrated"] for row in book.attached("calibration")] == [True]


def test_hostile_names_are_text_on_the_calibration_page() -> None:
    from adjudge.judges import VerdictPair, calibrate_criterion
    from adjudge.reports import html

    evil = "<script>alert(1)</script>"
    pairs = [VerdictPair(f"t{n}", "k", evil, n, n % 2 == 0, n % 2 == 0) for n in range(40)]
    found = calibrate_criterion(WHY.model_copy(update={"id": evil}), pairs, [], draws=99)
    whole = {"judge": "j" * 64, "models": [evil], "samples": 1, "drift": None, **found}
    assert evil not in html.render_calibration(evil, [whole])


def test_tags_say_at_which_turn_failures_began(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as book:
        ids = [recorded.trial_id for recorded in book.record([trial(n, reward=0.0) for n in range(3)])]
        for trial_id, turn in zip(ids, (4, 9, 7), strict=True):
            found = {"category": "unit mismatch", "confidence": 1.0, "reason": "mV", "quotes": []}
            record_failure(book, trial_id, "k", {**found, "began_at_turn": turn})
        book.add_tags(ids[0], [ErrorTag(category="other", source=ErrorSource.HUMAN)])
    options = ("--ledger", tmp_path / "a.db")
    shown = run_adjudge("tags", *options).stdout
    assert "unit mismatch began at turn 7, from 4 to 9 in 3 trials, judges say." in shown
    rows = {
        row["name"]: row for row in json.loads(run_adjudge("tags", *options, "--json").stdout)["category"]
    }
    assert rows["unit mismatch"]["began_at_turns"] == [4, 7, 9]
    assert "began_at_turns" not in rows["other"]
