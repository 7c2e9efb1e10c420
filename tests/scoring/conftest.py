"""Artifacts as a verifier leaves them, by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from adjudge.contracts import EvaluationResult
from adjudge.sandbox import Artifact, ArtifactKind
from adjudge.scoring import ingest

Ingest = Callable[..., EvaluationResult]


def _artifact(content: Any) -> Artifact:
    """Bytes and text as they are, an Artifact as it is, anything else as JSON."""
    if isinstance(content, Artifact):
        return content
    data = (
        content
        if isinstance(content, bytes)
        else content
        if isinstance(content, str)
        else json.dumps(content)
    )
    data = data.encode() if isinstance(data, str) else data
    return Artifact(ArtifactKind.FILE, len(data), data)


@pytest.fixture(scope="session")
def ingested() -> Ingest:
    """`ingested(reward=…, details=…, errors=…, text=…, files={…}, **how_it_ended)` -> EvaluationResult."""

    def run(*, files: dict[str, Any] | None = None, **given: Any) -> EvaluationResult:
        named = {
            "reward": "reward.json",
            "details": "details.json",
            "errors": "errors.json",
            "text": "reward.txt",
        }
        content = {name: given.pop(key) for key, name in named.items() if key in given} | (files or {})
        return ingest({name: _artifact(value) for name, value in content.items()}, **given)

    return run
