"""What a verifier compares an answer with, seen in runs of it on answers of marks that nothing else holds.

A reference may be computed anywhere, from anything. But somewhere it meets the answer: in a difference, a
quotient, a comparison. So a copy of the verifier's Python notes what meets what there, and is run on an
answer in which every value is a mark of its own; what met a mark is the reference of that field. A verifier
that stops at the first wrong value shows one field per run, so what is known is put in and the next run
follows. Nothing is changed in what the verifier does, and the copy runs in the sandbox like the verifier.
"""

from __future__ import annotations

import ast
import json
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.embedded import with_other_python
from adjudge.audit.documents import Path as Place
from adjudge.audit.documents import in_format, replaced
from adjudge.audit.probes import Bench, Conditions, Probe, only_answer
from adjudge.sandbox import frozen_tests

_FILE = "adjudge-compared.jsonl"
_MAX_SOURCE = 1 << 20
_MOST_RUNS = 14
_MOST_FIELDS = 60
_STEP = 1.05
"""Marks are so far apart that a rounded one is still told from its neighbours."""
_EXACT, _ROUNDED = 1e-9, 0.004
_CLOSE = re.compile(r"(?:^|_)(?:is)?(?:close|allclose|almost_?equal|equal|near|within|match\w*)$", re.I)
_OPS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_MET = ("-", "close", "==", "!=", "between", "in", "not in", "/")
"""Where a reference meets an answer, the surest first. A bound (`<`) tells little, and is not asked."""
_COUNTING = ("_adjudge_note", "abs", "float", "int", "len", "max", "min", "round")
_NOTES = r"""
def _adjudge_met(op, a, b, c=None, notes=[0]):
    def plain(x, deep=0):
        x = getattr(x, "expected", x)
        if x is None or isinstance(x, (bool, str)):
            return x[:200] if isinstance(x, str) else x
        if isinstance(x, (list, tuple, set, frozenset)) and deep < 1 and len(x) <= 40:
            return [plain(y, 1) for y in x]
        return float(x) if not isinstance(x, int) else x
    if notes[0] < 3000:
        notes[0] += 1
        try:
            line = __import__("json").dumps([op, plain(a), plain(b), plain(c)])
            with open("FILE", "a") as file:
                file.write(line + "\n")
        except Exception:
            pass

def _adjudge_note(op, a, b):
    _adjudge_met(op, a, b)
    if op == "-":
        return a - b
    if op == "/":
        return a / b
    if op == "==":
        return a == b
    if op == "!=":
        return a != b
    if op == "<":
        return a < b
    if op == "<=":
        return a <= b
    if op == ">":
        return a > b
    if op == ">=":
        return a >= b
    return a in b if op == "in" else a not in b

def _adjudge_two(a, b):
    _adjudge_met("close", a, b)
    return a, b

def _adjudge_middle(low, x, high):
    _adjudge_met("between", x, low, high)
    return x
"""


class _Met(Struct, frozen=True):
    """One value beside another, and how they met."""

    op: str
    one: Any
    other: Any


def compared(bench: Bench, start: Any, name: str, keep_sec: float = 0.0) -> Any | None:
    """The answer of this shape that holds what each of its values was compared with; None if nothing was.

    A value None may be of any type; a text that is not empty is kept as it is. No run is begun once less than
    `keep_sec` of the audit's time is left.
    """
    tests = _noting_copy(bench)
    paths = [path for path, _ in _open_places(start)][:_MOST_FIELDS]
    if tests is None or not paths:
        return None
    known: dict[Place, Any] = {}
    marks = [_numbers, _wholes, _texts]
    for number in range(_MOST_RUNS):
        if not marks or bench.budget.until_the_end() < keep_sec:
            break
        given = {path: marks[0](place) for place, path in enumerate(paths) if path not in known}
        value = replaced(start, [*given.items(), *known.items()])
        data = in_format(value, bench.task.output.format)
        conditions = Conditions(tests=tests)
        probe = Probe(
            f"answer/{name}-{number}", "an answer of marks", only_answer(bench.task, data), conditions
        )
        [seen] = bench.run([probe])
        found = _met_marks(list(_read(seen.artifacts.get(_FILE, b""))), given)
        if not found:
            marks.pop(0)
        known |= found
        if len(known) == len(paths):
            break
    if not known:
        return None
    return replaced(start, [(path, known.get(path, _filler(start, path))) for path in paths])


def _numbers(place: int) -> float:
    return float(f"{3.1417 * _STEP**place:.5g}")


def _wholes(place: int) -> int:
    return round(1009 * _STEP**place)


def _texts(place: int) -> str:
    return f"qvx{chr(97 + place // 26)}{chr(97 + place % 26)}w"


