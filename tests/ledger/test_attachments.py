"""Documents beside a trial's evaluations: written once per key, chained, and with their bytes."""

from __future__ import annotations

import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Ledger, NewAttachment
from ledger.test_verify import tamper
from support.trial_samples import trial


def ids(ledger: Ledger, count: int) -> list[str]:
    return [recorded.trial_id for recorded in ledger.record([trial(n) for n in range(count)])]


def test_an_attachment_comes_back_with_its_bytes(ledger: Ledger) -> None:
    first, second, _ = ids(ledger, 3)
    written = ledger.attach(
        [
            NewAttachment("trace", "one", {"turns": 3}, trial_id=first, blobs={"raw": b"abc" * 10}),
            NewAttachment("trace", "two", {"turns": 4}, trial_id=second),
            NewAttachment("note", "one", {"said": "ä"}),
        ]
    )
    assert written == [True, True, True]
    [found] = ledger.attached("trace", trial_ids=[first])
    assert (found.trial_id, found.key, found.document) == (first, "one", {"turns": 3})
    assert ledger.blob(found.blobs["raw"]) == b"abc" * 10
    assert [a.trial_id for a in ledger.attached("trace")] == [first, second]
    assert [a.document for a in ledger.attached("note", keys=["one", "none"])] == [{"said": "ä"}]
    assert list(ledger.attached("trace", keys=["one"])) == []
    assert list(ledger.attached("trace", trial_ids=[])) == []


def test_the_same_key_again_writes_nothing(ledger: Ledger) -> None:
    [only] = ids(ledger, 1)
    item = NewAttachment("trace", "one", {"turns": 3}, trial_id=only)
    assert ledger.attach([item, item]) == [True, False]
    head = ledger.info().head
    assert ledger.attach([NewAttachment("trace", "one", {"turns": 99}, trial_id=only)]) == [False]
    assert ledger.info().head == head
    assert [a.document for a in ledger.attached("trace")] == [{"turns": 3}]
    assert ledger.attach([]) == []


def test_evaluations_and_records_do_not_change(ledger: Ledger) -> None:
    [only] = ids(ledger, 1)
    before = ledger.get(only)
    ledger.attach([NewAttachment("judgement", "one", {"score": 1.0}, trial_id=only)])
    assert ledger.get(only) == before
    assert ledger.history(only) == [before]


def test_what_cannot_be_kept_is_refused(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="no trial has this id"):
        ledger.attach([NewAttachment("trace", "one", {}, trial_id="nobody")])
    with pytest.raises(UsageError, match="plain JSON"):
        NewAttachment("trace", "one", {"value": float("nan")})
    for key in ("", "x" * 501, "\0"):
        with pytest.raises(UsageError, match="this key cannot be kept"):
            NewAttachment("trace", key, {})


def test_many_are_read_page_by_page_in_order(ledger: Ledger) -> None:
    ledger.attach([NewAttachment("call", f"{n:04}", {"n": n}) for n in range(1100)])
    assert [a.document["n"] for a in ledger.attached("call")] == list(range(1100))


def test_bytes_that_are_gone_are_named(ledger: Ledger) -> None:
    [only] = ids(ledger, 1)
    ledger.attach([NewAttachment("trace", "one", {}, trial_id=only, blobs={"raw": b"abcdef"})])
    [found] = ledger.attached("trace")
    assert [problem for problem in ledger.verify_blobs() if problem] == []
    tamper(ledger, "DELETE FROM blobs WHERE number = (SELECT max(number) FROM blobs)")
    [problem] = [problem for problem in ledger.verify_blobs() if problem]
    assert problem.startswith(f"{found.blobs['raw']}: 'raw' of attachment")
