"""What a verifier looks for that stands in a shell script: Python inside of it, and the words it greps for.

Python in a here-document or behind `-c` is parsed as a file of its own. A verifier that only looks for words
is answered by a text that holds all of them. Nothing is run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from adjudge._python import NO_PYTHON, parse_python

_HERE = re.compile(
    r"python3?\b[^\n]*<<-?[ \t]*(?P<q>[\"']?)(?P<end>\w+)(?P=q)[^\n]*\n"
    r"(?P<body>.*?)\n[ \t]*(?P=end)[ \t]*(?:\n|\Z)",
    re.S,
)
_BEHIND_C = re.compile(r"python3?\b[^\n\"']*?-c[ \t]+(?P<q>[\"'])\n?(?P<body>.*?)(?<!\\)(?P=q)", re.S)
_GREP = re.compile(r"\bgrep\b(?:[ \t]+-[\w-]+)*[ \t]+(?P<q>[\"'])(?P<word>[^\"'\n]{2,80})(?P=q)")
_SPOKEN = re.compile(r"title|text|description|finding|explanation|note|comment|reason|message", re.I)
_MAX_SOURCE = 1 << 20
_MOST_WORDS = 40
_LONGEST = 80


def embedded_trees(tests: Path) -> Iterator[tuple[str, ast.Module]]:
    """(file, tree) of each piece of Python in the shell scripts of a verifier that can be parsed."""
    for name, text in _scripts(tests):
        for _, tree in python_in(text):
            yield name, tree


def python_in(script: str) -> Iterator[tuple[int, ast.Module]]:
    """(lines before it, tree) of each piece of Python in a shell script that can be parsed."""
    for match in (*_HERE.finditer(script), *_BEHIND_C.finditer(script)):
        try:
            yield script[: match.start("body")].count("\n"), parse_python(match["body"].replace('\\"', '"'))
        except NO_PYTHON:
            continue


def with_other_python(script: str, change: Callable[[str], str | None]) -> str:
    """A shell script with the Python of its here-documents changed; those that a shell alters stay."""

    def changed(match: re.Match[str]) -> str:
        body = match["body"]
        other = change(body) if match["q"] else None
        start = match.start("body") - match.start()
        return match[0] if other is None else f"{match[0][:start]}{other}{match[0][start + len(body) :]}"

    return _HERE.sub(changed, script)


def words_looked_for(tests: Path) -> list[str]:
    """The texts that shell scripts grep for, and that their Python looks for in something, in order."""
    found: dict[str, None] = {}
    for _, text in _scripts(tests):
        found |= dict.fromkeys(match["word"] for match in _GREP.finditer(text))
    for _, tree in embedded_trees(tests):
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
                if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                    found[node.left.value] = None
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                found |= dict.fromkeys(_texts(node.value))
    return [word for word in found if 1 < len(word) <= _LONGEST and not word.startswith("/")][:_MOST_WORDS]


def _texts(node: ast.expr) -> list[str]:
    """The texts of a list of texts, which may be keywords."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def _scripts(tests: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(tests.rglob("*.sh")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_SOURCE:
            yield path.name, path.read_bytes().decode("utf-8", "replace")


def wordy_rows(records: list[dict[str, Any]], columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Records cut to the wanted columns; all that they say stands in one text that they have not.

    That is the column which is named like a text for people, else the first. Were the words in several, none
    of these would count by itself.
    """
    made = []
    for row in records:
        texts = [column for column, like in columns.items() if column not in row and isinstance(like, str)]
        spoken = next((column for column in texts if _SPOKEN.search(column)), texts[0] if texts else None)
        filled = {**columns, **dict.fromkeys(texts, "n/a"), **{c: row[c] for c in columns if c in row}}
        made.append({**filled, **({spoken: " ".join(_said(row))} if spoken else {})})
    return made


def _said(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop(0)
        if isinstance(node, dict | list):
            stack[:0] = list(node.values()) if isinstance(node, dict) else node
        elif isinstance(node, str) and node:
            yield node
