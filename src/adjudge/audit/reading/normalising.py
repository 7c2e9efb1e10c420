"""What is thrown away before a comparison: a sign, a point, a unit, the end of a text, the case."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.differences import differences
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark

_KEPT = re.compile(r"\[\^([^\]]+)\]\+?")
_NUMBER_PATTERN = re.compile(r"\\d|\[0-9")
_CASE_TOLD = (
    r"(?<!not )\bcase[- ]sensitive|\bcase matters|\bcapital letters|\bcapitali[sz](?:e|ation)\b"
    r"|\bcase of (?:the )?letters"
)
_UNITS_TOLD = (
    r"\b(?:with|and|including|state|give|in) (?:the |its |their |a |an )?units?\b"
    r"|\bunits?\b[^.]{0,30}\brequired"
)
_DIRECTIONS = r"\bbearings?\b|\bazimuths?\b|\bheadings?\b|\bdegrees clockwise\b|\bdirections?\b"
_HALVES = ("180", "180.0", "math.pi", "pi")
_CONVERTS = ("float", "int", "Decimal", "Fraction")
_SHORTEST = 3


def read_normalising(module: Module) -> Iterator[Remark]:
    """Every rule about what is thrown away, in turn."""
    for rule in (_only_digits, _zeros_stripped, _marks_removed, _unit_dropped, _case_folded):
        yield from rule(module)
    for rule in (_part_compared, _half_turns):
        yield from rule(module)


def _only_digits(module: Module) -> Iterator[Remark]:
    """`re.sub(r"[^0-9.]", "", given)`: the minus sign is gone."""
    for node in module.calls("sub"):
        if len(node.args) < 3 or not module.of_answer(node.args[2]):
            continue
        pattern, by = node.args[0], node.args[1]
        match = _KEPT.fullmatch(pattern.value) if _is_text(pattern) else None  # type: ignore[attr-defined]  # `_is_text`
        empty = isinstance(by, ast.Constant) and by.value == ""
        if (
            match is None
            or not empty
            or not re.search(r"0-9|\\d", match[1])
            or re.search(r"a-z|A-Z|\\w", match[1])
        ):
            continue
        lost = [sign for sign in "-." if sign not in match[1].replace("0-9", "").replace("\\d", "")]
        if lost:
            cause = Cause.SIGN if "-" in lost else Cause.SCALE
            what = "the minus sign" if "-" in lost else "the decimal point"
            yield module.remark(
                node,
                cause,
                f"{what} of a number in the answer is deleted before it is read",
                "Parse the number as it was given, and refuse what is none.",
            )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _zeros_stripped(module: Module) -> Iterator[Remark]:
    """`given.rstrip("0")`: 1200 becomes 12."""
    for node in module.calls("rstrip", "strip"):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if owner is None or not module.of_answer(owner) or len(node.args) != 1 or not _is_text(node.args[0]):
            continue
        characters = str(node.args[0].value)  # type: ignore[attr-defined]  # `_is_text`
        guarded = any(
            isinstance(around, ast.If | ast.IfExp) and "'.'" in ast.unparse(around.test)
            for around in module.around(node)
        )
        if "0" in characters and not guarded and not module.speaks(r"'\.' in|endswith\('\.0'\)"):
            yield module.remark(
                node,
                Cause.SCALE,
                "zeros at the end are stripped from whole numbers as well, so that 1200 equals 12",
                "Compare numbers, not their digits.",
            )


def _marks_removed(module: Module) -> Iterator[Remark]:
    """`float(given.replace("-", ""))`."""
    for node in module.calls("replace"):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if owner is None or not module.of_answer(owner) or len(node.args) != 2:
            continue
        old, new = node.args
        removed = old.value if _is_text(old) and _is_text(new) and new.value == "" else ""  # type: ignore[attr-defined]  # `_is_text`
        if removed in ("-", ".") and _becomes_a_number(module, node):
            yield module.remark(
                node,
                Cause.SIGN if removed == "-" else Cause.SCALE,
                f"every `{removed}` is deleted from a number of the answer before it is read",
                "Parse the number as it was given.",
            )


def _becomes_a_number(module: Module, node: ast.AST) -> bool:
    return any(isinstance(around, ast.Call) and called(around) in _CONVERTS for around in module.around(node))


def _unit_dropped(module: Module) -> Iterator[Remark]:
    """`float(given.split()[0])` where the task asks for a unit."""
    if not module.told(_UNITS_TOLD) or module.speaks(r"\bunits?\b|_units?\b|suffix|endswith"):
        return
    for node in module.calls(*_CONVERTS):
        inner = node.args[0] if len(node.args) == 1 else None
        if inner is None or not module.of_answer(inner):
            continue
        parts = [part for whole in (inner, *module.flow.values(inner)) for part in ast.walk(whole)]
        first = any(isinstance(part, ast.Subscript) and _is_split(part.value) for part in parts)
        found = any(
            isinstance(part, ast.Call)
            and called(part) in ("search", "match", "findall")
            and bool(part.args)
            and _is_text(part.args[0])
            and _NUMBER_PATTERN.search(str(part.args[0].value)) is not None  # type: ignore[attr-defined]  # `_is_text`
            for part in parts
        )
        if first or found:
            yield module.remark(
                node,
                Cause.SCALE,
                "the number is taken out of the answer and its unit is not read",
                "Read the unit as well, and refuse or convert another one.",
            )
            return


def _is_split(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("split", "partition")


def _case_folded(module: Module) -> Iterator[Remark]:
    """`given.lower() == want.lower()` where the task says that case matters."""
    if not module.told(_CASE_TOLD):
        return
    for node in module.calls("lower", "casefold", "upper"):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if owner is not None and module.of_answer(owner):
            yield module.remark(
                node,
                Cause.CLAMPED,
                "the case of letters is thrown away, and the task says that it counts",
                "Compare the texts as they are.",
            )
            return


def _part_compared(module: Module) -> Iterator[Remark]:
    """`given[:7] == want[:7]`: what follows is not looked at."""
    for node, one, other in module.equalities():
        if not module.of_answer(one) or module.of_answer(other):
            continue
        cut = _cut(one)
        if cut is None or (module.is_text(other) is False and _cut(other) is None):
            continue
        if _cut(other) is None and isinstance(other, ast.Constant):
            continue  # a prefix that marks what follows
        as_text = module.is_text(one.value)  # type: ignore[attr-defined]  # `_cut`
        yield module.remark(
            node,
            Cause.CLAMPED if as_text or cut > _SHORTEST else Cause.FEW_ITEMS,
            f"only the first {cut} of the answer are compared, whatever follows",
            "Compare all of it.",
        )


def _half_turns(module: Module) -> Iterator[Remark]:
    """`abs(given - want) % 180` of a bearing: the opposite one is as good."""
    if not module.told(_DIRECTIONS):
        return
    for node in module.nodes:
        half = (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mod)
            and ast.unparse(node.right) in _HALVES
        )
        if half and any(True for _ in differences(module, node)):
            yield module.remark(
                node,
                Cause.SIGN,
                "directions are compared modulo half a turn, so that the opposite one is as good",
                "Take the difference modulo a whole turn.",
            )
            return


def _cut(node: ast.expr) -> int | None:
    """N of `value[:N]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice) or node.slice.step:
        return None
    lower, upper = node.slice.lower, node.slice.upper
    number = upper.value if isinstance(upper, ast.Constant) else None
    return number if lower is None and isinstance(number, int) and number > 0 else None
