"""One piece of a verifier's Python, with what its rules ask again and again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import Flow, called
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_LONGEST = 160
_SCORE = re.compile(r"score|reward|credit|points?|mark|earned|total|hits|correct|passed|ok|good|right", re.I)
_FAILS = re.compile(r"err|fail|problem|miss|bad|wrong|issue|reason|mismatch|violation", re.I)
_ENDS = ("exit", "die", "abort", "_exit")
_TEXT_METHODS = frozenset(
    {"lower", "upper", "casefold", "strip", "lstrip", "rstrip", "replace", "read", "read_text", "decode"}
    | {"join", "title", "format", "expandtabs", "removeprefix", "removesuffix", "str"}
)
_COLLECTED = ("set", "sorted", "Counter", "keys", "frozenset")
BOTH_WAYS = (
    r"precision|recall|\bf1\b|f_1|f_score|f-score|jaccard|dice|\biou\b|union|extra|spurious|false_pos|\bfp\b"
    r"|unexpected|superfluous|penalt|symmetric_difference|\^ *set|unknown|invent"
)
"""A source that speaks of these counts what is given and not right."""


class Module:
    """A parsed file, the answer's way through it, and the words of the task."""

    def __init__(
        self, file: str, tree: ast.Module, flow: Flow, instruction: str, suffix: str, offset: int = 0
    ) -> None:
        self.file = file
        self.flow = flow
        self.tree = tree
        self.instruction = instruction
        self.suffix = suffix
        self.offset = offset
        self.generators: frozenset[str] = generators_of(tree)
        """The functions that yield, also those of the verifier's other modules."""
        self.nodes = list(ast.walk(tree))
        self.text = ast.unparse(tree)

    def remark(
        self,
        node: ast.AST,
        cause: Cause,
        title: str,
        advice: str,
        severity: Severity = Severity.MEDIUM,
        *,
        certain: bool = False,
    ) -> Remark:
        """A remark on the line of this node."""
        code = " ".join(ast.unparse(node).split())
        code = code if len(code) <= _LONGEST else f"{code[: _LONGEST - 1]}…"
        line = getattr(node, "lineno", 1) + self.offset
        return Remark(cause, severity, self.file, line, code, title, advice, certain)

    def slip(self, node: ast.AST, cause: Cause, title: str, advice: str) -> Remark:
        """A remark on what nobody can have meant, so that it holds whatever probes show."""
        return self.remark(node, cause, title, advice, certain=True)

    def of_answer(self, node: ast.AST | None) -> bool:
        """Does it hold anything of the answer?"""
        return self.flow.of_answer(node)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Every call of a function or method of one of these names."""
        return (n for n in self.nodes if isinstance(n, ast.Call) and called(n) in names)

    def quotients(self) -> Iterator[ast.BinOp]:
        """Every division."""
        return (n for n in self.nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div))

    def comparisons(self) -> Iterator[tuple[ast.Compare, ast.expr, ast.cmpop, ast.expr]]:
        """Every comparison of two sides."""
        for node in self.nodes:
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                yield node, node.left, node.ops[0], node.comparators[0]

    def equalities(self) -> Iterator[tuple[ast.Compare, ast.expr, ast.expr]]:
        """Every `==` and `!=`, both ways round."""
        for node, left, op, right in self.comparisons():
            if isinstance(op, ast.Eq | ast.NotEq):
                yield node, left, right
                yield node, right, left

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
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            name = called(node)
            if name not in self.flow.functions or not isinstance(node.func, ast.Name):
                return name in _TEXT_METHODS or ast.unparse(node.func) == "re.sub"
            found = ast.walk(self.flow.functions[name])
            values = [n.value for n in found if isinstance(n, ast.Return) and n.value is not None]
        elif isinstance(node, ast.Name):
            values = list(self.flow.values(node))
        told = deep < 2 and bool(values) and all(self.is_text(value, deep + 1) for value in values)
        return told or isinstance(node, ast.JoinedStr)

    def lengths_checked(self, node: ast.AST) -> bool:
        """Is the number of things in the answer looked at, or whether there are any, in this function?"""
        return any(self.asks_how_many(part) for part in ast.walk(self.flow.scope(node)))

    def asks_how_many(self, node: ast.AST) -> bool:
        """Is this a question for the number of things in the answer, or whether there are any?"""
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            equal = isinstance(node.ops[0], ast.Eq | ast.NotEq)
            return any(
                (_is_call(side, "len") and self.of_answer(side))
                or (equal and (_is_empty(side) or (_is_call(side, *_COLLECTED) and self.of_answer(side))))
                for side in sides
            )
        tested: Sequence[ast.AST] = ()
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            tested = [node.operand]
        elif isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            tested = [node.test]
        elif isinstance(node, ast.BoolOp):
            tested = node.values
        return any(isinstance(one, ast.Name | ast.Call) and self.of_answer(one) for one in tested)


def generators_of(tree: ast.Module) -> frozenset[str]:
    """The names of the functions that yield, and that no decorator turns into something else."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(
        function.name
        for function in functions
        if not function.decorator_list
        and any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function))
    )


def _is_call(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and called(node) in names


def _is_empty(node: ast.AST) -> bool:
    return isinstance(node, ast.List | ast.Dict) and not ast.unparse(node).strip("[]{}")


def is_score(name: str) -> bool:
    """Does this name speak of credit?"""
    return _SCORE.search(name) is not None


def complains(module: Module, node: ast.AST) -> bool:
    """Is this the test of a branch that ends in failure, or denied by a `not`?"""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.If) and inside is around.test:
            return fails(around.body)
        if isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            return True
        inside = around
    return False


def fails(body: Sequence[ast.stmt]) -> bool:
    """Does this end in failure: a false result, a complaint, an end of the program?"""
    return any(_is_failure(node) for statement in body for node in ast.walk(statement))


def _is_failure(node: ast.AST) -> bool:
    if isinstance(node, ast.Return | ast.Assign):
        return _is_nothing(node.value)
    if isinstance(node, ast.Call):
        return _FAILS.search(ast.unparse(node.func)) is not None or called(node) in _ENDS
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Sub) or _FAILS.search(ast.unparse(node.target)) is not None
    return isinstance(node, ast.Raise)


def pays(body: Sequence[ast.stmt]) -> bool:
    """Does this add to a score, or say that something is right?"""
    return any(is_payment(node) for statement in body for node in ast.walk(statement))


def is_payment(node: ast.AST) -> bool:
    """A score that is raised or set, or a result that is right."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add) and is_score(ast.unparse(node.target))
    if isinstance(node, ast.Assign):
        return is_reward(node.value) and any(is_score(ast.unparse(target)) for target in node.targets)
    return isinstance(node, ast.Return) and is_reward(node.value)


def is_reward(node: ast.AST | None) -> bool:
    """True, or a number above a third; of several values the first."""
    if isinstance(node, ast.Tuple) and node.elts:
        node = node.elts[0]
    value = node.value if isinstance(node, ast.Constant) else None
    return value is True or (isinstance(value, int | float) and value > 1 / 3)


def _is_nothing(node: ast.AST | None) -> bool:
    if isinstance(node, ast.Tuple) and node.elts:
        node = node.elts[0]
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, bool | int | float) and not value
