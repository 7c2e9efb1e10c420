"""An agent's trajectory, from whatever format -> turns; kept with the trial, shown, searched, classified."""

from adjudge.traces.attached import (
    Trace,
    attach_trace,
    find_traces,
    search_trace,
    turns_of,
)
from adjudge.traces.read import TRACE_NAMES, TraceFormat, format_of, read_trace_file, read_turns
from adjudge.traces.turn import MAX_TURNS, BadTurn, Role, Turn

__all__ = [
    "MAX_TURNS",
    "TRACE_NAMES",
    "BadTurn",
    "Role",
    "Trace",
    "TraceFormat",
    "Turn",
    "attach_trace",
    "find_traces",
    "format_of",
    "read_trace_file",
    "read_turns",
    "search_trace",
    "turns_of",
]
