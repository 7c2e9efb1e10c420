"""The queue: claims that expire, moving on, disciplines, known answers, and verdicts that count once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest

from adjudge.contracts import Judgment
from adjudge.ledger import Desk, Ledger, NewAttachment, TrialFilter, open_ledger, read_selections
from adjudge.web import UserRole
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.decide import set_known
from adjudge.web.review.items import QueueItem
from adjudge.web.review.pool import read_pool
from adjudge.web.review.queue import MOST_OPEN
from adjudge.web.review.submit import SentReview, submit, withdraw
from adjudge.web.site import Site
from support.patience import wait_until
from support.task_folders import write_task
from support.trial_samples import annotation, trial
from support.web_site import settings

ADA, BOB, EVE = (Visitor(name, UserRole.REVIEWER) for name in ("ada", "bob", "eve"))


@contextmanager
def site_over(ledger: Ledger, **changes: Any) -> Iterator[Site]:
    made = Site(ledger, settings(**changes))
    try:
        yield made
    finally:
        made.close()


def verdict(word: str = "pass", submission: str = "submission-1") -> SentReview:
    return SentReview(judgment=Judgment(word), submission=submission)


def judge(site: Site, who: Visitor, item: QueueItem, word: str = "pass", submission: str = "") -> None:
    submit(site.queue, who, item.number, verdict(word, submission or f"submission-{item.number}"))


def said_of(ledger: Ledger, trial_id: str) -> list[tuple[str, str]]:
    """Who says what now."""
    found = ledger.get(trial_id).evaluation.annotations or []
    return sorted((a.reviewer_id, a.judgment.value) for a in found)


def given(site: Site, who: Visitor, discipline: str | None = None, after: int = 0) -> QueueItem:
    found = site.queue.next(who, discipline, after=after)
    assert found is not None
    return found


def test_a_claim_keeps_others_away_until_it_expires(ledger: Ledger) -> None:
    """One trial for one reviewer: bob gets nothing while ada's claim lasts, and the trial afterwards."""
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        mine = given(site, ADA)
        assert site.queue.next(BOB) is None
        assert given(site, ADA).number == mine.number
    with site_over(ledger, claim_sec=-1.0) as site:
        given(site, ADA)  # claims again, and is too slow
        assert given(site, BOB).trial_id == mine.trial_id


def test_a_trial_that_others_took_over_is_passed_by_and_a_late_verdict_is_kept(ledger: Ledger) -> None:
    ledger.record([trial(1), trial(2)])
    with site_over(ledger, claim_sec=-1.0) as site:
        lost = given(site, ADA)
        while (theirs := given(site, BOB)).trial_id != lost.trial_id:
            judge(site, BOB, theirs)
        judge(site, BOB, theirs, "fail")
        following = site.queue.next(ADA)
        assert following is None or following.trial_id != lost.trial_id
        judge(site, ADA, lost, "pass", "too-late-1")
    assert said_of(ledger, lost.trial_id) == [("ada", "pass"), ("bob", "fail")]


def test_moving_on_leaves_items_open_and_comes_back_to_them(ledger: Ledger) -> None:
    ledger.record([trial(n) for n in range(MOST_OPEN + 3)])
    with site_over(ledger) as site:
        numbers = [given(site, ADA, after=after).number for after in range(MOST_OPEN)]
        assert numbers == list(range(1, MOST_OPEN + 1))
        assert given(site, ADA, after=MOST_OPEN).number == 1  # enough are open
        judge(site, ADA, given(site, ADA))
        assert given(site, ADA).number == 2
        assert given(site, ADA, after=MOST_OPEN).number == MOST_OPEN + 1
        seen = site.queue.next(ADA, after=0, judged=True)
        assert seen is not None
        assert (seen.number, seen.judged) == (1, True)


