"""How credit is added up: over what is there, for what is absent, for what is only true or only exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import BOTH_WAYS, Module, is_reward, is_score, pays
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_SENTINEL = re.compile(r"missing|none|nan|sentinel|default|empty|absent|nothing|unset|fallback", re.I)
_NEUTRAL_CALLS = ("object", "float", "dict", "list", "set")
_THERE = ("exists", "isfile", "is_file", "getsize")
_WEIGHTS = re.compile(r"weight|points", re.I)


def read_credit(module: Module) -> Iterator[Remark]:
    """Every rule about sums, defaults and weights, in turn."""
    for rule in (_averages, _counted_if_there, _left_out, _left_empty, _truthy):
        yield from rule(module)
    for rule in (_weights, _existence, _penalties_only):
        yield from rule(module)


def _averages(module: Module) -> Iterator[Remark]:
    """`right / len(given)`: one right item earns full marks."""
    if module.speaks(BOTH_WAYS):
        return
    for node in module.quotients():
        given = _counted(module, node.right)
        names = [part.id for part in ast.walk(node.left) if isinstance(part, ast.Name)]
        if given is not None and given not in names and _is_count(node.left):
            yield module.remark(
                node,
                Cause.PARTIAL,
                "what is right is divided by how much the answer holds, so that one right item is full marks",
                "Divide by the number of references.",
            )


def _is_count(node: ast.expr) -> bool:
    """A sum, a length, or one name that may hold either."""
    inside = node.args[0] if isinstance(node, ast.Call) and called(node) == "float" and node.args else node
    if isinstance(inside, ast.Call):
        return called(inside) in ("sum", "len", "fsum")
    return isinstance(inside, ast.Name) or is_score(ast.unparse(inside))


def _counted(module: Module, node: ast.expr) -> str | None:
    """The name of what is counted, if a divisor is how much of it the answer holds, and nothing else."""
    for part in [node, *module.flow.values(node)]:
        inner = _without_least(part)
        if isinstance(inner, ast.Call) and called(inner) == "len" and inner.args:
            name = ast.unparse(inner.args[0])
            plain = not isinstance(inner.args[0], ast.BinOp) and not is_score(name)
            if plain and module.of_answer(inner.args[0]) and not _is_of_fixed_length(module, inner.args[0]):
                return name
    return None


def _is_of_fixed_length(module: Module, node: ast.expr) -> bool:
    """A table of the verifier's own, filled under literal keys: what the answer holds changes no length."""
    if not isinstance(node, ast.Name):
        return False
    values = list(module.flow.values(node))
    if not values or not all(map(_is_display, values)):
        return False
    for part in module.nodes:
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store | ast.Del):
            named = isinstance(part.value, ast.Name) and part.value.id == node.id
            if named and (not isinstance(part.slice, ast.Constant) or _is_repeated(module, part)):
                return False
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            owner = part.func.value
            grows = part.func.attr in ("update", "setdefault", "append", "add", "extend", "insert", "pop")
            one = part.func.attr in ("setdefault", "append", "add", "insert")
            if grows and getattr(owner, "id", "") == node.id and (not one or _is_repeated(module, part)):
                return False
        if isinstance(part, ast.AugAssign) and ast.unparse(part.target) == node.id:
            return False
    return True


def _is_repeated(module: Module, node: ast.AST) -> bool:
    """Does it happen once for each of something, or only sometimes?"""
    return any(isinstance(around, ast.For | ast.While | ast.If) for around in module.around(node))


def _is_display(node: ast.expr) -> bool:
    """`{}`, `[]`, or a display of items, none of which is unpacked."""
    if isinstance(node, ast.Dict):
        return all(isinstance(key, ast.Constant) for key in node.keys)
    if isinstance(node, ast.List | ast.Tuple):
        return not any(isinstance(part, ast.Starred) for part in node.elts)
    return (
        isinstance(node, ast.Call) and called(node) in ("dict", "list") and not (node.args or node.keywords)
    )


def _without_least(node: ast.expr) -> ast.expr:
    """`n` of `max(1, n)` and of `n or 1`."""
    if isinstance(node, ast.Call) and called(node) == "max" and len(node.args) == 2:
        least = [arg for arg in node.args if isinstance(arg, ast.Constant) and arg.value in (0, 1)]
        return next((arg for arg in node.args if least and arg not in least), node)
    return node.values[0] if isinstance(node, ast.BoolOp) and len(node.values) == 2 else node


