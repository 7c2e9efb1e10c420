"""The texts that the agent is given, as the task's folder shows them."""

from __future__ import annotations

from adjudge.audit.given import given_files
from adjudge.audit.probes import InputText
from adjudge.contracts import Task

_TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".log", ".yaml", ".yml", ".xml", ".ini", ".dat")
_MAX_TEXT = 200_000
_MOST_TEXTS = 20


def input_texts(task: Task) -> list[InputText]:
    """The small ones, and not too many of them."""
    found = []
    for path in given_files(task):
        if path.suffix.lower() in _TEXTS and path.stat().st_size <= _MAX_TEXT:
            found.append(InputText(path.name, path.read_bytes().decode("utf-8", "replace")))
    return found[:_MOST_TEXTS]
