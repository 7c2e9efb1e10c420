"""An agent's trajectory, from whatever format -> turns; kept with the trial, shown, searched, classified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.traces.attached import (
        Trace,
        attach_trace,
        find_traces,
        search_trace,
        turns_of,
    )
    from adjudge.traces.classified import read_kinds, record_kinds
    from adjudge.traces.kinds import (
        MECHANICAL,
        TurnClassification,
        TurnKind,
        classify_turn,
        classify_turns,
    )
    from adjudge.traces.read import TRACE_NAMES, TraceFormat, format_of, read_trace_file, read_turns
    from adjudge.traces.structure import (
        KINDS,
        KindSequence,
        StructureTest,
        edit_distance,
        link_to_reward,
        reference_sequence,
        score_structures,
        transition_counts,
    )
    from adjudge.traces.turn import MAX_TURNS, BadTurn, Role, Turn


__all__ = [
    "KINDS",
    "MAX_TURNS",
    "MECHANICAL",
    "TRACE_NAMES",
    "BadTurn",
    "KindSequence",
    "Role",
    "StructureTest",
    "Trace",
    "TraceFormat",
    "Turn",
    "TurnClassification",
    "TurnKind",
    "attach_trace",
    "classify_turn",
    "classify_turns",
    "edit_distance",
    "find_traces",
    "format_of",
    "link_to_reward",
    "read_kinds",
    "read_trace_file",
    "read_turns",
    "record_kinds",
    "reference_sequence",
    "score_structures",
    "search_trace",
    "transition_counts",
    "turns_of",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "attached": (
            "Trace",
            "attach_trace",
            "find_traces",
            "search_trace",
            "turns_of",
        ),
        "classified": (
            "read_kinds",
            "record_kinds",
        ),
        "kinds": (
            "MECHANICAL",
            "TurnClassification",
            "TurnKind",
            "classify_turn",
            "classify_turns",
        ),
        "read": (
            "TRACE_NAMES",
            "TraceFormat",
            "format_of",
            "read_trace_file",
            "read_turns",
        ),
        "structure": (
            "KINDS",
            "KindSequence",
            "StructureTest",
            "edit_distance",
            "link_to_reward",
            "reference_sequence",
            "score_structures",
            "transition_counts",
        ),
        "turn": (
            "BadTurn",
            "MAX_TURNS",
            "Role",
            "Turn",
        ),
    },
)