def test_two_servers_over_one_ledger_never_give_the_same_trial(ledger_url: str) -> None:
    """Three reviewers ask two servers at once for ten trials each, of thirty: all are different."""
    with open_ledger(ledger_url) as first:
        first.record([trial(n) for n in range(30)])
        with open_ledger(ledger_url) as second, site_over(first) as one, site_over(second) as two:
            got: list[str] = []

            def work(who: Visitor) -> None:
                for number in range(10):
                    site = (one, two)[number % 2]
                    item = site.queue.next(who)
                    assert item is not None
                    got.append(item.trial_id)
                    judge(site, who, item)

            threads = [threading.Thread(target=work, args=(who,)) for who in (ADA, BOB, EVE)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(got) == len(set(got)) == 30
        assert first.verify().intact


def test_every_trial_gets_as_many_reviewers_as_wanted(ledger: Ledger) -> None:
    ledger.record([trial(n) for n in range(3)])
    with site_over(ledger, reviewers=2) as site:
        for who in (ADA, BOB, EVE):
            while (item := site.queue.next(who)) is not None:
                judge(site, who, item)
        assert sorted(len(said_of(ledger, r.trial_id)) for r in ledger.iterate()) == [2, 2, 2]


def test_a_queue_narrows_to_a_discipline(tmp_path: Path) -> None:
    """Only trials of its tasks are drawn, also as known answers; a word that fits nothing draws nothing."""
    for name, domain in (("volts", "electrical"), ("beams", "structural")):
        write_task(tmp_path / "tasks" / name, toml=f'[metadata]\ndomain = "{domain}"\n')
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n, task_id=("volts", "beams")[n % 2]) for n in range(12)])
        with site_over(ledger, tasks=tmp_path / "tasks", round_size=2, known_share=1.0) as site:
            [beam, *_] = [r for r in ledger.iterate() if r.task_id == "beams"]
            set_known(site, EVE, beam, Judgment.PASS)
            assert site.queue.next(ADA, "chemistry") is None
            assert list(ledger.attached("review round")) == []
            tasks = []
            while (item := site.queue.next(ADA, "electrical")) is not None:
                judge(site, ADA, item)
                tasks.append(item.task)
            assert tasks == ["volts"] * 6
            drawn = [d for row in ledger.attached("review round") for d in row.document["trials"].values()]
            assert {task for _, task, _ in drawn} == {"volts"}
            assert given(site, ADA).task == "beams"


def test_known_answers_come_unmarked_and_count_who_was_right(tmp_path: Path) -> None:
    """With a share of 1 every draw is a known one first; ada is right once of two."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(8)])
        records = list(ledger.iterate())
        with site_over(ledger, known_share=1.0) as site:
            set_known(site, EVE, records[0], Judgment.PASS)
            set_known(site, EVE, records[1], Judgment.PASS)
            words = {records[0].trial_id: "pass", records[1].trial_id: "fail"}
            for _ in range(2):
                item = given(site, ADA)
                assert item.is_check
                judge(site, ADA, item, words.pop(item.trial_id))
            assert not given(site, ADA).is_check
            assert site.ratings(ADA).value.checks == (("ada", 2, 1),)
            set_known(site, EVE, records[0], None)
            assert site.book.known == {records[1].trial_id: "pass"}
        beside = [row.document["known_answer"] for row in ledger.attached("review")]
        assert beside == [True, True]


def test_a_verdict_that_arrives_twice_counts_once(ledger: Ledger) -> None:
    """Also if the server died before it had noted that the item is judged."""
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        item = given(site, ADA)
        judge(site, ADA, item, "fail", "the-same-one")
        judge(site, ADA, item, "fail", "the-same-one")  # the item as it was before: not judged
    assert len(ledger.annotations(item.trial_id)) == 1
    assert len(list(ledger.attached("review"))) == 1


def test_a_verdict_that_arrives_again_after_it_was_withdrawn_stays_withdrawn(ledger: Ledger) -> None:
    """A browser sends once more what it got no answer to; its reviewer has taken it back meanwhile."""
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        item = given(site, ADA)
        judge(site, ADA, item, "pass", "sent-twice")
        withdraw(site.queue, ADA, item.number)
        judge(site, ADA, item, "pass", "sent-twice")
        assert not given_again(site, item).judged
        assert site.queue.judged(ADA) == 0
    assert said_of(ledger, item.trial_id) == [("ada", "defer")]


def test_a_verdict_is_written_whole_or_not_at_all(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine fails after the annotation was added and before the item was put away."""
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        item = given(site, ADA)

        def fail(*_: object) -> None:
            raise OSError("the machine failed")

        with monkeypatch.context() as failing:
            failing.setattr(site.queue, "settle", fail)
            with pytest.raises(OSError, match="the machine failed"):
                judge(site, ADA, item)
        assert said_of(ledger, item.trial_id) == []
        assert list(ledger.attached("review")) == []
        judge(site, ADA, item)
        assert said_of(ledger, item.trial_id) == [("ada", "pass")]
    assert ledger.verify().intact


