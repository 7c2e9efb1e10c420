"""What an answer is compared with: its own numbers or tolerance, the largest of a column, a whole turn."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.differences import differences, error_tests, is_difference, is_unsigned
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_CLOSE = ("isclose", "approx", "assertAlmostEqual", "allclose")
_SEARCHES = r"\bmin\(|\bmax\(|best|short|optim|fewest|cheap|heap|deque|dijkstra|\bbfs\b|permutations|dynamic"
_MEASURES = r"cost|length|total|dist|makespan|weight|score|profit|value|hops|time|count|area|sum|len"
_NUMBERS = ("float", "int", "Decimal", "Fraction", "sum", "fsum")
_DIRECTED = r"\bone-way\b|\bdirected\b|\bdirections?\b"
_THE_BEST = (
    r"(?:smallest|largest|shortest|longest|cheapest|minim\w+|maxim\w+|optimal|best|fewest|lowest|highest)"
)


def read_references(module: Module) -> Iterator[Remark]:
    """Every rule about what the answer is compared with, in turn."""
    for rule in (_own_tolerance, _largest_of_all, _wrapped, _only_agree):
        yield from rule(module)
    yield from next(([found] for rule in (_own_objective, _any_plan) for found in rule(module)), [])
    yield from _undirected(module)


def _own_tolerance(module: Module) -> Iterator[Remark]:
    """`abs(given - want) <= 2 * sigma`, where the answer gives sigma and nothing bounds it."""
    for node, error, bound, _ in error_tests(module):
        if not module.of_answer(bound) or is_difference(module, bound):
            continue
        found = list(differences(module, error))
        sides = [side for part in found for side in (part.left, part.right)]
        given = [ast.unparse(side) for side in sides if module.of_answer(side)]
        own = [
            ast.unparse(part)
            for part in ast.walk(bound)
            if isinstance(part, ast.Name | ast.Subscript) and module.of_answer(part)
        ]
        apart = [name for name in own if not any(name in one or one in name for one in given)]
        if found and apart and not any(_is_bounded(module, name, node) for name in apart):
            yield module.remark(
                node,
                Cause.CLAIMED,
                "the tolerance comes out of the answer, so that an agent chooses how near is near enough",
                "Keep tolerances in tests/.",
            )
            return


def _is_bounded(module: Module, name: str, here: ast.AST) -> bool:
    """Is it compared with something else than zero, somewhere else?"""
    return any(
        node is not here
        and name in (ast.unparse(one), ast.unparse(other))
        and not {ast.unparse(one), ast.unparse(other)} & {"0", "0.0"}
        for node, one, _, other in module.comparisons()
    ) or any(
        isinstance(node, ast.Compare) and len(node.ops) == 2 and ast.unparse(node.comparators[0]) == name
        for node in module.nodes
    )


def _largest_of_all(module: Module) -> Iterator[Remark]:
    """`abs(given - want) <= tol * max(wants)`: small values may be anything."""
    for node, error, bound, _ in error_tests(module):
        if module.of_answer(bound) or not any(True for _ in differences(module, error)):
            continue
        wholes = [
            bound,
            *(v for n in ast.walk(bound) if isinstance(n, ast.Name) for v in module.flow.values(n)),
        ]
        parts = [part for whole in wholes for part in ast.walk(whole)]
        if any(
            isinstance(part, ast.Call) and called(part) == "max" and len(part.args) == 1 for part in parts
        ):
            yield module.remark(
                node,
                Cause.TOLERANCE,
                "the tolerance is a share of the largest value, so that small ones may be anything",
                "Take a share of each reference itself.",
            )
            return


def _wrapped(module: Module) -> Iterator[Remark]:
    """`min(d, 360 - d)` where d may be negative: whatever lies below passes."""
    for node in module.calls("min"):
        if len(node.args) != 2:
            continue
        for near, far in (node.args, node.args[::-1]):
            turned = isinstance(far, ast.BinOp) and isinstance(far.op, ast.Sub) and _same(far.right, near)
            if not turned or not isinstance(near, ast.Name) or is_unsigned(module, near):
                continue
            values = module.flow.values(near)
            if any(isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) for value in values):
                yield module.remark(
                    node,
                    Cause.BOUND,
                    "a difference that may be negative is the smaller one, so that any lower value passes",
                    "Take it modulo a whole turn, or its size, first.",
                )


def _same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _only_agree(module: Module) -> Iterator[Remark]:
    """Every number of the answer is compared with other numbers of it, and none with a reference."""
    if any(True for _ in module.calls(*_CLOSE)):
        return
    own: list[ast.AST] = []
    for node, one, other in _met(module):
        held = module.of_answer(one), module.of_answer(other)
        same = _is_equality(node)
        numeric = not same or _is_worked_out(module, one) or _is_worked_out(module, other)
        reference = held[0] != held[1] and not _is_literal(one) and not _is_literal(other)
        if reference and numeric:
            return
        own += [node] if all(held) and numeric and node not in own else []
    if len(own) >= 2:
        yield module.remark(
            own[0],
            Cause.AGREES,
            "numbers of the answer are compared with each other only: invented ones pass if they agree",
            "Compare at least one of them with a reference of the verifier's own.",
        )


def _met(module: Module) -> Iterator[tuple[ast.AST, ast.expr, ast.expr]]:
    """What is subtracted in a test or compared for equality; of a helper's parameters, what it is given."""
    helpers: dict[str, tuple[int, int]] = {}
    for node, error, _, _ in error_tests(module):
        for part in ast.walk(error):
            if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Sub):
                continue
            places = _parameters(module, part)
            if places is None:
                yield node, part.left, part.right
            else:
                helpers[getattr(module.flow.scope(part), "name", "")] = places
    for node, one, other in module.equalities():
        if not _is_literal(other) and not any(map(_is_count, (one, other))):
            yield node, one, other
    for call in module.calls(*helpers):
        first, second = helpers[called(call)]
        if max(first, second) < len(call.args):
            yield call, call.args[first], call.args[second]


