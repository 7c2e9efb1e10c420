"""Answers with nothing in them: what the instruction shows, what the schema asks for, and nonsense."""

from __future__ import annotations

import json
import re
from typing import Any

from adjudge.audit.documents.allowances import sentences, unwrapped
from adjudge.audit.documents.document import write_csv, write_toml
from adjudge.audit.documents.granted import conditioned_order
from adjudge.audit.documents.numerals import whole_number
from adjudge.contracts import OutputFormat
from adjudge.tasks import find_fences

_OPTIONS = re.compile(r'"([^"\n]+)"\s*:\s*"([^"\n]*(?:\||/| or )[^"\n]*)"')
_TOLERANCE = re.compile(
    r"(?:\bwithin|±|\+/-|\btolerance(?:\s+(?:of|is))?:?|\baccurate to)\s*(\d+(?:\.\d+)?)\s*(?:%|percent\b)",
    re.I,
)
_MARGIN = re.compile(
    r"(?:\bwithin|±|\+/-|\btolerance(?:\s+(?:of|is))?:?|\baccurate to)\s*(\d+(?:\.\d+)?)"
    r"(?![\d.]*\s*(?:%|per|x\b|σ))",
    re.I,
)
_SHARES = {"half": 1 / 2, "two thirds": 2 / 3, "three quarters": 3 / 4, "most": 1 / 2, "majority": 1 / 2}
_SHARE = re.compile(
    r"(?P<percent>\d+(?:\.\d+)?)\s*(?:%|percent\b|per cent\b)"
    r"|\b(?P<some>\d+|two|three|four|five|six|seven|eight|nine)\s+(?:out\s+)?of\s+(?:the\s+|every\s+)?"
    r"(?P<all>\d+|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\b(?P<word>half|two[ -]thirds|three[ -]quarters|most|majority)\b",
    re.I,
)
_OF_RIGHT = re.compile(r"\b(?:right|correct|match|agree|pass|accepted|suffice|enough|full marks?)", re.I)
_ROBUST = re.compile(r"\bmedian\b[^.;\n]{0,40}\berrors?\b|\berrors?\b[^.;\n]{0,40}\bmedian\b", re.I)
_SEVERAL = re.compile(
    r"\b(?:find|choose|design|select|tune|pick|propose)\b[^.;\n]{0,80}"
    r"\b(?:so that|such that|(?:that|which) satisf)"
    r"|\bany (?:valid|feasible|correct|legal)\b|\bnot unique\b"
    r"|\bas\s+(?:early|late|short|long|cheap|few|little|small|large|many|much|fast)\s+as\s+possible\b"
    r"|\b(?:several|many) (?:answers|solutions)\b",
    re.I,
)
_NAMED_KEYS = re.compile(r"\bkeys?\b[^\n:]{0,30}:\s*((?:`?\w+`?(?:,\s*(?:and\s+)?|\s+and\s+)?)+)", re.I)
_ANY_ORDER = re.compile(
    r"\b(?:any|whatever|whichever|no particular|arbitrary) order\b|\bunordered\b|\bin no order\b"
    r"|\border (?:of (?:the |its |their )?[\w`]+ )?(?:does not|doesn't|do not|is not|is ir|makes no|is free\b"
    r"|is arbitrary|is up to you|is unimportant|is of no)"
    r"|\b(?:regardless|irrespective) of (?:the |their )?order"
    r"|\bneither (?:the |their )?order\b[^.;]{0,80}\b(?:matters?|counts?)\b",
    re.I,
)
_SORTED = re.compile(
    r"\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?) (?:\w+ ){0,2}?(?:by|from|alphabetically|chronologically)\b"
    r"|\bin (?:ascending|descending|increasing|decreasing|alphabetical|chronological|numerical) order\b"
    r"|\b(?:in|by) (?:the )?order (?:of|in which)\b|\bin the wrong order\b"
    r"|\b(?:oldest|earliest|newest|latest|largest|smallest|highest|lowest) first\b",
    re.I,
)
"""The one list of an answer has an order, and what may stand in any order are the inputs."""
_PLACED = re.compile(
    r"\b(?:otherwise|except|apart from|first|last|total)\b|\b(?:at|in) the (?:top|bottom|end|beginning)\b",
    re.I,
)
_MOST_NODES = 5_000
_TEXTS = frozenset({OutputFormat.MARKDOWN, OutputFormat.TEXT, OutputFormat.CSV, OutputFormat.BINARY})
_UNIT_NAME = re.compile(r"(?:^|_)units?$", re.I)
_DIVIDED = re.compile(r"[^\s|]+/[^\s|]+")
NONSENSE = "I could not work this out.\n"


def nonsense(kind: OutputFormat) -> bytes:
    """An answer that says nothing, in the format if the format has one."""
    if kind in (OutputFormat.JSON, OutputFormat.YAML, OutputFormat.JSONL):
        return b'{"note": "I could not work this out."}\n'
    if kind is OutputFormat.CSV:
        return b"note\nI could not work this out.\n"
    if kind is OutputFormat.TOML:
        return b'note = "I could not work this out."\n'
    return NONSENSE.encode()


