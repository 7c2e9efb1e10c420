"""A copy of a verifier whose Python notes what meets a mark: in differences, comparisons, calls, look-ups.

Nothing else is changed in what the verifier does, and the copy runs in the sandbox like the verifier. A note
is kept only if a mark (`marks.py`) is on one of its sides, so that a reference that takes thousands of
comparisons to compute leaves room for the few that count.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.answers.embedded import with_other_python
from adjudge.audit.probes import Bench
from adjudge.sandbox import frozen_tests

NOTED = "adjudge-compared.jsonl"
WATCHED = "ADJUDGE_WATCHED"
"""A variable of the environment: numbers that are noted besides the marks."""
_MAX_SOURCE = 1 << 20
_CLOSE = re.compile(
    r"(?:^|_|assert)(?:is)?(?:close|allclose|almost_?equals?|(?:list|dict|set|count|tuple|array)?_?equals?|in|near"
    r"|within|dist|hypot|zip|match\w*)$",
    re.I,
)
_SETS = frozenset({"intersection", "union", "difference", "symmetric_difference", "issubset", "issuperset"})
_TEXTS = frozenset({"startswith", "endswith", "__eq__"})
_MAGNITUDES = frozenset({"abs", "fabs", "absolute"})
_PATTERNS = frozenset({"match", "fullmatch", "search"})
_BINARY: dict[type[ast.operator], str] = {ast.Sub: "-", ast.Div: "/", ast.BitAnd: "&", ast.BitXor: "^"}
_OPS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_COUNTING = ("_adjudge_note", "_adjudge_get", "abs", "float", "int", "len", "max", "min", "round")
_NOTES = r"""
def _adjudge_plain(x, deep=0):
    x = getattr(x, "expected", x)
    if x is None or isinstance(x, (bool, int)):
        return x
    if isinstance(x, str):
        return x[:200]
    if isinstance(x, complex):
        return [x.real, x.imag]
    if isinstance(x, (set, frozenset)):
        x = sorted(x, key=repr)
    if deep < 3 and isinstance(x, (list, tuple)) and len(x) <= 60:
        return [_adjudge_plain(y, deep + 1) for y in x]
    if deep < 3 and isinstance(x, dict) and len(x) <= 60:
        return {str(k): _adjudge_plain(v, deep + 1) for k, v in x.items()}
    if hasattr(x, "isoformat"):
        return x.isoformat()
    if hasattr(x, "tolist"):
        return _adjudge_plain(x.tolist(), deep)
    try:
        return float(x)
    except (TypeError, ValueError):
        return _adjudge_plain(vars(x), deep) if deep < 2 else None

def _adjudge_watched(x, watched=[]):
    if not watched:
        watched.append(__import__("json").loads(__import__("os").environ.get("ADJUDGE_WATCHED", "[]")))
    return any(abs(x - y) <= 1e-9 * abs(y) for y in watched[0])

def _adjudge_marked(x):
    if isinstance(x, dict):
        return any(map(_adjudge_marked, [*x, *x.values()]))
    if isinstance(x, list):
        return any(map(_adjudge_marked, x))
    if isinstance(x, str):
        words = r"(?i)qvx[a-z]{2}w|^210[45]-\d\d-\d\d|^\d\d:\d\d"
        if __import__("re").search(words, x):
            return True
        try:
            x = float(x)
        except ValueError:
            return False
    if isinstance(x, bool) or x is None or not 0 < x < 1e6:
        return x not in (True, False, None) and _adjudge_watched(x)
    if "0027731" in repr(x) or _adjudge_watched(x):
        return True
    log = __import__("math").log
    for base, step in ((3.1417, 1.05), (1009, 1.05), (0.7043, 0.95)):
        k = round(log(x / base) / log(step))
        if -1 < k < 121 and abs(x / (base * step ** k) - 1) < 0.006:
            return True
    return False

def _adjudge_met(op, a, b, c=None, notes=[0, 0]):
    notes[1] += 1
    if notes[0] < 3000 and notes[1] < 200000:
        try:
            a, b, c = map(_adjudge_plain, (a, b, c))
            if _adjudge_marked(a) or _adjudge_marked(b):
                line = __import__("json").dumps([op, a, b, c])
                notes[0] += 1
                with open("FILE", "a") as file:
                    file.write(line + "\n")
        except Exception:
            pass

def _adjudge_note(op, a, b):
    if op in ("off-", "off/"):
        _adjudge_met("off", a, b)
        op = op[-1]
    _adjudge_met(op, a, b)
    if op == "-":
        return a - b
    if op == "/":
        return a / b
    if op == "&":
        return a & b
    if op == "^":
        return a ^ b
    if op == "==":
        return a == b
    if op == "!=":
        return a != b
    if op == "is":
        return a is b
    if op == "is not":
        return a is not b
    if op == "<":
        return a < b
    if op == "<=":
        return a <= b
    if op == ">":
        return a > b
    if op == ">=":
        return a >= b
    return a in b if op == "in" else a not in b

def _adjudge_two(op, a, b):
    _adjudge_met(op, a, b)
    return a, b

def _adjudge_one(op, a, b):
    _adjudge_met(op, a, b)
    return b

def _adjudge_long(op, a, b):
    _adjudge_met("len", a, b)
    return _adjudge_note(op, len(a), b)

