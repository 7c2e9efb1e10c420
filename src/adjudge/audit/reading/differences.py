"""How far the answer is from something else: differences in an expression, and the tests of their size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module

_LESS, _MORE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
_UNSIGNED = (
    "abs",
    "fabs",
    "hypot",
    "sqrt",
    "max",
    "pow",
    "dist",
    "norm",
    "len",
    "timedelta",
    "total_seconds",
)


def error_tests(module: Module) -> Iterator[tuple[ast.Compare, ast.expr, ast.expr, bool]]:
    """(test, error, bound, passes) of each test of a size: `error <= bound` passes, `error > bound` fails.

    Which of the two sides is the error is told by what becomes of it, so each test comes both ways round.
    """
    for node, left, op, right in module.comparisons():
        if isinstance(op, _LESS):
            yield node, left, right, True
            yield node, right, left, False
        elif isinstance(op, _MORE):
            yield node, right, left, True
            yield node, left, right, False


def differences(module: Module, node: ast.AST) -> Iterator[ast.BinOp]:
    """Differences of the answer and something else in an expression, looked up through one name."""
    for part in ast.walk(node):
        found: list[ast.AST] = [part]
        if isinstance(part, ast.Name):
            found = [inner for value in module.flow.values(part) for inner in ast.walk(value)]
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            found = [inner for value in given_back(module, part) for inner in ast.walk(value)]
        yield from (one for one in found if is_difference(module, one))  # type: ignore[misc]  # narrowed there


def given_back(module: Module, node: ast.Call) -> Iterator[ast.expr]:
    """What a function of the module itself returns, if it does nothing else."""
    function = module.flow.functions.get(called(node))
    if function is not None and len(function.body) == 1 and isinstance(function.body[0], ast.Return):
        yield from (value for value in [function.body[0].value] if value is not None)


def is_difference(module: Module, node: ast.AST) -> bool:
    """The answer less something else; `given - 1`, or a number of items less a literal, is no distance."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and module.of_answer(node.left) != module.of_answer(node.right)
        and not _is_step(module, node.left, node.right)
        and not _is_step(module, node.right, node.left)
    )


def _is_step(module: Module, whole: ast.expr, step: ast.expr) -> bool:
    """Is one side a literal that no reference is: one, or anything beside a count of items?"""
    known = step.value if isinstance(step, ast.Constant) else None
    if isinstance(known, bool) or not isinstance(known, int | float):
        return False
    return known in (0, 1) or any(_is_count(value) for value in (whole, *module.flow.values(whole)))


def _is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("len", "count")


def is_unsigned(module: Module, node: ast.AST) -> bool:
    """Is a size taken anywhere in it, so that both directions count?"""
    wholes = [node, *(v for n in ast.walk(node) if isinstance(n, ast.Name) for v in module.flow.values(n))]
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    wholes += [value for call in calls for value in given_back(module, call)]
    return any(_takes_size(part) for whole in wholes for part in ast.walk(whole))


def _takes_size(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return called(node) in _UNSIGNED
    if not isinstance(node, ast.BinOp):
        return False
    squared = isinstance(node.op, ast.Mult) and ast.dump(node.left) == ast.dump(node.right)
    return squared or isinstance(node.op, ast.Pow | ast.FloorDiv | ast.Mod)
