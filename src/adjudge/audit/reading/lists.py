"""How lists, records and fields are counted: pairs that end early, sets that hide what is extra, what is absent."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module, fails, is_reward, is_score, pays
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_BOTH_WAYS = r"precision|recall|\bf1\b|f_1|f_score|f-score|jaccard|dice|\biou\b|union|extra|spurious|false_pos|\bfp\b|unexpected|superfluous|penalt|symmetric_difference|\^ *set|unknown|wrong|invent|over"
_ANY_ORDER = (
    r"any order|order (?:does|is|of .{0,40}) not|order.{0,20}(?:irrelevant|free)|unordered|in no particular"
)
_ORDER = r"\bsorted\b|\bin (?:the )?(?:ascending|descending|alphabetical|chronological|increasing|decreasing|numerical) |\border(?:ed)? by\b|\branked\b|\bin the order\b|\bsort(?:ed)? (?:by|in|the)\b|\bordered\b|\b(?:ascending|descending|alphabetical)\b"
_SENTINEL = re.compile(r"missing|none|nan|sentinel|default|empty|absent|nothing|unset|fallback", re.I)


def read_lists(module: Module) -> Iterator[Remark]:
    """Every rule about lists and fields, in turn."""
    for rule in (
        *(_short_pairs, _vacuous, _averages, _counted_if_there, _defaults, _supersets, _subsets),
        *(_recall_only, _any_of_answer, _best_of_answer, _unordered, _truthy, _weights, _existence),
    ):
        yield from rule(module)


def _short_pairs(module: Module) -> Iterator[Remark]:
    """`all(a == b for a, b in zip(given, want))` is true for an empty list."""
    for node in module.calls("zip"):
        strict = any(keyword.arg == "strict" for keyword in node.keywords)
        held = [module.of_answer(argument) for argument in node.args]
        if strict or not any(held) or all(held) or module.lengths_checked(node):
            continue
        inside = [called(a) for a in module.around(node) if isinstance(a, ast.Call)]
        loops = [a for a in module.around(node) if isinstance(a, ast.For) and _stands_in(node, a.iter)]
        if "all" in inside or any(fails(loop.body) and not pays(loop.body) for loop in loops):
            yield module.remark(
                node,
                Cause.FEW_ITEMS,
                "zip() ends with the shorter list: an empty one passes, and so does a beginning",
                "Compare the lengths first, or use zip(..., strict=True).",
            )


def _stands_in(node: ast.AST, whole: ast.AST) -> bool:
    return any(part is node for part in ast.walk(whole))


def _vacuous(module: Module) -> Iterator[Remark]:
    """`all(... for item in given)` is true if nothing is given."""
    for node in module.calls("all"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or module.lengths_checked(node):
            continue
        first = made.generators[0].iter
        if isinstance(first, ast.Call) and called(first) == "zip":
            continue
        if module.of_answer(first) and not isinstance(first, ast.Constant):
            yield module.remark(
                node,
                Cause.EMPTY,
                "all() of nothing is true, and how many items the answer has is not looked at here",
                "Ask for the number of items first.",
            )


def _averages(module: Module) -> Iterator[Remark]:
    """`right / len(given)`: one right item earns full marks."""
    if module.speaks(_BOTH_WAYS):
        return
    for node in module.nodes:
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
            continue
        given = _counted(module, node.right)
        if given is not None and not any(
            isinstance(part, ast.Name) and part.id == given for part in ast.walk(node.left)
        ):
            yield module.remark(
                node,
                Cause.PARTIAL,
                "what is right is divided by how much the answer holds, so that one right item is full marks",
                "Divide by the number of references.",
            )


def _counted(module: Module, node: ast.expr) -> str | None:
    """The name of what is counted, if a divisor is how much of it the answer holds, and nothing else."""
    for part in [node, *module.flow.values(node)]:
        inner = part
        if isinstance(part, ast.Call) and called(part) == "max" and len(part.args) == 2:
            least = [a for a in part.args if isinstance(a, ast.Constant) and a.value in (1, 1.0, 0)]
            inner = next((a for a in part.args if a not in least), part) if least else part
        elif isinstance(part, ast.BoolOp) and len(part.values) == 2:
            inner = part.values[0]
        if isinstance(inner, ast.Call) and called(inner) == "len" and inner.args:
            held = module.of_answer(inner.args[0]) and not isinstance(inner.args[0], ast.BinOp)
            if held and not is_score(ast.unparse(inner.args[0])):
                return ast.unparse(inner.args[0])
    return None


def _is_length(module: Module, node: ast.expr) -> bool:
    for part in [node, *module.flow.values(node)]:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Call) and called(inner) == "len" and inner.args:
                if module.of_answer(inner.args[0]):
                    return True
    return False


def _counted_if_there(module: Module) -> Iterator[Remark]:
    """`if key in given: total += weight`, and the score is divided by that total."""
    divisors = {
        part.id
        for node in module.nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        for part in ast.walk(node.right)
        if isinstance(part, ast.Name)
    }
    for node in module.nodes:
        if not isinstance(node, ast.If) or node.orelse:
            continue
        skips = all(isinstance(s, ast.Continue) for s in node.body)
        if not (_asks_for_presence(module, node.test, absent=skips)):
            continue
        body = node.body if not skips else _rest_of_loop(module, node)
        for part in (inner for statement in body for inner in ast.walk(statement)):
            if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add):
                if isinstance(part.target, ast.Name) and part.target.id in divisors:
                    yield module.remark(
                        part,
                        Cause.PARTIAL,
                        "only fields that are there are counted, so that what is left out costs nothing",
                        "Count every field of the reference, and give a missing one nothing.",
                    )
                    return


def _rest_of_loop(module: Module, node: ast.If) -> list[ast.stmt]:
    around = module.flow.parents.get(node)
    body = getattr(around, "body", [])
    return body[body.index(node) + 1 :] if isinstance(around, ast.For) and node in body else []


def _asks_for_presence(module: Module, test: ast.expr, *, absent: bool) -> bool:
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, op, right = test.left, test.ops[0], test.comparators[0]
        if isinstance(op, ast.NotIn if absent else ast.In):
            return module.of_answer(right) and not module.of_answer(left) and not module.is_text(right)
        if isinstance(op, ast.Is if absent else ast.IsNot):
            return module.of_answer(left) and ast.unparse(right) == "None"
    if isinstance(test, ast.UnaryOp) and absent:
        return module.of_answer(test.operand)
    return False


def _defaults(module: Module) -> Iterator[Remark]:
    """`given.get("mode", EXPECTED)`: what is left out is right."""
    for node in module.calls("get", "getattr", "pop"):
        if called(node) == "getattr":
            owner, default = (node.args[0], node.args[2]) if len(node.args) == 3 else (None, None)
        elif isinstance(node.func, ast.Attribute):
            owner = node.func.value
            default = node.args[1] if len(node.args) == 2 else None
        else:
            continue
        if owner is None or default is None or not module.of_answer(owner) or module.of_answer(default):
            continue
        if not _is_telling(module, default):
            continue
        yield module.remark(
            node,
            Cause.DROPPED,
            "a field that is left out is taken as if it were right",
            "Give a missing field nothing: use None as the default, and check for it.",
        )
    for node in module.nodes:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
            first, second = node.values
            read = isinstance(first, ast.Call) and called(first) == "get"
            if read and module.of_answer(first) and not module.of_answer(second):
                if _is_telling(module, second) and not isinstance(second, ast.Constant | ast.Compare):
                    yield module.remark(
                        node,
                        Cause.DROPPED,
                        "a field that is empty or left out is taken as if it were right",
                        "Give a missing field nothing.",
                    )


def _is_telling(module: Module, node: ast.expr) -> bool:
    """Something that was looked up, or True: no neutral value."""
    if isinstance(node, ast.Constant):
        return node.value is True
    if isinstance(node, ast.Subscript | ast.Attribute):
        return _SENTINEL.search(ast.unparse(node)) is None
    if isinstance(node, ast.Name):
        values = list(module.flow.values(node))
        if any(isinstance(value, ast.Constant) and value.value in (None, "", 0, False) for value in values):
            return False
        if any(
            isinstance(value, ast.List | ast.Dict | ast.Tuple) and not ast.unparse(value).strip("[](){}")
            for value in values
        ):
            return False
        return _SENTINEL.search(node.id) is None and not any(
            isinstance(value, ast.Call) and called(value) in ("object", "float", "dict", "list", "set")
            for value in values
        )
    return False


def _supersets(module: Module) -> Iterator[Remark]:
    """Everything right is there, and whatever else is there costs nothing."""
    if module.speaks(_BOTH_WAYS):
        return
    for node, smaller, larger in _inclusions(module):
        if module.of_answer(larger) and not module.of_answer(smaller) and not module.is_text(larger):
            if not module.lengths_checked(node) or isinstance(node, ast.Compare):
                if _subset_is_checked(module):
                    continue
                yield module.remark(
                    node,
                    Cause.PADDING,
                    "what is right has to be among what is given, and anything beside it costs nothing",
                    "Compare both ways, or count what is given and not right.",
                )


def _subsets(module: Module) -> Iterator[Remark]:
    """Everything given is right, and whatever is missing costs nothing."""
    if module.speaks(r"recall|\bf1\b|missing|jaccard"):
        return
    for node, smaller, larger in _inclusions(module):
        if module.of_answer(smaller) and not module.of_answer(larger):
            if _superset_is_checked(module) or module.lengths_checked(node):
                continue
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
    for node, left, op, right in module.comparisons():
        if any(
            isinstance(side, ast.Call) and called(side) in ("set", "frozenset", "keys")
            for side in (left, right)
        ):
            if isinstance(op, ast.LtE | ast.Lt):
                yield node, left, right
            elif isinstance(op, ast.GtE | ast.Gt):
                yield node, right, left
    for call in module.calls("all"):
        made = call.args[0] if call.args else None
        if (
            isinstance(made, ast.GeneratorExp)
            and isinstance(made.elt, ast.Compare)
            and len(made.elt.ops) == 1
        ):
            if isinstance(made.elt.ops[0], ast.In) and not made.generators[0].ifs:
                if ast.unparse(made.elt.left) == ast.unparse(made.generators[0].target):
                    yield call, made.generators[0].iter, made.elt.comparators[0]


def _subset_is_checked(module: Module) -> bool:
    return any(module.of_answer(s) and not module.of_answer(b) for _, s, b in _inclusions(module))


def _superset_is_checked(module: Module) -> bool:
    return any(module.of_answer(b) and not module.of_answer(s) for _, s, b in _inclusions(module))


def _recall_only(module: Module) -> Iterator[Remark]:
    """`len(given & want) / len(want)`: to list everything is to find everything."""
    if module.speaks(_BOTH_WAYS) or _differs(module):
        return
    for node in module.nodes:
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
            continue
        for part in [node.left, *module.flow.values(node.left)]:
            for inner in ast.walk(part):
                shared = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitAnd)
                if shared or (isinstance(inner, ast.Call) and called(inner) == "intersection"):
                    if module.of_answer(inner) and not _is_length(module, node.right):
                        yield module.remark(
                            node,
                            Cause.PADDING,
                            "only what was found counts: a list of everything that could be meant earns full marks",
                            "Count what is given and not right against it (precision, F1).",
                        )
                        return


def _differs(module: Module) -> bool:
    """Is what is given and not right looked at: `given - want`, `given | want`, or how much is given?"""
    for node in module.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.BitOr | ast.BitXor):
            if module.of_answer(node.left) or module.of_answer(node.right):
                if not isinstance(node.op, ast.Sub) or module.of_answer(node.left):
                    return True
        if isinstance(node, ast.Call) and called(node) in ("difference", "union", "symmetric_difference"):
            return True
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div | ast.Add)
            and _is_length(module, node.right)
        ):
            return True
    return False


def _any_of_answer(module: Module) -> Iterator[Remark]:
    """`any(abs(x - want) <= tol for x in given)`: one right value among many wrong ones."""
    for node in module.calls("any"):
        made = node.args[0] if node.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or len(made.generators) != 1:
            continue
        loop = made.generators[0]
        if not module.of_answer(loop.iter) or module.lengths_checked(node):
            continue
        target = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
        met = [
            part
            for part in ast.walk(made.elt)
            if isinstance(part, ast.Compare)
            or (isinstance(part, ast.Call) and called(part) in ("isclose", "close", "near", "approx"))
        ]
        if not any(_meets(module, part, target) for part in met) or _is_denied(module, node):
            continue
        yield module.remark(
            node,
            Cause.ANYWHERE,
            "one right value anywhere in the answer is enough, whatever else stands there",
            "Read the value from the place where it is asked for.",
        )


def _is_denied(module: Module, node: ast.AST) -> bool:
    """`if any(bad): fail` looks for what is wrong."""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.If) and inside is around.test and fails(around.body):
            return True
        if isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            return True
        inside = around
    return False


def _meets(module: Module, node: ast.AST, target: set[str]) -> bool:
    """Does a comparison hold an item of the answer against something that is no literal of few letters?"""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    numbers = any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in ast.walk(node))
    return (
        bool(names & target)
        and (bool(names - target) or numbers)
        and not isinstance(getattr(node, "ops", [None])[0], ast.In | ast.NotIn | ast.Is | ast.IsNot)
    )


def _best_of_answer(module: Module) -> Iterator[Remark]:
    """`max(score(x) for x in given)`: the best of many guesses counts."""
    for node in module.calls("max"):
        made = node.args[0] if node.args else None
        if isinstance(made, ast.GeneratorExp | ast.ListComp) and isinstance(made.elt, ast.Call):
            loop = made.generators[0].iter
            own = called(made.elt) in module.flow.functions
            if own and module.of_answer(loop) and is_score(called(made.elt)):
                yield module.remark(
                    node,
                    Cause.HEDGED,
                    "the best of all items that the answer gives counts, so that guesses cost nothing",
                    "Score one answer, or all of them together.",
                )


def _unordered(module: Module) -> Iterator[Remark]:
    """Both sides sorted, or sets, where the task asks for an order."""
    if not module.told(_ORDER) or module.told(_ANY_ORDER):
        return
    for node, left, op, right in module.comparisons():
        if not isinstance(op, ast.Eq | ast.NotEq) or module.of_answer(left) == module.of_answer(right):
            continue
        kinds = {called(side) for side in (left, right) if isinstance(side, ast.Call)}
        of_answer = left if module.of_answer(left) else right
        if isinstance(of_answer, ast.Call) and called(of_answer) in ("sorted", "set", "Counter", "frozenset"):
            if any(
                isinstance(a, ast.Call) and called(a) == "sorted" for a in ast.walk(of_answer)
            ) or kinds & {"set", "Counter", "frozenset"}:
                if _keys_only(of_answer) or _order_is_checked(module, of_answer):
                    continue
                yield module.remark(
                    node,
                    Cause.UNORDERED,
                    "the order is thrown away before it is compared, and the task asks for one",
                    "Compare the lists as they were given.",
                )
                return


def _keys_only(node: ast.Call) -> bool:
    """Names of fields or columns have no order that a task would ask for."""
    inner = node.args[0] if node.args else None
    text = "" if inner is None else ast.unparse(inner)
    return re.search(r"keys|header|fieldnames|columns|fields", text) is not None or text in (
        "answer",
        "data",
        "got",
        "doc",
    )


def _order_is_checked(module: Module, node: ast.Call) -> bool:
    """Is the answer compared with its own sorted self, or with the reference in order, somewhere?"""
    inner = ast.unparse(node.args[0]) if node.args else ""
    for _, left, op, right in module.comparisons():
        if isinstance(op, ast.Eq | ast.NotEq) and inner in (ast.unparse(left), ast.unparse(right)):
            return True
    return module.speaks(r"is_sorted|pairwise|\border\b|position|rank|index\(")


def _truthy(module: Module) -> Iterator[Remark]:
    """`if given["compliant"]:`: "no" counts as true."""
    for node in module.nodes:
        test = node.test if isinstance(node, ast.If | ast.IfExp) else None
        if test is not None and _is_field(test) and module.of_answer(test):
            paid = pays(node.body) if isinstance(node, ast.If) else is_reward(getattr(node, "body", None))
            if paid:
                yield module.remark(test, Cause.TRUTHY, *_ANY_TRUTH)
        elif isinstance(node, ast.Call) and called(node) == "bool" and node.args:
            beside = module.flow.parents.get(node)
            if module.of_answer(node.args[0]) and _is_field(node.args[0]) and isinstance(beside, ast.Compare):
                yield module.remark(node, Cause.TRUTHY, *_ANY_TRUTH)


_ANY_TRUTH = (
    'any value that counts as true passes, such as "no" or [0]',
    "Compare with `is True`.",
)


def _is_field(node: ast.expr) -> bool:
    """A field by its name: `given["ok"]` or `given.get("ok")`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Call) and called(node) == "get" and len(node.args) in (1, 2)


