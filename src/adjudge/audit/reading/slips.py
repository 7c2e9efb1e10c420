"""Slips of the pen: what Python does, and the author did not mean. A slip is one, whatever probes showed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_CONSUMERS = (
    "list",
    "sum",
    "all",
    "any",
    "set",
    "sorted",
    "tuple",
    "max",
    "min",
    "dict",
    "Counter",
    "frozenset",
)
_LAZY = ("map", "filter", "zip", "reader", "DictReader", "iter", "finditer", "reversed", "enumerate")
_AT_ONCE = ("sorted", "map", "filter", "max", "min", "sort", "any", "all", "reduce", "sub", "groupby", "sum")
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
    for rule in (_always_true, _true_of_two, _or_a_constant, _late_names, _used_up, _other_key):
        yield from rule(module)
    for rule in (_first_only, _last_only, _muted, _dropped_verdicts):
        yield from rule(module)


def _certain(module: Module, node: ast.AST, cause: Cause, title: str, advice: str) -> Remark:
    return module.remark(node, cause, title, advice, certain=True)


def _always_true(module: Module) -> Iterator[Remark]:
    """`assert (value == want, "message")`: a tuple is true."""
    for node in module.nodes:
        test = node.test if isinstance(node, ast.Assert | ast.If | ast.While | ast.IfExp) else None
        if isinstance(test, ast.Tuple) and test.elts:
            yield _certain(
                module,
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
            yield _certain(
                module,
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
        constant = [part for part in node.values if isinstance(part, ast.Constant) and part.value]
        if compared and constant and node.values[0] in compared:
            yield _certain(
                module,
                node,
                Cause.ANY_VALUE,
                f"`or {ast.unparse(constant[0])}` is always true, whatever stands before it",
                "Write `value in (first, second)`.",
            )


def _late_names(module: Module) -> Iterator[Remark]:
    """Functions made in a loop that see its variable: all of them see its last value."""
    for node in module.nodes:
        if not isinstance(node, ast.Lambda):
            continue
        own = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs)}
        seen = {part.id for part in ast.walk(node.body) if isinstance(part, ast.Name)} - own
        for around in module.around(node):
            if isinstance(around, ast.Call) and called(around) in _AT_ONCE:
                break
            loops: Sequence[ast.AST] = ()
            if isinstance(around, ast.For):
                loops = [around.target]
            elif isinstance(around, ast.ListComp | ast.DictComp | ast.SetComp):
                loops = [generator.target for generator in around.generators]
            names = {part.id for loop in loops for part in ast.walk(loop) if isinstance(part, ast.Name)}
            if names & seen:
                yield _certain(
                    module,
                    node,
                    Cause.ANY_VALUE,
                    f"every function made in this loop sees the last `{min(names & seen)}` only",
                    f"Bind it: lambda value, {min(names & seen)}={min(names & seen)}: ...",
                )
                break


def _used_up(module: Module) -> Iterator[Remark]:
    """A generator that is gone through twice: the second time it is empty."""
    for scope in (module.tree, *module.flow.functions.values()):
        lazy = [name for node in ast.walk(scope) if (name := _lazy_name(module, scope, node)) is not None]
        for name in lazy:
            if len(module.flow.assigned_in(scope, name)) > 1:
                continue
            places = [place for place in _consumptions(scope, name) if module.flow.scope(place) is scope]
            first = places[0] if places else None
            later = [p for p in places[1:] if first is not None and not _apart(module, first, p)]
            if later:
                yield _certain(
                    module,
                    later[0],
                    Cause.ANY_VALUE,
                    f"`{name}` was gone through before, so that nothing is left of it here",
                    f"Keep it as a list: {name} = list(...).",
                )


def _lazy_name(module: Module, scope: ast.AST, node: ast.AST) -> str | None:
    """The name that is given a generator in this very function."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or module.flow.scope(node) is not scope:
        return None
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) and _is_lazy(module, node.value) else None


