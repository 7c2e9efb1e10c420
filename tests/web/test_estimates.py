"""An estimate from reviews that went through the real queue: right on average, whatever the queue prefers."""

from __future__ import annotations

import math
import shutil
import statistics
from pathlib import Path

import pytest

from adjudge.contracts import ErrorSource, ErrorTag, Judgment
from adjudge.ledger import Desk, TrialFilter, open_ledger
from adjudge.reports import read_report
from adjudge.web import UserRole
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.submit import SentReview, submit
from adjudge.web.site import Site
from support.patience import wait_until
from support.trial_samples import trial
from support.web_site import settings

ADA = Visitor("ada", UserRole.REVIEWER)
TRIALS, SUSPECTED, REVIEWS, LOTTERIES = 60, 15, 26, 40
DOUBT = ErrorTag(category="verifier failure suspected", source=ErrorSource.MECHANICAL)


def is_good(number: int) -> bool:
    """What people say: the suspected quarter is good, and of the rest one in three."""
    return number < SUSPECTED or number % 3 == 0


@pytest.mark.app
def test_a_weighted_estimate_has_no_bias_and_a_plain_mean_has(tmp_path: Path) -> None:
    """60 trials of 60 tasks, 30 good: the truth is 0.5.

    The 15 suspected ones are good and have more tickets (5 of 2), so the plain mean of those reviewed first
    is far above 0.5. Forty lotteries, three rounds each: the mean of the estimates must be within three
    standard errors of the truth, and the plain one must not.
    """
    start = tmp_path / "start.db"
    with open_ledger(start) as ledger:
        entries = [
            trial(n, task_id=f"task-{n:02d}", reward=0.0, tags=[DOUBT] if n < SUSPECTED else None)
            for n in range(TRIALS)
        ]
        ids = {found.trial_id: n for n, found in enumerate(ledger.record(entries))}
    truth = sum(map(is_good, range(TRIALS))) / TRIALS
    assert truth == 0.5
    weighted, plain = [], []
    for lottery in range(LOTTERIES):
        path = tmp_path / f"{lottery}.db"
        shutil.copy(start, path)
        with open_ledger(path) as ledger:
            Desk(ledger).put("secret", "pages", {"hex": f"{lottery + 1:064x}"})
            site = Site(ledger, settings(round_size=9))
            verdicts: list[bool] = []
            while len(verdicts) < REVIEWS or len(site.book.rounds) < 3:
                item = site.queue.next(ADA)
                assert wait_until(lambda site=site: site.queue.rounds.at_rest)  # type: ignore[misc]
                if item is None or (len(verdicts) >= REVIEWS and len(site.book.rounds) > 3):
                    break
                good = is_good(ids[item.trial_id])
                sent = SentReview(
                    judgment=Judgment.PASS if good else Judgment.FAIL, submission=f"submission-{item.number}"
                )
                submit(site.queue, ADA, item.number, sent)
                verdicts.append(good)
            site.close()
            report = read_report(ledger, TrialFilter(), None)
            assert report.agreement is not None
            found = report.agreement.people[0].estimate
            assert found.value is not None, found.reason
            weighted.append(found.value)
            plain.append(sum(verdicts) / len(verdicts))
    error = statistics.stdev(weighted) / math.sqrt(LOTTERIES)
    assert abs(statistics.mean(weighted) - truth) <= 3 * error
    assert statistics.mean(plain) - truth > 3 * statistics.stdev(plain) / math.sqrt(LOTTERIES)
