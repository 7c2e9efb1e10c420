"""How much freedom common programs leave to a text that passes through them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum


class OutputLevel(IntEnum):
    """How free the text of the answer is."""

    NONE = 0
    """Nothing of the answer."""
    COUNT = 1
    """How much of it there is: a number of lines or letters."""
    NUMBER = 2
    """Digits, or what was worked out: no code, no pattern, no several words."""
    WORD = 3
    """Any text without blanks."""
    TEXT = 4
    """Any text."""


_PASSES = frozenset(
    {"cat", "head", "tail", "sort", "uniq", "cut", "rev", "tac", "nl", "paste", "fold", "dos2unix", "iconv"}
    | {
        "xargs",
        "column",
        "tee",
        "echo",
        "sed",
        "grep",
        "egrep",
        "fgrep",
        "tr",
        "yq",
        "join",
        "comm",
        "expand",
    }
    | {"fmt", "pr", "strings", "shuf", "printf", "jq", "sqlite3", "psql", "mysql", "duckdb"}
)
_NUMERIC = re.compile(r"[\d.,+\-eE\s]*(?:0-9|\[:digit:\])[\d.,+\-eE\s]*(?:\[:space:\])?(?:\\n)*")
_DIGITS_ONLY = re.compile(r"(?:\[(?:[\d.,+\-eE]|\[:digit:\])+\]|\\[d.]|[-+?*.^$()|{},\d eE])+")
_EMPTIED = re.compile(r"s(.)\[\^([^\]]*|\[:digit:\][^\]]*)\]\+?\*?\1\1g")
_ASKS = re.compile(r"length|tonumber|==|!=|[<>]|\badd\b|\ball\b|\bany\b|\btype\b|\bhas\(")
_AGGREGATES = re.compile(r"select\s+(?:count|sum|avg|total|max|min|round)\(", re.I)
_PRINTS = re.compile(r"\bprintf?\b([^;}\n]*)")


def filtered(words: Sequence[str], held: OutputLevel) -> OutputLevel:
    """What is left of `held` behind this command, its words without quotes; NONE if it is unknown here."""
    name, options = words[0].rpartition("/")[2], [w for w in words[1:] if w.startswith("-")]
    rest = [w for w in words[1:] if not w.startswith("-")]
    if name == "tr":
        level = _translated(options, rest, held)
    elif name in ("awk", "gawk", "mawk"):
        level = _printed(words, held)
    elif name in ("grep", "egrep"):
        level = _found(options, rest, held)
    elif name in ("python", "python3"):
        level = _from_python(" ".join(words), held)
    elif name in ("wc", "stat"):
        level = OutputLevel.COUNT
    elif _is_worked_out(name, rest):
        level = OutputLevel.NUMBER
    else:
        level = held if name in _PASSES else OutputLevel.NONE
    return level


def _is_worked_out(name: str, rest: Sequence[str]) -> bool:
    """A number that a program says, or a check sum."""
    text = " ".join(rest)
    if name == "printf":
        return bool(rest) and re.search(r"%[-+.\d]*[dfgeioux]", rest[0]) is not None and "%s" not in rest[0]
    if name == "jq":
        return _ASKS.search(rest[0] if rest else "") is not None
    if name in ("sqlite3", "psql", "mysql", "duckdb"):
        return _AGGREGATES.search(text) is not None
    if name == "sed":
        return any((match := _EMPTIED.search(word)) and _NUMERIC.fullmatch(match[2]) for word in rest)
    return re.fullmatch(r"sha\d+sum|md5sum|cksum", name) is not None


def _translated(options: Sequence[str], rest: Sequence[str], held: OutputLevel) -> OutputLevel:
    deletes = any("d" in option for option in options)
    others = any("c" in option.lower() for option in options)
    first = rest[0] if rest else ""
    if deletes and others:
        return OutputLevel.NUMBER if _NUMERIC.fullmatch(first) else held
    blank = "[:space:]" in first or "[:blank:]" in first or (" " in first and "\\n" in first)
    return min(held, OutputLevel.WORD) if deletes and blank else held


def _found(options: Sequence[str], rest: Sequence[str], held: OutputLevel) -> OutputLevel:
    if any(re.match(r"-\w*[cqlL]", option) for option in options):
        return OutputLevel.COUNT if any("c" in option for option in options) else OutputLevel.NONE
    cut = any(re.match(r"-\w*o", option) for option in options)
    return OutputLevel.NUMBER if cut and rest and _DIGITS_ONLY.fullmatch(rest[0]) else held


def _printed(words: Sequence[str], held: OutputLevel) -> OutputLevel:
    """What an awk program prints: its lines, its fields, or what it has worked out."""
    program = next((word for word in words[1:] if "print" in word), "")
    if not program:
        return (
            held
            if any("{" not in w and ("NR" in w or "NF" in w or "/" in w) for w in words[1:])
            else OutputLevel.NONE
        )
    printed = _PRINTS.findall(program)
    fields = [part for part in printed if not part.strip() or "$" in part]
    if not fields:
        return OutputLevel.NUMBER
    by_blank = not any(word.startswith("-F") for word in words)
    single = all(re.fullmatch(r"\s*\$\w+\s*", part) and part.strip() != "$0" for part in fields)
    return min(held, OutputLevel.WORD) if single and by_blank else held


def _from_python(text: str, held: OutputLevel) -> OutputLevel:
    """A field that a line of Python prints as it stands."""
    field = re.search(
        r"print\([^\n]*(?:\[[\"']?\w+[\"']?\]|\.get\([^)]*\)|\.read\(\)(?:\.strip\(\))?)\)\s*$",
        text.strip("\"' "),
    )
    worked_out = re.search(r"\b(?:int|float|len|sum|round|bool|abs)\(|==|[<>]", text)
    return held if field and not worked_out and "-c" in text else OutputLevel.NONE
