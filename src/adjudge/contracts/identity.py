"""What makes a trial the one it is, and the id that follows from it. Defined here and nowhere else.

An imported trial may have an id of its own; its identity is still these six facts, and an id never stands for
two identities.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

_quoted = json.encoder.encode_basestring
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
        return _digest(f"[{self._facts()}]")

    def at_step(self, step: int) -> str:
        """The id of this trial at one step of a training run, where the same output comes again and again."""
        return _digest(f'[{self._facts()}, {{"step": {step}}}]')

    def _facts(self) -> str:
        """The parts as `json.dumps` writes a list of them, which takes three times as long."""
        output = "null" if self.output_sha256 is None else _quoted(self.output_sha256)
        model = "null" if self.model is None else _quoted(self.model)
        whose = f"{_quoted(self.experiment)}, {_quoted(self.task_id)}, {output}, {_quoted(self.agent)}"
        return f"{whose}, {model}, {self.attempt}"

    def difference(self, other: TrialIdentity) -> str | None:
        """The first part in which another trial differs, in words: "agent 'a', not 'b'"; None if the same."""
        for part, word in _WORDS.items():
            mine, theirs = getattr(self, part), getattr(other, part)
            if mine != theirs:
                return f"{word} {mine!r}, not {theirs!r}"
        return None


def _digest(facts: str) -> str:
    return "t" + hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:24]
