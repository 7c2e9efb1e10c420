"""Judges in the app: their scores on a trial's page, and how far they agree with people and the verifier."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.contracts import Judgment
from adjudge.judges import CriterionResult, JudgeRecord
from adjudge.ledger import Ledger, NewAttachment, TrialFilter, open_ledger
from adjudge.reports import read_report
from adjudge.web.access.visitor import LOCAL
from adjudge.web.queries.raters import VERIFIER, read_ratings
from adjudge.web.queries.visible import Visible
from adjudge.web.review.book import ReviewBook
from support.trial_samples import annotation, trial
from support.web_site import asking

JUDGE = "judge m-1, m-2 (clarity)"
NOTE = "<script>window.pwned=1</script> units are named"


def judgement(score: float | None, evidence: str = NOTE) -> JudgeRecord:
    why = None if score is not None else "the judges are split"
    criterion = CriterionResult(
        id="units",
        by="judge",
        weight=1.0,
        score=score,
        evidence=evidence if why is None else None,
        abstained=why,
    )
    return JudgeRecord(
        rubric="clarity",
        rubric_digest="a" * 64,
        models=["m-1", "m-2"],
        samples=1,
        judge="b" * 64,
        output_sha256=None,
        score=score,
        abstained=why,
        dimensions=[criterion],
    )


def attach(ledger: Ledger, trial_id: str, key: str, made: JudgeRecord) -> None:
    document = made.model_dump(mode="json", exclude_none=True)
    ledger.attach([NewAttachment("judgement", key, document, trial_id=trial_id)])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight trials of eight tasks. Rewards 1 and 0 in turn; ada agrees with the verifier but on the last two;
    the judge passes the first five, and abstains on the sixth."""
    place = tmp_path_factory.mktemp("judges") / "l.db"
    with open_ledger(place) as ledger:
        found = ledger.record([trial(n, task_id=f"t/{n}", reward=float(n % 2 == 0)) for n in range(8)])
        for n, one in enumerate(found):
            word = Judgment.PASS if (n % 2 == 0) is (n < 6) else Judgment.FAIL
            ledger.annotate(one.trial_id, annotation("ada", word))
            attach(ledger, one.trial_id, "old", judgement(0.0))  # the newest of a judge counts
            attach(ledger, one.trial_id, "new", judgement(None if n == 5 else float(n < 5)))
    return place


def test_a_judge_is_a_rater_among_others(path: Path) -> None:
    """Judge and ada share seven trials: ada says pass on 0, 2, 4, 7 and the judge on 0 to 4."""
    with open_ledger(path) as ledger:
        rated = read_ratings(ledger, Visible(ledger, LOCAL, ()), ReviewBook(ledger))
        report = read_report(ledger, TrialFilter(), None)
    assert rated.judges == (JUDGE,)
    pairs = {(pair.a, pair.b): pair for pair in rated.pairs}
    assert set(pairs) == {(VERIFIER, JUDGE), (VERIFIER, "ada"), (JUDGE, "ada")}
    cells = pairs[JUDGE, "ada"].cells
    assert cells == {("pass", "pass"): 3, ("pass", "fail"): 2, ("fail", "pass"): 1, ("fail", "fail"): 1}
    assert [one.task for one in rated.in_cell(JUDGE, "ada", "fail", "pass")] == ["t/7"]
    assert report.agreement is not None
    [told] = report.agreement.by_reviewer
    mine = pairs[VERIFIER, "ada"]
    assert (mine.kappa.value, mine.kappa.interval) == (told.kappa.value, told.kappa.interval)
    assert (mine.ac1.value, mine.ac1.interval) == (told.ac1.value, told.ac1.interval)


def test_the_pages_show_judges_beside_the_reward(path: Path) -> None:
    with asking(path) as (client, ledger):
        agreement = client.get("/agreement").text
        cell = client.get("/agreement/trials", params={"a": JUDGE, "b": "ada", "x": "fail", "y": "pass"}).text
        [sixth] = ledger.query(TrialFilter(task="t/5")).records
        [first] = ledger.query(TrialFilter(task="t/0")).records
        abstained = client.get(f"/trials/{sixth.trial_id}").text
        shown = client.get(f"/trials/{first.trial_id}").text
    assert f"{JUDGE} and ada" in agreement
    assert "t/7" in cell
    assert "the judges are split" in abstained
    assert "What judges say" in shown
    assert "units are named" in shown
    assert not re.search(r"<script>window", shown)
