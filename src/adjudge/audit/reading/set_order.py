"""Whatever comes first in a set of texts: which one that is changes with the hash seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_SETS = ("set", "frozenset")
_COMBINED = ("difference", "intersection", "union", "symmetric_difference", "copy")
_NUMBERS = ("int", "float", "round", "range", "len", "abs", "ord", "enumerate", "Decimal", "Fraction")
_TAKEN = ("remove", "discard", "append", "add", "pop")
_DEEPEST = 4


def read_set_order(module: Module) -> Iterator[Remark]:
    """Every rule about the order of sets, in turn; the first place of each."""
    for rule in (_first_that_fits, _popped):
        yield from rule(module)


def _first_that_fits(module: Module) -> Iterator[Remark]:
    """`for t in free: if abs(t - want) <= 5: pairs[want] = t; break`: of two that fit either may be it."""
    for node in module.nodes:
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            continue
        if _is_set(module, node.iter) and _ends_at_a_match(node, node.target.id):
            yield module.remark(
                node,
                Cause.RANDOM,
                "the first that fits in a set is taken, and which comes first changes with the hash seed",
                "Go through sorted(...), or choose the nearest.",
            )
            return


def _ends_at_a_match(loop: ast.For, name: str) -> bool:
    """Does it stop at the first that passes a test other than equality, and go on with that very one?"""
    for test in (part for part in ast.walk(loop) if isinstance(part, ast.If)):
        ends = [part for part in test.body if isinstance(part, ast.Break | ast.Return)]
        if not ends or not _names(test.test, name) or _is_equality(test.test):
            continue
        if any(_carries(part, name) for part in test.body):
            return True
    return False


def _carries(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is not None and _names(statement.value, name)
    if isinstance(statement, ast.Assign | ast.AugAssign):
        return _names(statement.value, name)
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and called(call) in _TAKEN and any(_names(a, name) for a in call.args)


def _is_equality(test: ast.expr) -> bool:
    """One thing at most is equal to another, so that the order does not matter."""
    compared = [part for part in ast.walk(test) if isinstance(part, ast.Compare)]
    alike = all(isinstance(op, ast.Eq | ast.In | ast.NotIn) for part in compared for op in part.ops)
    return bool(compared) and alike


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _popped(module: Module) -> Iterator[Remark]:
    """`best = names.pop()` of a set, whose length nobody asked for."""
    for node in module.calls("pop"):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if node.args or owner is None or not _is_set(module, owner):
            continue
        loops = [part for part in module.around(node) if isinstance(part, ast.While | ast.For)]
        if loops or _counted(module, owner):
            continue
        yield module.remark(
            node,
            Cause.RANDOM,
            "any one of a set is taken, and which it is changes with the hash seed",
            "Take min(...) or sorted(...)[0].",
        )
        return


def _counted(module: Module, owner: ast.expr) -> bool:
    """Is it asked how many there are, or whether there are others?"""
    said = ast.unparse(owner)
    text = ast.unparse(module.flow.scope(owner))
    return f"len({said})" in text or f"- {said}" in text


def _is_set(module: Module, node: ast.expr, deep: int = 0) -> bool:
    """Is it a set, and not one of numbers, whose order is always the same?"""
    if deep > _DEEPEST:
        return False
    if isinstance(node, ast.Name):
        values = list(module.flow.values(node))
        return bool(values) and all(_is_set(module, value, deep + 1) for value in values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.BitAnd | ast.BitOr | ast.BitXor):
        return _is_set(module, node.left, deep + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in _COMBINED:
        return _is_set(module, node.func.value, deep + 1)
    return _makes_set(node)


def _makes_set(node: ast.expr) -> bool:
    if isinstance(node, ast.SetComp):
        return not _of_numbers(node.elt)
    if isinstance(node, ast.Set):
        return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in node.elts)
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and called(node) in _SETS
    return isinstance(node, ast.Call) and named and bool(node.args) and not _of_numbers(node.args[0])


def _of_numbers(node: ast.expr) -> bool:
    """Do the things in it come out of int(), float(), range() or the like?"""
    found = [node.elt] if isinstance(node, ast.GeneratorExp | ast.ListComp) else [node]
    return any(
        (isinstance(part, ast.Call) and called(part) in _NUMBERS)
        or (isinstance(part, ast.Call) and called(part) == "map" and _maps_numbers(part))
        or isinstance(part, ast.BinOp)
        for part in found
    )


def _maps_numbers(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Name) and node.args[0].id in _NUMBERS
