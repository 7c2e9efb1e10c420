"""The block that gives a name its value: the innermost `with`, loop or comprehension around a use of it.

`with open(a) as file: ...` and `with open(b) as file: ...` share a name and nothing else. A name that is also
given a value in the block itself, or filled there, is not told apart: then the whole function counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(Struct, frozen=True):
    """A target, what it is taken from, and whether it is one item of that after another."""

    target: ast.expr
    value: ast.expr
    each: bool


def binding_of(name: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> Binding | None:
    """What the block around a use gives the name; None if no block does, or if it is not the only one."""
    inside: ast.AST = name
    around = parents.get(name)
    while around is not None and not isinstance(around, _FUNCTIONS):
        for found in _bindings(around, inside):
            if any(isinstance(part, ast.Name) and part.id == name.id for part in ast.walk(found.target)):
                return None if _changed(around, found, name.id) else found
        inside, around = around, parents.get(around)
    return None


def _bindings(block: ast.AST, inside: ast.AST) -> Iterator[Binding]:
    """What a block binds for one of its parts, the last first."""
    if isinstance(block, ast.With | ast.AsyncWith) and inside in block.body:
        for item in reversed(block.items):
            if item.optional_vars is not None:
                yield Binding(item.optional_vars, item.context_expr, each=False)
    elif isinstance(block, ast.For | ast.AsyncFor) and inside in block.body:
        yield Binding(block.target, block.iter, each=True)
    elif isinstance(block, _COMPREHENSIONS) and not isinstance(inside, ast.comprehension):
        for made in reversed(block.generators):
            yield Binding(made.target, made.iter, each=True)


def _changed(block: ast.AST, found: Binding, name: str) -> bool:
    """Is the name given something else in the block, or something put into what it holds?"""
    own = set(ast.walk(found.target))
    return any(_changes(part, name) for part in ast.walk(block) if part not in own)


def _changes(part: ast.AST, name: str) -> bool:
    if isinstance(part, ast.Name):
        return part.id == name and isinstance(part.ctx, ast.Store | ast.Del)
    if isinstance(part, ast.Subscript | ast.Attribute):
        held = (inner.id for inner in ast.walk(part.value) if isinstance(inner, ast.Name))
        return isinstance(part.ctx, ast.Store) and name in held
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return part.func.attr in _FILLS and getattr(part.func.value, "id", "") == name
    return False


_FILLS = frozenset({"append", "add", "extend", "update", "insert", "setdefault", "appendleft", "write"})


def items_of(name: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> ast.expr | None:
    """What a loop's own name runs through, alone or by zip() and enumerate(); None elsewhere."""
    found = binding_of(name, parents)
    if found is None or not found.each:
        return None
    return _items(found.target, found.value, name.id)


def _items(target: ast.expr, over: ast.expr, name: str) -> ast.expr | None:
    if isinstance(target, ast.Name):
        return over if target.id == name else None
    if not isinstance(target, ast.Tuple) or not isinstance(over, ast.Call):
        return None
    made = getattr(over.func, "id", "")
    if made == "enumerate" and len(target.elts) == 2 and over.args:
        return _items(target.elts[1], over.args[0], name)
    if made == "zip" and len(over.args) == len(target.elts):
        pairs = zip(target.elts, over.args, strict=True)
        return next((inner for part, each in pairs if (inner := _items(part, each, name)) is not None), None)
    return None