def _counted_if_there(module: Module) -> Iterator[Remark]:
    """`if key in given: total += weight`, and the score is divided by that total."""
    divisors = {
        part.id for node in module.quotients() for part in ast.walk(node.right) if isinstance(part, ast.Name)
    }
    for node in module.nodes:
        if not isinstance(node, ast.If) or node.orelse:
            continue
        skips = all(isinstance(statement, ast.Continue) for statement in node.body)
        if not _asks_for_presence(module, node.test, absent=skips):
            continue
        body = _rest_of_loop(module, node) if skips else node.body
        for part in (inner for statement in body for inner in ast.walk(statement)):
            if _adds(part) and isinstance(part.target, ast.Name) and part.target.id in divisors:  # type: ignore[attr-defined]  # `_adds`
                yield module.remark(
                    part,
                    Cause.PARTIAL,
                    "only fields that are there are counted, so that what is left out costs nothing",
                    "Count every field of the reference, and give a missing one nothing.",
                )
                return


def _adds(node: ast.AST) -> bool:
    return isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)


def _rest_of_loop(module: Module, node: ast.If) -> Sequence[ast.stmt]:
    around = module.flow.parents.get(node)
    body = getattr(around, "body", [])
    return body[body.index(node) + 1 :] if isinstance(around, ast.For) and node in body else ()


def _asks_for_presence(module: Module, test: ast.expr, *, absent: bool) -> bool:
    if isinstance(test, ast.UnaryOp) and absent:
        return module.of_answer(test.operand)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, op, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(op, ast.NotIn if absent else ast.In):
        return module.of_answer(right) and not module.of_answer(left) and not module.is_text(right)
    none = isinstance(op, ast.Is if absent else ast.IsNot) and ast.unparse(right) == "None"
    return none and module.of_answer(left)


def _left_out(module: Module) -> Iterator[Remark]:
    """`given.get("mode", EXPECTED)`: what is left out is right."""
    for node in module.calls("get", "getattr", "pop"):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        arguments = list(node.args)
        if called(node) == "getattr" and len(arguments) == 3:
            owner = arguments.pop(0)
        if owner is None or len(arguments) != 2 or not module.of_answer(owner):
            continue
        if not module.of_answer(arguments[1]) and _is_telling(module, arguments[1]):
            yield module.remark(
                node,
                Cause.DROPPED,
                "a field that is left out is taken as if it were right",
                "Give a missing field nothing: use None as the default, and check for it.",
            )


def _left_empty(module: Module) -> Iterator[Remark]:
    """`given.get("mode") or EXPECTED`."""
    for node in module.nodes:
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.Or) or len(node.values) != 2:
            continue
        first, second = node.values
        read = isinstance(first, ast.Call) and called(first) == "get" and module.of_answer(first)
        plain = not isinstance(second, ast.Constant | ast.Compare) and not module.of_answer(second)
        if read and plain and _is_telling(module, second):
            yield module.remark(
                node,
                Cause.DROPPED,
                "a field that is empty or left out is taken as if it were right",
                "Give a missing field nothing.",
            )


def _is_telling(module: Module, node: ast.expr) -> bool:
    """Something that was looked up, or True: no neutral value."""
    if isinstance(node, ast.Constant):
        return node.value is True
    if not isinstance(node, ast.Subscript | ast.Attribute | ast.Name):
        return False
    neutral = _SENTINEL.search(ast.unparse(node)) is not None
    return not neutral and not any(map(_is_neutral, module.flow.values(node)))


def _is_neutral(node: ast.expr) -> bool:
    """None, an empty text or collection, zero: what stands for nothing."""
    if isinstance(node, ast.Constant):
        return not node.value
    if isinstance(node, ast.Call):
        return called(node) in _NEUTRAL_CALLS
    return isinstance(node, ast.List | ast.Dict | ast.Tuple) and not ast.unparse(node).strip("[](){}")


def _truthy(module: Module) -> Iterator[Remark]:
    """`if given["compliant"]:`: "no" counts as true."""
    for node in module.nodes:
        found: ast.expr | None = None
        if isinstance(node, ast.If | ast.IfExp):
            paid = pays(node.body) if isinstance(node, ast.If) else is_reward(node.body)
            found = node.test if paid else None
        elif isinstance(node, ast.Call) and called(node) == "bool" and node.args:
            found = node.args[0] if _is_used(module, node) else None
        if found is not None and _is_field(found) and module.of_answer(found):
            yield module.remark(
                found,
                Cause.TRUTHY,
                'any value that counts as true passes, such as "no" or [0]',
                "Compare with `is True`.",
            )


