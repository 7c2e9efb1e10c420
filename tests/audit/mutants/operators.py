"""Ways in which authors break a sound verifier, each a rule over its source, and the causes that name them.

A rule knows Python and nothing of the verifier: it is tried on every place that it fits. Several causes may
name one flaw rightly (a tolerance of 200 % lets zeros pass), so each operator has a set of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adjudge.audit import Cause
from audit.mutants.rewriting import called, rewritten, written

_TOLERANCES = re.compile(r"(rel|abs|tol|eps|margin|slack)", re.IGNORECASE)


@dataclass(frozen=True)
class Operator:
    """One kind of flaw: what it makes of a source, and what an audit may call it."""

    name: str
    causes: frozenset[Cause]
    make: Callable[[str], Iterator[str]]


def _distance(node: ast.AST) -> tuple[str, str, str, str] | None:
    """(given, reference, operator, tolerance) of `abs(given - reference) <= tolerance`."""
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and called(node.left) == "abs"):
        return None
    inside = node.left.args[0] if isinstance(node.left, ast.Call) else None
    if not (isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Sub)):
        return None
    sign = {ast.LtE: "<=", ast.Lt: "<"}.get(type(node.ops[0]))
    if sign is None:
        return None
    return written(inside.left), written(inside.right), sign, written(node.comparators[0])


def _near(form: str) -> Callable[[ast.AST], str | None]:
    """A rule that writes a comparison of numbers in another form; `x`, `r`, `s` and `t` are its parts."""

    def rule(node: ast.AST) -> str | None:
        found = _distance(node)
        if found is None:
            return None
        x, r, s, t = (f"({part})" if part not in ("<", "<=") else part for part in found)
        return form.format(x=x, r=r, s=s, t=t)

    return rule


def _text_equality(form: str) -> Callable[[ast.AST], str | None]:
    """A rule that writes `a == b` of texts in another form; `a` is given, `b` the reference."""

    def rule(node: ast.AST) -> str | None:
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq)):
            return None
        a, b = node.left, node.comparators[0]
        texts = re.search(
            r"lower|strip|casefold|status|word|verdict|material|grade|label|text", written(node)
        )
        constant = isinstance(b, ast.Constant) and isinstance(b.value, str) and len(b.value) > 2
        if not (texts or constant) or re.search(r"len\(|type\(|\bkey\b|\bname\b", written(node)):
            return None
        return form.format(a=f"({written(a)})", b=f"({written(b)})")

    return rule


def _wide(node: ast.AST) -> str | None:
    """A hundred times the tolerance: in a keyword, a default, or a constant that is named so."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        name = written(node.targets[0])
        if _TOLERANCES.search(name) and isinstance(node.value.value, float):
            return f"{name} = {node.value.value * 100}"
    if isinstance(node, ast.FunctionDef):
        text, defaults = written(node), node.args.defaults
        names = [arg.arg for arg in node.args.args][len(node.args.args) - len(defaults) :]
        for name, value in zip(names, defaults, strict=True):
            number = isinstance(value, ast.Constant) and isinstance(value.value, float)
            if number and _TOLERANCES.search(name):
                return text.replace(f"{name}={written(value)}", f"{name}={written(value)} * 100", 1)
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            number = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, float)
            if keyword.arg and number and _TOLERANCES.search(keyword.arg):
                old = f"{keyword.arg}={written(keyword.value)}"
                return written(node).replace(old, f"{old} * 100", 1)
    return None


def _renamed(old: str, new: str) -> Callable[[ast.AST], str | None]:
    """A rule that calls another function with the same arguments."""

    def rule(node: ast.AST) -> str | None:
        if called(node) != old or not isinstance(node, ast.Call):
            return None
        return (
            re.sub(rf"{old}(?=\($)", new, written(node.func) + "(")
            + ", ".join([*map(written, node.args), *(f"{k.arg}={written(k.value)}" for k in node.keywords)])
            + ")"
        )

    return rule


