"""What kind of turn is this? Mechanically, from what the turn does and says; a judge is only for the rest.

A turn that calls a tool acts (`execution`), unless what it calls inspects what was done (`verification`). One
that only speaks is told by its words: looking back, reasoning in steps, or weighing alternatives. Without
words that tell, or with as many for one kind as for another, the classifier abstains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import Field

from adjudge.contracts import Choice, StrictModel
from adjudge.traces.turn import BadTurn, Role, Turn

CLASSIFICATION_KIND = "turn classification"
MECHANICAL = "mechanical 1"


class TurnKind(Choice):
    """The four kinds of an assistant's turns."""

    EXECUTION = "execution"
    """Acting: tool calls, code, structured output."""
    VERIFICATION = "verification"
    """Checking results, looking back."""
    DELIBERATION = "deliberation"
    """Committed reasoning, step by step."""
    EXPLORATION = "exploration"
    """Alternatives, hypotheses, open questions."""


class TurnClassification(StrictModel):
    """One turn and its kind."""

    turn_index: int = Field(ge=0)
    bond_type: TurnKind
    confidence: float = Field(ge=0, le=1)
    rationale: str


_WORDS = {
    TurnKind.VERIFICATION: (
        r"double-?check|verif(?:y|ied|ying|ication)|(?:let me|i'll|to) (?:re-?)?check|checking|confirm"
        r"|matches|as expected|looks? (?:right|correct|good)|re-?(?:read|view|run)|compare|mistake"
        r"|was wrong|sanity"
    ),
    TurnKind.EXPLORATION: (
        r"maybe|perhaps|might|could (?:also|be)|alternativ|what if|hypothes|another (?:way|option|approach)"
        r"|not sure|wonder|possib|either|\?"
    ),
    TurnKind.DELIBERATION: (
        r"because|therefore|thus|hence|since|so that|first|second|then|next|finally|step \d|plan|follows"
        r"|i (?:will|need to|should|must)|implies"
    ),
    TurnKind.EXECUTION: r"```|^\s*[{\[]|final answer|here is the",
}
_COMPILED = {kind: re.compile(words, re.IGNORECASE | re.MULTILINE) for kind, words in _WORDS.items()}
_INSPECTS = re.compile(
    r"\b(?:pytest|unittest|diff|cmp|assert|verify|validate|check|test_?\w*\.(?:sh|py)|mypy|ruff|lint)\b",
    re.IGNORECASE,
)
_READ = 4_000
"""Characters of a turn that are looked at."""


def classify_turn(turn: Turn) -> TurnClassification | None:
    """The kind of an assistant's turn; None if nothing tells."""
    if turn.tool_calls:
        called = " ".join(f"{call.name} {call.arguments}" for call in turn.tool_calls)[:_READ]
        inspects = _INSPECTS.search(called)
        if inspects:
            return _made(turn, TurnKind.VERIFICATION, 0.8, f"calls a tool to inspect: {inspects[0]}")
        return _made(turn, TurnKind.EXECUTION, 0.9, f"calls {turn.tool_calls[0].name[:80]}")
    said = f"{turn.reasoning}\n{turn.text}"[:_READ]
    counts = {kind: len(words.findall(said)) for kind, words in _COMPILED.items()}
    total = sum(counts.values())
    best, second = sorted(counts.values(), reverse=True)[:2]
    if best == second:
        return None
    kind = next(kind for kind, count in counts.items() if count == best)
    return _made(turn, kind, round((best + 1) / (total + 2), 3), f"{best} of {total} telling words")


def classify_turns(turns: Iterable[Turn | BadTurn]) -> tuple[list[TurnClassification], list[Turn]]:
    """Every assistant's turn that can be told mechanically, and those that cannot."""
    found, left = [], []
    for turn in turns:
        if isinstance(turn, Turn) and turn.role is Role.ASSISTANT:
            made = classify_turn(turn)
            if made is None:
                left.append(turn)
            else:
                found.append(made)
    return found, left


def _made(turn: Turn, kind: TurnKind, confidence: float, why: str) -> TurnClassification:
    return TurnClassification(turn_index=turn.index, bond_type=kind, confidence=confidence, rationale=why)
