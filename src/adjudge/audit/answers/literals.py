"""References that stand as literals in the verifier's sources: in tests, in classes, in comparisons.

`imported` sees what a module holds once it is loaded. A test function keeps its reference to itself
(`expected = {...}`), and so does a comparison (`assert move == "e2e4"`). Names tell which literals are
references; a tolerance or a path is none. Nothing is run here: the sources are only parsed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.answers.embedded import embedded_trees

_TELLING = re.compile(
    r"truth|expect|refer|answer|golden|correct|target|solution|(?:^|_)gt(?:_|$)", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"tol|path|file|dir|eps|thresh|keys|col|field|format|type|min|max|len|count$", re.IGNORECASE
)
_MAX_SOURCE = 1 << 20
_MAX_FILES = 40
_LONGEST = 200
_MOST_TEXTS = 24
_MOST_LINES = 40

Reference = tuple[str, str, Any]


def literals(tests: Path) -> list[Reference]:
    """(file, name, value) of each literal that a telling name is given; bounded."""
    return [
        (where, name, value)
        for where, tree in _trees(tests)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for name in _names(node)
        if _TELLING.search(name) and not _OTHERWISE.search(name)
        for value in _value(node.value)
    ]


def plain_texts(found: list[Reference], tests: Path) -> list[tuple[str, str]]:
    """(source, text) of answers that are only a number, a word, or a few of them in a row."""
    single: dict[str, str] = {}
    named = [(n, w, v) for w, n, v in found if _TELLING.search(n) and not _OTHERWISE.search(n)]
    for name, where, value in named:
        for text in _as_texts(value):
            single.setdefault(text, f"{name} of tests/{where}")
    parts = [text for name, _, value in named for text in _as_texts(value) if not isinstance(value, list)]
    parts = list(dict.fromkeys(parts))
    joined = {mark.join(parts): "the references of tests/" for mark in (",", " ", "\n")}
    compared = {text: f"a comparison in tests/{w}" for w, v in _compared(tests) for text in _as_texts(v)}
    told = {**single, **(joined if 2 <= len(parts) <= 6 else {})}
    return [(source, text) for text, source in [*told.items(), *compared.items()]][:_MOST_TEXTS]


def labelled_lines(found: list[Reference], instruction: str) -> list[tuple[str, str]]:
    """(source, text) of references by name, one on each line, if the instruction has those names.

    `name = value` first if the instruction writes it so, else `name: value`; then the other, and a table.
    """
    marks = ["{} = {}", "{}: {}"] if re.search(r"\w[`>]? = [`<]?\w", instruction) else ["{}: {}", "{} = {}"]
    made: dict[str, str] = {}
    for where, name, value in found:
        if not isinstance(value, dict) or not 2 <= len(value) <= _MOST_LINES:
            continue
        cells = {key: _reference_of(cell) for key, cell in value.items()}
        if all(_stands_in(key, instruction) and cells[key] is not None for key in cells):
            for mark in (*marks, "| {} | {} |"):
                lines = [mark.format(key, cell) for key, cell in cells.items()]
                made.setdefault("\n".join(lines), f"{name} of tests/{where}")
    return [(source, text) for text, source in made.items()][:_MOST_TEXTS]


def _reference_of(cell: Any) -> Any:
    """The value of a field: itself, or the first of a pair such as (12.5, 0.02); None for anything else."""
    value = cell[0] if isinstance(cell, list | tuple) and cell else cell
    return value if isinstance(value, int | float | str) and not isinstance(value, bool) else None


def _stands_in(key: Any, instruction: str) -> bool:
    return isinstance(key, str) and re.search(rf"(?<!\w){re.escape(key)}(?!\w)", instruction) is not None


def tables(found: list[Reference], tests: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    """Rows of two columns, if a reference maps one to the other and the tests look up just two in a row."""
    pairs = {pair for _, tree in _trees(tests) for pair in _looked_up(tree)}
    return [
        (f"{name} of tests/{where}", [dict(zip(columns, pair, strict=True)) for pair in value.items()])
        for columns in sorted(pairs)
        for where, name, value in found
        if isinstance(value, dict) and value and not any(isinstance(v, dict | list) for v in value.values())
    ]


def _trees(tests: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in islice(sorted(tests.rglob("*.py")), _MAX_FILES):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_SOURCE:
            continue
        try:
            yield path.name, parse_python(path.read_bytes())
        except NO_PYTHON:
            continue
    yield from embedded_trees(tests)


def _names(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            yield target.id


def _value(node: ast.expr) -> Iterator[Any]:
    try:
        yield ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return


def _as_texts(value: Any) -> Iterator[str]:
    """As they would stand in a file of text: short, and no path."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, list | tuple) and value and all(isinstance(v, int | float | str) for v in value):
        yield from ("\n".join(map(str, value)), ",".join(map(str, value)), str(value[0]))
    elif isinstance(value, int | float | str):
        text = str(value).strip()
        if text and len(text) <= _LONGEST and not text.startswith(("/", "__")):
            yield text


def _compared(tests: Path) -> Iterator[tuple[str, Any]]:
    """Literals that something is compared with in a test: `==` and `in`."""
    for where, tree in _trees(tests):
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.In):
                sides = (
                    node.comparators if isinstance(node.ops[0], ast.In) else [node.left, *node.comparators]
                )
                for side in sides:
                    for value in _value(side):
                        yield where, value


def _looked_up(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    """The columns that are read from one variable (`row["station"]`, `row["days"]`), if there are two."""
    columns: dict[str, dict[str, None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(key, str) and isinstance(node.value, ast.Name):
                columns.setdefault(node.value.id, {})[key] = None
    return (tuple(names) for names in columns.values() if len(names) == 2)
