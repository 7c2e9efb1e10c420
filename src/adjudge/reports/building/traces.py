"""The trace of a trial as the HTML page shows it: the first turns, each part cut, with a note on the rest."""

from __future__ import annotations

from itertools import islice
from typing import Any

from adjudge.errors import LedgerError, clip, printable
from adjudge.ledger import Ledger
from adjudge.traces import BadTurn, Trace, Turn, turns_of

MOST_TURNS = 60
LONGEST_PART = 1_200
_MOST_CALLS = 10


def trace_document(ledger: Ledger, found: Trace | None) -> dict[str, Any] | None:
    """Plain JSON: name, turns, a note on what is not shown. None if the trial has no trace."""
    if found is None:
        return None
    name = clip(found.name, LONGEST_PART)
    try:
        read = list(islice(turns_of(ledger, found), MOST_TURNS + 1))
    except LedgerError as error:
        return {"name": name, "turns": [], "note": printable(str(error))}
    note = None
    if len(read) > MOST_TURNS:
        note = f"the first {MOST_TURNS} turns; adjudge show {found.trial_id} --trace has all of them"
    return {"name": name, "turns": [_turn(turn) for turn in read[:MOST_TURNS]], "note": note}


def _turn(turn: Turn | BadTurn) -> dict[str, Any]:
    if isinstance(turn, BadTurn):
        return {"head": f"line {turn.line} cannot be read: {clip(turn.why, LONGEST_PART)}", "parts": []}
    parts = [("", turn.reasoning), ("", turn.text)]
    parts += [("-> ", f"{call.name} {call.arguments}") for call in turn.tool_calls[:_MOST_CALLS]]
    parts += [("<- ", result.text) for result in turn.results[:_MOST_CALLS]]
    return {
        "head": f"turn {turn.index}: {turn.role.value}",
        "parts": [mark + clip(text, LONGEST_PART) for mark, text in parts if text],
    }
