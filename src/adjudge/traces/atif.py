"""Harbor's `trajectory.json` (ATIF): one JSON document whose `steps` are the turns.

The document is walked, not loaded: a step is parsed, handed on and forgotten, so that a long one costs the
memory of its text and of one step. A step that is bad is named by its line and the others are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.contracts import BadJson, parse_json
from adjudge.errors import show
from adjudge.traces.draft import (
    BadEntry,
    TurnDraft,
    arguments_text,
    entries_of,
    moment_of,
    text_of,
    whole_of,
    word_of,
)
from adjudge.traces.turn import BadTurn, Role, ToolCall, ToolResult

_BLANK = re.compile(r"[ \t\n\r]*")
_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "agent": Role.ASSISTANT, "assistant": Role.ASSISTANT}
_DECODER = json.JSONDecoder()
STEPS = "steps"


def read_atif(text: str) -> Iterator[TurnDraft | BadTurn]:
    """The steps of a document, in order; the place where its JSON breaks off comes last."""
    walk = _Walk(text)
    try:
        yield from _document(walk)
    except (json.JSONDecodeError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        yield BadTurn(walk.line, f"not JSON from here on: {what}")


def _document(walk: _Walk) -> Iterator[TurnDraft | BadTurn]:
    walk.expect("{")
    found = False
    while not walk.took("}"):
        key = walk.value()
        walk.expect(":")
        if key == STEPS and walk.took("["):
            found = True
            yield from _steps(walk)
        else:
            walk.value()
        if not walk.took(","):
            walk.expect("}")
            break
    if walk.rest():
        yield BadTurn(walk.line, "more text after the document")
    if not found:
        yield BadTurn(1, f"the document has no list {STEPS!r}; is this a trajectory?")


def _steps(walk: _Walk) -> Iterator[TurnDraft | BadTurn]:
    while not walk.took("]"):
        walk.skip()
        line, start = walk.line, walk.at
        walk.value()
        yield _step(walk.text[start : walk.at], line)
        if not walk.took(","):
            walk.expect("]")
            break


def _step(text: str, line: int) -> TurnDraft | BadTurn:
    try:
        step = parse_json(text, first_line=line)
        if not isinstance(step, dict):
            raise BadEntry(f"not an object; found {show(step)}")
        return _turn(step, line)
    except (BadJson, BadEntry) as error:
        return BadTurn(line, str(error))


def _turn(step: Mapping[str, Any], line: int) -> TurnDraft:
    source = step.get("source")
    role = _ROLES.get(source) if isinstance(source, str) else None
    if role is None:
        raise BadEntry(f"source: no such source; found {show(source)}; allowed: system, user, agent")
    metrics = step.get("metrics") or {}
    if not isinstance(metrics, dict):
        raise BadEntry(f"metrics: not an object; found {show(metrics)}")
    draft = TurnDraft(
        line,
        role,
        text=text_of(step, "message"),
        reasoning=text_of(step, "reasoning_content"),
        at=moment_of(step, "timestamp"),
        input_tokens=whole_of(metrics, "prompt_tokens"),
        output_tokens=whole_of(metrics, "completion_tokens"),
        step=whole_of(step, "step_id"),
    )
    for call in entries_of(step, "tool_calls"):
        name = word_of(call, "function_name")
        if name is None:
            raise BadEntry(f"tool_calls: a call without function_name; found {show(call)}")
        draft.add_call(
            ToolCall(
                id=word_of(call, "tool_call_id"), name=name, arguments=arguments_text(call.get("arguments"))
            )
        )
    observation = step.get("observation") or {}
    if not isinstance(observation, dict):
        raise BadEntry(f"observation: not an object; found {show(observation)}")
    for result in entries_of(observation, "results"):
        draft.add_result(
            ToolResult(call_id=word_of(result, "source_call_id"), text=text_of(result, "content"))
        )
    return draft


class _Walk:
    """A place in a JSON text that moves on value by value, and the line that it stands on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def skip(self) -> None:
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches nothing, too

    def took(self, mark: str) -> bool:
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def expect(self, mark: str) -> None:
        if not self.took(mark):
            raise json.JSONDecodeError(f"{mark!r} was expected", self.text, self.at)

    def value(self) -> Any:
        self.skip()
        found, self.at = _DECODER.raw_decode(self.text, self.at)
        return found

    def rest(self) -> bool:
        self.skip()
        return self.at < len(self.text)
