"""How numbers are compared: one side only, without a sign, past NaN, rounded, by their sum."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module, fails
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_LESS, _MORE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
_TIMES = re.compile(r"time|date|elapsed|mtime|start|deadline|clock|perf_counter|monotonic", re.I)
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
_FINITE = r"isfinite|isnan|isinf|\bnan\b|parse_constant|math\.inf|Decimal|Fraction"
_WHOLE = r"\bwhole\b|\binteger|nearest|round(?:ed)? (?:up|down|to)|\bcount\b|number of"


def read_numbers(module: Module) -> Iterator[Remark]:
    """Every rule about numbers, in turn."""
    for rule in (
        _one_sided,
        _unsigned,
        _by_answer,
        _past_nan,
        _clamped_nan,
        _rounded,
        _sums,
        _medians,
        _only_float,
    ):
        yield from rule(module)


def _differences(module: Module, node: ast.AST) -> Iterator[ast.BinOp]:
    """Differences of the answer and something else in an expression, looked up through one name."""
    for part in ast.walk(node):
        found: list[ast.AST] = [part]
        if isinstance(part, ast.Name):
            found = [inner for value in module.flow.values(part) for inner in ast.walk(value)]
        for one in found:
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub):
                if module.of_answer(one.left) != module.of_answer(one.right):
                    yield one


def _is_unsigned(module: Module, node: ast.AST) -> bool:
    """Is a size taken anywhere in it, so that both directions count?"""
    parts = [node, *(v for n in ast.walk(node) if isinstance(n, ast.Name) for v in module.flow.values(n))]
    for whole in parts:
        for part in ast.walk(whole):
            if isinstance(part, ast.Call) and called(part) in _UNSIGNED:
                return True
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow | ast.FloorDiv | ast.Mod):
                return True
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
                if ast.dump(part.left) == ast.dump(part.right):
                    return True
    return False


def _one_sided(module: Module) -> Iterator[Remark]:
    """`given - want <= tolerance`: whatever is far below passes."""
    for node, left, op, right in module.comparisons():
        if isinstance(op, _MORE):
            left, right = right, left
        if not isinstance(op, _LESS + _MORE) or module.of_answer(right) or not _is_direct(left):
            continue
        differences = list(_differences(module, left))
        if not differences or _is_unsigned(module, left) or _TIMES.search(ast.unparse(node)):
            continue
        if isinstance(op, _MORE) and not _complains(module, node):
            continue
        if isinstance(op, _LESS) and _complains(module, node):
            continue
        if any(isinstance(around, ast.BoolOp) for around in module.around(node)):
            continue  # the other direction may stand beside it
        if _is_zero(right) or _mirrored(module, node):
            continue
        yield module.remark(
            node,
            Cause.BOUND,
            "a difference is compared without its size, so that any number on one side passes",
            "Compare abs(given - reference) with the tolerance.",
        )


def _is_direct(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp | ast.Name)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0)


def _mirrored(module: Module, node: ast.Compare) -> bool:
    """Is the same difference compared a second time, with the other sign?"""
    scope = module.flow.scope(node)
    mine = {ast.dump(part) for part in _differences(module, node)}
    turned = {ast.dump(ast.BinOp(part.right, part.op, part.left)) for part in _differences(module, node)}
    for other in ast.walk(scope):
        if isinstance(other, ast.Compare) and other is not node:
            theirs = {ast.dump(part) for part in _differences(module, other)}
            if theirs & (mine | turned):
                return True
    return False


def _complains(module: Module, node: ast.AST) -> bool:
    """Is this the test of a branch that ends in failure?"""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.If) and inside is around.test:
            return fails(around.body)
        if isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            return True
        inside = around
    return False


def _unsigned(module: Module) -> Iterator[Remark]:
    """`abs(given)`: the sign is gone before it is compared."""
    if module.told(r"\babsolute|magnitude|unsigned|either sign"):
        return
    for node in module.calls("abs", "fabs"):
        argument = node.args[0] if len(node.args) == 1 else None
        if argument is None or not module.of_answer(argument):
            continue
        bare = isinstance(argument, ast.Name | ast.Subscript) or (
            isinstance(argument, ast.Call) and called(argument) in ("float", "int", "get", "num", "number")
        )
        if not bare or any(list(_differences(module, part)) for part in (argument,)):
            continue
        if any(isinstance(value, ast.BinOp) for value in module.flow.values(argument)):
            continue
        beside = next(iter(module.around(node)), None)
        if isinstance(beside, ast.BinOp) and isinstance(beside.op, ast.Div) and beside.right is node:
            continue  # a scale to divide by
        if isinstance(beside, ast.Call) or _is_bound(beside):
            continue
        yield module.remark(
            node,
            Cause.SIGN,
            "the sign of a number in the answer is thrown away",
            "Compare signed values; if both signs are right, say so in the task.",
        )


def _is_bound(node: ast.AST | None) -> bool:
    """`abs(x) > 1e12`: a bound, not a reference."""
    if not isinstance(node, ast.Compare):
        return False
    return isinstance(node.ops[0], _MORE) or any(
        isinstance(side, ast.Constant) for side in (node.left, *node.comparators)
    )


def _by_answer(module: Module) -> Iterator[Remark]:
    """`abs(given - want) / given`: negative for every negative number."""
    for node in module.nodes:
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
            continue
        bare = isinstance(node.right, ast.Name | ast.Subscript)
        if bare and module.of_answer(node.right) and list(_differences(module, node.left)):
            yield module.remark(
                node,
                Cause.BOUND,
                "an error is divided by the answer itself, so that any negative number is below the tolerance",
                "Divide by abs(reference), which the agent cannot choose.",
            )


def _past_nan(module: Module) -> Iterator[Remark]:
    """`if abs(given - want) > tolerance: fail`: NaN is not greater than anything."""
    if module.speaks(_FINITE):
        return
    for node, left, op, right in module.comparisons():
        if isinstance(op, _LESS):
            left, right = right, left
        elif not isinstance(op, _MORE):
            continue
        if module.of_answer(right) or not list(_differences(module, left)) or not _complains(module, node):
            continue
        yield module.remark(
            node,
            Cause.NOT_A_NUMBER,
            "NaN is not greater than any tolerance, so it is never refused here",
            "Ask for what is right (error <= tolerance), or refuse what math.isfinite() does not hold for.",
        )
        return


def _clamped_nan(module: Module) -> Iterator[Remark]:
    """`min(1.0, x)` is 1.0 where x is NaN, because no comparison with NaN is true."""
    if module.speaks(_FINITE):
        return
    for node in module.calls("min"):
        first, *rest = node.args or [None]
        if isinstance(first, ast.Constant) and first.value in (1, 1.0) and isinstance(node.func, ast.Name):
            if any(list(_differences(module, part)) for part in rest):
                yield module.remark(
                    node,
                    Cause.NOT_A_NUMBER,
                    "min(1.0, x) is 1.0 if x is NaN, so NaN earns full marks",
                    "Refuse what math.isfinite() does not hold for before anything is computed from it.",
                )
                return


def _rounded(module: Module) -> Iterator[Remark]:
    """Both sides rounded, then equal: what is nearly a unit off passes, and neighbours may fail."""
    for node, left, op, right in module.comparisons():
        if not isinstance(op, ast.Eq | ast.NotEq):
            continue
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, ast.Call) or not module.of_answer(one) or module.of_answer(other):
                continue
            coarse = _coarse(one)
            if coarse and not module.told(_WHOLE):
                yield module.remark(
                    node,
                    Cause.TOLERANCE,
                    f"a number of the answer is cut to a whole one by {called(one)}() before it is compared",
                    "Compare the number as it was given, with a stated tolerance.",
                )
                break


def _coarse(node: ast.Call) -> bool:
    name = called(node)
    if name in ("floor", "trunc", "ceil"):
        return True
    if name == "round":
        digits = node.args[1] if len(node.args) > 1 else None
        return digits is None or (
            isinstance(digits, ast.UnaryOp)
            or (isinstance(digits, ast.Constant) and digits.value in (0, None))
        )
    inner = node.args[0] if name == "int" and node.args else None
    return isinstance(inner, ast.Call) and called(inner) == "float"


def _sums(module: Module) -> Iterator[Remark]:
    """Only the sum is compared: errors cancel out."""
    for node in module.nodes:
        if not (isinstance(node, ast.Compare | ast.BinOp)):
            continue
        sides = (
            [node.left, *node.comparators]
            if isinstance(node, ast.Compare)
            else [node.left, node.right]
            if isinstance(node.op, ast.Sub)
            else []
        )
        summed = [
            s
            for s in sides
            if isinstance(s, ast.Call)
            and called(s) in ("sum", "fsum", "mean", "fmean")
            and module.of_answer(s)
        ]
        others = [s for s in sides if s not in summed]
        if not summed or any(map(module.of_answer, others)):
            continue
        if _each_compared(module):
            continue
        yield module.remark(
            node,
            Cause.CANCELS,
            "only a sum or mean of the answer's values is compared, so that errors cancel out",
            "Compare each value with its own reference.",
        )


def _each_compared(module: Module) -> bool:
    """Is a single value of the answer anywhere compared with something that is no literal?"""
    for _, left, op, right in module.comparisons():
        if isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot):
            continue
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Call) and called(one) in ("sum", "fsum", "mean", "fmean", "len", "type"):
                continue
            near = list(_differences(module, one))
            summed = any(
                isinstance(n, ast.Call) and called(n) in ("sum", "fsum", "mean", "fmean")
                for n in ast.walk(one)
            )
            if near and not summed:
                return True
            if module.of_answer(one) and not isinstance(other, ast.Constant) and not module.of_answer(other):
                return True
    return any(True for _ in module.calls("isclose"))


def _medians(module: Module) -> Iterator[Remark]:
    """A median forgives nearly half of the values."""
    if module.told("median"):
        return
    for node in module.calls("median", "median_low", "median_high", "trim_mean", "trimmed_mean"):
        scope = module.flow.scope(node)
        if module.of_answer(node) or any(list(_differences(module, part)) for part in ast.walk(scope)):
            yield module.remark(
                node,
                Cause.CLAMPED,
                "a median of errors forgives nearly half of the values",
                "Use the largest error, or the share of values that are right.",
            )
            return


def _only_float(module: Module) -> Iterator[Remark]:
    """`isinstance(x, float)` refuses 5 where 5.0 is right."""
    if module.told(r"decimal point|as a float\b|must be (?:a )?floats?|type float"):
        return
    for node in module.calls("isinstance"):
        if len(node.args) == 2 and ast.unparse(node.args[1]) == "float" and module.of_answer(node.args[0]):
            around = [a for a in module.around(node) if isinstance(a, ast.BoolOp)]
            if any("int" in ast.unparse(a) for a in around):
                continue
            yield module.remark(
                node,
                Cause.NUMBER_FORMAT,
                "a whole number such as 5 is no float in Python, and is refused here",
                "Take int and float, and leave out bool.",
            )
            return
    for node, left, op, right in module.comparisons():
        if isinstance(op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq) and ast.unparse(right) == "float":
            if isinstance(left, ast.Call) and called(left) == "type" and left.args:
                if module.of_answer(left.args[0]):
                    yield module.remark(
                        node,
                        Cause.NUMBER_FORMAT,
                        "a whole number such as 5 is no float in Python, and is refused here",
                        "Take int and float, and leave out bool.",
                        Severity.MEDIUM,
                    )
                    return
