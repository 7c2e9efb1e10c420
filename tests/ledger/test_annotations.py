"""Annotations and later tags sit beside the reward and never change it."""

from __future__ import annotations

import io

import pytest

from adjudge.contracts import ErrorSource, ErrorTag, Judgment
from adjudge.errors import UsageError
from adjudge.ledger import (
    AnnotationFormat,
    AnnotationRow,
    BadAnnotation,
    Ledger,
    TrialFilter,
    disagrees,
    read_annotations,
    write_annotations,
)
from support.trial_samples import DIGEST_B, NOON, annotation, chosen, trial

ID = trial(1).record.trial_id


@pytest.fixture
def one(ledger: Ledger) -> Ledger:
    """A trial with reward 0.1."""
    ledger.record([trial(1)])
    return ledger


def test_a_change_of_mind_replaces_ones_own_and_both_stay(one: Ledger) -> None:
    first, second, other = annotation("ada", "fail"), annotation("ada", "pass"), annotation("bob", "fail")
    assert [one.annotate(ID, a) for a in (first, other, second)] == [True, True, True]
    assert one.get(ID).evaluation.annotations == [other, second]
    assert [(s.annotation, s.current) for s in one.annotations(ID)] == [
        (first, False),
        (other, True),
        (second, True),
    ]
    assert one.get(ID).evaluation.reward == 0.1
    assert one.verify().intact


def test_saying_the_same_again_writes_nothing(one: Ledger) -> None:
    assert one.annotate(ID, annotation())
    before = one.info()
    assert not one.annotate(ID, annotation())
    assert one.annotate_all([(ID, annotation()), (ID, annotation())]) == [False, False]
    assert one.info() == before


def test_a_trial_that_is_not_there_is_named_and_nothing_is_written(one: Ledger) -> None:
    with pytest.raises(UsageError, match="no trial has this id"):
        one.annotate_all([(ID, annotation()), ("nobody", annotation())])
    assert one.annotations(ID) == []


@pytest.mark.parametrize(
    ("judgment", "reward", "expected"),
    [
        ("pass", 0.49, True),
        ("pass", 0.5, False),
        ("fail", 0.49, False),
        ("fail", 0.5, True),
        ("defer", 0.0, False),
        ("defer", 1.0, False),
    ],
)
def test_what_a_disagreement_is(judgment: str, reward: float, expected: bool) -> None:
    """Pass below one half, or fail from one half on."""
    assert disagrees(judgment, reward) is expected
    assert disagrees(Judgment(judgment), reward) is expected


def test_a_rescore_can_end_or_begin_a_disagreement(one: Ledger) -> None:
    """Reward 0.1 against `pass` disagrees; the mended verifier's 0.9 does not; back and forth it follows."""
    one.annotate(ID, annotation("ada", "pass"))
    assert one.count(TrialFilter(disagreement=True)) == 1
    one.record([trial(1, reward=0.9, task_digest=DIGEST_B)])
    assert one.count(TrialFilter(disagreement=True)) == 0
    assert one.count(TrialFilter(annotated=True, reviewer=("ada",))) == 1
    one.annotate(ID, annotation("ada", "fail"))
    assert one.query(TrialFilter(disagreement=True)).records == (one.get(ID),)


def test_text_that_no_file_can_carry_is_refused_or_finds_nothing(one: Ledger) -> None:
    """As a shell hands over bytes that are not UTF-8, or a caller a U+0000."""
    for bad in ("\udcff", "a\0b"):
        with pytest.raises(UsageError, match="no trial has this id"):
            one.get(bad)
        with pytest.raises(UsageError, match="no trial has this id"):
            one.find(bad)
        assert one.states([bad]) == {}
        assert one.count(TrialFilter(agent=(bad,))) == 0
    with pytest.raises(UsageError, match="surrogate"):
        one.annotate(ID, annotation("ada", notes="\udcff"))
    with pytest.raises(UsageError, match="surrogate"):
        one.add_tags(ID, [ErrorTag(category="x", description="\udcff", source=ErrorSource.HUMAN)])
    assert one.annotate(ID, annotation("a\0da", notes="\0"))
    assert one.get(ID).evaluation.annotations == [annotation("a\0da", notes="\0")]
    assert one.verify().intact


def test_tags_of_people_stay_with_the_trial_and_others_with_their_evaluation(one: Ledger) -> None:
    human = ErrorTag(category="sloppy", source=ErrorSource.HUMAN)
    judge = ErrorTag(category="unit mismatch", source=ErrorSource.JUDGE, description="mm for m")
    assert one.add_tags(ID, [human, judge, human]) == [True, True, False]
    assert one.add_tags(ID, [judge]) == [False]
    assert one.get(ID).evaluation.error_taxonomy == [human, judge]
    one.record([trial(1, task_digest=DIGEST_B)])
    assert [r.evaluation.error_taxonomy for r in one.history(ID)] == [[human], [human, judge]]
    assert one.count(TrialFilter(tag=("unit mismatch",))) == 0
    assert one.count(TrialFilter(tag=("sloppy",))) == 1
    assert one.verify().intact


