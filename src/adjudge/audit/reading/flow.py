"""Which names in a verifier's Python hold something of the answer.

The answer is what is read from the output's path, so every literal that names the output's file is a source,
and whatever is made from it is of the answer, too: through assignments, loops, containers, the parameters and
results of the verifier's own functions. A comparison ends it: its result is a verdict. Names are told apart
by function, and within one by the `with` or the loop that gives them their value; elsewhere a name that ever
holds the answer always does. That is coarse, and enough to tell the two sides of a comparison.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.reading.blocks import Binding, binding_of, items_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ROUNDS = 8
_MODULE = ""
_SELF = "self"
_VERDICTS = frozenset(
    {"isinstance", "issubclass", "hasattr", "callable", "exists", "is_file", "is_dir", "isfile", "isdir"}
)
"""Calls whose result says something about the answer and holds nothing of it."""
_REFERENCE = re.compile(r"^_?(?:ref|want|wanted|expected|exp|target|truth|gold|golden|due)(?:_|s?$)", re.I)
"""Names that are given to what an answer is compared with, whatever they went through."""
_FILLS = frozenset({"append", "add", "extend", "update", "insert", "setdefault", "appendleft"})


class Flow:
    """The answer's way through one module: `of_answer` asks it about an expression."""

    def __init__(self, tree: ast.Module, output_names: tuple[str, ...], *, argv: bool = False) -> None:
        self.tree = tree
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.functions: dict[str, _Function] = {
            node.name: node for node in ast.walk(tree) if isinstance(node, _Function)
        }
        self._made_by = {
            node.name: made
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for made in node.body
            if isinstance(made, ast.FunctionDef) and made.name == "__init__"
        }
        """What a class of the module's own is made with."""
        self._output_names = tuple(name for name in output_names if name)
        self._argv = argv
        self._held: set[tuple[str, str]] = set()
        self._gives: set[str] = set()
        self._reads: set[str] = set()
        """Functions that give something of the answer even if they are given nothing of it."""
        self._blocks: dict[ast.Name, Binding | None] = {}
        self._known: dict[ast.AST, bool] | None = None
        """What was asked before, once the way is known."""
        self.assigned: dict[tuple[str, str], list[ast.expr]] = {}
        self._scopes = self._scope_names()
        self._locals = self._local_names()
        self._note_assigned()
        nodes = list(ast.walk(tree))
        for _ in range(_ROUNDS):
            before = len(self._held), len(self._gives), len(self._reads)
            for node in nodes:
                self._follow(node)
            if before == (len(self._held), len(self._gives), len(self._reads)):
                break
        self._known = {}

    def scope(self, node: ast.AST) -> ast.AST:
        """The function that a node stands in, or the module."""
        name = self._scopes.get(node, _MODULE)
        return self.functions.get(name, self.tree)

    def of_answer(self, node: ast.AST | None) -> bool:
        """Does this expression hold anything of the answer?"""
        if node is None:
            return False
        if self._known is not None:
            known = self._known.get(node)
            if known is None:
                known = self._known[node] = self._asks(node)
            return known
        return self._asks(node)

    def _asks(self, node: ast.AST) -> bool:
        denied = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        if denied or isinstance(node, ast.Compare | ast.Lambda):
            return False
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and self._names_output(node.value)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node)
        if isinstance(node, ast.Call):
            return self._call_gives(node)
        return any(map(self.of_answer, _parts(node)))

    def _named(self, node: ast.Name | ast.Attribute) -> bool:
        if isinstance(node, ast.Name):
            return self._holds(node, node.id)
        if isinstance(node.value, ast.Name) and node.value.id in (_SELF, "cls"):
            return (_SELF, node.attr) in self._held
        return (self._argv and ast.unparse(node) == "sys.argv") or self.of_answer(node.value)

    def assigned_in(self, scope: ast.AST, name: str) -> list[ast.expr]:
        """All that a name is given in one function."""
        place = scope.name if isinstance(scope, _Function) else _MODULE
        return self.assigned.get((place, name), [])

    def values(self, node: ast.expr) -> Iterator[ast.expr]:
        """What a name was given, or the expression itself."""
        if isinstance(node, ast.Name):
            scope = self._scopes.get(node, _MODULE)
            known = self.assigned.get((scope, node.id)) or self.assigned.get((_MODULE, node.id), [])
            yield from known
        else:
            yield node

    def _holds(self, node: ast.AST, name: str) -> bool:
        if _REFERENCE.match(name):
            return False
        scope = self._scopes.get(node, _MODULE)
        own = name in self._locals.get(scope, ())
        held = (scope if own else _MODULE, name) in self._held
        if held and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            block = self._block(node)
            return block is None or self._bound(name, block)
        return held

    def _block(self, node: ast.Name) -> Binding | None:
        if node not in self._blocks:
            self._blocks[node] = binding_of(node, self.parents)
        return self._blocks[node]

    def _bound(self, name: str, block: Binding) -> bool:
        """Does this block give the name something of the answer?"""
        if not block.each:
            return self.of_answer(block.value)
        return any(self.of_answer(source) for source in _sources_of(name, block.target, block.value))

    def items(self, node: ast.Name) -> ast.expr | None:
        """What a loop's own name runs through, or None."""
        return items_of(node, self.parents)

    def _names_output(self, text: str) -> bool:
        return any(text == name or text.endswith(f"/{name}") for name in self._output_names)

    def _call_gives(self, node: ast.Call) -> bool:
        name = called(node)
        if name in _VERDICTS:
            return False
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name in self.functions and _is_own(node):
            given = name in self._reads or any(map(self.of_answer, parts))
            return given and name in self._gives
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in ("get", "pop") and receiver is not None:
            return self.of_answer(receiver)
        return any(map(self.of_answer, parts)) or self.of_answer(receiver)

    def _follow(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._give(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node.value is not None:
                self._give(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._loop(node.target, node.iter)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._give(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.Call):
            self._fill(node)
            self._pass_on(node)
        elif isinstance(node, ast.Return | ast.Yield) and self.of_answer(node.value):
            self._gives.add(self._scopes.get(node, _MODULE))
        elif isinstance(node, _Function):
            if any(map(self._reads_itself, ast.walk(node))):
                self._reads.add(node.name)
            for argument in node.args.args:  # fixtures: a parameter is what the function of its name gives
                if argument.arg in self._gives:
                    self._held.add((node.name, argument.arg))
                    self._reads.add(node.name)

    def _reads_itself(self, node: ast.AST) -> bool:
        """Does this hold something of the answer that no parameter brought in?"""
        if isinstance(node, ast.Call):
            return _is_own(node) and called(node) in self._reads
        if isinstance(node, ast.Name):
            outside = node.id not in self._locals.get(self._scopes.get(node, _MODULE), ())
            return outside and self._holds(node, node.id)
        return isinstance(node, ast.Constant | ast.Attribute) and not _is_of_name(node) and self._asks(node)

    def _give(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for number, part in enumerate(target.elts):
                self._give(part, value.elts[number] if same else value)  # type: ignore[attr-defined]  # `same`
        elif self.of_answer(value):
            self._hold(target)

    def _hold(self, target: ast.AST) -> None:
        if isinstance(target, ast.Starred):
            self._hold(target.value)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._hold(part)
        elif isinstance(target, ast.Subscript):
            self._hold(target.value)
        elif isinstance(target, ast.Attribute):
            if isinstance(target.value, ast.Name) and target.value.id in (_SELF, "cls"):
                self._held.add((_SELF, target.attr))
        elif isinstance(target, ast.Name):
            scope = self._scopes.get(target, _MODULE)
            own = target.id in self._locals.get(scope, ())
            self._held.add((scope if own else _MODULE, target.id))

    def _loop(self, target: ast.AST, over: ast.AST) -> None:
        """Of `zip(answer, reference)` one target holds the answer; a count holds nothing."""
        name = called(over) if isinstance(over, ast.Call) else ""
        if isinstance(over, ast.Call) and isinstance(target, ast.Tuple):
            if name == "zip" and len(over.args) == len(target.elts):
                for part, argument in zip(target.elts, over.args, strict=True):
                    self._give(part, argument)
                return
            if name == "enumerate" and len(target.elts) == 2 and over.args:
                self._loop(target.elts[1], over.args[0])
                return
        if self.of_answer(over):
            self._hold(target)

    def _fill(self, node: ast.Call) -> None:
        fills = isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS
        if fills and any(map(self.of_answer, node.args)):
            self._hold(node.func.value)  # type: ignore[attr-defined]  # `fills`

    def _pass_on(self, node: ast.Call) -> None:
        """What is given to a function of the module is held by its parameters."""
        function = self.functions.get(called(node)) if _is_own(node) else None
        function = function or self._made_by.get(called(node))
        if function is None:
            return
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        names = names[1:] if names[:1] in ([_SELF], ["cls"]) else names
        for name, part in zip(names, node.args, strict=False):
            if self.of_answer(part):
                self._held.add((function.name, name))
        for keyword in node.keywords:
            if keyword.arg and self.of_answer(keyword.value):
                self._held.add((function.name, keyword.arg))

    def _scope_names(self) -> dict[ast.AST, str]:
        """The innermost function around each node; a function's own defaults are counted as inside."""
        found: dict[ast.AST, str] = {self.tree: _MODULE}
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            inside = node.name if isinstance(node, _Function) else found[node]
            for child in ast.iter_child_nodes(node):
                found[child] = inside
                stack.append(child)
        return found

    def _local_names(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for node, scope in self._scopes.items():
            if isinstance(node, ast.arg) or (
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and scope
            ):
                found.setdefault(scope, set()).add(node.arg if isinstance(node, ast.arg) else node.id)
        for node, scope in self._scopes.items():
            if isinstance(node, ast.Global | ast.Nonlocal):
                found.setdefault(scope, set()).difference_update(node.names)
        return found

    def _note_assigned(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                targets: list[ast.expr] = node.targets
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
                targets = [node.target]
            else:
                continue
            for target in targets:
                if isinstance(target, ast.Name) and node.value is not None:
                    key = self._scopes.get(target, _MODULE), target.id
                    self.assigned.setdefault(key, []).append(node.value)


def _sources_of(name: str, target: ast.AST, over: ast.AST) -> Iterator[ast.AST]:
    """What a loop's target of this name is taken from: of `zip` its own argument, of a count nothing."""
    pair = isinstance(target, ast.Tuple) and isinstance(over, ast.Call)
    made = called(over) if pair else ""  # type: ignore[arg-type]  # `pair`
    if made == "zip" and len(over.args) == len(target.elts):  # type: ignore[attr-defined]  # `pair`
        for part, argument in zip(target.elts, over.args, strict=True):  # type: ignore[attr-defined]  # the same
            yield from _sources_of(name, part, argument)
    elif made == "enumerate" and len(target.elts) == 2 and over.args:  # type: ignore[attr-defined]  # the same
        yield from _sources_of(name, target.elts[1], over.args[0])  # type: ignore[attr-defined]  # the same
    elif any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(target)):
        yield over


def _parts(node: ast.AST) -> list[ast.AST]:
    """What the value of an expression comes from: of a choice not its condition, of an item not its index."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return [node.elt]
    if isinstance(node, ast.DictComp):
        return [node.key, node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return [node.value] if isinstance(node, ast.Subscript) else list(ast.iter_child_nodes(node))


def _is_of_name(node: ast.AST) -> bool:
    """`value.strip`: what the name itself holds is asked of the name."""
    return isinstance(node, ast.Attribute) and not (
        isinstance(node.value, ast.Name) and node.value.id in (_SELF, "cls", "sys")
    )


def called(node: ast.Call) -> str:
    """The last part of what is called: `load` of `json.load`."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_own(node: ast.Call) -> bool:
    """A function of the module itself, not a method of something else that has its name."""
    func = node.func
    return isinstance(func, ast.Name) or (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == _SELF
    )