def _weights(module: Module) -> Iterator[Remark]:
    """Weights that add up to more than one, cut off at one: something may be wrong."""
    if not any(_cuts_at_one(node) for node in module.calls("min")):
        return
    for node in module.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            if (
                "weight" in ast.unparse(node.targets[0]).lower()
                or "points" in ast.unparse(node.targets[0]).lower()
            ):
                values = [v.value for v in node.value.values if isinstance(v, ast.Constant)]
                numbers = [v for v in values if isinstance(v, float | int) and not isinstance(v, bool)]
                if (
                    numbers
                    and len(numbers) == len(node.value.values)
                    and all(v <= 1 for v in numbers)
                    and sum(numbers) > 1.001
                ):
                    yield module.remark(node.targets[0], Cause.CLAMPED, *_OVER(sum(numbers)))
    for scope in (module.tree, *module.flow.functions.values()):
        steps: dict[str, list[float]] = {}
        for part in ast.walk(scope):
            if (
                isinstance(part, ast.AugAssign)
                and isinstance(part.op, ast.Add)
                and isinstance(part.target, ast.Name)
            ):
                value = part.value
                looped = any(isinstance(a, ast.For | ast.While) for a in module.around(part))
                if isinstance(value, ast.Constant) and isinstance(value.value, float | int) and not looped:
                    if module.flow.scope(part) is scope and not _in_else(module, part):
                        steps.setdefault(part.target.id, []).append(float(value.value))
        for name, values in steps.items():
            if is_score(name) and all(v <= 1 for v in values) and sum(values) > 1.001:
                yield module.remark(next(iter(module.calls("min"))), Cause.CLAMPED, *_OVER(sum(values)))


