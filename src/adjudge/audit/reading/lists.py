"""How lists and records are compared: pairs that end early, sets that hide extras, the best of many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.keys import counted_keys, keys_of
from adjudge.audit.reading.module import BOTH_WAYS, Module, complains, fails, is_score, pays
from adjudge.audit.reading.order import asks_for_order
from adjudge.audit.reading.remark import Remark

_ORDER_CHECKED = r"is_sorted|pairwise|\border\b|position|rank|index\("
_NAMES = re.compile(r"keys|header|fieldnames|columns|fields|^(?:answer|data|got|doc)$")
_BAGS = ("sorted", "set", "Counter", "frozenset")
_CLOSE = ("isclose", "close", "near", "approx")
_BOTH_SETS = ("difference", "union", "symmetric_difference")


def read_lists(module: Module) -> Iterator[Remark]:
    """Every rule about lists and records, in turn."""
    for rule in (_short_pairs, _vacuous, _supersets, _subsets, _recall_only):
        yield from rule(module)
    for rule in (_any_of_answer, _best_of_answer, _repeated, _unordered):
        yield from rule(module)


def _short_pairs(module: Module) -> Iterator[Remark]:
    """`all(a == b for a, b in zip(given, want))` is true for an empty list."""
    for node in module.calls("zip"):
        strict = any(keyword.arg == "strict" for keyword in node.keywords)
        held = [module.of_answer(argument) for argument in node.args]
        if strict or not any(held) or all(held) or module.lengths_checked(node):
            continue
        inside = [called(around) for around in module.around(node) if isinstance(around, ast.Call)]
        loops = [around for around in module.around(node) if isinstance(around, ast.For)]
        refuses = any(
            fails(loop.body) and not pays(loop.body)
            for loop in loops
            if any(part is node for part in ast.walk(loop.iter))
        )
        if "all" in inside or refuses:
            yield module.remark(
                node,
                Cause.FEW_ITEMS,
                "zip() ends with the shorter list: an empty one passes, and so does a beginning",
                "Compare the lengths first, or use zip(..., strict=True).",
            )


def _vacuous(module: Module) -> Iterator[Remark]:
    """`all(... for item in given)` is true if nothing is given."""
    for node in module.calls("all"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or module.lengths_checked(node):
            continue
        first = made.generators[0].iter
        apart = _asks_for_sanity(made.elt) or (isinstance(first, ast.Call) and called(first) == "zip")
        apart = apart or _is_held_against(module, node) or bool(keys_of(module, first) & counted_keys(module))
        if not apart and module.of_answer(first) and not isinstance(first, ast.Constant):
            yield module.remark(
                node,
                Cause.EMPTY,
                "all() of nothing is true, and how many items the answer has is not looked at here",
                "Ask for the number of items first.",
            )


def _is_held_against(module: Module, node: ast.Call) -> bool:
    """Must it be false: `assert not all(...)`, `if all(...): fail()`, also through one name?"""
    if complains(module, node):
        return True
    beside = module.flow.parents.get(node)
    names = {t.id for t in getattr(beside, "targets", ()) if isinstance(t, ast.Name)}
    scope = module.flow.scope(node)
    if (
        not isinstance(beside, ast.Assign)
        or len(names) != 1
        or any(len(module.flow.assigned_in(scope, name)) != 1 for name in names)
    ):
        return False
    uses = [
        part
        for part in ast.walk(scope)
        if isinstance(part, ast.Name) and part.id in names and isinstance(part.ctx, ast.Load)
    ]
    return bool(uses) and all(complains(module, use) for use in uses if not _is_message(module, use))


def _is_message(module: Module, node: ast.AST) -> bool:
    """Does it stand in the message of an assertion?"""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.Assert):
            return inside is around.msg
        inside = around
    return False


def _asks_for_sanity(node: ast.expr) -> bool:
    """What only has to be of a type, or in a range of literals, is looked at elsewhere, or not at all."""
    parts = list(ast.walk(node))
    if any(isinstance(part, ast.Call) and called(part) in ("isinstance", "type") for part in parts):
        return True
    compared = [part for part in parts if isinstance(part, ast.Compare)]
    return bool(compared) and all(
        all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.In) for op in part.ops)
        and any(isinstance(side, ast.Constant) for side in (part.left, *part.comparators))
        for part in compared
    )


def _supersets(module: Module) -> Iterator[Remark]:
    """Everything right is there, and whatever else is there costs nothing."""
    found = list(_inclusions(module))
    both = any(module.of_answer(smaller) and not module.of_answer(larger) for _, smaller, larger in found)
    if both or module.speaks(BOTH_WAYS):
        return
    for node, smaller, larger in found:
        if not module.of_answer(larger) or module.of_answer(smaller) or module.is_text(larger):
            continue
        if isinstance(node, ast.Compare) or not module.lengths_checked(node):
            yield module.remark(
                node,
                Cause.PADDING,
                "what is right has to be among what is given, and anything beside it costs nothing",
                "Compare both ways, or count what is given and not right.",
            )


def _subsets(module: Module) -> Iterator[Remark]:
    """Everything given is right, and whatever is missing costs nothing."""
    found = list(_inclusions(module))
    both = any(module.of_answer(larger) and not module.of_answer(smaller) for _, smaller, larger in found)
    if both or module.speaks(r"recall|\bf1\b|missing|jaccard"):
        return
    for node, smaller, larger in found:
        one_way = module.of_answer(smaller) and not module.of_answer(larger) and not module.is_text(larger)
        if one_way and not module.lengths_checked(node):
            yield module.remark(
                node,
                Cause.FEW_ITEMS,
                "what is given has to be among what is right, and nothing at all is",
                "Compare both ways, or ask for the number of items.",
            )


def _inclusions(module: Module) -> Iterator[tuple[ast.AST, ast.expr, ast.expr]]:
    """(place, smaller, larger) of each question whether one collection is part of another."""
    for node in module.calls("issubset", "issuperset"):
        if isinstance(node.func, ast.Attribute) and node.args:
            pair = (node.func.value, node.args[0])
            smaller, larger = pair if node.func.attr == "issubset" else pair[::-1]
            yield node, smaller, larger
    for compared, left, op, right in module.comparisons():
        if any(isinstance(s, ast.Call) and called(s) in ("set", "frozenset", "keys") for s in (left, right)):
            if isinstance(op, ast.LtE | ast.Lt):
                yield compared, left, right
            elif isinstance(op, ast.GtE | ast.Gt):
                yield compared, right, left
    for call in module.calls("all"):
        made = call.args[0] if call.args else None
        if not isinstance(made, ast.GeneratorExp) or made.generators[0].ifs:
            continue
        asked = made.elt
        within = isinstance(asked, ast.Compare) and len(asked.ops) == 1 and isinstance(asked.ops[0], ast.In)
        if within and ast.unparse(asked.left) == ast.unparse(made.generators[0].target):  # type: ignore[attr-defined]  # `within`
            yield call, made.generators[0].iter, asked.comparators[0]  # type: ignore[attr-defined]  # the same


def _recall_only(module: Module) -> Iterator[Remark]:
    """`len(given & want) / len(want)`: to list everything is to find everything."""
    if module.speaks(BOTH_WAYS) or any(differs(module, node) for node in module.nodes):
        return
    for node in module.quotients():
        wholes = [node.left, *module.flow.values(node.left)]
        shared = any(_is_shared(module, part) for whole in wholes for part in ast.walk(whole))
        if shared and not _is_length(module, node.right):
            yield only_found(module, node)
            return


def only_found(module: Module, node: ast.AST) -> Remark:
    """Said of every way to count what was found and nothing else."""
    return module.remark(
        node,
        Cause.PADDING,
        "only what was found counts: a list of everything that could be meant earns full marks",
        "Count what is given and not right against it (precision, F1).",
    )


def _is_shared(module: Module, node: ast.AST) -> bool:
    """`given & want`."""
    both = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)
    both = both or (isinstance(node, ast.Call) and called(node) == "intersection")
    return both and module.of_answer(node)


def differs(module: Module, node: ast.AST) -> bool:
    """Is what is given and not right looked at: `given - want`, `given | want`, or how much is given?"""
    if isinstance(node, ast.Call):
        return called(node) in _BOTH_SETS
    if not isinstance(node, ast.BinOp):
        return False
    if isinstance(node.op, ast.Sub):
        return module.of_answer(node.left)
    if isinstance(node.op, ast.BitOr | ast.BitXor):
        return module.of_answer(node.left) or module.of_answer(node.right)
    return isinstance(node.op, ast.Div | ast.Add) and _is_length(module, node.right)


def _is_length(module: Module, node: ast.expr) -> bool:
    """Does an expression hold how much the answer holds?"""
    wholes = [node, *module.flow.values(node)]
    return any(
        isinstance(part, ast.Call)
        and called(part) == "len"
        and bool(part.args)
        and module.of_answer(part.args[0])
        for whole in wholes
        for part in ast.walk(whole)
    )


def _any_of_answer(module: Module) -> Iterator[Remark]:
    """`any(abs(x - want) <= tol for x in given)`: one right value among many wrong ones."""
    for node in module.calls("any"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or len(made.generators) != 1:
            continue
        loop = made.generators[0]
        if not module.of_answer(loop.iter) or module.lengths_checked(node) or complains(module, node):
            continue
        target = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
        if any(_meets(part, target) for part in ast.walk(made.elt)):
            yield module.remark(
                node,
                Cause.ANYWHERE,
                "one right value anywhere in the answer is enough, whatever else stands there",
                "Read the value from the place where it is asked for.",
            )


def _meets(node: ast.AST, target: set[str]) -> bool:
    """Does a comparison hold an item of the answer against something that is no literal of few letters?"""
    if isinstance(node, ast.Compare):
        if isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot):
            return False
    elif not (isinstance(node, ast.Call) and called(node) in _CLOSE):
        return False
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    numbers = any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in ast.walk(node))
    return bool(names & target) and (bool(names - target) or numbers)


def _repeated(module: Module) -> Iterator[Remark]:
    """`sum(x in WANTED for x in given) / len(WANTED)`: one right item many times counts as many."""
    if module.speaks(
        r"\bset\(|Counter|unique|dedup|duplicate|\bseen\b|fromkeys|\.remove\(|\.discard\(|\.pop\("
    ):
        return
    for node in module.calls("sum", "len"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or not module.of_answer(
            made.generators[0].iter
        ):
            continue
        target = ast.unparse(made.generators[0].target)
        for test in (made.elt, *made.generators[0].ifs):
            within = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)
            if within and ast.unparse(test.left) == target and not module.of_answer(test.comparators[0]):  # type: ignore[attr-defined]  # `within`
                yield module.remark(
                    node,
                    Cause.REPEATS,
                    "each item of the answer that is right counts, also if it is the same one again",
                    "Count each reference that was found once: for want in reference, want in given.",
                )
                return


def _best_of_answer(module: Module) -> Iterator[Remark]:
    """`max(score(x) for x in given)`: the best of many guesses counts."""
    for node in module.calls("max"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or not isinstance(made.elt, ast.Call):
            continue
        scorer = called(made.elt)
        if scorer in module.flow.functions and is_score(scorer) and module.of_answer(made.generators[0].iter):
            yield module.remark(
                node,
                Cause.HEDGED,
                "the best of all items that the answer gives counts, so that guesses cost nothing",
                "Score one answer, or all of them together.",
            )


def _unordered(module: Module) -> Iterator[Remark]:
    """Both sides sorted, or sets, where the task asks for an order."""
    if not asks_for_order(module.instruction) or module.speaks(_ORDER_CHECKED):
        return
    for node, one, other in module.equalities():
        if module.of_answer(other) or not module.of_answer(one):
            continue
        if not isinstance(one, ast.Call) or called(one) not in _BAGS:
            continue
        inner = ast.unparse(one.args[0]) if one.args else ""
        if not _NAMES.search(inner) and not _compared_as_it_is(module, inner):
            yield module.remark(
                node,
                Cause.UNORDERED,
                "the order is thrown away before it is compared, and the task asks for one",
                "Compare the lists as they were given.",
            )
            return


def _compared_as_it_is(module: Module, inner: str) -> bool:
    """Is the answer compared with its own sorted self, or with the reference in order, somewhere?"""
    names = {inner, *re.findall(r"\w+", inner)}
    return any(ast.unparse(one) in names for _, one, _ in module.equalities())
