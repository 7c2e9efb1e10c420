"""Find the JSON answer in Markdown.

In this order: the whole text, if it is JSON; the last fence that holds a JSON object or array, labelled json
(in any spelling) or not at all; the last JSON object that stands in the prose outside those fences, or an
array that has its lines to itself. Fences may be indented, made of tildes, and left open at the end. An
answer stands near the end, so of a very long text only the last part is searched.
"""

from __future__ import annotations

import json
import re

from adjudge._lazy import late_pattern
from adjudge.gates.parsed import Parsed, Unparseable, parse_json_output
from adjudge.tasks import Fence, find_fences

_LABELS = frozenset({"", "json", "jsonc", "json5", "geojson"})
_START = late_pattern(r'\{(?=\s*")|^[ \t]*(?P<array>\[)', re.MULTILINE)
_ARRAY = late_pattern(r"\[\s*[\[{\"\-\d\]]")
_LINE_END = late_pattern(r"[ \t\r.`]*(?:\n|$)")
_MAX_ATTEMPTS = 2000
_MAX_SEARCHED = 4_000_000


class NoAnswer(Exception):  # noqa: N818 - names what was found: nothing
    """No JSON answer; the message says what came nearest."""


def find_answer(text: str) -> Parsed:
    """The JSON answer in `text`. Raises NoAnswer."""
    whole: str | None = None
    start = text.lstrip()
    if start.startswith("{") or _ARRAY.match(start):
        try:
            return parse_json_output(text)
        except Unparseable as error:
            whole = str(error)
    above = 0  # lines that are not searched
    if len(text) > _MAX_SEARCHED:
        cut = len(text) - _MAX_SEARCHED
        cut = text.find("\n", cut) + 1 or cut  # at the start of a line, unless there is only one
        above, text = text.count("\n", 0, cut), text[cut:]
    fences = [fence for fence in find_fences(text) if fence.label in _LABELS]
    nearest: str | None = None
    for fence in reversed(fences):
        try:
            parsed = parse_json_output(fence.content, first_line=fence.line + above)
        except Unparseable as error:
            # The last one that means to be JSON is the one to speak about.
            if nearest is None and (fence.label or fence.content.lstrip()[:1] in ("{", "[")):
                nearest = _broken(fence, fence.line + above, str(error))
            continue
        if isinstance(parsed.value, dict | list):
            return parsed
    bare = _last_bare(_outside(text, fences))
    if bare is not None:
        return bare
    raise NoAnswer(nearest or whole or "no JSON answer: no fenced JSON block, and no JSON in the text")


def _broken(fence: Fence, line: int, error: str) -> str:
    if not fence.content.strip():
        return f"the JSON block that starts at line {line} is empty"
    if not fence.closed:
        reason = error.removeprefix("truncated: ")
        return f"truncated: the JSON block that starts at line {line} is never closed; {reason}"
    return f"the last JSON block is broken: {error}"


def _outside(text: str, fences: list[Fence]) -> str:
    """The text without the content of those fences: a piece of a broken answer is not the answer."""
    lines = text.split("\n")
    for fence in fences:
        last = fence.line - 1 + fence.content.count("\n") + 1 if fence.content else fence.line - 1
        for index in range(fence.line - 1, min(last, len(lines))):
            lines[index] = ""
    return "\n".join(lines)


def _last_bare(text: str) -> Parsed | None:
    """The last object or array in prose; bounded work, however many brackets a text has."""
    decoder = json.JSONDecoder()
    found: Parsed | None = None
    at = 0
    for _ in range(_MAX_ATTEMPTS):  # a failed attempt may cost as much as the text is long
        start = _START.search(text, at)
        if start is None:
            break
        begin = start.start("array") if start["array"] else start.start()
        try:
            _, end = decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            at = max(error.pos, begin + 1)  # not inside it: a part of a broken answer is not the answer
            continue
        except (ValueError, RecursionError):
            break
        at = end
        if start["array"] and not _LINE_END.match(text, end):
            continue  # [1] in prose is a footnote
        try:
            found = parse_json_output(text[begin:end], first_line=text.count("\n", 0, begin) + 1)
        except Unparseable:
            continue
    return found
