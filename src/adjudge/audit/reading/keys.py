"""Under which keys of the answer a value stood: through names, loops and calls, as far as literals tell."""

from __future__ import annotations

import ast

from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module

_DEEP = 4


def keys_of(module: Module, node: ast.AST, deep: int = 0) -> frozenset[str]:
    """The literal keys that something of the answer was read by; none if it is of something else."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
            key, owner = part.slice.value, part.value
        elif isinstance(part, ast.Call) and called(part) == "get" and isinstance(part.func, ast.Attribute):
            first = part.args[0] if part.args else None
            key, owner = (first.value if isinstance(first, ast.Constant) else None), part.func.value
        else:
            if isinstance(part, ast.Name) and deep < _DEEP and module.of_answer(part):
                over = module.flow.items(part)
                values = [over] if over is not None else list(module.flow.values(part))
                for value in values:
                    found |= keys_of(module, value, deep + 1)
            continue
        if isinstance(key, str) and module.of_answer(owner):
            found.add(key)
    return frozenset(found)


def compared_keys(module: Module) -> frozenset[str]:
    """The keys whose values must equal something of the verifier's own: by == in an assertion."""
    found: set[str] = set()
    for compared, one, other in module.equalities():
        plain = isinstance(other, ast.Constant) or not ast.unparse(other).strip("[](){}")
        if plain or not module.of_answer(one) or module.of_answer(other) or _is_form(one):
            continue
        around = list(module.around(compared))
        either = any(isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) for node in around)
        if any(isinstance(node, ast.Assert) for node in around) and not either:
            found |= keys_of(module, one)
    return frozenset(found)


def _is_form(node: ast.expr) -> bool:
    """`len(x)` and `type(x)` say something about a value, and leave open which it is."""
    return isinstance(node, ast.Call) and called(node) in ("len", "type", "isinstance")


def counted_keys(module: Module) -> frozenset[str]:
    """The keys of whose values a test function asks how many there are: in pytest all tests must pass."""
    found: set[str] = set()
    for name, function in module.flow.functions.items():
        if name.startswith("test"):
            for part in ast.walk(function):
                if isinstance(part, ast.Assert) and any(
                    module.asks_how_many(inner) for inner in ast.walk(part)
                ):
                    found |= keys_of(module, part.test)
    return frozenset(found)
