"""`trajectory.jsonl`: a header line, then entries with `step`, `role`, `content` and what a tool did.

A `tool_call` joins the assistant's turn before it unless that turn has its results already and stands under
another step: then the assistant has acted again without a word. A `tool_result` joins the turn that called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.errors import show
from adjudge.traces.draft import (
    BadEntry,
    TurnDraft,
    arguments_text,
    moment_of,
    number_of,
    text_of,
    whole_of,
    word_of,
)
from adjudge.traces.turn import Role, ToolCall, ToolResult

_SPEAKERS = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
_CALL, _RESULT = "tool_call", "tool_result"


def add_entry(entry: Mapping[str, Any], line: int, before: TurnDraft | None) -> TurnDraft | None:
    """A new turn; None if the entry belongs to the turn before it, to which it is then added."""
    role, step = entry.get("role"), whole_of(entry, "step")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is not None:
        return TurnDraft(
            line,
            speaker,
            text=text_of(entry, "content"),
            reasoning=text_of(entry, "reasoning"),
            at=moment_of(entry, "timestamp"),
            input_tokens=whole_of(entry, "input_tokens"),
            output_tokens=whole_of(entry, "output_tokens"),
            step=step,
        )
    acting = before if before is not None and before.role is Role.ASSISTANT else None
    if role == _CALL:
        call = ToolCall(
            id=word_of(entry, "tool_call_id"),
            name=word_of(entry, "tool_name") or "tool",
            arguments=word_of(entry, "command") or arguments_text(entry.get("arguments")),
        )
        if acting is None or (acting.results and acting.step != step):
            draft = TurnDraft(line, Role.ASSISTANT, text=text_of(entry, "content"), step=step)
            draft.add_call(call)
            return draft
        acting.add_call(call)
        return None
    if role == _RESULT:
        result = ToolResult(
            call_id=word_of(entry, "tool_call_id"),
            text=_printed(entry),
            exit_code=whole_of(entry, "exit_code", least=-(1 << 31)),
            duration_ms=number_of(entry, "duration_ms"),
        )
        draft = acting or TurnDraft(line, Role.TOOL, step=step)
        draft.add_result(result)
        return None if acting is not None else draft
    allowed = ", ".join((*_SPEAKERS, _CALL, _RESULT))
    raise BadEntry(f"role: no such role; found {show(role)}; allowed: {allowed}")


def _printed(entry: Mapping[str, Any]) -> str:
    streams = [text for name in ("stdout", "stderr") if (text := text_of(entry, name))]
    return "\n".join(streams) or text_of(entry, "content")
