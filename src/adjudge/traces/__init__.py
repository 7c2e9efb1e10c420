"""An agent's trajectory, from whatever format -> turns; kept with the trial, shown, searched, classified."""

from adjudge.traces.attached import (
    TRACE_KIND,
    Trace,
    TraceHit,
    attach_trace,
    find_traces,
    is_assistant,
    search_trace,
    summarise,
    turns_of,
)
from adjudge.traces.read import TRACE_NAMES, TraceFormat, format_of, read_trace_file, read_turns
from adjudge.traces.turn import MAX_TRACE_BYTES, MAX_TURNS, BadTurn, Role, ToolCall, ToolResult, Turn

__all__ = [
    "MAX_TRACE_BYTES",
    "MAX_TURNS",
    "TRACE_KIND",
    "TRACE_NAMES",
    "BadTurn",
    "Role",
    "ToolCall",
    "ToolResult",
    "Trace",
    "TraceFormat",
    "TraceHit",
    "Turn",
    "attach_trace",
    "find_traces",
    "format_of",
    "is_assistant",
    "read_trace_file",
    "read_turns",
    "search_trace",
    "summarise",
    "turns_of",
]
