"""Read a trace, whatever its format, one turn at a time.

What is no turn is yielded as a `BadTurn` with its line, and reading goes on: nothing that can be read is lost
for the sake of what cannot. The format follows from the content, not from the file's name.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge._files import read_plain_file
from adjudge.contracts import BadJson, Choice, load_json
from adjudge.errors import UsageError
from adjudge.traces.atif import STEPS, read_atif
from adjudge.traces.chat import add_message
from adjudge.traces.draft import BadEntry, TurnDraft
from adjudge.traces.trajectory import add_entry
from adjudge.traces.turn import MAX_LINE_BYTES, MAX_TRACE_BYTES, MAX_TURNS, BadTurn, Turn

TRACE_NAMES = ("trajectory.json", "trajectory.jsonl", "conversation.jsonl")
_TELLING_LINES = 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Joining = Callable[[dict[str, Any], int, TurnDraft | None], TurnDraft | None]


class TraceFormat(Choice):
    """The formats that are read."""

    ATIF = "ATIF"
    TRAJECTORY = "trajectory.jsonl"
    CONVERSATION = "conversation.jsonl"


def read_trace_file(path: Path) -> bytes:
    """The bytes of a trace. UsageError if it is missing, no plain file, or too large."""
    try:
        found = read_plain_file(path, limit=MAX_TRACE_BYTES)
    except OSError as error:
        raise UsageError(f"the trace cannot be read: {error.strerror}", file=path) from None
    if found.data is None:
        raise UsageError(
            "this is no trace that can be read",
            file=path,
            found=found.kind,
            allowed=f"a plain file of at most {MAX_TRACE_BYTES >> 20} MiB",
        )
    return found.data


def format_of(data: bytes) -> TraceFormat | None:
    """The format of a trace by its first lines; None if it is none of those that are read.

    A first line that is bad, or a header, does not decide: the first that tells does.
    """
    lines = [line for _, line in islice(_lines(data), _TELLING_LINES)]
    if lines and lines[0] is not None and lines[0].strip() != b"{":  # else a document, over several lines
        for keys in map(_keys, lines):
            if STEPS in keys:
                return TraceFormat.ATIF
            if "format" in keys or {"role", "step"} <= keys:
                return TraceFormat.TRAJECTORY
            if "role" in keys:
                return TraceFormat.CONVERSATION
    return TraceFormat.ATIF if _may_be_document(data) else None


def _keys(line: bytes | None) -> frozenset[str]:
    """The keys of the object on a line; none for whatever else stands there."""
    try:
        found = load_json(line or b"", max_bytes=MAX_LINE_BYTES)
    except BadJson:
        return frozenset()
    return frozenset(found) if isinstance(found, dict) else frozenset()


def _may_be_document(data: bytes) -> bool:
    """Does it begin like a JSON object that its first line does not end, or that is longer than a line?"""
    first = next((line for _, line in _lines(data)), b"")
    return data.removeprefix(_BYTE_ORDER_MARK).lstrip()[:1] == b"{" and not _keys(first)


def read_turns(data: bytes) -> Iterator[Turn | BadTurn]:
    """The turns of a trace in order, and what could not be read of it. At most `MAX_TURNS` turns."""
    index = 0
    for found in _drafts(data):
        if isinstance(found, BadTurn):
            yield found
        elif index == MAX_TURNS:
            yield BadTurn(found.line, f"more than {MAX_TURNS:,} turns; those from here on are not read")
            return
        else:
            yield found.finish(index)
            index += 1


def _drafts(data: bytes) -> Iterator[TurnDraft | BadTurn]:
    form = format_of(data)
    if form is None:
        yield BadTurn(1, f"this is no trace; allowed: {', '.join(TRACE_NAMES)}")
    elif form is TraceFormat.ATIF:
        try:
            text = data.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
        except UnicodeDecodeError as error:
            yield BadTurn(data.count(b"\n", 0, error.start) + 1, "not UTF-8")
            text = data.decode("utf-8", "replace")
        yield from read_atif(text)
    else:
        yield from _joined(data, add_entry if form is TraceFormat.TRAJECTORY else add_message)


def _joined(data: bytes, add: Joining) -> Iterator[TurnDraft | BadTurn]:
    """Turns out of entries, of which several may make one; a turn is out once the next one begins."""
    draft: TurnDraft | None = None
    for number, line in _lines(data):
        try:
            entry = _entry(line)
            if number == 1 and add is add_entry and "role" not in entry:
                continue  # the header
            following = add(entry, number, draft)
        except (BadJson, BadEntry) as error:
            yield BadTurn(number, str(error))
            continue
        if following is not None:
            if draft is not None:
                yield draft
            draft = following
    if draft is not None:
        yield draft


def _entry(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise BadEntry(f"longer than {MAX_LINE_BYTES >> 20} MiB")
    entry = load_json(line, max_bytes=MAX_LINE_BYTES)
    if not isinstance(entry, dict):
        raise BadEntry("not an object")
    return entry


def _lines(data: bytes) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, with their numbers; None stands for one past the limit."""
    stream = io.BytesIO(data)
    for number, raw in enumerate(stream, 1):
        line = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        if len(line) > MAX_LINE_BYTES:
            yield number, None
        elif line.strip():
            yield number, line
