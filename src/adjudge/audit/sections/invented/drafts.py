"""Answers in the form that an instruction shows, with values that nobody worked out. Pure.

A draft is a value and its writer: an example in JSON, also one with placeholders, a table, or a text whose
places are open (`<count>`, `0.XX`, what stands behind `name:`). A way of filling says which numbers come
first; what the verifier's source asks of a field goes before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.written import blocks_shown
from adjudge.audit.documents import Leaf, Path, in_format, leaves, open_document, replaced, shape
from adjudge.audit.sections.invented.exemplars import exemplar
from adjudge.audit.sections.invented.rules import Rule, Rules, numbers_within
from adjudge.contracts import OutputFormat, Task

_JSON_LIKE = frozenset(
    {
        OutputFormat.JSON,
        OutputFormat.MARKDOWN,
        OutputFormat.MARKDOWN_JSON,
        OutputFormat.YAML,
        OutputFormat.TOML,
    }
)
_TEXTS = frozenset({OutputFormat.TEXT, OutputFormat.BINARY, OutputFormat.MARKDOWN})
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_BARE = re.compile(r"<[^<>\n]{1,120}>|\b(?:number|integer|int|float|string|boolean|bool)\b|\.\.\.|…")
_PLACE = re.compile(
    r"<(?P<told>[A-Za-z][^<>\n]{0,120})>|(?P<figure>\d+\.X+|\bX{1,4}\.X+|\bN+\b)|(?<![\w.])(?P<number>-?\d+(?:\.\d+)?)(?![\w.]*\w)"
)
_KEYED = re.compile(
    r"^\s*(?:[-*]\s+)?[\"']?(?P<key>[A-Za-z_][\w .-]{0,40}?)[\"']?\s*[:=]\s*(?P<value>\S.*?)\s*$"
)
_WORDY = re.compile(
    r"sentence|text|string|\bwords?\b|name|description|path|host|cause|reason|explanation|label|url|user|comment",
    re.I,
)
_OPTIONS = re.compile(r"\s*[\w-]+(?:\s*(?:/|\||\bor\b)\s*[\w-]+)+\s*", re.I)
"""`yes/no`, `C20 | C25`: one of several words."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_SCORE = re.compile(r"score|accura|loss|precision|recall|(?:^|_)(?:f1|auc|rmse|mae|r2)(?:_|$)", re.I)
_WORDS = re.compile(r"[A-Za-z][\w -]{2,}")
_OF_ITS_OWN = re.compile(r"time|stamp|date|generated|created|uuid|guid|nonce|salt|token", re.I)
"""Names of what each answer may have of its own."""
_TRUTH = re.compile(r"yes|no|true|false", re.I)
_MOST_PLACES = 40
_MOST_ITEMS = 200
_MOST_DRAFTS = 2
WORD = "invented"


class Draft(Struct, frozen=True):
    """A value that is to be filled, and how it is written."""

    value: Any
    render: Callable[[Any], bytes]


class Way(Struct, frozen=True):
    """One way of filling: the numbers in their order, and whether lists and objects are cut to one part."""

    name: str
    what: str
    numbers: Callable[[int, int], float] | None
    """The number at a place, of so many; None for those that the example shows."""
    cut: bool = False


WAYS = (
    Way("as-shown", "the form that is shown, with values within the bounds that are checked", None),
    Way("ones", "1 in place of every number", lambda place, many: 1),
    Way("falling", "numbers that fall from field to field", lambda place, many: many - place),
    Way(
        "one-part",
        "one part of each list and object, 1 in place of every number",
        lambda place, many: 1,
        cut=True,
    ),
    Way("rising", "numbers that rise from field to field", lambda place, many: place + 1),
    Way("halves", "0.5 in place of every number", lambda place, many: 0.5),
)


def drafts(task: Task, rules: Rules) -> list[Draft]:
    """The drafts that the instruction's examples give, the last example first; then one by names alone."""
    kind, found = task.output.format, []
    seen: set[str] = set()
    for block in reversed(blocks_shown(task.instruction)):
        draft = _of_block(block, kind, rules)
        if draft is not None and (key := repr(_outline(draft.value))) not in seen:
            seen.add(key)
            found.append(draft)
    blank = shape(task.output.json_schema)
    if not found and kind in _JSON_LIKE:
        value = blank or dict.fromkeys(rules.required, 0)
        found.append(Draft(value, lambda v: in_format(v, kind)))
    return found[:_MOST_DRAFTS]