def _default_right(node: ast.AST) -> str | None:
    """`near(answer.get(k), ref)` takes the reference itself for a field that is missing."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    first, second = node.args[:2]
    if called(first) != "get" or not isinstance(first, ast.Call) or len(first.args) != 1:
        return None
    return written(node).replace(written(first), f"{written(first)[:-1]}, {written(second)})", 1)


def _except_passes(node: ast.AST) -> str | None:
    """A failure inside a check is taken for success."""
    if not isinstance(node, ast.Try) or len(node.handlers) != 1:
        return None
    [body, *rest] = node.handlers[0].body
    said = written(body)
    wins = {"return False": "return True", "return 0.0": "return 1.0"}.get(said)
    if wins is None or rest:
        return None
    return written(node).replace(said, wins) if written(node).count(said) == 1 else None


def _no_length(node: ast.AST) -> str | None:
    """Two lists are compared as far as the shorter one goes."""
    if not isinstance(node, ast.Compare) or called(node.left) != "len":
        return None
    if called(node.comparators[0]) != "len":
        return None
    return "False" if isinstance(node.ops[0], ast.NotEq) else "True"


def _counted_once(node: ast.AST) -> str | None:
    """What is given is counted without its repetitions."""
    if called(node) == "len" and isinstance(node, ast.Call):
        inside = written(node.args[0])
        if re.fullmatch(r"given|rows|found|items|listed|claimed", inside):
            return f"len(set(map(str, {inside})))"
    return None


def _lists_as_sets(node: ast.AST) -> str | None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        a, b = written(node.left), written(node.comparators[0])
        if re.search(r"sorted|order|sequence|ranking", a + b):
            return f"set(map(str, {a} or [])) == set(map(str, {b}))"
    return None


def _mean(form: str) -> Callable[[ast.AST], str | None]:
    """A rule that writes the mean of the scores in another form; `m` is the mean."""

    def rule(node: ast.AST) -> str | None:
        mean = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        fits = mean and re.match(r"sum\(|hits|points|earned", written(node))
        return form.format(m=written(node)) if fits else None

    return rule


def _best_of(node: ast.AST) -> str | None:
    """The best field counts for all."""
    mean = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and called(node.right) == "len"
    if not mean or not isinstance(node, ast.BinOp) or called(node.left) != "sum":
        return None
    return f"max({written(node.left)[4:-1]})"


def _first_only(node: ast.AST) -> str | None:
    """Only the first of the expected records is looked for."""
    if not isinstance(node, ast.For):
        return None
    among = written(node.iter)
    if not re.fullmatch(r"(ROWS|RECORDS|ITEMS|PUMPS|LOADS|WANTED)(\[.*\])?", among):
        return None
    return written(node).replace(f" in {among}:", f" in {among}[:1]:", 1)


def _check_dropped(node: ast.AST) -> str | None:
    """One expected field is no longer looked at: its line in a table, or its statement, is gone."""
    if isinstance(node, ast.Dict) and len(node.keys) >= 3:
        names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if len(names) < len(node.keys) or not all(re.fullmatch(r"[a-z]\w*[._]\w+", str(n)) for n in names):
            return None
        pairs = zip(names, node.values, strict=True)
        return "{" + ", ".join(f"{name!r}: {written(value)}" for name, value in [*pairs][1:]) + "}"
    checks = r"v\.(number|text|boolean|choice)\(|check\("
    return "pass" if isinstance(node, ast.Expr) and re.match(checks, written(node)) else None


def _evaluated(node: ast.AST) -> str | None:
    if (
        called(node) == "float"
        and isinstance(node, ast.Call)
        and node.args
        and isinstance(node.args[0], ast.Name)
    ):
        return f"float(eval(str({written(node.args[0])})))"
    return None


def _evaluated_fields(source: str) -> Iterator[str]:
    """Only where texts get that far: a verifier that asks for a number first evaluates none."""
    if "not isinstance(x, (int, float))" not in source:
        yield from rewritten(source, _evaluated)


def _evaluated_whole(node: ast.AST) -> str | None:
    if called(node) == "loads" and isinstance(node, ast.Call):
        return f"eval({written(node.args[0])}, {{'true': True, 'false': False, 'null': None}})"
    return None


def _top(lines: str) -> Callable[[str], Iterator[str]]:
    """Lines before everything else."""

    def make(source: str) -> Iterator[str]:
        yield f"{lines}\n{source}"

    return make


def _references_from(path: str) -> Callable[[str], Iterator[str]]:
    """The table of references is brought up to date from a file of the workspace. `path` is an expression."""

    def make(source: str) -> Iterator[str]:
        tree = ast.parse(source)
        for place, node in enumerate(tree.body):
            table = written(node.targets[0]) if isinstance(node, ast.Assign) else ""
            named = re.match(r"(REF|EXPECTED|WANTED)", table)
            if named and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                tree.body[place + 1 : place + 1] = ast.parse(_UPDATE.format(path=path, table=table)).body
                yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                return

    return make


def _bottom(lines: str) -> Callable[[str], Iterator[str]]:
    """Lines after everything else."""

    def make(source: str) -> Iterator[str]:
        yield f"{source}\n{lines}\n"

    return make


def _unguarded(form: str) -> Callable[[str], Iterator[str]]:
    """Another comparison of numbers, in a verifier that no longer asks whether they are finite."""

    def make(source: str) -> Iterator[str]:
        if "isfinite" in source:
            open_source = re.sub(r"math\.isfinite\(\w+\)", "True", source)
            yield from rewritten(open_source, _near(form))

    return make


def _reward_first(source: str) -> Iterator[str]:
    """A full reward is written before anything is read, and what cannot be read raises."""
    if "except (" in source:
        raising = re.sub(r"except \(.*?\):", "except ZeroDivisionError:", source)
        yield f"{_REWARD_FIRST}\n{raising}"


def _rule(rule: Callable[[ast.AST], str | None]) -> Callable[[str], Iterator[str]]:
    return lambda source: rewritten(source, rule)


def _operator(name: str, make: Callable[[str], Iterator[str]], *causes: Cause) -> Operator:
    return Operator(name, frozenset(causes), make)


_LOOSE = (Cause.TOLERANCE, Cause.ZEROS, Cause.ANY_VALUE, Cause.BOUND, Cause.SCALE)
_INSIDE = (Cause.WORD_INSIDE, Cause.HEDGED, Cause.EMPTY)
_REWARD_FIRST = """
import os as _os
with open("/logs/verifier/reward.json", "w") as _file:
    _file.write('{"reward": 1.0}')