def _in_else(module: Module, node: ast.AST) -> bool:
    """One of several branches of which only one is taken."""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.If) and inside in around.orelse:
            return True
        inside = around
    return False


def _cuts_at_one(node: ast.Call) -> bool:
    return any(
        isinstance(part, ast.Constant) and part.value in (1, 1.0) and part.value is not True
        for part in node.args
    )


def _OVER(total: float) -> tuple[str, str]:  # noqa: N802
    return (
        f"the parts add up to {total:g} and are cut off at 1, so that some of them may be wrong",
        "Let the weights add up to 1.",
    )


def _existence(module: Module) -> Iterator[Remark]:
    """A reward for a file that is only there."""
    for node in module.nodes:
        if isinstance(node, ast.If):
            asked = [
                p
                for p in ast.walk(node.test)
                if isinstance(p, ast.Call) and called(p) in ("exists", "isfile", "is_file", "getsize")
            ]
            others = [p for p in ast.walk(node.test) if isinstance(p, ast.Compare | ast.BoolOp)]
            if asked and not others and any(_paid(statement) for statement in node.body):
                yield module.remark(
                    node.test,
                    Cause.NOTHING,
                    "a file that is only there earns part of the reward",
                    "Give nothing for what is not looked at.",
                    Severity.LOW,
                )


def _paid(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AugAssign) and is_score(ast.unparse(statement.target))
