"""Slips of the pen: what Python does, and the author did not mean. A slip is one, whatever probes showed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_ENDS = (
    "exit",
    "_exit",
    "abort",
    "fail",
    "die",
    "append",
    "add",
    "write",
    "print",
    "extend",
    "update",
    "dump",
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_slips(module: Module) -> Iterator[Remark]:
    """Every rule about slips, in turn."""
    for rule in (_always_true, _true_of_two, _or_a_constant, _other_key, _muted, _dropped_verdicts):
        yield from rule(module)


def _always_true(module: Module) -> Iterator[Remark]:
    """`assert (value == want, "message")`: a tuple is true."""
    for node in module.nodes:
        test = node.test if isinstance(node, ast.Assert | ast.If | ast.While | ast.IfExp) else None
        if isinstance(test, ast.Tuple) and test.elts:
            yield module.slip(
                node if isinstance(node, ast.Assert) else test,
                Cause.ANY_VALUE,
                "a tuple is always true, so that nothing is checked here",
                "Take the brackets away: assert value == want, 'message'.",
            )


def _true_of_two(module: Module) -> Iterator[Remark]:
    """`assertTrue(given, want)`: the second is the message."""
    for node in module.calls("assertTrue", "assertFalse", "assert_"):
        message = node.args[1] if len(node.args) > 1 else None
        if message is not None and not module.is_text(message) and not isinstance(message, ast.Name):
            shown = True
        else:
            shown = isinstance(message, ast.Name) and not _is_message(module, message)
        if shown:
            yield module.slip(
                node,
                Cause.ANY_VALUE,
                f"{called(node)}() looks at its first value only: the second is the message",
                "Use assertEqual(given, want).",
            )


def _is_message(module: Module, node: ast.Name) -> bool:
    values = list(module.flow.values(node))
    named = any(
        word in node.id.lower() for word in ("msg", "message", "text", "why", "reason", "label", "err")
    )
    return named or not values or any(module.is_text(value) for value in values)


def _or_a_constant(module: Module) -> Iterator[Remark]:
    """`given == "a" or "b"`: a text is always true."""
    for node in module.nodes:
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.Or):
            continue
        compared = [part for part in node.values if isinstance(part, ast.Compare)]
        constant = [part for part in node.values if _is_always_true(part)]
        if compared and constant and node.values[0] in compared:
            yield module.slip(
                node,
                Cause.ANY_VALUE,
                f"`or {ast.unparse(constant[0])}` is always true, whatever stands before it",
                "Write `value in (first, second)`.",
            )


def _is_always_true(node: ast.expr) -> bool:
    """A literal that is not empty, or a text that is put together with one."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.Constant) and part.value for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
        return any(isinstance(side, str) and side for side in sides)
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and bool(node.elts)


def _other_key(module: Module) -> Iterator[Remark]:
    """`given["width"]` beside `REF["height"]`: a line that was copied and changed in one place only."""
    pairs: list[tuple[ast.AST, ast.expr, ast.expr]] = [(n, a, b) for n, a, b in module.equalities()]
    for node in module.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            pairs += [(node, node.left, node.right), (node, node.right, node.left)]
        elif isinstance(node, ast.Call) and len(node.args) >= 2:
            pairs += [(node, node.args[0], node.args[1]), (node, node.args[1], node.args[0])]
    keyed = []
    for node, one, other in pairs:
        if module.of_answer(one) and not module.of_answer(other):
            given, want = _key_of(one), _key_of(other)
            if given and want:
                keyed.append((node, given, want))
    same = {given for _, given, want in keyed if given == want}
    for node, given, want in keyed:
        crossed = given != want and want in same
        if crossed and given not in same:
            yield module.slip(
                node,
                Cause.SWAPPED,
                f"`{given}` of the answer meets the reference of `{want}`",
                f"Compare `{given}` with its own reference.",
            )


def _key_of(node: ast.expr) -> str | None:
    """The name by which a field is read: `x["name"]` or `x.get("name")`, in float() or not."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    if isinstance(node, ast.Call) and called(node) == "get" and node.args:
        key = node.args[0]
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
    return None


def _muted(module: Module) -> Iterator[Remark]:
    """`try: assert ... except AssertionError: pass`: a check that cannot fail."""
    for node in module.nodes:
        if not isinstance(node, ast.Try) or node.orelse:
            continue
        checks = any(isinstance(part, ast.Assert) for part in node.body)
        for handler in node.handlers:
            silent = all(isinstance(part, ast.Pass | ast.Continue) for part in handler.body)
            kinds = "" if handler.type is None else ast.unparse(handler.type)
            if checks and silent and kinds in ("", "AssertionError", "Exception", "BaseException"):
                yield module.slip(
                    handler,
                    Cause.ANY_VALUE,
                    "the failure of a check is caught and forgotten",
                    "Let the failure reach the score.",
                )


def _dropped_verdicts(module: Module) -> Iterator[Remark]:
    """`check_total(answer)` on a line of its own, if it returns its verdict and does nothing else."""
    for node in module.nodes:
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        function = (
            module.flow.functions.get(called(node.value)) if isinstance(node.value.func, ast.Name) else None
        )
        if function is None or not any(map(module.of_answer, node.value.args)):
            continue
        if _only_returns(function):
            yield module.slip(
                node,
                Cause.UNSCORED,
                f"what {function.name}() says is not looked at",
                "Use its result.",
            )


def _only_returns(function: _Function) -> bool:
    parts = list(ast.walk(function))
    verdicts = [p.value for p in parts if isinstance(p, ast.Return) and p.value is not None]
    acts = any(
        isinstance(part, ast.Raise | ast.Assert | ast.Global | ast.Nonlocal | ast.Yield)
        or (isinstance(part, ast.Call) and called(part) in _ENDS)
        or (isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store))
        for part in parts
    )
    return bool(verdicts) and not acts and any(map(_is_verdict, verdicts))


def _is_verdict(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, bool)
    )
