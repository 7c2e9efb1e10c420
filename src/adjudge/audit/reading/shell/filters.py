"""How much freedom common programs leave to a text that passes through them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum


class Level(IntEnum):
    """How free the text of the answer is."""

    NONE = 0
    """Nothing of the answer."""
    COUNT = 1
    """How much of it there is: a number of lines or letters."""
    NUMBER = 2
    """Digits, or what was worked out: nothing that a shell could take for code, a pattern or several words."""
    WORD = 3
    """Any text without blanks."""
    TEXT = 4
    """Any text."""


_PASSES = frozenset(
    {"cat", "head", "tail", "sort", "uniq", "cut", "rev", "tac", "nl", "paste", "fold", "dos2unix", "iconv"}
    | {"xargs", "column", "tee", "echo", "sed", "grep", "egrep", "fgrep", "tr", "yq", "join", "comm", "expand"}
    | {"fmt", "pr", "strings", "shuf"}
)
_NUMERIC = re.compile(r"[\d.,+\-eE\s]*(?:0-9|\[:digit:\])[\d.,+\-eE\s]*(?:\[:space:\])?(?:\\n)*")
_DIGITS_ONLY = re.compile(r"(?:\[(?:[\d.,+\-eE]|\[:digit:\])+\]|\\[d.]|[-+?*.^$()|{},\d eE])+")
_EMPTIED = re.compile(r"s(.)\[\^([^\]]*|\[:digit:\][^\]]*)\]\+?\*?\1\1g")
_PRINTS = re.compile(r"\bprintf?\b([^;}\n]*)")


def filtered(words: Sequence[str], held: Level) -> Level:
    """What is left of `held` behind this command, its words without quotes; NONE of a program unknown here."""
    name, options = words[0].rpartition("/")[2], [w for w in words[1:] if w.startswith("-")]
    rest = [w for w in words[1:] if not w.startswith("-")]
    if name == "tr":
        return _translated(options, rest, held)
    if name in ("awk", "gawk", "mawk"):
        return _printed(words, held)
    if name == "printf":
        return Level.NUMBER if rest and re.search(r"%[-+.\d]*[dfgeioux]", rest[0]) and "%s" not in rest[0] else held
    if name == "jq":
        return _queried(rest, held)
    if name in ("sqlite3", "psql", "mysql", "duckdb"):
        return Level.NUMBER if re.search(r"(?i)select\s+(?:count|sum|avg|total|max|min|round)\(", " ".join(rest)) else held
    if name in ("python", "python3"):
        return _from_python(" ".join(words), held)
    if name in ("wc", "stat"):
        return Level.COUNT
    if re.fullmatch(r"sha\d+sum|md5sum|cksum", name):
        return Level.NUMBER
    if name in ("grep", "egrep"):
        return _found(options, rest, held)
    if name == "sed":
        emptied = next((m for word in rest if (m := _EMPTIED.search(word))), None)
        return Level.NUMBER if emptied and _NUMERIC.fullmatch(emptied[2]) else held
    return held if name in _PASSES else Level.NONE


def _translated(options: Sequence[str], rest: Sequence[str], held: Level) -> Level:
    deletes = any("d" in option for option in options)
    others = any("c" in option.lower() for option in options)
    first = rest[0] if rest else ""
    if deletes and others:
        return Level.NUMBER if _NUMERIC.fullmatch(first) else held
    blank = "[:space:]" in first or "[:blank:]" in first or (" " in first and "\\n" in first)
    return min(held, Level.WORD) if deletes and blank else held


def _found(options: Sequence[str], rest: Sequence[str], held: Level) -> Level:
    if any(re.match(r"-\w*[cqlL]", option) for option in options):
        return Level.COUNT if any("c" in option for option in options) else Level.NONE
    cut = any(re.match(r"-\w*o", option) for option in options)
    return Level.NUMBER if cut and rest and _DIGITS_ONLY.fullmatch(rest[0]) else held


def _printed(words: Sequence[str], held: Level) -> Level:
    """What an awk program prints: its lines, its fields, or what it has worked out."""
    program = next((word for word in words[1:] if "print" in word), "")
    if not program:
        return held if any("{" not in w and ("NR" in w or "NF" in w or "/" in w) for w in words[1:]) else Level.NONE
    printed = _PRINTS.findall(program)
    fields = [part for part in printed if not part.strip() or "$" in part]
    if not fields:
        return Level.NUMBER
    by_blank = not any(word.startswith("-F") for word in words)
    single = all(re.fullmatch(r"\s*\$\w+\s*", part) and part.strip() != "$0" for part in fields)
    return min(held, Level.WORD) if single and by_blank else held


def _queried(rest: Sequence[str], held: Level) -> Level:
    query = rest[0] if rest else ""
    worked_out = re.search(r"length|tonumber|==|!=|[<>]|\badd\b|\ball\b|\bany\b|\btype\b|\bhas\(", query)
    return Level.NUMBER if worked_out else held


def _from_python(text: str, held: Level) -> Level:
    """A field that a line of Python prints as it stands."""
    field = re.search(r"print\([^\n]*(?:\[[\"']?\w+[\"']?\]|\.get\([^)]*\)|\.read\(\)(?:\.strip\(\))?)\)\s*$", text.strip("\"' "))
    worked_out = re.search(r"\b(?:int|float|len|sum|round|bool|abs)\(|==|[<>]", text)
    return held if field and not worked_out and "-c" in text else Level.NONE
