"""One piece of a verifier's Python, with what its rules ask again and again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import Flow, called
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_LONGEST = 160
_SCORE = re.compile(r"score|reward|credit|points?|mark|earned|total|hits|correct|passed|ok|good|right", re.I)
_FAILS = re.compile(r"err|fail|problem|miss|bad|wrong|issue|reason|mismatch|violation", re.I)
_TEXT_METHODS = frozenset(
    {"lower", "upper", "casefold", "strip", "lstrip", "rstrip", "replace", "read", "read_text", "decode"}
    | {"join", "title", "format", "expandtabs", "removeprefix", "removesuffix"}
)


class Module:
    """A parsed file, the answer's way through it, and the words of the task."""

    def __init__(
        self, file: str, tree: ast.Module, flow: Flow, instruction: str, suffix: str, offset: int = 0
    ) -> None:
        self.file = file
        self.tree = tree
        self.flow = flow
        self.instruction = instruction
        self.suffix = suffix
        self.offset = offset
        self.nodes = list(ast.walk(tree))
        self.text = ast.unparse(tree)

    def remark(
        self, node: ast.AST, cause: Cause, title: str, advice: str, severity: Severity = Severity.MEDIUM
    ) -> Remark:
        """A remark on the line of this node."""
        code = " ".join(ast.unparse(node).split())
        code = code if len(code) <= _LONGEST else f"{code[: _LONGEST - 1]}…"
        line = getattr(node, "lineno", 1) + self.offset
        return Remark(cause, severity, self.file, line, code, title, advice)

    def of_answer(self, node: ast.AST | None) -> bool:
        """Does it hold anything of the answer?"""
        return self.flow.of_answer(node)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Every call of a function or method of one of these names."""
        return (n for n in self.nodes if isinstance(n, ast.Call) and called(n) in names)

    def comparisons(self) -> Iterator[tuple[ast.Compare, ast.expr, ast.cmpop, ast.expr]]:
        """Every comparison of two sides."""
        for node in self.nodes:
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                yield node, node.left, node.ops[0], node.comparators[0]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What stands around a node, inside its function, the nearest first."""
        here = self.flow.parents.get(node)
        while here is not None and not isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            yield here
            here = self.flow.parents.get(here)

    def speaks(self, pattern: str) -> bool:
        """Does the source anywhere speak of this?"""
        return re.search(pattern, self.text, re.I) is not None

    def told(self, pattern: str) -> bool:
        """Does the task's instruction speak of this?"""
        return re.search(pattern, self.instruction, re.I) is not None

    def is_text(self, node: ast.expr, deep: int = 0) -> bool:
        """Is it certainly a text: a literal, or what a method of texts gives?"""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.JoinedStr):
            return True
        if isinstance(node, ast.Call):
            name = called(node)
            if name in self.flow.functions and isinstance(node.func, ast.Name) and deep < 2:
                returned = [
                    n.value
                    for n in ast.walk(self.flow.functions[name])
                    if isinstance(n, ast.Return) and n.value is not None
                ]
                return bool(returned) and all(self.is_text(value, deep + 1) for value in returned)
            return name in _TEXT_METHODS or name == "str" or ast.unparse(node.func) == "re.sub"
        if isinstance(node, ast.Name) and deep < 2:
            values = list(self.flow.values(node))
            return bool(values) and all(self.is_text(value, deep + 1) for value in values)
        return False

    def lengths_checked(self, node: ast.AST) -> bool:
        """Is the number of things in the answer looked at, or whether there are any, in this function?"""
        scope = self.flow.scope(node)
        for part in ast.walk(scope):
            tested: list[ast.AST] = []
            if isinstance(part, ast.Compare):
                tested = [part.left, *part.comparators]
                if any(isinstance(s, ast.Call) and called(s) == "len" and self.of_answer(s) for s in tested):
                    return True
                kinds = (ast.Eq, ast.NotEq)
                if isinstance(part.ops[0], kinds) and any(_is_empty(s) for s in tested):
                    return True
                if isinstance(part.ops[0], kinds) and any(_is_whole(s) and self.of_answer(s) for s in tested):
                    return True
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
                tested = [part.operand]
            elif isinstance(part, ast.If | ast.IfExp | ast.While | ast.Assert):
                tested = [part.test]
            elif isinstance(part, ast.BoolOp):
                tested = list(part.values)
            for one in tested:
                if isinstance(one, ast.Name | ast.Call) and self.of_answer(one):
                    return True
        return False


def _is_empty(node: ast.AST) -> bool:
    return isinstance(node, ast.List | ast.Dict) and not ast.unparse(node).strip("[]{}")


def _is_whole(node: ast.AST) -> bool:
    """Sets, sorted lists and key views: whoever compares them has compared how many there are."""
    return isinstance(node, ast.Call) and called(node) in ("set", "sorted", "Counter", "keys", "frozenset")


def is_score(name: str) -> bool:
    """Does this name speak of credit?"""
    return _SCORE.search(name) is not None


def is_failure(name: str) -> bool:
    """Does this name speak of what is wrong?"""
    return _FAILS.search(name) is not None


def fails(body: list[ast.stmt]) -> bool:
    """Does this end in failure: a false result, a complaint, an end of the program?"""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Return) and _is_nothing(node.value):
                return True
            if isinstance(node, ast.Assign) and _is_nothing(node.value):
                return True
            if isinstance(node, ast.Raise):
                return True
            if isinstance(node, ast.Call):
                name = called(node)
                owner = ast.unparse(node.func)
                if is_failure(owner) or name in ("exit", "die", "abort", "_exit"):
                    return True
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                if is_failure(node.target.id) or isinstance(node.op, ast.Sub):
                    return True
    return False


def pays(body: list[ast.stmt]) -> bool:
    """Does this add to a score, or say that something is right?"""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                if is_score(ast.unparse(node.target)):
                    return True
            if isinstance(node, ast.Assign) and is_reward(node.value):
                if any(is_score(ast.unparse(target)) for target in node.targets):
                    return True
            if isinstance(node, ast.Return) and is_reward(node.value):
                return True
    return False


def is_reward(node: ast.AST | None) -> bool:
    """True, or a number above a third."""
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    return value is True or (isinstance(value, int | float) and value is not False and value > 1 / 3)


def _is_nothing(node: ast.AST | None) -> bool:
    if isinstance(node, ast.Tuple) and node.elts:
        node = node.elts[0]
    return isinstance(node, ast.Constant) and (node.value is False or node.value in (0, 0.0))