def test_the_last_word_counts_also_if_the_clock_was_set_back(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine's clock is an hour ahead, and is corrected between two verdicts of one reviewer."""
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    moments = iter([now + timedelta(hours=1), now])

    class SetBack(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # of the base, not of it
            return next(moments)

    monkeypatch.setattr("adjudge.web.review.submit.datetime", SetBack)
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        item = given(site, ADA)
        judge(site, ADA, item, "pass", "first-thought")
        judge(site, ADA, item, "fail", "second-thought")
        site.book.refresh()
        assert site.book.reviews_of(item.trial_id).said == {"ada": "fail"}
    assert said_of(ledger, item.trial_id) == [("ada", "fail")]


def test_judged_items_of_an_early_version_are_put_away(ledger: Ledger) -> None:
    """It kept all items in one place, and said less of each."""
    found = ledger.record([trial(n) for n in range(3)])
    desk = Desk(ledger)
    for number, judged in ((1, True), (2, False)):
        early = {"trial_id": found[number].trial_id, "judged": judged, "submission": None}
        desk.put("item", f"ada/{number:07d}", early)
    with site_over(ledger) as site:
        assert list(desk.all("item")) == ["ada/0000002"]
        assert site.queue.judged(ADA) == 1
        assert given_again(site, QueueItem(1, "", "")).judged
        assert given(site, ADA).number == 2
        seen = site.queue.next(ADA, judged=True)
        assert seen is not None
        assert seen.number == 1


def test_the_next_round_is_drawn_while_a_few_trials_are_left(ledger: Ledger) -> None:
    """The lottery's secret is given, so that the first round always has some trials."""
    Desk(ledger).put("secret", "pages", {"hex": f"{1:064x}"})
    ledger.record([trial(n) for n in range(60)])
    with site_over(ledger, round_size=12) as site:
        left = 1
        while len(site.book.rounds) < 2:
            left = len(site.book.open)
            judge(site, ADA, given(site, ADA))
            assert wait_until(lambda: site.queue.rounds.at_rest)
            site.book.refresh()
        assert left > 1


def test_an_empty_queue_is_not_looked_through_again_for_every_asker(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading every trial takes seconds in a large ledger; it is done again only if one was scored since."""
    ledger.record([trial(1)])
    read: list[int] = []

    def counted(*wanted: Any) -> Any:
        read.append(1)
        return read_pool(*wanted)

    with site_over(ledger, round_size=1) as site:
        item = given(site, ADA)
        monkeypatch.setattr("adjudge.web.review.rounds.read_pool", counted)
        judge(site, ADA, item)  # which moves the chain
        assert [site.queue.next(BOB), site.queue.next(EVE), site.queue.next(BOB, "chemistry")] == [None] * 3
        assert read == []
        ledger.record([trial(2)])
        assert site.queue.next(BOB) is not None


def test_who_has_seen_the_others_is_not_blind_any_more(ledger: Ledger) -> None:
    ledger.record([trial(1)])
    with site_over(ledger) as site:
        item = given(site, ADA)
        judge(site, ADA, item, "pass", "first-thought")
        withdraw(site.queue, ADA, item.number)
        judge(site, ADA, given_again(site, item), "fail", "second-thought")
    assert [row.document["blind"] for row in ledger.attached("review")] == [True, False]
    assert [a.annotation.judgment.value for a in ledger.annotations(item.trial_id)] == [
        "pass",
        "defer",
        "fail",
    ]


def given_again(site: Site, item: QueueItem) -> QueueItem:
    found = site.queue.item(ADA, item.number)
    assert found is not None
    return found


@pytest.mark.parametrize("reviewers", [1, 2])
def test_what_people_said_elsewhere_counts(ledger: Ledger, reviewers: int) -> None:
    """A trial that somebody annotated on the command line needs one reviewer fewer."""
    [found] = ledger.record([trial(1)])
    ledger.annotate(found.trial_id, annotation("zoe", "pass"))
    with site_over(ledger, reviewers=reviewers) as site:
        assert (site.queue.next(ADA) is None) is (reviewers == 1)


def test_a_round_of_an_early_version_is_read(ledger: Ledger) -> None:
    """It says neither tickets nor seed; its trials are drawn, and get a chance from the next round on."""
    [one, two] = ledger.record([trial(1), trial(2)])
    number = int(ledger.columns(TrialFilter()).trial[0])
    old = {"round": 1, "scale": 0.5, "pool": 2, "trials": {one.trial_id: [number, "circuits/task-1"]}}
    ledger.attach([NewAttachment("review round", "1", old)])
    with site_over(ledger) as site:
        assert given(site, ADA).trial_id == one.trial_id
        assert given(site, ADA, after=1).trial_id == two.trial_id
    assert read_selections(ledger)[one.trial_id][-1].probability == 1.0