def _is_lazy(module: Module, node: ast.expr) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    if not isinstance(node, ast.Call):
        return False
    function = module.flow.functions.get(called(node)) if isinstance(node.func, ast.Name) else None
    if function is not None:
        made = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function))
        return made and not function.decorator_list
    return called(node) in _LAZY and (
        isinstance(node.func, ast.Name) or called(node) in ("reader", "DictReader", "finditer")
    )


def _consumptions(scope: ast.AST, name: str) -> list[ast.AST]:
    """The places in which all of a generator is taken, in the order of the source."""
    found: list[ast.AST] = []
    for node in ast.walk(scope):
        if (
            isinstance(node, ast.For | ast.comprehension)
            and isinstance(node.iter, ast.Name)
            and node.iter.id == name
        ):
            found.append(node.iter)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS:
            found += [a for a in node.args[:1] if isinstance(a, ast.Name) and a.id == name]
    return sorted(found, key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)))


def _apart(module: Module, first: ast.AST, second: ast.AST) -> bool:
    """Do two places stand in different branches, or may a loop be left before its end?"""
    for around in module.around(first):
        if isinstance(around, ast.If | ast.Try | ast.IfExp):
            if not any(part is second for part in ast.walk(around)):
                continue
            return True
        over = isinstance(around, ast.For) and any(part is first for part in ast.walk(around.iter))
        if over and any(isinstance(part, ast.Break | ast.Return) for part in ast.walk(around)):
            return True
    return False


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
            yield _certain(
                module,
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


def _first_only(module: Module) -> Iterator[Remark]:
    """A loop that returns in its first turn, whatever it found."""
    for node in module.nodes:
        if (
            not isinstance(node, ast.For)
            or not node.body
            or any(isinstance(p, ast.Continue) for p in ast.walk(node))
        ):
            continue
        last = node.body[-1]
        ends = isinstance(last, ast.Return | ast.Break)
        if isinstance(last, ast.If) and last.orelse:
            ends = all(isinstance(body[-1], ast.Return) for body in (last.body, last.orelse))
        compared = any(isinstance(part, ast.Compare) for part in ast.walk(node))
        if ends and compared and _may_be_many(node.iter):
            yield _certain(
                module,
                last,
                Cause.FEW_ITEMS,
                "the loop ends in its first turn, so that one item is looked at and no other",
                "Return after the loop.",
            )


def _may_be_many(node: ast.expr) -> bool:
    """No range or slice of one."""
    return (
        not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice))
        and called_name(node) != "range"
    )


def called_name(node: ast.expr) -> str:
    """What is called, or nothing."""
    return called(node) if isinstance(node, ast.Call) else ""


def _last_only(module: Module) -> Iterator[Remark]:
    """`ok = item == want` in each turn of a loop, and `ok` after it: the last item decides."""
    for node in module.nodes:
        if not isinstance(node, ast.For):
            continue
        if any(isinstance(part, ast.Break | ast.Return | ast.Yield) for part in ast.walk(node)):
            continue
        for statement in node.body:
            name = _verdict_name(statement)
            if name is None:
                continue
            inside = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
            if len(inside) == 1 and _is_used_after(module, node, name):
                yield _certain(
                    module,
                    statement,
                    Cause.FEW_ITEMS,
                    f"`{name}` is set anew in each turn, so that only the last item decides",
                    f"Write {name} = {name} and ..., or all(...).",
                )


def _verdict_name(node: ast.stmt) -> str | None:
    """The name that is given the result of a comparison."""
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return None
    verdict = isinstance(node.value, ast.Compare) or (
        isinstance(node.value, ast.BoolOp) and all(isinstance(v, ast.Compare) for v in node.value.values)
    )
    return node.targets[0].id if verdict else None


def _is_used_after(module: Module, loop: ast.For, name: str) -> bool:
    end = loop.end_lineno or loop.lineno
    scope = module.flow.scope(loop)
    return any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Load)
        and part.lineno > end
        for part in ast.walk(scope)
    )


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
                yield _certain(
                    module,
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
            yield _certain(
                module,
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