def in_format(value: Any, kind: OutputFormat) -> bytes:
    """A value as an answer of a format: JSON, fenced in prose, else bare; rows as CSV or one per line; a text
    in a file of text as it is."""
    if kind is OutputFormat.CSV and isinstance(value, list) and value and isinstance(value[0], dict):
        return write_csv(value, list(value[0]), ",")
    if kind is OutputFormat.JSONL and isinstance(value, list):
        return "".join(f"{json.dumps(row)}\n" for row in value).encode()
    if kind is OutputFormat.TOML and isinstance(value, dict):
        return write_toml(value).encode()
    if isinstance(value, str) and kind in _TEXTS:
        return f"{value}\n".encode()
    text = json.dumps(value, indent=2)
    if kind in (OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT):
        return f"# Answer\n\n```json\n{text}\n```\n".encode()
    return (json.dumps(value) if kind is OutputFormat.JSONL else text).encode() + b"\n"


def skeleton(instruction: str) -> str | None:
    """The last JSON example in the instruction as it stands there; None if there is none."""
    fences = [f for f in find_fences(instruction) if f.label in ("", "json", "jsonc", "json5", "jsonl")]
    shown = [f.content for f in fences if f.content.lstrip()[:1] in ("{", "[")]
    return shown[-1] if shown else None


def shape(schema: dict[str, Any] | None, depth: int = 0) -> Any:
    """A value of the expected shape with nothing in it; None if no shape is known."""
    if not schema or depth > 8:
        return None
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" or (kind is None and "properties" in schema):
        properties = schema.get("properties")
        inner = properties if isinstance(properties, dict) else {}
        return {key: shape(rule if isinstance(rule, dict) else {}, depth + 1) for key, rule in inner.items()}
    if kind == "array":
        item = shape(schema["items"], depth + 1) if isinstance(schema.get("items"), dict) else None
        return [] if item is None else [item]
    return {"number": 0.0, "integer": 0, "boolean": False, "string": ""}.get(str(kind), 0.0)


def required_names(schema: Any) -> set[str]:
    """The names that a schema requires, at any depth."""
    found: set[str] = set()
    stack: list[Any] = [schema]
    for node in stack:
        if isinstance(node, dict) and len(stack) < _MOST_NODES:
            listed = node.get("required")
            found |= {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
            stack += node.values()
        elif isinstance(node, list):
            stack += node[:50]
    return found


def stated_tolerance(instruction: str) -> float | None:
    """The widest tolerance that an instruction states in percent, as a fraction; None if it states none."""
    stated = [float(match[1]) / 100 for match in _TOLERANCE.finditer(instruction)]
    return max(stated) if stated else None


def stated_margin(instruction: str) -> float | None:
    """The one absolute tolerance that an instruction states, without its unit; None for none or several."""
    stated = {float(match[1]) for match in _MARGIN.finditer(instruction)}
    return stated.pop() if len(stated) == 1 and not _TOLERANCE.search(instruction) else None


def stated_share(instruction: str) -> float | None:
    """The least share of right values that an instruction says is enough; None if it says nothing of it.

    It must stand in one sentence with what it is a share of: "at least 80 % of the items must be right".
    """
    found = [1 / 2] if _ROBUST.search(unwrapped(instruction)) else []
    for sentence in re.split(r"(?<=[.;!?])\s|\n\s*\n", unwrapped(instruction)):
        if _OF_RIGHT.search(sentence):
            found += [share for match in _SHARE.finditer(sentence) if (share := _share(match)) is not None]
    return min(found) if found else None


def _share(match: re.Match[str]) -> float | None:
    if match["percent"]:
        share = float(match["percent"]) / 100
    elif match["word"]:
        share = _SHARES[match["word"].lower().replace("-", " ")]
    else:
        some, whole = (whole_number(match[part]) for part in ("some", "all"))
        share = some / whole if whole else 0.0
    return share if 1 / 3 <= share < 1 else None  # "within 2 %" is a tolerance, and no share


def several_are_right(instruction: str) -> bool:
    """Does the task say that more than one answer is right: a design, a setting, any valid plan?"""
    return _SEVERAL.search(unwrapped(instruction)) is not None


def any_order(instruction: str) -> bool:
    """Does a task say that the order of what it asks for does not count, whatever it is?"""
    return _ANY_ORDER.search(unwrapped(instruction)) is not None and not conditioned_order(instruction)


def free_order(instruction: str) -> bool:
    """Is any order right, and has nothing a place of its own ("the total last, otherwise in any order")?"""
    if _SORTED.search(unwrapped(instruction)):
        return False
    return any_order("\n\n".join(said for said in sentences(instruction) if not _PLACED.search(said)))


def options_shown(instruction: str) -> dict[str, str]:
    """Texts of the skeleton that name several options, such as "pass | fail", by their field.

    In a unit such as m3/s the stroke means a division.
    """
    found = dict(_OPTIONS.findall(skeleton(instruction) or ""))
    return {
        name: told
        for name, told in found.items()
        if not (_UNIT_NAME.search(name) and _DIVIDED.fullmatch(told))
    }


def named_columns(instruction: str) -> dict[str, str]:
    """The columns that an instruction names in words: "one JSON object per line with keys: `a`, `b`"."""
    match = _NAMED_KEYS.search(instruction)
    names = re.findall(r"\w+", match[1]) if match else []
    return dict.fromkeys([name for name in names if name != "and"], "")
