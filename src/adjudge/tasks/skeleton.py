"""The answer skeleton in an instruction, read as a JSON Schema of required keys and obvious types.

Authors write skeletons for people: `"flow": <numeric_value>`, `"status": "pass|fail"`, comments, trailing
commas, `...`. So the reader here is lenient where JSON is not, and knows only what is plain: a key that is
shown is required (unless its comment says optional), 0.0 and <number> are numbers, [...] is an array. A
value it cannot place may be anything. Text that is not a skeleton gives None; it never raises.
"""

from __future__ import annotations

import json
import re
from typing import Any

from adjudge._lazy import late_pattern
from adjudge.tasks.fences import find_fences

Schema = dict[str, Any]

_JSON_LABELS = frozenset({"", "json", "jsonc", "json5", "jsonl", "js", "javascript"})
_MAX_DEPTH = 32
_BLANK = r"\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/"
_SPACE = late_pattern(rf"(?:{_BLANK})*", re.DOTALL)
_GAP = late_pattern(rf"(?:{_BLANK}|(?:\.\.\.|…)(?=[\s,}}\]]))*", re.DOTALL)
_REST_OF_LINE = late_pattern(r"[ \t,]*(?://|\#|/\*)(?P<comment>[^\n]*)")
_STRING = late_pattern(r'"((?:[^"\\\n]++|\\.)*+)"' + r"|'((?:[^'\\\n]++|\\.)*+)'")
_NUMBER = late_pattern(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=\s*(?:[,}\]/#\n]|$))")
_BARE = late_pattern(r"<[^<>\n]*>(?:[\"'](?=\s*[,}\]]))?|[^\s,{}\[\]\"'][^,{}\[\]\"'\n]*")
_BARE_START = late_pattern(r"""[{\[]\s*(?:[{\[]\s*)?["']""")
_PLACEHOLDER_KEY = late_pattern(r"<.*>|\{.*\}|\.\.\.|…")
_WORDS = late_pattern(r"[A-Za-z]+")

_TYPE_WORDS = {
    **dict.fromkeys(
        ("number", "numeric", "float", "double", "decimal", "real", "int", "integer", "num"), "number"
    ),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("list", "array"), "array"),
    **dict.fromkeys(("object", "dict", "map"), "object"),
    **dict.fromkeys(("null", "none"), "null"),
}


class _NotASkeleton(Exception):  # noqa: N818 - a signal inside this module
    pass


def infer_schema(instruction: str) -> Schema | None:
    """The schema of the last skeleton in the instruction, fenced or not; None if there is none."""
    fenced = [fence for fence in find_fences(instruction) if fence.label in _JSON_LABELS]
    for fence in reversed(fenced):
        schema = read_skeleton(fence.content, whole=fence.label != "jsonl")
        if schema is not None:
            return schema
    for start in reversed(list(_BARE_START.finditer(instruction))[-50:]):
        schema = read_skeleton(instruction[start.start() :], whole=False)
        if schema is not None and not _inside_another(instruction, start.start()):
            return schema
    return None


def read_skeleton(text: str, *, whole: bool = True) -> Schema | None:
    """The schema of one skeleton. With `whole`, nothing but the skeleton may stand in `text`."""
    reader = _Reader(text)
    try:
        reader.skip()
        if reader.peek() not in "{[":
            return None
        schema = reader.value(0)
        reader.skip()
    except (_NotASkeleton, RecursionError):
        return None
    if whole and reader.at < len(text):
        return None
    names_something = schema.get("properties") or schema.get("items")
    return schema if names_something else None


def _inside_another(text: str, at: int) -> bool:
    """Is the bracket at `at` within one that opened earlier in the same paragraph?"""
    paragraph = text[:at].rpartition("\n\n")[2]
    return paragraph.count("{") > paragraph.count("}") or paragraph.count("[") > paragraph.count("]")


