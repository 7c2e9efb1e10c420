"""What discrimination knows while it works: the right answer, its fields, and what each wrong one lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adjudge.audit.answer import RightAnswer
from adjudge.audit.bench import Bench
from adjudge.audit.document import Document
from adjudge.audit.measure import FieldTrial
from adjudge.audit.probe import Probe, Seen


@dataclass
class Trials:
    """Everything that was tried on one right answer."""

    bench: Bench
    right: RightAnswer
    document: Document
    base: float
    fields: list[FieldTrial] = field(default_factory=list)
    whole: dict[str, tuple[Probe, Seen]] = field(default_factory=dict)
    lost: list[float] = field(default_factory=list)
    """For each wrong answer, the share of what was at stake that it lost: what the score is the mean of."""

    def probe(self, name: str, what: str, value: Any, *, alone: bool = False) -> Probe:
        """The value as an answer in the right answer's workspace; or `alone`, without its other files."""
        files = None if alone else self.right.files
        return self.bench.answer(f"discrimination/{name}", what, self.document.render(value), files=files)
