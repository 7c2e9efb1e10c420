"""`conversation.jsonl`: one chat message per line, as OpenAI and Anthropic write them.

A message of role `tool`, and a `tool_result` part in a message of the user, is the result of a call: it joins
the assistant's turn before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.errors import show
from adjudge.traces.draft import BadEntry, TurnDraft, arguments_text, entries_of, text_of, word_of
from adjudge.traces.turn import Role, ToolCall, ToolResult

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def add_message(entry: Mapping[str, Any], line: int, before: TurnDraft | None) -> TurnDraft | None:
    """A new turn; None if the message belongs to the turn before it, to which it is then added."""
    role = _role(entry)
    draft = TurnDraft(
        line, role, text=text_of(entry, "content"), reasoning=text_of(entry, "reasoning_content")
    )
    results = list(_results(entry))
    if role is Role.TOOL:
        results = [ToolResult(call_id=word_of(entry, "tool_call_id"), text=draft.text)]
        draft.text = ""
    parts = entry.get("content")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("type") == "thinking":
            draft.reasoning += text_of(part, "thinking")
    for call in _calls(entry):
        draft.add_call(call)
    joins = results and not draft.text and not draft.calls and role is not Role.ASSISTANT
    target = before if joins and before is not None and before.role is Role.ASSISTANT else draft
    for result in results:
        target.add_result(result)
    return None if target is before else draft


def _role(entry: Mapping[str, Any]) -> Role:
    word = entry.get("role")
    role = _ROLES.get(word) if isinstance(word, str) else None
    if role is None:
        raise BadEntry(f"role: no such role; found {show(word)}; allowed: {', '.join(_ROLES)}")
    return role


def _calls(entry: Mapping[str, Any]) -> Iterator[ToolCall]:
    for call in entries_of(entry, "tool_calls"):
        inner = call.get("function", call)
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise BadEntry(f"tool_calls: a call without a name; found {show(call)}")
        yield ToolCall(
            id=word_of(call, "id"), name=inner["name"], arguments=arguments_text(inner.get("arguments"))
        )
    for part in _parts(entry, "tool_use"):
        name = word_of(part, "name")
        if name is None:
            raise BadEntry(f"content: a tool_use without a name; found {show(part)}")
        yield ToolCall(id=word_of(part, "id"), name=name, arguments=arguments_text(part.get("input")))


def _results(entry: Mapping[str, Any]) -> Iterator[ToolResult]:
    for part in _parts(entry, "tool_result"):
        yield ToolResult(call_id=word_of(part, "tool_use_id"), text=text_of(part, "content"))


def _parts(entry: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    content = entry.get("content")
    if isinstance(content, list):
        yield from (part for part in content if isinstance(part, dict) and part.get("type") == kind)
