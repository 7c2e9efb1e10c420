"""A verifier that broke but left a reward is marked, and its reward stays."""

from __future__ import annotations

import pytest

from adjudge.scoring import VERIFIER_FAILURE, VERIFIER_SUSPECTED, Outcome, is_machinery_failure, outcome_of
from support.artifacts_by_hand import ingested

TRACEBACK = b'warming up\nTraceback (most recent call last):\n  File "/tests/x.py", line 1\n'
CRASH = TRACEBACK + b"ModuleNotFoundError: No module named 'numpy'\n"


@pytest.mark.parametrize(
    ("exit_code", "stderr", "details", "evidence"),
    [
        (126, b"", {"a": 0}, "exit code 126"),
        (
            127,
            b"test.sh: line 3: pythn: command not found\n",
            {"a": 0},
            "missing program 'pythn' ('test.sh: line 3: pythn: command not found')",
        ),
        (-9, b"", {"a": 0}, "ended by SIGKILL"),
        (137, b"", {"a": 0}, "ended by SIGKILL"),
        (-11, b"", None, "ended by SIGSEGV"),
        (0, CRASH, {"a": 0}, "the verifier said: missing module 'numpy'"),
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
        (1, b"", 0.0, None),
        (1, TRACEBACK + b"KeyError: 'flow'\n", 0.0, None),
        (1, TRACEBACK + b"AssertionError: 3 != 4\n", 0.0, None),
        (
            1,
            TRACEBACK + b"FileNotFoundError: [Errno 2] No such file or directory: '/workspace/out'\n",
            0.0,
            None,
        ),
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
    """Test runners exit with 1 for a failing answer, and print the assertion that failed."""
    given = {} if details is None else {"details": details}
    result = ingested(reward={"reward": reward}, exit_code=exit_code, stderr=stderr, **given)
    assert result.error_taxonomy is None


def test_a_reward_above_zero_stays_too() -> None:
    result = ingested(reward={"reward": 0.8}, exit_code=0, stderr=CRASH)
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
