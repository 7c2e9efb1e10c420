"""A measure that the answer states of itself, held against a threshold and against nothing else.

Whether the task asks for it makes no difference: if nothing of the answer meets anything that the verifier
holds or works out, whoever writes 0.99 has an accuracy of 0.99.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.keys import keys_of
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_MEASURE = re.compile(
    r"(?:^|_)(?:acc(?:uracy)?|score|f1|auc|precision|recall|rmse|mae|mse|mape|(?:val|train|test)_loss|loss|r2"
    r"|speed_?up|coverage|improvement|(?:success|pass|error|hit)_rate|similarity|throughput|perplexity|bleu)(?:_|$)",
    re.I,
)
_BOUNDS = (0, 1, 100)
"""What only says that it is a share, or a number at all."""
_RUNS = (
    r"\bsubprocess\.|\bPopen\(|\bimportlib\.|\brunpy\.|\bexec\(|os\.system|\bpexpect\.|\brequests\.|\burlopen\("
    r"|\bsocket\."
)
_SAYS_YES = frozenset({"yes", "no", "true", "false", "ok", "pass", "passed", "success", "done", ""})
_CLOSE = frozenset({"isclose", "approx", "allclose", "assert_allclose", "assertAlmostEqual", "array_equal"})
_PLAIN = frozenset({"float", "int", "round", "Decimal", "get", "group", "strip", "str"})
_SIZES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def read_claims(module: Module) -> Iterator[Remark]:
    """The first measure that only has to be good enough, where the answer is compared with nothing else."""
    if module.speaks(_RUNS) or _meets_anything(module):
        return
    stated = list(_stated(module))
    for node, name, number, above in stated:
        others = [(bound, side) for _, other, bound, side in stated if name == other and side != above]
        if any((bound > number) == above for bound, _ in others):
            continue  # between two bounds: that is what a tolerance around a reference looks like
        yield module.remark(
            node,
            Cause.CLAIMED,
            f"`{name}` only has to be stated: it is compared with {number:g}, "
            "and nothing of the answer with anything that is known",
            "Work it out from the answer's values and a reference in tests/, and compare the two.",
        )
        return


def _stated(module: Module) -> Iterator[tuple[ast.Compare, str, float, bool]]:
    """(test, measure, threshold, has it to be above) of each measure that is held against a literal."""
    for node, left, op, right in module.comparisons():
        if not isinstance(op, _SIZES):
            continue
        for given, bound, above in (
            (left, right, isinstance(op, ast.Gt | ast.GtE)),
            (right, left, isinstance(op, ast.Lt | ast.LtE)),
        ):
            number = _number(module, bound)
            if number is None or number in _BOUNDS or not module.of_answer(given):
                continue
            name = next(iter(sorted(filter(_MEASURE.search, _names(module, given)))), None)
            if name is not None:
                yield node, name, number, above


def _names(module: Module, node: ast.expr) -> frozenset[str]:
    """The key or the name of a number that is read out of the answer as it stands."""
    if isinstance(node, ast.Name):
        values = list(module.flow.values(node))
        plain = bool(values) and all(_is_plain(value) for value in values)
        return frozenset({node.id, *keys_of(module, node)}) if plain else frozenset()
    return keys_of(module, node) if _is_plain(node) else frozenset()


def _is_plain(node: ast.expr) -> bool:
    """Nothing is worked out in it."""
    calls = (called(part) for part in ast.walk(node) if isinstance(part, ast.Call))
    sums = any(isinstance(part, ast.BinOp | ast.GeneratorExp | ast.ListComp) for part in ast.walk(node))
    return not sums and all(name in _PLAIN for name in calls)


def _meets_anything(module: Module) -> bool:
    """Is anything of the answer held against what is neither of it nor a literal, or is a known value?"""
    for _, left, op, right in module.comparisons():
        for given, other in ((left, right), (right, left)):
            if not module.of_answer(given) or module.of_answer(other):
                continue
            if not _is_literal(module, other) or (
                isinstance(op, ast.Eq | ast.NotEq) and _is_known(given, other)
            ):
                return True
    return any(_is_met(module, node) for node in module.nodes)


def _is_met(module: Module, node: ast.AST) -> bool:
    """A call, a difference or a loop in which the answer meets something; an own function is not followed."""
    if isinstance(node, ast.Call):
        parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        meets = called(node) in _CLOSE or called(node) in module.flow.functions
        return meets and any(map(module.of_answer, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.BitAnd | ast.BitOr | ast.BitXor):
        sides = ((node.left, node.right), (node.right, node.left))
        return any(
            module.of_answer(one)
            and not module.of_answer(other)
            and not (isinstance(other, ast.Constant) and other.value in (0, 1))
            for one, other in sides
        )
    if isinstance(node, ast.For | ast.comprehension):
        return not module.of_answer(node.iter) and _is_read_from_file(module, node.iter)
    return False


def _is_known(given: ast.expr, other: ast.expr) -> bool:
    """`flow == 12.5`, `winner == "north"`: a reference that is written out, no length and no word for yes."""
    if isinstance(given, ast.Call) and called(given) in ("len", "type"):
        return False
    known = other.value if isinstance(other, ast.Constant) else None
    if isinstance(known, str):
        return known.lower() not in _SAYS_YES
    return isinstance(known, int | float) and not isinstance(known, bool)


def _is_literal(module: Module, node: ast.expr, deep: int = 0) -> bool:
    """A literal number, text or type, a display of some, or a name for one."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(_is_literal(module, part, deep) for part in node.elts)
    if isinstance(node, ast.UnaryOp):
        return _is_literal(module, node.operand, deep)
    if isinstance(node, ast.Name):
        if node.id in ("int", "float", "str", "list", "dict", "bool"):
            return True
        values = list(module.flow.values(node))
        over = module.flow.items(node)
        values += [over] if over is not None else []
        return deep < 3 and bool(values) and all(_is_literal(module, value, deep + 1) for value in values)
    return (
        isinstance(node, ast.Call)
        and called(node) in ("type", "range", "len", "enumerate")
        and not any(isinstance(part, ast.Name) and _is_read_from_file(module, part) for part in node.args)
    )


def _is_read_from_file(module: Module, node: ast.expr) -> bool:
    values = [node, *module.flow.values(node)]
    return any(
        isinstance(part, ast.Call)
        and called(part) in ("load", "loads", "open", "read_text", "reader", "DictReader")
        for value in values
        for part in ast.walk(value)
    )


def _number(module: Module, node: ast.expr) -> float | None:
    for value in (node, *module.flow.values(node)):
        known = value.value if isinstance(value, ast.Constant) else None
        if isinstance(known, int | float) and not isinstance(known, bool):
            return float(known)
    return None