def _of_block(block: str, kind: OutputFormat, rules: Rules) -> Draft | None:
    if kind in _JSON_LIKE and block.lstrip()[:1] in ("{", "["):
        value = placeholders_filled(block)
        return None if value is None else Draft(value, lambda v: in_format(v, kind))
    if kind in (OutputFormat.CSV, OutputFormat.JSONL):
        document = open_document(block.strip().encode() + b"\n", kind) if "\n" in block.strip() else None
        usable = document is not None and document.structured
        return Draft(document.value, document.render) if usable and document is not None else None
    return _of_text(block) if kind in _TEXTS and "`" not in block else None


def placeholders_filled(block: str) -> Any:
    """JSON with `<number>`, `...` and comments in it, as a value; None if it is none even so."""
    texts: list[str] = []

    def kept(match: re.Match[str]) -> str:
        texts.append(match[0])
        return f'"@{len(texts) - 1}@"'

    plain = _QUOTED.sub(kept, block)
    plain = re.sub(r"(?m)(?://|#).*$", "", plain)
    plain = _BARE.sub(lambda m: "" if m[0] in ("...", "…") else _stand_in(m[0]), plain)
    plain = re.sub(r",(\s*,)+", ",", plain)
    plain = re.sub(r"([\[{])\s*,", r"\1", plain)
    plain = re.sub(r",(\s*[\]}])", r"\1", plain)
    plain = re.sub(r'"@(\d+)@"', lambda m: texts[int(m[1])], plain)
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        return None
    return _told(value) if isinstance(value, dict | list) else None


def _stand_in(told: str) -> str:
    """A value of the kind that a placeholder speaks of."""
    if re.search(r"bool|true|false", told, re.I):
        return "true"
    if re.search(r"string|text|name|word|list", told, re.I) and not re.search(r"number|count", told, re.I):
        return f'"{WORD}"'
    return "1"


