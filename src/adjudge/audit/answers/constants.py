"""Constants that stand beside the name of a field, in a verifier's source and its data. Nothing is run."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.documents import leaves

_MAX_EACH = 8
_MAX_SOURCE = 1 << 20
Candidates = dict[str, list[Any]]


def constants_beside(tests: Path, names: set[str]) -> Candidates:
    """Values that stand beside the names of fields in Python and JSON files, by field."""
    found: Candidates = {}
    for path in sorted(tests.rglob("*"))[:200]:
        if path.suffix not in (".py", ".json") or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > _MAX_SOURCE or path.name.endswith("schema.json"):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        try:
            pairs = _in_source(text, names) if path.suffix == ".py" else _in_json(json.loads(text), names)
            for name, value in pairs:
                found.setdefault(name, []).append(value)
        except NO_PYTHON:
            continue
    return found


def _in_source(text: str, names: set[str]) -> Iterator[tuple[str, Any]]:
    """Constants beside a field's name: in a dictionary, in a call or tuple, or assigned to a like name."""
    lower = {name.lower(): name for name in names}
    for node in ast.walk(parse_python(text)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in names:
                    yield from ((str(key.value), constant) for constant in _constants(value))
        elif isinstance(node, ast.Call | ast.Tuple | ast.List):
            parts = (
                [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else node.elts
            )
            named = [p.value for p in parts if isinstance(p, ast.Constant) and p.value in names]
            for name in named[:1]:
                yield from ((str(name), value) for p in parts for value in _constants(p) if value != name)
            if not named:
                yield from _beside_a_look_up(parts, names)
        elif isinstance(node, ast.Compare | ast.BinOp):
            right = node.comparators if isinstance(node, ast.Compare) else [node.right]
            yield from _beside_a_look_up([node.left, *right], names)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                word = target.id.lower() if isinstance(target, ast.Name) else ""
                for plain, name in lower.items():
                    if plain in word:
                        yield from ((name, constant) for constant in _constants(node.value))


def _beside_a_look_up(parts: list[ast.expr], names: set[str]) -> Iterator[tuple[str, Any]]:
    """`near(answer.get("flow"), 12.5)`, `answer["flow"] == 3`: what stands beside a field that is read."""
    for part in parts:
        keys: list[ast.expr] = []
        if isinstance(part, ast.Call):
            keys = part.args[:1]
        elif isinstance(part, ast.Subscript):
            keys = [part.slice]
        for key in keys:
            if isinstance(key, ast.Constant) and key.value in names:
                others = [other for other in parts if other is not part]
                yield from ((str(key.value), value) for other in others for value in _constants(other))


def _constants(node: ast.AST) -> list[Any]:
    """Numbers and short words in an expression, in order; a minus before a number belongs to it."""
    found: list[Any] = []
    stack = [node]
    while stack:
        part = stack.pop(0)
        if (
            isinstance(part, ast.UnaryOp)
            and isinstance(part.op, ast.USub)
            and isinstance(part.operand, ast.Constant)
        ):
            if isinstance(part.operand.value, int | float):
                found.append(-part.operand.value)
        elif isinstance(part, ast.Constant):
            if isinstance(part.value, int | float | str) and len(str(part.value)) <= 60:
                found.append(part.value)
        else:
            stack[:0] = list(ast.iter_child_nodes(part))
    return found[:_MAX_EACH]


def _in_json(value: Any, names: set[str]) -> Iterator[tuple[str, Any]]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for key, child in node.items():
                if key in names:
                    inner = (
                        [child]
                        if not isinstance(child, dict | list)
                        else [leaf.value for leaf in leaves(child)]
                    )
                    yield from ((key, item) for item in inner if isinstance(item, int | float | str))
                stack.append(child)
        elif isinstance(node, list):
            stack.extend(node)
