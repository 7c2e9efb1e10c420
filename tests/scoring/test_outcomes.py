"""One word for what became of a trial."""

from __future__ import annotations

import pytest

from adjudge.contracts import ErrorSource, ErrorTag, EvaluationResult, ValidityCheck
from adjudge.scoring import VERIFIER_FAILURE, VERIFIER_SUSPECTED, Outcome, is_machinery_failure, outcome_of


def result(
    reward: float, *, parseable: bool = True, completed: bool = True, tags: list[ErrorTag] | None = None
) -> EvaluationResult:
    validity = ValidityCheck(output_parseable=parseable, schema_valid=parseable, verifier_completed=completed)
    return EvaluationResult(reward=reward, validity=validity, error_taxonomy=tags)


def tag(category: str, source: ErrorSource = ErrorSource.MECHANICAL) -> ErrorTag:
    return ErrorTag(category=category, source=source)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (result(0.7), Outcome.SCORED),
        (result(0.0), Outcome.WRONG),
        (result(0.0, tags=[tag("unit mismatch")]), Outcome.WRONG),
        (result(0.0, parseable=False), Outcome.NOTHING_USABLE),
        (result(0.0, parseable=False, completed=False), Outcome.NOTHING_USABLE),
        (result(0.0, completed=False), Outcome.MACHINERY_FAILED),
        (result(0.0, tags=[tag(VERIFIER_SUSPECTED)]), Outcome.SUSPECTED),
        (result(0.0, tags=[tag(VERIFIER_SUSPECTED, ErrorSource.JUDGE)]), Outcome.WRONG),
    ],
)
def test_outcome(given: EvaluationResult, expected: Outcome) -> None:
    assert outcome_of(given) is expected


def test_only_mechanical_tags_speak_of_the_machine() -> None:
    assert is_machinery_failure(tag(VERIFIER_FAILURE))
    assert not is_machinery_failure(tag(VERIFIER_FAILURE, ErrorSource.HUMAN))
    assert not is_machinery_failure(tag("tool failure"))