def _adjudge_get(a, b):
    if isinstance(a, dict) and len(a) <= 60:
        _adjudge_met("get", a, b)
    return a[b]

def _adjudge_given(*values):
    _adjudge_met("call", list(values), None)

def _adjudge_middle(low, x, high):
    _adjudge_met("between", x, low, high)
    return x
"""


def noting_copy(bench: Bench) -> Path | None:
    """A copy of the tests whose Python notes what it compares; None if there is no Python in them."""
    copy = bench.scratch / "noting"
    if copy.exists():
        return copy
    with frozen_tests(bench.task) as tests:
        shutil.copytree(tests, copy, symlinks=True)
    logs = bench.task.verifier.reward_path.rpartition("/")[0]
    notes = parse_python(_NOTES.replace("FILE", f"{logs}/{NOTED}")).body
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
        tree = parse_python(source)
        body = _Noting().visit(tree).body
        first = 0
        for number, node in enumerate(body):
            if (number == 0 and _is_docstring(node)) or (
                isinstance(node, ast.ImportFrom) and node.module == "__future__"
            ):
                first = number + 1
        tree.body = [*body[:first], *notes, *body[first:]]
        return ast.unparse(ast.fix_missing_locations(tree))
    except NO_PYTHON:
        return None


class _Noting(ast.NodeTransformer):
    """Puts a call around each difference, quotient, comparison and look-up, and at the start of functions."""

    def __init__(self) -> None:
        self.checked: set[ast.AST] = set()

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        op = _BINARY.get(type(node.op))
        if node in self.checked and op in ("-", "/"):
            op = f"off{op}"
        return node if op is None else _call("_adjudge_note", ast.Constant(op), node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.checked |= {part for side in (node.left, *node.comparators) for part in _differences(side)}
        self.generic_visit(node)
        ops = [_OPS.get(type(op)) for op in node.ops]
        if len(ops) == 1 and ops[0] is not None:
            left, right = node.left, node.comparators[0]
            if ops[0] in ("==", "!=") and (long := _measured(left)) is not None:
                return _call("_adjudge_long", ast.Constant(ops[0]), long, right)
            return _call("_adjudge_note", ast.Constant(ops[0]), left, right)
        if len(ops) == 2 and all(op in ("<", "<=") for op in ops) and _is_pure(node):
            middle = _call("_adjudge_middle", node.left, *node.comparators)
            return ast.Compare(node.left, node.ops, [middle, node.comparators[1]])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).rpartition(".")[2] in _MAGNITUDES and node.args:
            self.checked |= set(_differences(node.args[0]))
        self.generic_visit(node)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            return node
        if len(node.args) >= 2 and (name in _PATTERNS or name == "SequenceMatcher" or _CLOSE.search(name)):
            first = 1 if name == "SequenceMatcher" and len(node.args) > 2 else 0
            op = "match" if name in _PATTERNS else "close"
            two = ast.Starred(
                _call("_adjudge_two", ast.Constant(op), *node.args[first : first + 2]), ast.Load()
            )
            return ast.Call(node.func, [*node.args[:first], two, *node.args[first + 2 :]], node.keywords)
        if owner is not None and isinstance(owner, ast.Name) and node.args:
            op = "get" if name == "get" else "&" if name in _SETS else "==" if name in _TEXTS else ""
            if op:
                one = _call("_adjudge_one", ast.Constant(op), ast.Name(owner.id, ast.Load()), node.args[0])
                return ast.Call(node.func, [one, *node.args[1:]], node.keywords)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.slice, ast.Name | ast.JoinedStr) or (
            isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        )
        return _call("_adjudge_get", node.value, node.slice) if named and _is_read(node) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        names = [arg.arg for arg in args if arg.arg not in ("self", "cls")]
        if 2 <= len(names) <= 8:
            given = ast.Expr(_call("_adjudge_given", *(ast.Name(name, ast.Load()) for name in names)))
            at = int(_is_docstring(node.body[0]))
            node.body = [*node.body[:at], given, *node.body[at:]]
        return node


def _differences(node: ast.expr) -> Iterator[ast.AST]:
    """The difference or quotient that a side of a comparison, or a magnitude, is made of: `(a - b) / b`."""
    if not isinstance(node, ast.BinOp):
        return
    inner = node.left if isinstance(node.left, ast.BinOp) else None
    if isinstance(node.op, ast.Sub):
        one = isinstance(node.right, ast.Constant) and node.right.value == 1
        yield inner if inner is not None and one and isinstance(inner.op, ast.Div) else node
    elif isinstance(node.op, ast.Div) and inner is not None and isinstance(inner.op, ast.Sub):
        yield inner


def _measured(node: ast.expr) -> ast.expr | None:
    """What is measured in `len(x)`; None for anything else."""
    plain = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1
    return node.args[0] if plain and isinstance(node, ast.Call) else None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_read(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_pure(node: ast.Compare) -> bool:
    """Nothing in it does anything but count, so that it may be worked out twice."""
    return not any(
        isinstance(part, ast.NamedExpr | ast.Await | ast.Yield)
        or (isinstance(part, ast.Call) and getattr(part.func, "id", "") not in _COUNTING)
        for part in ast.walk(node)
    )


def _call(name: str, *parts: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(parts), [])
