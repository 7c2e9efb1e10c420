"""A turn while it is put together, and the strict reading of one field of an entry.

Fields that we know must have their type; fields that we do not know are passed over, because every version of
every format adds some.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field

from adjudge.errors import show
from adjudge.traces.turn import MAX_CALLS, Role, ToolCall, ToolResult, Turn, shortened

_MOST = (1 << 63) - 1


class BadEntry(ValueError):  # noqa: N818 - reads as the state it names
    """An entry of a trace that cannot be a turn; `str()` says which field and what was found."""


class TurnDraft(Struct):
    """A turn that further entries may still add to."""

    line: int
    role: Role
    text: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    at: datetime | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    step: int | None = None
    cut: int = 0

    def add_call(self, call: ToolCall) -> None:
        """Add a call; one too many is counted as cut."""
        arguments, missing = shortened(call.arguments)
        self.cut += missing
        if len(self.calls) < MAX_CALLS:
            self.calls.append(call.model_copy(update={"arguments": arguments}) if missing else call)
        else:
            self.cut += len(arguments)

    def add_result(self, result: ToolResult) -> None:
        """Add a result; one too many is counted as cut."""
        text, missing = shortened(result.text)
        self.cut += missing
        if len(self.results) < MAX_CALLS:
            self.results.append(result.model_copy(update={"text": text}) if missing else result)
        else:
            self.cut += len(text)

    def finish(self, index: int) -> Turn:
        """The turn."""
        text, cut_text = shortened(self.text)
        reasoning, cut_reasoning = shortened(self.reasoning)
        return Turn(
            index=index,
            line=self.line,
            role=self.role,
            text=text,
            reasoning=reasoning,
            tool_calls=self.calls,
            results=self.results,
            at=self.at,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cut=self.cut + cut_text + cut_reasoning,
        )


def text_of(entry: Mapping[str, Any], name: str) -> str:
    """A text; '' if it is missing or null. Parts of a message (`{"type": "text", …}`) are joined."""
    value = entry.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part for one in value if (part := _part(one, name)))
    raise BadEntry(f"{name}: not a text; found {show(value)}; allowed: a text or a list of parts")


def _part(part: object, name: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise BadEntry(f"{name}: not a part of a message; found {show(part)}")
    kind = part.get("type")
    if kind in ("text", "input_text", "output_text", None):
        return text_of(part, "text")
    return "" if kind in ("tool_use", "tool_result", "thinking", "reasoning") else f"[{show(kind)}]"


def word_of(entry: Mapping[str, Any], name: str) -> str | None:
    """A text or nothing."""
    value = entry.get(name)
    if value is None or isinstance(value, str):
        return value
    raise BadEntry(f"{name}: not a text; found {show(value)}")


def whole_of(entry: Mapping[str, Any], name: str, *, least: int = 0) -> int | None:
    """A whole number or nothing."""
    value = entry.get(name)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= _MOST:
        raise BadEntry(f"{name}: not a whole number from {least} on; found {show(value)}")
    return value


def number_of(entry: Mapping[str, Any], name: str) -> float | None:
    """A number that is not negative, or nothing."""
    value = entry.get(name)
    if value is None:
        return None
    if type(value) not in (int, float) or value < 0:
        raise BadEntry(f"{name}: not a number from 0 on; found {show(value)}")
    return float(value)


def moment_of(entry: Mapping[str, Any], name: str) -> datetime | None:
    """A time in ISO 8601 or nothing; one without a time zone counts as UTC."""
    value = word_of(entry, name)
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise BadEntry(f"{name}: not a time; found {show(value)}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def entries_of(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """A list of objects; empty if it is missing or null."""
    value = entry.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadEntry(f"{name}: not a list of objects; found {show(value)}")
    return value


def arguments_text(value: object) -> str:
    """The arguments of a call as text: as they are if they are one, else as compact JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
