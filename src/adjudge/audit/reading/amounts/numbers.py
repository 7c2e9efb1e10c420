"""How numbers are compared: one side only, without a sign, past NaN, rounded, by their sum."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.differences import differences, error_tests, is_difference, is_unsigned
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module, complains
from adjudge.audit.reading.remark import Remark

_MORE = (ast.Gt, ast.GtE)
_TIMES = re.compile(r"time|date|elapsed|mtime|start|deadline|clock|perf_counter|monotonic", re.I)
_SUMS = ("sum", "fsum", "mean", "fmean")
_MEDIANS = ("median", "median_low", "median_high", "trim_mean", "trimmed_mean")
_READ = ("float", "int", "get", "num", "number")
_CLOSE = ("isclose", "approx", "assertAlmostEqual", "allclose")
_LIMIT = re.compile(
    r"(?:^|_)(?:max(?:imum)?|min(?:imum)?|limit|capacity|budget|quota|cap|allowed)(?:_|$)", re.I
)
_LIMITED = (
    r"\bat (?:most|least)\b|\bno more than\b|\bm(?:ax|in)im|\blimit|\bcapacity|\bbudget|\bexceed|\bup to\b"
)
_FINITE = r"isfinite|isnan|isinf|\bnan\b|parse_constant|math\.inf|Decimal|Fraction"
_WHOLE = r"\bwhole\b|\binteger|nearest|round(?:ed)? (?:up|down|to)|\bcount\b|number of"
_AS_FLOAT = r"decimal point|as a float\b|must be (?:a )?floats?|type float"


def read_numbers(module: Module) -> Iterator[Remark]:
    """Every rule about numbers, in turn."""
    for rule in (_one_sided, _unsigned, _by_answer, _past_nan, _clamped_nan, _rounded):
        yield from rule(module)
    for rule in (_sums, _medians, _only_float):
        yield from rule(module)


def _one_sided(module: Module) -> Iterator[Remark]:
    """`given - want <= tolerance`: whatever is far below passes."""
    for node, error, bound, passes in error_tests(module):
        direct = isinstance(error, ast.BinOp | ast.Name | ast.Call) and not module.of_answer(bound)
        if not direct or not any(True for _ in differences(module, error)):
            continue
        if is_unsigned(module, error) or _TIMES.search(ast.unparse(node)) or _is_zero(bound):
            continue
        if complains(module, node) == passes or _mirrored(module, node) or _is_limit(module, bound):
            continue
        yield module.remark(
            node,
            Cause.BOUND,
            "a difference is compared without its size, so that any number on one side passes",
            "Compare abs(given - reference) with the tolerance.",
        )


def _is_limit(module: Module, node: ast.expr) -> bool:
    """A limit by its name, and the task speaks of one: to stay far below it is what is asked for."""
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return _LIMIT.search(name) is not None and module.told(_LIMITED)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _mirrored(module: Module, node: ast.Compare) -> bool:
    """Is the same difference compared a second time, with the other sign?"""
    both = {
        ast.dump(turned)
        for part in differences(module, node)
        for turned in (part, ast.BinOp(part.right, part.op, part.left))
    }
    others = [n for n in ast.walk(module.flow.scope(node)) if isinstance(n, ast.Compare) and n is not node]
    return any(ast.dump(part) in both for other in others for part in differences(module, other))


def _unsigned(module: Module) -> Iterator[Remark]:
    """`abs(given)`: the sign is gone before it is compared."""
    if module.told(r"\babsolute|magnitude|unsigned|either sign"):
        return
    for node in module.calls("abs", "fabs"):
        argument = node.args[0] if len(node.args) == 1 else None
        if argument is None or not module.of_answer(argument) or not _is_bare(argument):
            continue
        if any(isinstance(value, ast.BinOp) for value in module.flow.values(argument)):
            continue
        beside = module.flow.parents.get(node)
        scale = isinstance(beside, ast.BinOp) and isinstance(beside.op, ast.Div) and beside.right is node
        passed_on = isinstance(beside, ast.Call) and not _sizes_meet(beside)
        if scale or passed_on or _is_bound(beside):
            continue
        yield module.remark(
            node,
            Cause.SIGN,
            "the sign of a number in the answer is thrown away",
            "Compare signed values; if both signs are right, say so in the task.",
        )


def _sizes_meet(node: ast.Call) -> bool:
    """`near(abs(given), abs(want))`."""
    return sum(isinstance(part, ast.Call) and called(part) in ("abs", "fabs") for part in node.args) > 1


def _is_bare(node: ast.expr) -> bool:
    """A value as it was given, not a difference or another sum."""
    return isinstance(node, ast.Name | ast.Subscript) or (
        isinstance(node, ast.Call) and called(node) in _READ
    )


def _is_bound(node: ast.AST | None) -> bool:
    """`abs(x) > 1e12`: a bound, not a reference."""
    if not isinstance(node, ast.Compare):
        return False
    literal = any(isinstance(side, ast.Constant) for side in (node.left, *node.comparators))
    return literal or isinstance(node.ops[0], _MORE)


def _by_answer(module: Module) -> Iterator[Remark]:
    """`abs(given - want) / given`: negative for every negative number."""
    for node in module.quotients():
        bare = isinstance(node.right, ast.Name | ast.Subscript) and module.of_answer(node.right)
        if bare and _is_error(module, node.left):
            yield module.remark(
                node,
                Cause.BOUND,
                "an error is divided by the answer itself, so that a negative number is below any tolerance",
                "Divide by abs(reference), which the agent cannot choose.",
            )


def _is_error(module: Module, node: ast.expr) -> bool:
    """A difference of the answer and something else, or its size."""
    for value in (node, *module.flow.values(node)):
        size = isinstance(value, ast.Call) and called(value) in ("abs", "fabs") and len(value.args) == 1
        if is_difference(module, value.args[0] if size else value):  # type: ignore[attr-defined]  # `size`
            return True
    return False


def _past_nan(module: Module) -> Iterator[Remark]:
    """`if abs(given - want) > tolerance: fail`: NaN is not greater than anything."""
    if module.speaks(_FINITE) or any(_is_range(module, node) for node in module.nodes):
        return
    for node, error, bound, passes in error_tests(module):
        if passes or module.of_answer(bound) or not complains(module, node):
            continue
        if any(True for _ in differences(module, error)):
            yield module.remark(
                node,
                Cause.NOT_A_NUMBER,
                "NaN is not greater than any tolerance, so it is never refused here",
                "Ask for what is right (error <= tolerance), or for math.isfinite().",
            )
            return


def _is_range(module: Module, node: ast.AST) -> bool:
    """`0 <= given <= 100`: that is never true of NaN."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 2:
        return False
    return module.of_answer(node.comparators[0]) and all(isinstance(op, ast.Lt | ast.LtE) for op in node.ops)


