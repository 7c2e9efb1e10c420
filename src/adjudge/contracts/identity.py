"""What makes a trial the one it is, and the id that follows from it. Defined here and nowhere else.

An imported trial may have an id of its own; its identity is still these six facts, and an id never stands for
two identities.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

_to_json = json.JSONEncoder(ensure_ascii=False).encode
_WORDS = {
    "experiment": "experiment",
    "task_id": "task",
    "agent": "agent",
    "model": "model",
    "attempt": "attempt",
    "output_sha256": "output",
}
"""What each part is called in a message, in the order in which parts are compared."""


class TrialIdentity(NamedTuple):
    """The same identity is the same trial, on every machine and in every resume."""

    experiment: str
    task_id: str
    output_sha256: str | None
    """None: there was nothing to read, or it was not kept."""
    agent: str
    model: str | None
    attempt: int

    @property
    def trial_id(self) -> str:
        """The id of this trial, unless it was given one of its own."""
        facts = _to_json(list(self))
        return "t" + hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def at_step(self, step: int) -> str:
        """The id of this trial at one step of a training run, where the same output comes again and again."""
        facts = _to_json([*self, {"step": step}])
        return "t" + hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def difference(self, other: TrialIdentity) -> str | None:
        """The first part in which another trial differs, in words: "agent 'a', not 'b'"; None if the same."""
        for part, word in _WORDS.items():
            mine, theirs = getattr(self, part), getattr(other, part)
            if mine != theirs:
                return f"{word} {mine!r}, not {theirs!r}"
        return None
