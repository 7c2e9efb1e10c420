"""A verifier that broke but left a reward is marked, and its reward stays."""

from __future__ import annotations

import pytest

from adjudge.scoring import VERIFIER_FAILURE, VERIFIER_SUSPECTED, Outcome, is_machinery_failure, outcome_of
from support.artifacts_by_hand import ingested

TRACEBACK = b"warming up\nTraceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'flow'\n"


@pytest.mark.parametrize(
    ("exit_code", "stderr", "details", "evidence"),
    [
        (126, b"", {"a": 0}, "exit code 126"),
        (
            127,
            b"test.sh: line 3: pythn: command not found\n",
            {"a": 0},
            "(command not found); stderr ends 'test.sh",
        ),
        (-9, b"", {"a": 0}, "ended by SIGKILL"),
        (137, b"", {"a": 0}, "ended by SIGKILL"),
        (-11, b"", None, "ended by SIGSEGV"),
        (1, b"", None, "exit code 1, reward 0.0 and no details"),
        (0, TRACEBACK, {"a": 0}, "a Python traceback on stderr; stderr ends \"KeyError: 'flow'\""),
    ],
)
def test_what_makes_a_zero_suspicious(
    exit_code: int, stderr: bytes, details: dict[str, int] | None, evidence: str
) -> None:
    given = {} if details is None else {"details": details}
    result = ingested(reward={"reward": 0.0}, exit_code=exit_code, stderr=stderr, **given)
    assert (result.reward, result.validity.verifier_completed) == (0.0, True)
    [tag] = result.error_taxonomy or []
    assert tag.category == VERIFIER_SUSPECTED
    assert evidence in (tag.description or "")
    assert is_machinery_failure(tag)
    assert outcome_of(result) is Outcome.SUSPECTED


@pytest.mark.parametrize(
    ("exit_code", "stderr", "reward", "details"),
    [
        (0, b"", 0.0, None),
        (1, b"", 0.0, {"a": 0}),
        (1, b"", 0.4, None),
        (255, b"", 0.4, None),
        (None, b"", 0.0, None),
        (0, b"the Traceback (most recent call last): of others, quoted\n", 0.0, None),
        (0, b"DeprecationWarning: old\n", 0.0, None),
    ],
)
def test_what_does_not(
    exit_code: int | None, stderr: bytes, reward: float, details: dict[str, int] | None
) -> None:
    """Verifiers exit with 1 for a failing answer: with details, or a reward above 0, that is no sign."""
    given = {} if details is None else {"details": details}
    result = ingested(reward={"reward": reward}, exit_code=exit_code, stderr=stderr, **given)
    assert result.error_taxonomy is None


def test_a_reward_above_zero_stays_too() -> None:
    result = ingested(reward={"reward": 0.8}, exit_code=0, stderr=TRACEBACK)
    assert result.reward == 0.8
    assert outcome_of(result) is Outcome.SUSPECTED


def test_without_a_reward_it_is_a_failure_not_a_suspicion() -> None:
    result = ingested(exit_code=127, stderr=b"bash: /tests/verify.py: No such file or directory")
    [tag] = result.error_taxonomy or []
    assert tag.category == VERIFIER_FAILURE
    assert "exit code 127" in (tag.description or "")
    assert "No such file or directory" in (tag.description or "")
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


def test_hostile_stderr_is_quoted_and_bounded() -> None:
    result = ingested(exit_code=1, stderr=b"\x1b[31m" + b"x" * 100_000)
    [tag] = result.error_taxonomy or []
    assert "\x1b" not in (tag.description or "")
    assert len(tag.description or "") < 400