def _is_used(module: Module, node: ast.Call) -> bool:
    """Is a truth value compared, or made a number of?"""
    beside = module.flow.parents.get(node)
    return isinstance(beside, ast.Compare) or (
        isinstance(beside, ast.Call) and called(beside) in ("float", "int")
    )


def _is_field(node: ast.expr) -> bool:
    """A field by its name: `given["ok"]` or `given.get("ok")`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Call) and called(node) == "get" and len(node.args) in (1, 2)


def _weights(module: Module) -> Iterator[Remark]:
    """Weights that add up to more than one, cut off at one: something may be wrong."""
    cut = next((node for node in module.calls("min") if any(map(_is_one, node.args))), None)
    if cut is None:
        return
    for node in module.nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
            continue
        first = [
            value.elts[0] if isinstance(value, ast.Tuple) and value.elts else None
            for value in node.value.values
        ]
        if all(first):
            yield from _over(module, node.targets[0], [_number(part) for part in first if part is not None])
        elif _WEIGHTS.search(ast.unparse(node.targets[0])):
            yield from _over(module, node.targets[0], [_number(value) for value in node.value.values])
    for scope in (module.tree, *module.flow.functions.values()):
        for name, steps in _steps(module, scope).items():
            if is_score(name):
                yield from _over(module, cut, [_number(step) for step in steps])


def _steps(module: Module, scope: ast.AST) -> dict[str, list[ast.expr]]:
    """The literals that are added to each name in a function, once each and beside one another."""
    found: dict[str, list[ast.expr]] = {}
    for part in ast.walk(scope):
        if not isinstance(part, ast.AugAssign) or not isinstance(part.op, ast.Add):
            continue
        looped = any(isinstance(around, ast.For | ast.While) for around in module.around(part))
        once = not looped and not _in_else(module, part) and module.flow.scope(part) is scope
        if once and _number(part.value) is not None:
            found.setdefault(ast.unparse(part.target), []).append(part.value)
    return found


def _over(module: Module, node: ast.AST, weights: Sequence[float | None]) -> Iterator[Remark]:
    numbers = [weight for weight in weights if weight is not None and weight <= 1]
    total = sum(numbers)
    if len(numbers) == len(weights) and total > 1.001:
        yield module.remark(
            node,
            Cause.CLAMPED,
            f"the parts add up to {total:g} and are cut off at 1, so that some of them may be wrong",
            "Let the weights add up to 1.",
        )


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, float | int) and not isinstance(value, bool) else None


def _in_else(module: Module, node: ast.AST) -> bool:
    """One of several branches of which only one is taken."""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.If) and inside in around.orelse:
            return True
        inside = around
    return False


def _is_one(node: ast.expr) -> bool:
    return _number(node) == 1


def _existence(module: Module) -> Iterator[Remark]:
    """A reward for a file that is only there."""
    for node in module.nodes:
        if not isinstance(node, ast.If) or any(
            isinstance(part, ast.Compare | ast.BoolOp) for part in ast.walk(node.test)
        ):
            continue
        asked = any(isinstance(part, ast.Call) and called(part) in _THERE for part in ast.walk(node.test))
        paid = any(isinstance(s, ast.AugAssign) and is_score(ast.unparse(s.target)) for s in node.body)
        if asked and paid:
            yield module.remark(
                node.test,
                Cause.NOTHING,
                "a file that is only there earns part of the reward",
                "Give nothing for what is not looked at.",
                Severity.LOW,
            )


def _penalties_only(module: Module) -> Iterator[Remark]:
    """`score = 1.0`, and less for each wrong item of the answer: an empty one keeps it."""
    for node in module.nodes:
        if (
            not isinstance(node, ast.Assign)
            or _number(node.value) != 1
            or not isinstance(node.targets[0], ast.Name)
        ):
            continue
        name, scope = node.targets[0].id, module.flow.scope(node)
        steps = [
            part
            for part in ast.walk(scope)
            if isinstance(part, ast.AugAssign) and ast.unparse(part.target) == name
        ]
        loops = [next((a for a in module.around(step) if isinstance(a, ast.For)), None) for step in steps]
        over_answer = [loop for loop in loops if loop is not None and module.of_answer(loop.iter)]
        lowered = all(isinstance(step.op, ast.Sub) for step in steps)
        once = len(module.flow.assigned_in(scope, name)) == 1
        alone = lowered and once and len(over_answer) == len(steps) and not module.lengths_checked(node)
        if is_score(name) and steps and alone:
            yield module.remark(
                node,
                Cause.EMPTY,
                "the score begins at 1 and only wrong items lower it, so that an empty answer keeps it",
                "Begin at 0, and pay for what is right.",
            )