def _open_places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every leaf of a shape, those of unknown type (None) too. A text that says something is kept."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _open_places(child, (*path, key))
    elif isinstance(value, list):
        for place, child in enumerate(value):
            yield from _open_places(child, (*path, place))
    elif not (isinstance(value, str) and value):
        yield path, value


def _filler(start: Any, path: Place) -> Any:
    for step in path:
        start = start[step]
    return 0.0 if start is None else start


def _met_marks(met: list[_Met], given: dict[Place, Any]) -> dict[Place, Any]:
    """What each mark met, by its field."""
    found: dict[Place, Any] = {}
    marks = list(given.values())
    for alike in (_EXACT, _ROUNDED):
        for op in _MET:
            for one in (pair for pair in met if pair.op == op):
                for path, mark in given.items():
                    if path not in found and _is_mark(one.one, mark, alike):
                        reference = _reference(one.other)
                        if reference is not None and not any(_is_mark(reference, m, alike) for m in marks):
                            whole = isinstance(mark, int) and isinstance(reference, float)
                            found[path] = round(reference) if whole else reference
    return found


def _is_mark(value: Any, mark: Any, alike: float) -> bool:
    if isinstance(mark, str):
        return isinstance(value, str) and re.sub(r"\W", "", value).lower() == mark
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, str):
        return value.strip() == str(mark)
    return number and math.isclose(value, mark, rel_tol=alike)


def _reference(value: Any) -> Any:
    """A number or a text; of several that would do the first."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, int | float | str)), None)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | str) and value != "" else None


def _read(notes: bytes) -> Iterator[_Met]:
    """Both ways round: the answer may stand on either side."""
    for line in notes.decode("utf-8", "replace").splitlines():
        try:
            op, a, b, c = json.loads(line)
        except ValueError:
            continue
        if op == "between":
            if isinstance(b, int | float) and isinstance(c, int | float):
                yield _Met(op, a, (b + c) / 2)
            continue
        yield _Met(op, a, b)
        if op not in ("/",) and not isinstance(a, list):
            yield _Met(op, b, a)


def _noting_copy(bench: Bench) -> Path | None:
    """A copy of the tests whose Python notes what it compares; None if there is no Python in them."""
    copy = bench.scratch / "noting"
    if copy.exists():
        return copy
    with frozen_tests(bench.task) as tests:
        shutil.copytree(tests, copy, symlinks=True)
    notes = ast.parse(
        _NOTES.replace("FILE", f"{bench.task.verifier.reward_path.rpartition('/')[0]}/{_FILE}")
    ).body
    changed = False
    for path in sorted(copy.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_SOURCE:
            continue
        if path.suffix not in (".py", ".sh"):
            continue
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        noting = (
            _noting(text, notes)
            if path.suffix == ".py"
            else with_other_python(text, lambda source: _noting(source, notes))
        )
        if noting is not None and noting != text:
            path.chmod(0o755)
            path.write_bytes(noting.encode("utf-8", "surrogateescape"))
            changed = True
    return copy if changed else None


def _noting(source: str, notes: list[ast.stmt]) -> str | None:
    """The same program, noting what it compares; None if it cannot be parsed."""
    try:
        tree = ast.parse(source)
        body = _Noting().visit(tree).body
        first = 0
        for number, node in enumerate(body):
            docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                first = number + 1
        tree.body = [*body[:first], *notes, *body[first:]]
        return ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError):
        return None


class _Noting(ast.NodeTransformer):
    """Puts a call around each difference, quotient and comparison."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        op = {ast.Sub: "-", ast.Div: "/"}.get(type(node.op))
        return node if op is None else _call("_adjudge_note", ast.Constant(op), node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        ops = [_OPS.get(type(op)) for op in node.ops]
        if len(ops) == 1 and ops[0] is not None:
            return _call("_adjudge_note", ast.Constant(ops[0]), node.left, node.comparators[0])
        if len(ops) == 2 and all(op in ("<", "<=") for op in ops) and _is_pure(node):
            middle = _call("_adjudge_middle", node.left, *node.comparators)
            return ast.Compare(node.left, node.ops, [middle, node.comparators[1]])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        plain = len(node.args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in node.args)
        if plain and _CLOSE.search(name):
            two = ast.Starred(_call("_adjudge_two", *node.args[:2]), ast.Load())
            return ast.Call(node.func, [two, *node.args[2:]], node.keywords)
        return node


def _is_pure(node: ast.Compare) -> bool:
    """Nothing in it does anything but count, so that it may be worked out twice."""
    return not any(
        isinstance(part, ast.NamedExpr | ast.Await | ast.Yield)
        or (isinstance(part, ast.Call) and getattr(part.func, "id", "") not in _COUNTING)
        for part in ast.walk(node)
    )


def _call(name: str, *parts: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(parts), [])
