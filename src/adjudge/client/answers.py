"""What is asked and what comes back, without any transport: both clients are made from this."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from adjudge.contracts import EvaluationResult, TrialRecord
from adjudge.errors import AdjudgeError, MissingExtra, Problem, UsageError

LONGEST_WAIT_SEC = 60.0


class ApiError(AdjudgeError):
    """The server refused; `status` is its HTTP status, `problem` what it said."""

    def __init__(self, problem: Problem, status: int) -> None:
        super().__init__(problem)
        self.status = status


class RewardAnswer(Struct, frozen=True):
    """What came of one output. `reward` is None if the machinery failed: that is never a score."""

    task: str
    status: str
    reward: float | None
    outcome: str
    evaluation: EvaluationResult | None
    problem: Problem | None
    seconds: float
    trial_id: str | None = None
    """The trial under which it was recorded; None if it was not to be."""


def import_httpx() -> Any:
    """httpx; MissingExtra says how to install it."""
    try:
        import httpx
    except ImportError:
        raise MissingExtra("client", needed_for="the client") from None
    return httpx


def headers_for(token: str | None) -> dict[str, str]:
    """The headers of every request."""
    return {"accept": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}


def output_body(
    task: str,
    text: str | None,
    files: Mapping[str, bytes] | None,
    record: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The body that sends one output."""
    if (text is None) == (files is None):
        raise UsageError("an output is either a text or files")
    whose = {} if record is None else {"record": dict(record)}
    if text is not None:
        return {"task": task, "text": text, **whose}
    return {
        "task": task,
        **whose,
        "files_base64": {name: b64encode(data).decode() for name, data in (files or {}).items()},
    }


def query_of(wanted: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A filter's fields as a query; a list gives its name several times."""
    pairs = []
    for name, value in wanted.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, bool):
                pairs.append((name, "true" if one else "false"))
            elif one is not None:
                pairs.append((name, one.isoformat() if isinstance(one, datetime) else str(one)))
    return pairs


def wait_of(headers: Mapping[str, str], waited: float, patience: float) -> float | None:
    """How long to wait before the next try, after so many seconds of waiting; None if this answer is final.

    Whoever is told to come back does so a little later than told, each at a moment of their own: all who were
    refused together would be refused together again.
    """
    text = headers.get("retry-after")
    if text is None:
        return None
    told = float(text) if text.isascii() and text.isdigit() else 1.0
    wait = min(LONGEST_WAIT_SEC, told) * random.uniform(1.0, 1.5)  # noqa: S311 - no secret
    return wait if waited + wait <= patience else None


def check(status: int, content: bytes) -> None:
    """ApiError for what is no success, made from the parts that the server sent."""
    if status < 400:
        return
    try:
        parts = json.loads(content)["error"]
        problem = Problem(
            str(parts["what"]),
            file=parts["file"],
            field=parts["field"],
            allowed=parts["allowed"],
            remedy=parts["remedy"],
        )
    except (ValueError, KeyError, TypeError):
        problem = Problem("the server's answer cannot be read", found=content[:200])
    raise ApiError(problem, status)


def reward_answer(value: dict[str, Any]) -> RewardAnswer:
    """One result of the score service."""
    evaluation, error = value["evaluation"], value["error"]
    return RewardAnswer(
        task=value["task"],
        status=value["status"],
        reward=value["reward"],
        outcome=value["outcome"],
        evaluation=None
        if evaluation is None
        else EvaluationResult.model_validate_json(json.dumps(evaluation)),
        problem=None
        if error is None
        else Problem(error["what"], field=error["field"], remedy=error["remedy"]),
        seconds=value["seconds"],
        trial_id=value["trial_id"],
    )


def record_of(value: Any) -> TrialRecord:
    """A trial."""
    return TrialRecord.model_validate_json(value if isinstance(value, bytes | str) else json.dumps(value))
