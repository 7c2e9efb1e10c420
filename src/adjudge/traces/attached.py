"""Traces in the ledger: attached to a trial, found again, searched.

The file itself is kept as a blob, and a short document says what is in it. A trial that was imported from
Harbor has its trajectory among its artifacts already, and that one is found if nothing else was attached.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.ledger import NewAttachment
from adjudge.traces.read import format_of, read_trace_file, read_turns
from adjudge.traces.turn import BadTurn, Turn

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

TRACE_KIND = "trace"
_BLOB = "trace"
_MOST_PROBLEMS = 50
_AROUND = 60


class Trace(Struct, frozen=True):
    """A trial's trace: where its bytes are."""

    trial_id: str
    digest: str
    name: str


class TraceHit(Struct, frozen=True):
    """A place in a trace that holds what was searched for."""

    trial_id: str
    turn: int
    line: int
    part: str
    """`text`, `reasoning`, `call` or `result`."""
    around: str


def summarise(data: bytes) -> dict[str, Any]:
    """What is in a trace: its format, its turns by role, its calls, and what could not be read of it."""
    roles: Counter[str] = Counter()
    calls, cut, bad = 0, 0, 0
    tokens = {"input_tokens": 0, "output_tokens": 0}
    problems: list[str] = []
    for found in read_turns(data):
        if isinstance(found, BadTurn):
            bad += 1
            if len(problems) < _MOST_PROBLEMS:
                problems.append(f"line {found.line}: {found.why}")
            continue
        roles[found.role.value] += 1
        calls += len(found.tool_calls)
        cut += found.cut
        tokens["input_tokens"] += found.input_tokens or 0
        tokens["output_tokens"] += found.output_tokens or 0
    form = format_of(data)
    return {
        "format": None if form is None else form.value,
        "bytes": len(data),
        "turns": roles.total(),
        "roles": dict(sorted(roles.items())),
        "tool_calls": calls,
        "cut_characters": cut,
        "unreadable": bad,
        "problems": problems,
        **tokens,
    }


def attach_trace(ledger: Ledger, trial_id: str, path: Path) -> dict[str, Any]:
    """Attach a file to a trial; what it holds. UsageError if the file holds no turn at all.

    The same file again changes nothing; another file becomes the trial's trace, and the earlier one stays.
    """
    data = read_trace_file(path)
    content = {"name": path.name, **summarise(data)}
    if not content["turns"]:
        why = content["problems"][0] if content["problems"] else "it is empty"
        raise UsageError(f"the file holds no turn: {why}", file=path)
    key = hashlib.sha256(data).hexdigest()
    ledger.attach([NewAttachment(TRACE_KIND, key, content, trial_id=trial_id, blobs={_BLOB: data})])
    return content


def find_traces(ledger: Ledger, trial_ids: Iterable[str]) -> dict[str, Trace]:
    """The newest trace of each trial that has one."""
    wanted = list(trial_ids)
    found = {
        trial_id: Trace(trial_id, digest, name)
        for trial_id, artifacts in ledger.artifacts(wanted).items()
        for name, digest in sorted(artifacts.items(), reverse=True)
        if name.startswith(("agent/", "steps/")) and name.endswith("trajectory.json")
    }
    for attached in ledger.attached(TRACE_KIND, trial_ids=wanted):
        trial_id = str(attached.trial_id)
        found[trial_id] = Trace(trial_id, attached.blobs[_BLOB], attached.document["name"])
    return found


def turns_of(ledger: Ledger, found: Trace) -> Iterator[Turn | BadTurn]:
    """The turns of a trace in the ledger. LedgerError if its bytes are gone or damaged."""
    return read_turns(ledger.blob(found.digest))


def search_trace(ledger: Ledger, found: Trace, wanted: str) -> Iterator[TraceHit]:
    """Every part of a turn that holds a text, whatever its case; the first place in each part."""
    lower = wanted.lower()
    for turn in turns_of(ledger, found):
        if isinstance(turn, BadTurn):
            continue
        for part, text in _parts(turn):
            at = text.lower().find(lower)
            if at >= 0:
                around = text[max(0, at - _AROUND) : at + len(wanted) + _AROUND]
                yield TraceHit(found.trial_id, turn.index, turn.line, part, " ".join(around.split()))


def _parts(turn: Turn) -> Iterator[tuple[str, str]]:
    yield "text", turn.text
    yield "reasoning", turn.reasoning
    for call in turn.tool_calls:
        yield "call", f"{call.name} {call.arguments}"
    for result in turn.results:
        yield "result", result.text
