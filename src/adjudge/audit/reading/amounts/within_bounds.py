"""A count that the answer states and that is only held within bounds: how many there were, nobody asks.

`assert 3 <= fixed <= 15` says that a number is plausible. Where it is met by nothing else in the whole file,
neither by a reference nor by what the verifier works out, every number in the bounds is right. Counts and
totals follow from the inputs, so that one number is right; of other measures a range may be meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import several_are_right
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.keys import keys_of
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_COUNT = re.compile(
    r"(?:^|_)(?:counts?|totals?|num|number|n|sum|fixed|removed|found|detected|deleted|kept|retained|matched|missing"
    r"|failed|processed|affected|unique|distinct|duplicates?|errors?|violations?|records?|rows|lines)(?:_|$)",
    re.I,
)
_PATH = re.compile(r"/|\.[a-z]{2,5}$")
_NAME = re.compile(r"[A-Za-z_]\w*[A-Za-z]\w*")
_SIZES: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SAID = frozenset({"print", "str", "repr", "format", "isinstance", "type", "append", "fail", "write"})
_DEEP = 4


def read_within_bounds(module: Module) -> Iterator[Remark]:
    """The first count of the answer that meets nothing but written-out bounds."""
    if several_are_right(module.instruction):
        return
    held = [
        (node, key)
        for node in module.nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and module.of_answer(node)
        for key in _keys(module, node)
    ]
    for key in dict.fromkeys(key for _, key in held):
        uses = [node for node, other in held if other == key]
        bounds = [bound for node in uses for bound in _bounds(module, node)]
        if not bounds or not module.told(rf"(?<!\w){re.escape(key)}(?!\w)"):
            continue
        if any(_meets(module, node) for node in uses) or _stands_elsewhere(module, key, uses):
            continue
        if all(re.search(rf"(?<![\d.]){bound:g}(?![\d.]*\d)", module.instruction) for bound in bounds):
            continue  # the task grants them
        first = next(node for node in uses if _bounds(module, node))
        said = " and ".join(f"{bound:g}" for bound in sorted(set(bounds)))
        yield module.remark(
            first,
            Cause.ANY_VALUE,
            f"`{key}` is only compared with {said}, and any number within passes",
            "Compare it with the right number, or with what follows from the inputs.",
        )
        return


def _keys(module: Module, node: ast.Name) -> frozenset[str]:
    """The names of counts under which a number was read: of `int(data["n_rows"])`, of a line `n_rows=3`."""
    values = list(module.flow.values(node))
    numbers = [v for v in values if isinstance(v, ast.Call) and called(v) in ("int", "float")]
    if values and len(numbers) == len(values):
        return frozenset(filter(_COUNT.search, _texts(module, node, 0)))
    plain = bool(values) and all(isinstance(v, ast.Subscript) or _is_get(v) for v in values)
    return frozenset(filter(_COUNT.search, keys_of(module, node))) if plain else frozenset()


def _is_get(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) == "get"


def _texts(module: Module, node: ast.expr, deep: int) -> set[str]:
    """The names in the patterns, marks and keys that a value was found by."""
    found: set[str] = set()
    for value in module.flow.values(node):
        for part in ast.walk(value):
            text = part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""
            if text and not _PATH.search(text):
                found |= set(_NAME.findall(re.sub(r"\\[A-Za-z]", " ", text)))
            elif isinstance(part, ast.Name) and deep < _DEEP and module.of_answer(part):
                found |= _texts(module, part, deep + 1)
    return found


def _bounds(module: Module, node: ast.Name) -> list[float]:
    """The numbers that it is compared with where it stands."""
    around = module.flow.parents.get(node)
    if not isinstance(around, ast.Compare) or not all(isinstance(op, _SIZES) for op in around.ops):
        return []
    others = [side for side in (around.left, *around.comparators) if side is not node]
    return [
        float(side.value)
        for side in others
        if isinstance(side, ast.Constant) and isinstance(side.value, int | float)
    ]


def _meets(module: Module, node: ast.Name) -> bool:
    """Is more done with it than to hold it against bounds, and to speak of it?"""
    around = module.flow.parents.get(node)
    if isinstance(around, ast.Compare):
        sides = [side for side in (around.left, *around.comparators) if side is not node]
        return len(_bounds(module, node)) < len(sides)
    if isinstance(around, ast.FormattedValue | ast.Assert | ast.If):
        return False
    return not (isinstance(around, ast.Call) and called(around) in _SAID)


def _stands_elsewhere(module: Module, key: str, uses: list[ast.Name]) -> bool:
    """Is the count read in another way, or the whole answer compared or handed on, where it may meet more?"""
    names = {node.id for node in uses}
    for node in module.nodes:
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            sides = [node.left, *node.comparators]
            plain = any(isinstance(side, ast.Constant | ast.Call) for side in sides)
            own = [side for side in sides if module.of_answer(side) and not isinstance(side, ast.Constant)]
            if key in ast.unparse(node) or (own and not plain):
                return True
        own_function = isinstance(node, ast.Call) and called(node) in module.flow.functions
        handed = node.args if isinstance(node, ast.Call) and own_function else []
        if any(module.of_answer(arg) and getattr(arg, "id", "") not in names for arg in handed):
            return True
    return False
