"""Comparisons that go one way: over what is asked for alone, or over what is given alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.lists import differs, only_found
from adjudge.audit.reading.module import BOTH_WAYS, Module, fails, pays
from adjudge.audit.reading.remark import Remark

_WHOLE = r"\.keys\(\)|\bset\(|issubset|missing|\blen\("
_COLLECTIONS = ("set", "frozenset", "Counter")
_GROUPS = ("set", "list", "Counter")


def read_one_way(module: Module) -> Iterator[Remark]:
    """Every rule about comparisons in one direction, in turn."""
    for rule in (_found_only, _given_only, _less_what_is_given, _any_of_a_key):
        yield from rule(module)


def _found_only(module: Module) -> Iterator[Remark]:
    """`sum(want in given for want in WANTED) / len(WANTED)`: whatever else is given costs nothing."""
    if module.speaks(BOTH_WAYS) or any(differs(module, node) for node in module.nodes):
        return
    for node in module.calls("sum", "len"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or len(made.generators) != 1:
            continue
        loop = made.generators[0]
        if module.of_answer(loop.iter) or module.lengths_checked(node) or not _is_divided(module, node):
            continue
        if any(_is_in_answer(module, test, loop.target) for test in (made.elt, *loop.ifs)):
            yield only_found(module, node)
            return


def _is_divided(module: Module, node: ast.Call) -> bool:
    """Is it, itself or by its name, the upper part of a division?"""
    wholes = [[quotient.left, *module.flow.values(quotient.left)] for quotient in module.quotients()]
    return any(part is node for whole in wholes for value in whole for part in ast.walk(value))


def _is_in_answer(module: Module, test: ast.expr, target: ast.expr) -> bool:
    """`want in given`, where what is given is no text and no object with fields."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.In):
        return False
    whole = test.comparators[0]
    keyed = any(
        isinstance(value, ast.Call) and called(value) in ("load", "loads")
        for value in module.flow.values(whole)
    )
    same = ast.unparse(test.left) == ast.unparse(target)
    return same and module.of_answer(whole) and not module.is_text(whole) and not keyed


def _given_only(module: Module) -> Iterator[Remark]:
    """`for name, value in given.items(): if value != WANT[name]: fail`: what is left out is never missed."""
    if module.suffix not in (
        ".json",
        ".csv",
        ".txt",
        ".md",
        ".yaml",
        ".yml",
        ".toml",
        ".jsonl",
        ".tsv",
        ".ini",
    ):
        return
    if any(module.asks_how_many(node) for node in module.nodes) or module.speaks(_WHOLE):
        return
    looked_up = any(
        isinstance(op, ast.In | ast.NotIn) and module.of_answer(right) and not module.of_answer(left)
        for _, left, op, right in module.comparisons()
    )
    others = [n for n in module.nodes if isinstance(n, ast.For) and not module.of_answer(n.iter)]
    if looked_up or any(module.of_answer(part) for loop in others for part in ast.walk(loop)):
        return
    for node in module.nodes:
        if not isinstance(node, ast.For) or not module.of_answer(node.iter):
            continue
        compared = [part for part in ast.walk(node) if isinstance(part, ast.Compare)]
        meets = any(
            not module.of_answer(side) and not isinstance(side, ast.Constant)
            for part in compared
            for side in (part.left, *part.comparators)
            if any(module.of_answer(other) for other in (part.left, *part.comparators))
        )
        if meets and fails(node.body) and not pays(node.body):
            yield module.remark(
                node,
                Cause.EMPTY,
                "only what the answer holds is looked at, and whether anything is missing is not",
                "Go through the references, and refuse an answer that lacks one.",
            )
            return


def _less_what_is_given(module: Module) -> Iterator[Remark]:
    """`WANTED - given` and never `given - WANTED`: whatever else is given costs nothing."""
    if module.speaks(BOTH_WAYS) or any(differs(module, node) for node in module.nodes):
        return
    for node in module.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            continue
        one_way = module.of_answer(node.right) and not module.of_answer(node.left)
        if one_way and any(_is_collection(value) for value in (node.left, *module.flow.values(node.left))):
            yield module.remark(
                node,
                Cause.PADDING,
                "only what is missing is looked at, so that anything beside it costs nothing",
                "Compare both ways: given == wanted.",
            )
            return


def _is_collection(node: ast.expr) -> bool:
    return isinstance(node, ast.Set | ast.SetComp) or (
        isinstance(node, ast.Call) and called(node) in _COLLECTIONS
    )


def _any_of_a_key(module: Module) -> Iterator[Remark]:
    """`want in given[key]`, where `given` collects all values of a key: several are given, any is right."""
    groups = [
        ast.unparse(target)
        for node in module.nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call)
        if called(node.value) == "defaultdict" and any(ast.unparse(a) in _GROUPS for a in node.value.args)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    for node, left, op, right in module.comparisons():
        keyed = isinstance(right, ast.Subscript) and ast.unparse(right.value) in groups
        if isinstance(op, ast.In) and keyed and module.of_answer(right) and not module.of_answer(left):
            yield module.remark(
                node,
                Cause.HEDGED,
                "all values that are given under one key are kept, and any of them may be the right one",
                "Refuse a key that stands there twice.",
            )
            return
