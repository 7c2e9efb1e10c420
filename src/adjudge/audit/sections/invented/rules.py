"""What a verifier's source says of each field, but for the right value: bounds, members, lengths, patterns.

A field is named by the last key under which it is looked up (`counts`), an item of a list by `counts[]`, a
line or cell by its place (`#2`). Equality with a constant is left out: that is a reference, and whoever knows
it has not made the answer up. Pure; functions are read one by one, since their names mean different things.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.answers.embedded import embedded_trees

_MAX_SOURCE = 1 << 20
_MOST_FILES = 30
_SPLIT = "@"
"""The value of a name that holds the lines or the cells of a text."""
_KEPT = frozenset({"float", "int", "abs", "round", "str", "Decimal", "list", "sorted", "set", "enumerate"})
_SAME = frozenset({"strip", "lower", "upper", "replace", "group", "rstrip", "lstrip", "read", "values"})
_FAILS = re.compile(r"err|fail|problem|miss|bad|wrong|issue|reason|mismatch|violation|die|abort|exit", re.I)
_NAME = re.compile(r"[A-Za-z_]\w*[A-Za-z]\w*")
_OPS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MATCHES = frozenset({"search", "match", "fullmatch"})
_PARTS = frozenset({"split", "rsplit", "partition", "rpartition"})
_OPEN = re.compile(r"\\[dwsDWS]|(?<!\\)[\[.+*]|\{\d")
"""In a pattern that leaves something open; one that does not is a reference."""
_TYPES = ("str", "int", "float", "bool", "list", "dict")
_LENGTHS = ("==", *_TURNED)

Test = tuple[str, float]


class Rule(Struct):
    """What one field must be, as far as it says nothing of what is right."""

    tests: list[Test] = field(default_factory=list)
    lengths: list[Test] = field(default_factory=list)
    choices: list[Any] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    start: str = ""
    patterns: list[str] = field(default_factory=list)


class Rules(Struct):
    """The rules of all fields, and the names that must be there."""

    fields: dict[str, Rule] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)

    def of(self, *names: str) -> Rule:
        """The rule of the first of these names that has one; an empty one for none."""
        return next((self.fields[name] for name in names if name in self.fields), Rule())

    def patterns(self, *names: str) -> list[str]:
        """All patterns that a field of these names must fit."""
        held = [self.fields[name].patterns for name in names if name in self.fields]
        return list(dict.fromkeys(text for texts in held for text in texts))

    def at(self, name: str) -> Rule:
        """The rule of a name, to add to."""
        return self.fields.setdefault(name, Rule())


def python_trees(tests: Path) -> list[ast.Module]:
    """The Python of a verifier, also what stands inside of its shell scripts."""
    trees = [tree for _, tree in embedded_trees(tests)]
    for path in sorted(tests.rglob("*.py"))[:_MOST_FILES]:
        if path.is_symlink() or path.name == "adjudge_kit.py" or path.stat().st_size > _MAX_SOURCE:
            continue
        try:
            trees.append(parse_python(path.read_bytes()))
        except (*NO_PYTHON, OSError):
            continue
    return trees


def read_rules(tests: Path) -> Rules:
    """All that the Python below a folder says; nothing if there is none."""
    rules = Rules()
    for tree in python_trees(tests):
        outer = _Reader(rules, {}, {})
        outer.body([node for node in tree.body if not _is_function(node)])
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                _Reader(rules, dict(outer.names), dict(outer.constants)).body(node.body)
    return rules


def satisfies(value: float, tests: list[Test]) -> int:
    """How many of these tests a number passes."""
    return sum(
        {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}.get(
            op, value == bound
        )
        for op, bound in tests
    )


def numbers_within(tests: list[Test], first: list[float], *, whole: bool) -> list[float]:
    """Numbers that pass as many of the tests as any do: those of `first` before others, all plain ones."""
    bounds = sorted({bound for _, bound in tests})
    near = [(one + two) / 2 for one, two in pairwise(bounds)]
    near += [bound + step for bound in bounds for step in (0, 1, -1, 5, 0.05, -0.05, 0.01, -0.01)]
    pool = [*first, 1, 2, 3, 0.5, 5, 10, 50, 100, *(value for value in near if value > 0), 0, *near]
    pool = [float(round(value, 6)) for value in pool if not whole or float(value).is_integer()]
    most = max((satisfies(value, tests) for value in pool), default=0)
    return [value for value in dict.fromkeys(pool) if satisfies(value, tests) == most]


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


class _Reader:
    """Reads statements in their order: which name holds which field, and what is asked of it."""

    def __init__(self, rules: Rules, names: dict[str, list[str]], constants: dict[str, list[Any]]) -> None:
        self.rules = rules
        self.names = names
        self.constants = constants

    def body(self, nodes: list[ast.stmt]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._expression(node.value)
            self._bind(targets[0], node.value)
        elif isinstance(node, ast.Assert):
            self._condition(node.test, True)
        elif isinstance(node, ast.If):
            self._condition(node.test, not _refuses(node.body))
            self.body([*node.body, *node.orelse])
        elif isinstance(node, ast.For):
            self._loop(node.target, node.iter)
            self.body([*node.body, *node.orelse])
        elif isinstance(node, ast.Return | ast.Expr) and node.value is not None:
            self._expression(node.value)
        elif isinstance(node, ast.With | ast.Try | ast.While):
            self.body(node.body)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._bind(one, other)
        if not isinstance(target, ast.Name):
            return
        self.names[target.id] = self._fields(value)
        literal = _literals(value)
        if isinstance(value, ast.Call) and _called(value) == "compile" and value.args:
            literal = _literals(ast.List([value.args[0]], ast.Load()))
        if literal is not None:
            self.constants[target.id] = literal

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        """What a loop's names hold: an item of a field, or each of some literals."""
        inner = over.args if isinstance(over, ast.Call) and _called(over) in ("enumerate", "zip") else [over]
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        if isinstance(over, ast.Call) and _called(over) in ("enumerate", "items"):
            parts = parts[1:]
        for part, source in zip(parts, inner, strict=False):
            if isinstance(part, ast.Name):
                known = self._constants(source)
                self.constants.pop(part.id, None)
                if known is not None:
                    self.constants[part.id] = known
                self.names[part.id] = [
                    name if name == _SPLIT else f"{name}[]" for name in self._fields(source)
                ]

    def _expression(self, node: ast.expr) -> None:
        """Conditions inside of an expression: `return 0 <= x <= 1`, `all(isinstance(x, str) for x in y)`."""
        if isinstance(node, ast.Compare | ast.BoolOp | ast.Call | ast.UnaryOp):
            self._condition(node, True)

    def _condition(self, node: ast.expr, holds: bool) -> None:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._condition(node.operand, not holds)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._condition(value, holds)
        elif isinstance(node, ast.Compare):
            self._compare(node, holds)
        elif isinstance(node, ast.Call):
            self._call(node, holds)

    def _call(self, node: ast.Call, holds: bool) -> None:
        name = _called(node)
        if name not in ("all", "any", "append", "isinstance", "startswith"):
            for arg in node.args:
                self._expression(arg)
        if name in ("all", "any", "sum", "append") and node.args:
            inner = node.args[0]
            if isinstance(inner, ast.GeneratorExp | ast.ListComp):
                for part in inner.generators:
                    self._loop(part.target, part.iter)
                self._condition(inner.elt, holds)
            elif isinstance(inner, ast.List | ast.Tuple):
                for value in inner.elts:
                    self._condition(value, holds)
        elif name == "isinstance" and len(node.args) == 2 and holds:
            kinds = [part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)]
            for known in self._fields(node.args[0]):
                self.rules.at(known).types += [kind for kind in kinds if kind in _TYPES]
        elif holds:
            self._of_text(node)

    def _of_text(self, node: ast.Call) -> None:
        """What a text must begin with, and the pattern that it must fit."""
        if _called(node) in _MATCHES:
            self._matched(node)
        elif _called(node) == "startswith" and isinstance(node.func, ast.Attribute) and node.args:
            text = node.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                for known in self._fields(node.func.value):
                    self.rules.at(known).start = text.value

    def _matched(self, node: ast.Call) -> None:
        """`re.match(r"\\d+", x)`, or the same with a pattern that was compiled before."""
        pattern, given = (node.args[0], node.args[1]) if len(node.args) > 1 else (None, None)
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            pattern, given = node.func.value, node.args[0]
        if pattern is None or given is None:
            return
        texts = self._constants(pattern) or ([pattern.value] if isinstance(pattern, ast.Constant) else [])
        for known in self._fields(given):
            for text in texts:
                if known != _SPLIT and isinstance(text, str) and _OPEN.search(text):
                    self.rules.at(known).patterns.append(text)

    def _compare(self, node: ast.Compare, holds: bool) -> None:
        sides = [node.left, *node.comparators]
        for one, op, other in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                self._member(one, other, holds == isinstance(op, ast.In))
                continue
            sign = _OPS.get(type(op), "==" if isinstance(op, ast.Eq) else "!=")
            for left, right, turned in ((one, other, sign), (other, one, _TURNED.get(sign, sign))):
                bound = _number(right)
                if bound is None:
                    bound = next(iter(self._constants(right) or []), None) if sign in _OPS.values() else None
                if not isinstance(bound, int | float) or isinstance(bound, bool):
                    continue
                self._bounded(left, turned if holds else _NOT[turned], float(bound))

    def _bounded(self, node: ast.expr, op: str, bound: float) -> None:
        if isinstance(node, ast.Call) and _called(node) == "len" and node.args:
            for known in self._fields(node.args[0]):
                if op in _LENGTHS and known != _SPLIT:
                    self.rules.at(known).lengths.append((op, bound))
        elif op in _TURNED:
            for known in self._fields(node):
                self.rules.at(known).tests.append((op, bound))

    def _member(self, one: ast.expr, other: ast.expr, holds: bool) -> None:
        """`x in {"a", "b"}` are choices; `"name" in data` asks for a name."""
        if not holds:
            return
        choices = self._constants(other)
        if choices is not None:
            for known in self._fields(one):
                self.rules.at(known).choices += [c for c in choices if c not in self.rules.at(known).choices]
            return
        for name in self._constants(one) or ([one.value] if isinstance(one, ast.Constant) else []):
            if isinstance(name, str) and _NAME.fullmatch(name):
                self.rules.required[name] = None

    def _constants(self, node: ast.expr) -> list[Any] | None:
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        return _literals(node)

    def _fields(self, node: ast.expr) -> list[str]:
        """The fields whose value an expression is; [] if it is of none."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, [])
        if isinstance(node, ast.Subscript):
            return self._behind_name(node.value) or self._looked_up(node.value, node.slice)
        return self._from_call(node) if isinstance(node, ast.Call) else []

    def _from_call(self, node: ast.Call) -> list[str]:
        name = _called(node)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "get" and node.args and owner is not None:
            return self._looked_up(owner, node.args[0])
        if name in ("split", "splitlines"):
            return [_SPLIT]
        if name in ("search", "match", "fullmatch") and len(node.args) > 1:
            given = self._fields(node.args[1])
            return given if given not in ([], [_SPLIT]) else _label(node.args[0])
        if name in _KEPT and node.args:
            return self._fields(node.args[0])
        return self._fields(owner) if name in _SAME and owner is not None else []

    def _behind_name(self, node: ast.expr) -> list[str]:
        """The line that `line.split("RATE: ")[1]` is of, by its place and by the name; [] for cells."""
        if not (isinstance(node, ast.Call) and _called(node) in _PARTS and node.args):
            return []
        mark = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
        held = self._fields(node.func.value) if isinstance(node.func, ast.Attribute) else []
        if held in ([], [_SPLIT]) or not isinstance(mark, str) or not re.search("[:=]", mark):
            return []
        return [*_NAME.findall(mark), *held]

    def _looked_up(self, owner: ast.expr, key: ast.expr) -> list[str]:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return [key.value]
        if isinstance(key, ast.Constant) and isinstance(key.value, int):
            held = self._fields(owner)
            return [f"#{key.value}"] if _SPLIT in held else [f"{name}[]" for name in held]
        named = self._constants(key)
        return [name for name in named or [] if isinstance(name, str)]


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _number(node: ast.expr) -> float | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    plain = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return sign * float(node.value) if plain and not isinstance(node.value, bool) else None  # type: ignore[attr-defined]


def _literals(node: ast.expr) -> list[Any] | None:
    """The members of a display of constants, or one number; None for anything else."""
    if isinstance(node, ast.Call) and _called(node) in ("set", "frozenset", "tuple", "list") and node.args:
        node = node.args[0]
    if (number := _number(node)) is not None:
        return [number]
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", None)
    if not parts or not all(isinstance(part, ast.Constant) for part in parts):
        return None
    return [part.value for part in parts if isinstance(part, ast.Constant)]


def _label(node: ast.expr) -> list[str]:
    """The name that a pattern finds a value by: the longest in it."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    names = _NAME.findall(re.sub(r"\\[A-Za-z]", " ", text))
    return [max(names, key=len)] if names else []


def _says_no(node: ast.Call) -> bool:
    """Is it `end(0, ...)`: a function that is given nothing as the reward?"""
    first = node.args[0] if node.args and isinstance(node.func, ast.Name) else None
    return isinstance(first, ast.Constant) and first.value in (0, False) and not isinstance(first.value, str)


def _refuses(body: list[ast.stmt]) -> bool:
    """Does this branch refuse an answer: raise, fail, return nothing, note an error?"""
    for node in body:
        for part in ast.walk(node):
            if isinstance(part, ast.Raise | ast.Continue):
                return True
            if isinstance(part, ast.Call) and (_FAILS.search(ast.unparse(part.func)) or _says_no(part)):
                return True
            if isinstance(part, ast.Return | ast.Assign) and isinstance(part.value, ast.Constant):
                if part.value.value in (False, 0, None):
                    return True
            elif isinstance(part, ast.Return | ast.Assign) and isinstance(part.value, ast.Tuple):
                first = part.value.elts[:1]
                if first and isinstance(first[0], ast.Constant) and first[0].value in (False, 0):
                    return True
    return False
