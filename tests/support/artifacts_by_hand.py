"""Artifacts as a verifier leaves them, by hand."""

from __future__ import annotations

import json
from typing import Any

from adjudge.contracts import EvaluationResult
from adjudge.sandbox import Artifact, ArtifactKind
from adjudge.scoring import ingest

NAMES = {"reward": "reward.json", "details": "details.json", "errors": "errors.json", "text": "reward.txt"}


def artifact(content: Any) -> Artifact:
    """Bytes and text as they are, an Artifact as it is, anything else as JSON."""
    if isinstance(content, Artifact):
        return content
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    data = text.encode() if isinstance(text, str) else text
    return Artifact(ArtifactKind.FILE, len(data), data)


def ingested(*, files: dict[str, Any] | None = None, **given: Any) -> EvaluationResult:
    """`ingested(reward=…, details=…, errors=…, text=…, files={…}, **how_it_ended)`."""
    content = {name: given.pop(key) for key, name in NAMES.items() if key in given} | (files or {})
    return ingest({name: artifact(value) for name, value in content.items()}, **given)