def _clamped_nan(module: Module) -> Iterator[Remark]:
    """`min(1.0, x)` is 1.0 where x is NaN, because no comparison with NaN is true."""
    if module.speaks(_FINITE):
        return
    for node in module.calls("min"):
        first, rest = (node.args[0], node.args[1:]) if node.args else (None, [])
        one = isinstance(first, ast.Constant) and first.value == 1 and isinstance(node.func, ast.Name)
        if one and any(True for part in rest for _ in differences(module, part)):
            yield module.remark(
                node,
                Cause.NOT_A_NUMBER,
                "min(1.0, x) is 1.0 if x is NaN, so NaN earns full marks",
                "Refuse what math.isfinite() does not hold for before anything is computed from it.",
            )
            return


def _rounded(module: Module) -> Iterator[Remark]:
    """Both sides rounded, then equal: what is nearly a unit off passes, and neighbours may fail."""
    if module.told(_WHOLE):
        return
    for node, one, other in module.equalities():
        coarse = isinstance(one, ast.Call) and _is_coarse(one)
        if coarse and module.of_answer(one) and not module.of_answer(other):
            yield module.remark(
                node,
                Cause.TOLERANCE,
                "a number of the answer is cut to a whole one before it is compared",
                "Compare the number as it was given, with a stated tolerance.",
            )


def _is_coarse(node: ast.Call) -> bool:
    name, arguments = called(node), node.args
    if name in ("floor", "trunc", "ceil"):
        return True
    if name == "round":
        digits = arguments[1] if len(arguments) > 1 else None
        whole = isinstance(digits, ast.Constant) and not digits.value
        return digits is None or whole or isinstance(digits, ast.UnaryOp)
    inner = arguments[0] if name == "int" and arguments else None
    return isinstance(inner, ast.Call) and called(inner) == "float"


def _sums(module: Module) -> Iterator[Remark]:
    """Only the sum is compared: errors cancel out."""
    if _each_is_compared(module):
        return
    for node in module.nodes:
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            sides = [node.left, node.right]
        summed = [
            side
            for side in sides
            if _is_sum(side) and module.of_answer(side) and not is_unsigned(module, side)
        ]
        if summed and not any(module.of_answer(side) for side in sides if side not in summed):
            yield module.remark(
                node,
                Cause.CANCELS,
                "only a sum or mean of the answer's values is compared, so that errors cancel out",
                "Compare each value with its own reference.",
            )
            return


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node) in _SUMS


def _each_is_compared(module: Module) -> bool:
    """Is a single value of the answer anywhere compared with something that is no literal?"""
    for _, left, op, right in module.comparisons():
        if isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot):
            continue
        for one, other in ((left, right), (right, left)):
            if any(_is_sum(part) for part in ast.walk(one)):
                continue
            if isinstance(one, ast.Call) and called(one) in ("len", "type"):
                continue
            plain = module.of_answer(one) and not isinstance(other, ast.Constant)
            if (plain and not module.of_answer(other)) or any(True for _ in differences(module, one)):
                return True
    return any(True for _ in module.calls(*_CLOSE))


def _medians(module: Module) -> Iterator[Remark]:
    """A median forgives nearly half of the values."""
    if module.told("median"):
        return
    for node in module.calls(*_MEDIANS):
        scope = module.flow.scope(node)
        if module.of_answer(node) or any(True for _ in differences(module, scope)):
            yield module.remark(
                node,
                Cause.CLAMPED,
                "a median of errors forgives nearly half of the values",
                "Use the largest error, or the share of values that are right.",
            )
            return


def _only_float(module: Module) -> Iterator[Remark]:
    """`isinstance(x, float)` and `type(x) is float` refuse 5 where 5.0 is right."""
    if module.told(_AS_FLOAT):
        return
    asked: list[ast.expr] = [
        node
        for node in module.calls("isinstance")
        if len(node.args) == 2 and ast.unparse(node.args[1]) == "float" and module.of_answer(node.args[0])
        if not any(isinstance(a, ast.BoolOp) and "int" in ast.unparse(a) for a in module.around(node))
    ]
    asked += [
        node
        for node, left, _, right in module.comparisons()
        if ast.unparse(right) == "float" and isinstance(left, ast.Call) and called(left) == "type"
        if left.args and module.of_answer(left.args[0])
    ]
    for node in asked[:1]:
        yield module.remark(
            node,
            Cause.NUMBER_FORMAT,
            "a whole number such as 5 is no float in Python, and is refused here",
            "Take int and float, and leave out bool.",
        )
