"""A text for each pattern and word that a verifier looks for, and other files that it asks for. Pure.

An exemplar is the shortest text that a pattern finds: `DELAY\\s+\\d+` becomes `DELAY 1`. What a verifier must
not find (`"***" not in text`) is no word that it looks for.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from adjudge.audit.sections.invented.rules import python_trees

_parser: Any = importlib.import_module("re._parser")
_SEARCHES = frozenset({"search", "match", "findall", "finditer", "fullmatch", "compile"})
_MOST = 80
_LONGEST = 200
_NEGATED = "x1 -_A"
_ENDINGS = {
    **dict.fromkeys(
        (".py", ".sh", ".bash", ".conf", ".cfg", ".yml", ".yaml", ".toml", ".r", ".rb", ".pl"), "# "
    ),
    **dict.fromkeys(
        (".js", ".ts", ".c", ".cc", ".cpp", ".h", ".java", ".go", ".rs", ".cs", ".kt", ".php"), "// "
    ),
    **dict.fromkeys((".sql", ".lua", ".hs"), "-- "),
    **dict.fromkeys((".ini", ".asm", ".lisp"), "; "),
    **dict.fromkeys((".tex", ".m"), "% "),
}
SCRIPTS = frozenset(
    {".py", ".sh", ".bash", ".js", ".ts", ".rb", ".pl", ".r", ".lua", ".php", ".go", ".rs", ".sql"}
)
_FILE = re.compile(r"/(?!tests/|logs/|tmp/|usr/|etc/|proc/|dev/|bin/)(?:[\w.-]+/)+[\w-]+\.\w{1,8}")
_GLOB = re.compile(r"(?:\*\*/|[\w-]+/)*\*(?P<ending>\.\w{1,8})")


def comment_mark(path: str) -> str:
    """What begins a comment in a file of this name; `# ` where the name does not tell."""
    return _ENDINGS.get(PurePosixPath(path).suffix.lower(), "# ")


def exemplars(tests: Path) -> list[str]:
    """A text for each pattern and each word that is looked for, in their order."""
    found: dict[str, None] = {}
    for tree in python_trees(tests):
        constants = _constants(tree)
        banned = {word for word, wanted in _words(tree, constants) if not wanted}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for pattern in _patterns(node, constants):
                    text = exemplar(pattern)
                    if text is not None and "\n" not in text:
                        found[text] = None
        found |= {word: None for word, wanted in _words(tree, constants) if wanted and word not in banned}
    return [text for text in found if len(text.strip()) > 1 and len(text) <= _LONGEST][:_MOST]


def exemplar(pattern: str) -> str | None:
    """A short text that a pattern finds, itself looked for; None if none could be made."""
    try:
        text = _made(_parser.parse(pattern), {})
        return text if re.search(pattern, text, re.I) else None
    except (re.error, RecursionError, OverflowError, KeyError, ValueError):
        return None


def _made(parsed: Any, groups: dict[int, str]) -> str:
    return "".join(_part(str(op), value, groups) for op, value in parsed)


def _part(op: str, value: Any, groups: dict[int, str]) -> str:
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = value
        return "".join(_made(inner, groups) for _ in range(min(least, _LONGEST)))
    if op == "SUBPATTERN":
        text = _made(value[-1], groups)
        groups |= {value[0]: text} if value[0] is not None else {}
        return text
    plain: dict[str, Callable[[], str]] = {
        "LITERAL": lambda: chr(value),
        "BRANCH": lambda: _made(value[1][0], groups),
        "IN": lambda: _one_of(value),
        "GROUPREF": lambda: groups.get(value, ""),
        "ANY": lambda: "x",
        "NOT_LITERAL": lambda: "x" if value != ord("x") else "1",
    }
    return plain.get(op, str)()


def _one_of(members: Any) -> str:
    negated = str(members[0][0]) == "NEGATE"
    kinds = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "x"}
    shown: list[str] = []
    for op, value in members:
        if str(op) == "LITERAL":
            shown.append(chr(value))
        elif str(op) == "RANGE":
            shown += [chr(code) for code in range(value[0], min(value[1], value[0] + 128) + 1)]
        elif str(op) == "CATEGORY":
            shown.append(kinds.get(str(value), "x"))
    if negated:
        return next((char for char in _NEGATED if char not in shown), "x")
    return next((char for char in ("x", "1", " ") if char in shown), shown[0] if shown else "x")


def _constants(tree: ast.Module) -> dict[str, list[str]]:
    """Names that hold texts, one or a display of them, and loops over such."""
    held: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name):
            held.setdefault(target.id, []).extend(_texts(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            texts = _texts(node.iter) or held.get(getattr(node.iter, "id", ""), [])
            held.setdefault(node.target.id, []).extend(texts)
    return held


def _texts(node: ast.expr) -> list[str]:
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [node])
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return texts if len(texts) == len(parts) else []


def _patterns(node: ast.Call, constants: dict[str, list[str]]) -> list[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name not in _SEARCHES or not node.args or getattr(node.func, "value", None) is None:
        return []
    first = node.args[0]
    return constants.get(first.id, []) if isinstance(first, ast.Name) else _texts(first)


def _words(tree: ast.Module, constants: dict[str, list[str]]) -> Iterator[tuple[str, bool]]:
    """The texts that are looked for with `in`, and whether they are to be there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            left = node.left
            inner = (
                left.func.value
                if isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute)
                else left
            )
            words = constants.get(inner.id, []) if isinstance(inner, ast.Name) else _texts(inner)
            for word in words:
                yield word, isinstance(node.ops[0], ast.In)


def files_asked_for(tests: Path, given: frozenset[str], beside: str) -> list[str]:
    """Other files that the source names by their whole path, or by a pattern, and that nobody brings."""
    found: dict[str, None] = {}
    for tree in python_trees(tests):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if _FILE.fullmatch(node.value):
                    found[node.value] = None
                elif match := _GLOB.fullmatch(node.value):
                    found[str(PurePosixPath(beside).with_name(f"invented{match['ending']}"))] = None
    return [path for path in found if path not in given and path != beside][:8]