def _told(value: Any) -> Any:
    """The same without the marks of placeholders: `"<env1>"` is env1, `"..."` a word."""
    if isinstance(value, dict):
        return {_told(key): _told(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_told(child) for child in value]
    if isinstance(value, str) and (match := re.fullmatch(r"<([^<>]*)>|\.\.\.|…", value)):
        value = match[1] or WORD
        return value if _OPTIONS.fullmatch(value) is None else _first_option(value)
    if isinstance(value, str) and _OPTIONS.fullmatch(value):
        return _first_option(value)
    return value


def _first_option(told: str) -> str:
    return re.split(r"\s*(?:/|\||\bor\b)\s*", told)[0]


def _outline(value: Any) -> Any:
    """Names and nesting alone: what tells drafts apart."""
    if isinstance(value, dict):
        return {key: _outline(child) for key, child in value.items()}
    return [_outline(value[0])] if isinstance(value, list) and value else type(value).__name__


def _of_text(block: str) -> Draft | None:
    """A text with open places: those in `<>`, figures, and what stands behind a name."""
    places: list[tuple[int, int]] = []
    value: dict[str, Any] = {}
    at = 0
    lines = block.strip("\n").split("\n")
    for number, line in enumerate(lines):
        keyed = _KEYED.match(line)
        spans = [(match, match.start(), match.end()) for match in _PLACE.finditer(line)]
        if keyed is not None and keyed["value"].startswith(("[", "{")):
            return None
        if keyed is not None:
            inside = [span for span in spans if keyed.start("value") <= span[1]]
            single = len(inside) == 1 and (inside[0][1], inside[0][2]) == keyed.span("value")
            spans = inside if single else []
            if not single:
                _open(value, keyed["key"], keyed["value"])
                places.append((at + keyed.start("value"), at + keyed.end("value")))
        for cell, (match, start, end) in enumerate(spans):
            alone = len(lines) == 1 and len(spans) > 1
            name = keyed["key"] if keyed is not None else f"#{cell if alone else number}"
            _open(value, name, _opened(match))
            places.append((at + start, at + end))
        at += len(line) + 1
    text = "\n".join(lines)
    if not value or len(places) != len(value) or len(places) > _MOST_PLACES:
        return None
    return Draft(value, lambda filled: _written(text, places, list(filled.values())))


def _open(value: dict[str, Any], name: str, shown: Any) -> None:
    value[name if name not in value else f"{name} {len(value)}"] = shown


def _opened(match: re.Match[str]) -> Any:
    """What a place may hold: a number in the form that is shown, an option, or a word."""
    if match["number"]:
        return match["number"]
    if match["figure"]:
        return re.sub(r"[XN]", "5", match["figure"])
    told = match["told"]
    if _OPTIONS.fullmatch(told):
        return _first_option(told)
    return told if _WORDY.search(told) else "1"


def _written(text: str, places: list[tuple[int, int]], values: list[Any]) -> bytes:
    made, at = [], 0
    for (start, end), value in zip(places, values, strict=False):
        made += [text[at:start], str(value)]
        at = end
    return ("".join([*made, text[at:]]) + "\n").encode()


def filled(draft: Draft, rules: Rules, way: Way) -> Any:
    """The draft with values of one way in it, each within what the source asks for."""
    value = _sized(draft.value, rules, (), cut=way.cut)
    found = leaves(value)
    numbers = [leaf for leaf in found if leaf.kind == "number"]
    changes: list[tuple[Path, Any]] = []
    for place, leaf in enumerate(numbers):
        names = [*_names(leaf.path, value)]
        rule, patterns = rules.of(*names), rules.patterns(*names)
        wish = leaf.number if way.numbers is None else way.numbers(place, len(numbers))
        whole = _is_whole(leaf, rule)
        fit = [_like(leaf.value, n, whole=whole) for n in numbers_within(rule.tests, [wish], whole=whole)[:1]]
        if isinstance(leaf.value, str) and not all(_fits(str(new), patterns, names) for new in fit):
            fit = [_text(leaf.value, Rule(), patterns, names)]
        changes += [(leaf.path, new) for new in fit]
    for leaf in found:
        if leaf.kind == "text":
            names = [*_names(leaf.path, value)]
            changes.append((leaf.path, _text(leaf.value, rules.of(*names), rules.patterns(*names), names)))
    return replaced(value, changes)


def others(value: Any, rules: Rules, instruction: str) -> list[tuple[Path, Any]]:
    """Another value for each field that can have but one right: no two answers so can both be right.

    Left out are free texts, but for items of a list, and numbers whose bounds the task itself states: it may
    grant all that lies within. A score that is claimed is no such number.
    """
    found: list[tuple[Path, Any]] = []
    for leaf in leaves(value):
        names = [*_names(leaf.path, value)]
        rule = rules.of(*names)
        if leaf.kind == "number" and (not _granted(rule, instruction) or _SCORE.search(" ".join(names))):
            whole = _is_whole(leaf, rule)
            wish = [leaf.number * 2] if leaf.number else []
            fit = [n for n in numbers_within(rule.tests, wish, whole=whole) if n > 0 and n != leaf.number]
            found += [(leaf.path, _like(leaf.value, n, whole=whole)) for n in fit[:1]]
        elif leaf.kind == "text":
            listed = bool(leaf.path) and isinstance(leaf.path[-1], int)
            patterns = [] if _OF_ITS_OWN.search(" ".join(names)) else rules.patterns(*names)
            new = _other_text(leaf.value, rule) if rule.choices or listed else None
            new = new or (_otherwise(leaf.value, patterns, names) if patterns else None)
            found += [] if new is None else [(leaf.path, new)]
    return found


def _granted(rule: Rule, instruction: str) -> bool:
    """Does the task state every bound of a field?"""
    stated = {float(number) for number in _NUMBER.findall(instruction)}
    bounds = {abs(bound) for _, bound in rule.tests if bound}
    return bool(bounds) and bounds <= stated


def _is_whole(leaf: Leaf, rule: Rule) -> bool:
    return rule.types == ["int"] or not (isinstance(leaf.value, float) or "." in str(leaf.value))


def _like(old: Any, number: float, *, whole: bool) -> Any:
    """A number as the example writes one: as text with as many decimals, or as a number."""
    if not isinstance(old, str):
        return int(number) if whole else number
    match = re.match(r"-?\d+(?:\.(\d+))?", old)
    places = len(match[1]) if match is not None and match[1] else 0
    return f"{number:.{places}f}{old[match.end() :] if match is not None else ''}"


def _text(old: str, rule: Rule, patterns: list[str], names: list[str]) -> str:
    """A text: the one that is shown if it may be, else the first of those that are allowed."""
    choices = [choice for choice in rule.choices if isinstance(choice, str) and choice]
    made = choices[0] if choices and old not in choices else old or WORD
    if _fits(made, patterns, names):
        return made
    for text in (exemplar(pattern) for pattern in patterns):
        label = re.match(rf"\W*{re.escape(names[0])}\s*[:=]\s*", text or "") if names else None
        new = (text or "")[label.end() if label is not None else 0 :]
        if new and _fits(new, patterns, names):
            return new
    return made


def _fits(text: str, patterns: list[str], names: list[str]) -> bool:
    """Does every pattern find the text, alone or behind its name?"""
    forms = [text, *(f"{name}{mark}{text}" for name in names[:1] for mark in ("=", ": ", " = ", ":"))]
    try:
        return all(any(re.search(pattern, form) for form in forms) for pattern in patterns)
    except re.error:
        return True


def _otherwise(old: str, patterns: list[str], names: list[str]) -> str | None:
    """The same with one sign changed, where the patterns allow that."""
    for place in range(len(old) - 1, -1, -1):
        for sign in "27bdkBDK":
            new = f"{old[:place]}{sign}{old[place + 1 :]}"
            if old[place].isalnum() and new != old and _fits(new, patterns, names):
                return new
    return None


def _other_text(old: str, rule: Rule) -> str | None:
    choices = [choice for choice in rule.choices if isinstance(choice, str) and choice]
    if choices:
        return next((choice for choice in choices if choice != old), None)
    return f"{old}x" if _WORDS.fullmatch(old) and not _TRUTH.fullmatch(old) else None


def _sized(value: Any, rules: Rules, path: tuple[str | int, ...], *, cut: bool) -> Any:
    """The same with as many items in each list as the source asks for, or with one part of each."""
    if isinstance(value, dict):
        parts = list(value.items())
        if cut and len(parts) > 1 and all(isinstance(child, dict | list) for child in value.values()):
            parts = parts[:1]
        return {key: _sized(child, rules, (*path, key), cut=cut) for key, child in parts}
    if not isinstance(value, list):
        return value
    rule = rules.of(str(path[-1])) if path else Rule()
    many = next((int(n) for op, n in rule.lengths if op == "==" and 0 < n <= _MOST_ITEMS), None)
    least = max((int(n) + (op == ">") for op, n in rule.lengths if op in (">", ">=")), default=0)
    if not value and ("==", 0) in rule.lengths:
        least = 0
    items = [_sized(child, rules, (*path, place), cut=cut) for place, child in enumerate(value)]
    items = items or ([rule_word(rules, path)] if many or least else [])
    if cut and many is None:
        items = items[: max(1, least)]
    wanted = many if many is not None else max(len(items), min(least, _MOST_ITEMS))
    return [items[place % len(items)] for place in range(wanted)] if items else items


def rule_word(rules: Rules, path: tuple[str | int, ...]) -> Any:
    """An item for a list that is shown empty."""
    rule = rules.of(f"{path[-1]}[]") if path else Rule()
    number = "str" not in rule.types and ({"int", "float"} & set(rule.types) or rule.tests)
    return 1 if number else WORD


def _names(path: tuple[str | int, ...], value: Any) -> Iterator[str]:
    """The names by which a rule may speak of a place, the surest first."""
    keys = [str(step) for step in path if isinstance(step, str)]
    if not keys:
        return
    yield f"{keys[-1]}[]" if isinstance(path[-1], int) else keys[-1]
    if isinstance(value, dict) and len(path) == 1 and keys[0] in value:
        yield f"#{list(value).index(keys[0])}"
