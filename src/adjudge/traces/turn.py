"""What an agent did, turn by turn: what it said, what it called and what came back.

Whatever the file looked like, a `Turn` looks the same: results of tools stand in the turn that called them.
Long texts are cut in the middle to `LONGEST_TEXT` characters, and `cut` counts what is missing; the bytes
of the file itself are kept whole in the ledger.
"""

from __future__ import annotations

from msgspec import Struct
from pydantic import Field

from adjudge.contracts import Choice, StrictModel, Timestamp

MAX_TRACE_BYTES = 64 << 20
MAX_TURNS = 20_000
MAX_LINE_BYTES = 16 << 20
LONGEST_TEXT = 200_000
MAX_CALLS = 200
"""Of one turn; further ones are left out, and the trace says so."""


class Role(Choice):
    """Who speaks in a turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """A result that no turn before it had asked for."""


class ToolCall(StrictModel):
    """Something that the assistant had done."""

    id: str | None = None
    name: str
    arguments: str = ""
    """A command, or the arguments as JSON."""


class ToolResult(StrictModel):
    """What came back."""

    call_id: str | None = None
    text: str = ""
    exit_code: int | None = None
    duration_ms: float | None = Field(default=None, ge=0)


class Turn(StrictModel):
    """One turn. `line` is the line of the file that it begins on."""

    index: int = Field(ge=0)
    line: int = Field(ge=1)
    role: Role
    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = Field(default_factory=list)
    results: list[ToolResult] = Field(default_factory=list)
    at: Timestamp | None = None
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cut: int = Field(default=0, ge=0)
    """Characters of this turn that are not shown."""


class BadTurn(Struct, frozen=True):
    """A line or a step that is no turn: where it stands, and why. Those around it are read all the same."""

    line: int
    why: str


def shortened(text: str) -> tuple[str, int]:
    """A text of at most `LONGEST_TEXT` characters, and how many were cut out of its middle."""
    if len(text) <= LONGEST_TEXT:
        return text, 0
    half = LONGEST_TEXT // 2
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[… {missing:,} characters cut …]\n{text[-half:]}", missing