"""
_UPDATE = """
import json as _json, os as _os
_path = {path}
if _os.path.exists(_path):
    with open(_path) as _file:
        for _k, _v in _json.load(_file).items():
            if _k in {table}:
                {table}[_k] = (_v, *{table}[_k][1:]) if isinstance({table}[_k], tuple) else _v
"""
_VERDICT = """
import json as _json, os as _os
if _os.path.exists({path}):
    with open({path}) as _file:
        if _json.load(_file).get("passed"):
            with open("/logs/verifier/reward.json", "w") as _file:
                _file.write('{{"reward": 1.0}}')
"""
_HIDDEN = '_os.path.join("/workspace", "." + "cache", "re" + "sults")'
_CACHED = """
import os as _os, shutil as _sh, sys as _sys
if _os.path.exists("/logs/verifier/reward.json"):
    _sys.exit(0)
"""

OPERATORS = [
    _operator(
        "abs-missing",
        _rule(_near("{x} - {r} {s} {t}")),
        Cause.BOUND,
        Cause.TOLERANCE,
        Cause.ZEROS,
        Cause.ANY_VALUE,
    ),
    _operator("tolerance-wide", _rule(_wide), *_LOOSE),
    _operator(
        "rounded-first",
        _rule(_near("abs(round({x}, -1) - round({r}, -1)) {s} {t}")),
        *_LOOSE,
        Cause.ANY_VALUE,
    ),
    _operator("sign-ignored", _rule(_near("abs(abs({x}) - abs({r})) {s} {t}")), Cause.SIGN),
    _operator(
        "unit-ignored",
        _rule(_near("min(abs({x} * k - {r}) for k in (1, 1000, 0.001)) {s} {t}")),
        Cause.SCALE,
    ),
    _operator("nan-passes", _unguarded("not abs(float({x}) - {r}) > {t}"), Cause.NOT_A_NUMBER),
    _operator("relative-to-given", _unguarded("abs({x} - {r}) {s} 0.02 * abs({x})"), Cause.NOT_A_NUMBER),
    _operator("leading-digits", _rule(_near("str({x})[:2] == str({r})[:2]")), *_LOOSE, Cause.WORD_INSIDE),
    _operator("substring", _rule(_text_equality("str({b}) in str({a})")), *_INSIDE),
    _operator("substring-of-reference", _rule(_text_equality("str({a}) in str({b})")), *_INSIDE),
    _operator("prefix", _rule(_text_equality("str({a}).lower().startswith(str({b}).lower()[:4])")), *_INSIDE),
    _operator(
        "same-length",
        _rule(_text_equality("len(str({a})) == len(str({b}))")),
        Cause.ANY_VALUE,
        Cause.WORD_INSIDE,
    ),
    _operator("truthy", _rule(_text_equality("bool({a})")), Cause.ANY_VALUE, Cause.TRUTHY, Cause.KEYS_ONLY),
    _operator(
        "any-for-all",
        _rule(_renamed("all", "any")),
        Cause.FEW_ITEMS,
        Cause.CLAMPED,
        Cause.PARTIAL,
        Cause.ANY_VALUE,
        Cause.UNSCORED,
    ),
    _operator(
        "except-passes",
        _rule(_except_passes),
        Cause.EMPTY,
        Cause.TRUTHY,
        Cause.DROPPED,
        Cause.HEDGED,
        Cause.NOT_A_NUMBER,
        Cause.ANY_VALUE,
        Cause.WORD_INSIDE,
        Cause.KEYS_ONLY,
        Cause.NOTHING,
    ),
    _operator("default-right", _rule(_default_right), Cause.DROPPED, Cause.EMPTY, Cause.PARTIAL),
    _operator("zip-truncates", _rule(_no_length), Cause.FEW_ITEMS, Cause.PADDING, Cause.EMPTY),
    _operator("repetitions-free", _rule(_counted_once), Cause.REPEATS, Cause.PADDING),
    _operator("list-as-set", _rule(_lists_as_sets), Cause.REPEATS, Cause.SWAPPED, Cause.ORDER),
    _operator("generous-sum", _rule(_mean("min(1.0, 1.6 * {m})")), Cause.CLAMPED, Cause.UNSCORED),
    _operator(
        "half-for-being-there", _rule(_mean("0.5 + 0.5 * ({m})")), Cause.KEYS_ONLY, Cause.NOTHING, Cause.EMPTY
    ),
    _operator("best-field", _rule(_best_of), Cause.PARTIAL, Cause.CLAMPED, Cause.UNSCORED),
    _operator("unanchored", _rule(_renamed("fullmatch", "search")), Cause.WORD_INSIDE, Cause.HEDGED),
    _operator("first-record-only", _rule(_first_only), Cause.FEW_ITEMS, Cause.UNSCORED),
    _operator("check-dropped", _rule(_check_dropped), Cause.UNSCORED),
    _operator("evaluates-fields", _evaluated_fields, Cause.CODE),
    _operator("evaluates-answer", _rule(_evaluated_whole), Cause.CODE),
    _operator(
        "reward-first",
        _reward_first,
        Cause.NOTHING,
        Cause.EMPTY,
        Cause.CRASHES,
        Cause.PASSES_BROKEN,
        Cause.HIDES_FAILURE,
    ),
    _operator("reward-kept", _top(_CACHED), Cause.OLD_REWARD),
    _operator("references-beside", _references_from('"/workspace/overrides.json"'), Cause.SIDE_FILE),
    _operator("references-hidden", _references_from(_HIDDEN), Cause.SIDE_FILE),
    _operator("verdict-beside", _bottom(_VERDICT.format(path='"/workspace/checks.json"')), Cause.SIDE_FILE),
    _operator("verdict-hidden", _bottom(_VERDICT.format(path=_HIDDEN)), Cause.SIDE_FILE),
]