class _Reader:
    """A position in a text, and what may stand there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1] or "\0"

    def skip(self, gap_pattern: re.Pattern[str] = _GAP) -> None:
        """Past white space, comments and dots that mean "and so on"."""
        gap = gap_pattern.match(self.text, self.at)
        self.at = gap.end() if gap else self.at

    def value(self, depth: int) -> Schema:
        if depth > _MAX_DEPTH:
            raise _NotASkeleton
        if self.text.startswith("{{", self.at):  # a template's variable
            end = self.text.find("}}", self.at)
            if end < 0:
                raise _NotASkeleton
            self.at = end + 2
            return {}
        first = self.peek()
        if first == "{":
            return self._object(depth)
        if first == "[":
            return self._array(depth)
        return self._alternatives()

    def _object(self, depth: int) -> Schema:
        self.at += 1
        properties: dict[str, Schema] = {}
        required: list[str] = []
        self.skip()
        while self.peek() != "}":
            key = self._key()
            shape = self.value(depth + 1)
            optional = self._comment_says_optional()
            self._separator("}")
            if _PLACEHOLDER_KEY.fullmatch(key):
                continue
            properties[key] = shape
            if not optional and key not in required:
                required.append(key)
        self.at += 1
        return {"type": "object", "required": required, "properties": properties}

    def _key(self) -> str:
        match = _STRING.match(self.text, self.at)
        if not match:
            raise _NotASkeleton
        self.at = match.end()
        self.skip()
        if self.peek() != ":":
            raise _NotASkeleton
        self.at += 1
        self.skip(_SPACE)  # `"key": ...` has a value, and it may be anything
        return _unescaped(match[1] if match[1] is not None else match[2])

    def _array(self, depth: int) -> Schema:
        self.at += 1
        shapes: list[Schema] = []
        self.skip()
        while self.peek() != "]":
            shapes.append(self.value(depth + 1))
            self._separator("]")
        self.at += 1
        # Elements of different shapes are a tuple or an example; only what they share is plain.
        if shapes and all(shape == shapes[0] for shape in shapes) and shapes[0]:
            return {"type": "array", "items": shapes[0]}
        return {"type": "array"}

    def _separator(self, closing: str) -> None:
        """A comma; or, since people forget it, a new line."""
        before = self.at
        self.skip()
        if self.peek() == ",":
            self.at += 1
            self.skip()
        elif self.peek() != closing and "\n" not in self.text[before : self.at]:
            raise _NotASkeleton

    def _comment_says_optional(self) -> bool:
        rest = _REST_OF_LINE.match(self.text, self.at)
        return rest is not None and "optional" in rest["comment"].lower()

    def _alternatives(self) -> Schema:
        """One scalar, or several joined by `|` or "or"."""
        shapes = [self._scalar()]
        while joint := re.compile(r"[ \t]*(?:\||\bor\b)[ \t]*").match(self.text, self.at):
            self.at = joint.end()
            shapes.append(self.value(_MAX_DEPTH))
        types: set[str] = set()
        for shape in shapes:
            if "type" not in shape:
                return {}
            types.update([shape["type"]] if isinstance(shape["type"], str) else shape["type"])
        return _typed(types)

    def _scalar(self) -> Schema:
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return {"type": "number"}
        string = _STRING.match(self.text, self.at)
        if string:
            self.at = string.end()
            return _quoted(string[1] if string[1] is not None else string[2])
        bare = _BARE.match(self.text, self.at)
        if not bare:
            raise _NotASkeleton
        text = re.split(r"\s*(?://|\#|/\*)", bare[0])[0]
        self.at += len(text)
        return _placeholder(text)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _quoted(text: str) -> Schema:
    """ "<number>" stands for a number; "pass|fail" and "AS 3000" are strings; "..." may be anything.

    So may "none", "list" or "object" alone: an author may mean the type, or that very word as the answer.
    """
    bare = text.strip()
    if re.fullmatch(r"<.*>|\[.*\]|\{.*\}", bare):
        return _placeholder(bare)
    words = [_TYPE_WORDS.get(word.strip().lower(), "") for word in bare.split("|")]
    if all(words):
        unclear = set(words) == {"null"} or (len(words) == 1 and words[0] in ("array", "object"))
        return {} if unclear else _typed(set(words))
    if {word.strip().lower() for word in re.split(r"[|/]", bare)} == {"true", "false"}:
        return {"type": ["boolean", "string"]}
    return {} if bare in ("", "...", "…", "?", "TBD", "TODO") else {"type": "string"}


def _placeholder(text: str) -> Schema:
    """A bare word or `<...>`: its first word gives the type; `number|null` gives two."""
    inner = text.strip().strip("<>[]{}").strip()
    words = [word.lower() for word in _WORDS.findall(inner)]
    if words and set(words) <= {"true", "false", "or"}:
        return {"type": "boolean"}
    parts = [_WORDS.findall(part) for part in re.split(r"\||\bor\b|/", inner)]
    types = {_TYPE_WORDS.get(part[0].lower(), "") if part else "" for part in parts}
    if types == {"null"} or "" in types:
        # `<number, m3/s>` splits at the unit's slash: the first word still says what it is.
        first = _TYPE_WORDS.get(words[0], "") if words and "|" not in inner and " or " not in inner else ""
        return _typed({first}) if first and first != "null" else {}
    return _typed(types)


def _typed(types: set[str]) -> Schema:
    ordered = sorted(types)
    return {"type": ordered[0] if len(ordered) == 1 else ordered}
