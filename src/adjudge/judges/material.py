"""What a judge gets to read about a trial: output, a section of it, instruction, reference, trace.

Texts are capped, and what was cut is said outside of them. What is no text cannot be read by a judge: then it
abstains, and says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import TrialRecord
from adjudge.errors import LedgerError
from adjudge.traces import BadTurn, Turn, find_traces, turns_of

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

LONGEST = {"evidence": 10_000, "output": 40_000, "instruction": 10_000, "reference": 20_000, "trace": 40_000}
_LONGEST_PART = 4_000
_FOLDER = "inode/directory"
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")


class Material(Struct, frozen=True):
    """One thing to read. `cut` is what of it is not shown, in words; '' if it is whole."""

    name: str
    text: str
    cut: str = ""


class NoMaterial(Struct, frozen=True):
    """Why there is nothing to read."""

    why: str


def output_text(ledger: Ledger, record: TrialRecord) -> str | NoMaterial:
    """The output as text; the files of a folder one after the other. Never raises for what is in it."""
    try:
        entry = ledger.output_blob(record.trial_id)
        if entry is None:
            return NoMaterial("there is no output to read")
        data = ledger.blob(entry)
        if record.output.media_type != _FOLDER:
            return _decoded(data)
        return _folder(ledger, data)
    except LedgerError as error:
        return NoMaterial(str(error))


def _folder(ledger: Ledger, index: bytes) -> str | NoMaterial:
    parts = []
    size = 0
    for row in json.loads(index)["workspace"]:
        if "link" in row:
            continue
        path = row["path"].encode("utf-8", "backslashreplace").decode()  # a name may not be UTF-8; a call is
        if size > 2 * LONGEST["output"]:
            parts.append(f"=== {path} === (not read: there is too much before it)")
            continue
        text = _decoded(ledger.blob(row["sha256"]))
        if isinstance(text, str):
            parts.append(f"=== {path} ===\n{text}")
            size += len(text)
    return "\n".join(parts) if parts else NoMaterial("the output holds no text")


def _decoded(data: bytes) -> str | NoMaterial:
    if b"\0" in data[:8192]:
        return NoMaterial("the output is no text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return NoMaterial("the output is not UTF-8 text")


def section_of(text: str, heading: str) -> str:
    """The lines below a Markdown heading up to the next one of its level; '' if there is no such heading."""
    lines = iter(text.splitlines())
    for line in lines:
        found = _HEADING.match(line)
        if found and found[2].casefold() == heading.strip().casefold():
            return "\n".join(takewhile(partial(_goes_on, len(found[1])), lines)).strip()
    return ""


def _goes_on(depth: int, line: str) -> bool:
    found = _HEADING.match(line)
    return found is None or len(found[1]) > depth


def trace_digest(ledger: Ledger, trial_id: str) -> str | None:
    """Which trace a trial has now; None if it has none."""
    found = find_traces(ledger, [trial_id]).get(trial_id)
    return None if found is None else found.digest


def trace_text(ledger: Ledger, trial_id: str) -> str | NoMaterial:
    """The trace as text, turn by turn to its end, each part cut; as large as the file at most."""
    turns = trace_turns(ledger, trial_id)
    return turns if isinstance(turns, NoMaterial) else "\n".join(turns)


def trace_turns(ledger: Ledger, trial_id: str) -> list[str] | NoMaterial:
    """Each turn of the trace as text, each part cut."""
    found = find_traces(ledger, [trial_id]).get(trial_id)
    if found is None:
        return NoMaterial("the trial has no trace")
    try:
        return list(_turn_lines(turns_of(ledger, found)))
    except LedgerError as error:
        return NoMaterial(str(error))


def turn_text(turn: Turn) -> str:
    """One turn as a judge reads it."""
    parts = [turn.reasoning, turn.text]
    parts += [f"-> {call.name} {call.arguments}" for call in turn.tool_calls]
    parts += [f"<- {result.text}" for result in turn.results]
    return "\n".join(
        part if len(part) <= _LONGEST_PART else part[:_LONGEST_PART] + " …" for part in parts if part
    )


def _turn_lines(turns: Iterable[Turn | BadTurn]) -> Iterator[str]:
    for turn in turns:
        if isinstance(turn, Turn):
            yield f"[turn {turn.index}, {turn.role.value}]\n{turn_text(turn)}"


def capped(name: str, text: str) -> Material:
    """A material within its cap: cut in the middle, with what was cut in words."""
    most = LONGEST[name.partition(":")[0]]
    if len(text) <= most:
        return Material(name, text)
    half = most // 2
    missing = len(text) - 2 * half
    return Material(
        name,
        text[:half] + text[-half:],
        f"{missing:,} of its {len(text):,} characters were cut out after character {half:,}",
    )
