"""What a verifier says of an answer that it refuses, as rules: a missing name, a type, a bound, a choice.

Only what tells of the form is heard. A number counts if it is a bound by the words around it ("at least 3")
and stands in the verifier's source: what was worked out is a reference. Pure.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.sections.invented.rules import Rules

_MOST_LINES = 400
_LONGEST = 400
_NAME = r"['\"`](?P<name>[A-Za-z_][\w.-]{0,60})['\"`]"
_LACKS = (
    r"(?:miss(?:ing|es)|lacks?|requires?|required|must (?:have|contain|include)|needs?|no|expected|KeyError)"
)
_MISSING = re.compile(rf"\b{_LACKS}\b[^\n'\"`]{{0,40}}{_NAME}", re.I)
_MISSING_AFTER = re.compile(
    rf"{_NAME}\s*(?:\w+\s){{0,2}}(?:is |was )?(?:missing|required|not found|absent|undefined)", re.I
)
_MISSING_LIST = re.compile(
    r"\b(?:missing|required)\b(?:\s+(?:required|the|following))*\s+(?:keys?|fields?|columns?|properties|property)?"
    r"\s*:?\s*[\[{(]?(?P<names>[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)[\]})]?\s*$",
    re.I,
)
_QUOTED_NAMES = re.compile(r"[\[{(]((?:\s*['\"][\w.-]+['\"]\s*,?)+)[\]})]")
_TYPE = re.compile(
    r"(?P<name>[A-Za-z_]\w*)['\"`]?\s*(?:\w+\s){0,2}?"
    r"(?:must|should|has to|needs? to|is|was|isn't|expected)\b[^\n.;:]{0,16}?"
    r"\b(?P<type>string|str|text|numeric|number|float|integer|int|list|array|boolean|bool|dict|object|mapping)\b",
    re.I,
)
_KINDS = {
    **dict.fromkeys(("string", "str", "text"), "str"),
    **dict.fromkeys(("numeric", "number", "float"), "float"),
    **dict.fromkeys(("integer", "int"), "int"),
    **dict.fromkeys(("list", "array"), "list"),
    **dict.fromkeys(("boolean", "bool"), "bool"),
    **dict.fromkeys(("dict", "object", "mapping"), "dict"),
}
_N = r"(-?\d+(?:\.\d+)?)"
_BETWEEN = re.compile(
    rf"\b(?:between|from|range|in|within)\b\s*[\[(]?\s*{_N}\s*(?:and|to|\.\.|,|-|–)\s*{_N}", re.I
)
_LEAST = re.compile(
    rf"(?:>=|≥|\bat least\b|\bno less than\b|\bminimum(?: of)?\b|\bmust be from\b)\s*{_N}", re.I
)
_MOST = re.compile(
    rf"(?:<=|≤|\bat most\b|\bno more than\b|\bmaximum(?: of)?\b|\bup to\b|\bnot exceed\b)\s*{_N}", re.I
)
_OVER = re.compile(
    rf"(?:(?<![<>=])>(?!=)|\b(?:greater|more|larger|higher) than\b|\babove\b|\bexceed\b)\s*{_N}", re.I
)
_UNDER = re.compile(
    rf"(?:(?<![<>=])<(?!=)|\b(?:less|lower|smaller|fewer) than\b|\bbelow\b|\bunder\b)\s*{_N}", re.I
)
_POSITIVE = re.compile(r"\bpositive\b|\bgreater than zero\b|\bnon-?zero\b", re.I)
_SHARE = re.compile(r"\b(?:fraction|probability|share)\b", re.I)
_ONE_OF = re.compile(
    r"\b(?:one of|in|among|either|allowed|valid|expected)\b[^'\"\[{(\n]{0,30}[\[{(]?"
    r"(?P<members>(?:\s*(?:or\s+)?['\"][^'\"\n]{1,60}['\"],?){2,})",
    re.I,
)
_MEMBER = re.compile(r"['\"]([^'\"\n]{1,60})['\"]")


def hear(said: str, names: set[str], source: str, rules: Rules) -> bool:
    """Add what is said to the rules; False if there was nothing new in it."""
    before = repr(rules)
    for line in said.splitlines()[-_MOST_LINES:]:
        if len(line) <= _LONGEST and not line.lstrip().startswith(("def ", "import ", "File ")):
            _missing(line, rules)
            _of_fields(line, names | set(rules.required), source, rules)
    return repr(rules) != before


def _missing(line: str, rules: Rules) -> None:
    found = [match["name"] for pattern in (_MISSING, _MISSING_AFTER) for match in pattern.finditer(line)]
    if match := _MISSING_LIST.search(line):
        found += re.split(r"\s*,\s*", match["names"])
    if re.search(rf"\b{_LACKS}\b", line, re.I) and (listed := _QUOTED_NAMES.search(line)):
        found += _MEMBER.findall(listed[1])
    for name in found:
        if "." not in name or "/" in name:
            rules.required[name] = None


def _of_fields(line: str, names: set[str], source: str, rules: Rules) -> None:
    """Types, bounds and choices, of the one field that the line names."""
    for match in _TYPE.finditer(line):
        if match["name"] in names:
            kinds = rules.at(match["name"]).types
            kind = _KINDS[match["type"].lower()]
            kinds += [kind] if kind not in kinds else []
    spoken = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)]
    if not spoken:
        return
    rule = rules.at(max(spoken, key=len))
    tests: list[tuple[str, str]] = []
    for between in _BETWEEN.finditer(line):
        tests += [(">=", between[1]), ("<=", between[2])]
    for pattern, op in ((_LEAST, ">="), (_MOST, "<="), (_OVER, ">"), (_UNDER, "<")):
        tests += [(op, match[1]) for match in pattern.finditer(line)]
    for op, number in tests:
        known = re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\d)", source) is not None
        if known and (op, float(number)) not in rule.tests:
            rule.tests.append((op, float(number)))
    if _POSITIVE.search(line) and (">", 0.0) not in rule.tests:
        rule.tests.append((">", 0.0))
    if _SHARE.search(line) and ("<=", 1.0) not in rule.tests:
        rule.tests.append(("<=", 1.0))
    if members := _ONE_OF.search(line):
        told = [text for text in _MEMBER.findall(members["members"]) if text not in names]
        rule.choices += [text for text in told if text not in rule.choices and text in source]


def with_names(value: Any, rules: Rules, word: str) -> Any:
    """An object with the names that are asked for and stand nowhere in it, of the types that are told."""
    if isinstance(value, list):
        rows = [with_names(row, rules, word) for row in value if isinstance(row, dict)]
        return rows or [with_names({}, rules, word)]
    if not isinstance(value, dict):
        return value
    there = set(_all_names(value))
    made = {key: _typed(child, rules, key, word) for key, child in value.items()}
    for name in rules.required:
        if name not in there:
            made[name] = _typed(1, rules, name, word)
    return made


def _all_names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for child in value.values() for name in _all_names(child))]
    return [name for child in value for name in _all_names(child)] if isinstance(value, list) else []


def _typed(value: Any, rules: Rules, name: str, word: str) -> Any:
    """The value if it is of the type that is told, else one that is."""
    kinds = rules.of(name).types
    held = type(value).__name__
    if not kinds or held in kinds or (held == "int" and "float" in kinds):
        return value
    item: Any = 1 if {"int", "float"} & set(rules.of(f"{name}[]").types) else word
    made = {"str": word, "int": 1, "float": 1, "bool": True, "list": [item], "dict": {word: 1}}
    return made.get(kinds[0], value)
