"""Slips in loops: they end in their first turn, the last turn decides, a generator is used up."""

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


def read_loops(module: Module) -> Iterator[Remark]:
    """Every rule about loops, in turn; each is certain."""
    for rule in (_late_names, _used_up, _first_only, _last_only):
        yield from rule(module)


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
                yield module.slip(
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
                yield module.slip(
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
    if isinstance(node.func, ast.Name) and node.func.id in module.generators:
        return True
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
            yield module.slip(
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
                yield module.slip(
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