def test_certificates_of_a_task(ledger: Ledger) -> None:
    """The newest counts; the same again is not stored twice; never audited is not deterministic."""
    digest = "c" * 64
    assert ledger.certificate(digest) is None
    assert not ledger.is_deterministic(digest)
    ledger.add_certificate(digest, {"score": 0.5, "odd": "\0"}, deterministic=True)
    ledger.add_certificate(digest, {"score": 0.5, "odd": "\0"}, deterministic=True)
    assert ledger.info().certificates == 1
    assert ledger.is_deterministic(digest)
    ledger.add_certificate(digest, {"score": 0.25}, deterministic=False)
    assert ledger.certificate(digest) == {"score": 0.25}
    assert not ledger.is_deterministic(digest)
    with pytest.raises(UsageError, match="plain JSON"):
        ledger.add_certificate(digest, {"when": NOON})
    assert ledger.verify().intact


ROWS = [
    ("t1", annotation("ada", "pass"), chosen("ada", "random", 0.1)),
    ("t1", annotation("béa", "fail", categories=["a;b", "c"], notes='line 1\nline "2", x'), None),
    (
        "t2",
        annotation("cy", "defer", categories=["unit", "sign"], reviewer_discipline="civil"),
        chosen("cy", "disagreement"),
    ),
    (
        "t2",
        annotation("di", "fail", categories=["[x", " y"], notes=" =1+1"),
        chosen("di", "low-reward", 1 / 3),
    ),
]


@pytest.mark.parametrize("kind", AnnotationFormat)
def test_files_read_back_as_they_were_written(kind: AnnotationFormat) -> None:
    text = io.StringIO()
    assert write_annotations(ROWS, text, kind) == 4
    text.seek(0)
    found = [row for row in read_annotations(text, kind) if isinstance(row, AnnotationRow)]
    assert [(row.trial_id, row.annotation, row.selection) for row in found] == ROWS


def test_a_bad_row_is_named_with_its_line_and_the_rest_goes_on() -> None:
    good = '{"trial_id": "t1", "reviewer_id": "ada", "timestamp": "2026-03-01T12:00:00Z", "judgment": "pass"}'
    lines = [
        good,
        "",
        "not json",
        "[1]",
        good.replace("pass", "maybe"),
        good.replace("Z", ""),
        good.replace('"t1"', "7"),
        good.replace('"ada"', '""'),
        good[:-1] + ', "extra": 1}',
        good[:-1] + ', "chosen": "by whim"}',
        good[:-1] + ', "chosen": "random"}',
        good[:-1] + ', "chosen": "random", "probability": 0}',
        good[:-1] + ', "probability": 0.5}',
        "[" * 100_000,
        good,
    ]
    found = list(read_annotations(io.StringIO("\n".join(lines)), AnnotationFormat.JSONL))
    assert [row.line for row in found if isinstance(row, AnnotationRow)] == [1, 15]
    problems = {row.line: row.problem for row in found if isinstance(row, BadAnnotation)}
    assert list(problems) == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    assert "'pass', 'fail' or 'defer'" in problems[5]
    assert "timestamp" in problems[6]
    assert "trial_id" in problems[7]
    assert "reviewer_id" in problems[8]
    assert "extra" in problems[9]
    assert "'low-reward'" in problems[10]
    assert "has a probability of being chosen" in problems[11]
    assert "probability" in problems[12]
    assert "needs the way of choosing" in problems[13]


def test_csv_rows_and_headings() -> None:
    heading = "\ufefftrial_id,reviewer_id,timestamp,judgment,categories\n"
    rows = "t1,ada,2026-03-01T12:00:00+01:00,pass,unit; sign\nt1,ada,2026\nt2,bob,yesterday,fail,\n"
    found = list(read_annotations(io.StringIO(heading + rows), AnnotationFormat.CSV))
    assert isinstance(found[0], AnnotationRow)
    assert found[0].annotation.categories == ["unit", "sign"]
    assert [(row.line, type(row)) for row in found[1:]] == [(3, BadAnnotation), (4, BadAnnotation)]
    with pytest.raises(UsageError, match="the first line lacks reviewer_id"):
        list(read_annotations(io.StringIO("trial_id,judgment\n"), AnnotationFormat.CSV))
    with pytest.raises(UsageError, match="found 'verdict'"):
        list(read_annotations(io.StringIO("trial_id,verdict\n"), AnnotationFormat.CSV))
    assert list(read_annotations(io.StringIO(""), AnnotationFormat.CSV)) == []