def _is_count(node: ast.expr) -> bool:
    """How many there are, and of which type, says nothing of their values."""
    return any(
        isinstance(part, ast.Call) and called(part) in ("len", "type", "set") for part in ast.walk(node)
    )


def _parameters(module: Module, node: ast.BinOp) -> tuple[int, int] | None:
    """The places of two parameters that are subtracted in a function of the module's own."""
    function = module.flow.scope(node)
    names = [argument.arg for argument in function.args.args] if isinstance(function, ast.FunctionDef) else []
    sides = [side.id for side in (node.left, node.right) if isinstance(side, ast.Name)]
    if len(sides) == 2 and all(side in names for side in sides):
        return names.index(sides[0]), names.index(sides[1])
    return None


def _is_worked_out(module: Module, node: ast.expr) -> bool:
    """Arithmetic, or a number that was read out of a text; neighbours that must differ are neither."""
    wholes = [node, *module.flow.values(node)]
    return any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult | ast.Add | ast.Sub | ast.Div))
        or (isinstance(part, ast.Call) and called(part) in _NUMBERS)
        for whole in wholes
        for part in ast.walk(whole)
    )


def _is_equality(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(_is_literal, node.elts))
    return isinstance(node, ast.Constant | ast.UnaryOp) or ast.unparse(node) in (
        "str",
        "int",
        "float",
        "dict",
        "list",
    )


def _own_objective(module: Module) -> Iterator[Remark]:
    """The smallest `makespan` is asked for, and it is compared with nothing but the answer's own plan."""
    for match in re.finditer(
        rf"\b{_THE_BEST}\b[*_\s]*(?:possible\b[*_\s]*)?`?(\w+)", module.instruction, re.I
    ):
        key = match[1]
        sides = [
            (node, [node.left, *node.comparators])
            for node in module.nodes
            if isinstance(node, ast.Compare)
            and not any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops)
            and any(ast.unparse(side) in (key, f"self.{key}") for side in (node.left, *node.comparators))
        ]
        others = [
            (node, side)
            for node, both in sides
            for side in both
            if ast.unparse(side) not in (key, f"self.{key}") and not _is_literal(side)
        ]
        if others and all(module.of_answer(side) for _, side in others):
            yield module.remark(
                others[0][0],
                Cause.AGREES,
                f"`{key}` is compared with the answer's own plan only, and never with the best there is",
                "Work out the best value, or keep it in tests/, and compare with it.",
            )
            return


def _any_plan(module: Module) -> Iterator[Remark]:
    """The shortest route is asked for, and nothing in the verifier measures one."""
    asked = re.search(rf"\b{_THE_BEST}\b", module.instruction, re.I)
    if asked is None or module.speaks(_SEARCHES) or not module.suffix:
        return
    pairs = [
        (one, op, other)
        for _, one, op, other in module.comparisons()
        if not isinstance(op, ast.In | ast.NotIn)
    ]
    for one, op, other in (*pairs, *((other, op, one) for one, op, other in pairs)):
        equal = isinstance(op, ast.Eq | ast.NotEq) and isinstance(one, ast.Name)
        if module.of_answer(one) and not module.of_answer(other) and (_is_measure(one) or equal):
            return
    plans = [node for node in module.calls("zip", "pairwise", "combinations") if module.of_answer(node)]
    if plans:
        yield module.remark(
            plans[0],
            Cause.UNSCORED,
            f"the {asked[0].lower()} is asked for, and the verifier looks only whether a plan is allowed",
            "Work out the best value, or keep it in tests/, and compare the plan's with it.",
            certain=True,
        )


def _is_measure(node: ast.expr) -> bool:
    """A length, a sum, or what has a name for one."""
    measured = any(
        isinstance(part, ast.Call) and called(part) in ("len", "sum", "max") for part in ast.walk(node)
    )
    return measured or re.search(_MEASURES, ast.unparse(node), re.I) is not None


def _undirected(module: Module) -> Iterator[Remark]:
    """`frozenset((a, b))` where the task speaks of a direction."""
    if not module.told(_DIRECTED):
        return
    for node in module.calls("frozenset", "sorted"):
        inner = node.args[0] if node.args else None
        pair = isinstance(inner, ast.Tuple | ast.List | ast.Set) and len(inner.elts) == 2
        named = isinstance(inner, ast.Name) and called(node) == "frozenset"
        if (pair or named) and module.of_answer(inner):
            yield module.remark(
                node,
                Cause.SWAPPED,
                "two ends are put into an unordered pair, so that their direction is lost",
                "Keep them as a tuple, in the order in which they were given.",
            )
            return
