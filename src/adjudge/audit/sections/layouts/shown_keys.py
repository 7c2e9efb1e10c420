"""Keys that the task shows and the verifier does not read: whoever writes them as shown must not lose.

The right answer is the author's, and may know the names that the verifier reads. Where it differs from the
shape that the task shows in the name of a key alone, it is written with the name that is shown. Objects whose
keys are names of things (rooms, persons) are left alone: only keys that the verifier's source reads one by
one count, and only if it does not name the other one anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_PLAIN = re.compile(r"[A-Za-z_]\w*")
_ADVICE = "Read the keys that the task shows, or show those that the verifier reads."
_MOST_DEEP = 8


def shown_keys(schema: Any, document: Document | None, sources: Sequence[str]) -> Iterator[Rewrite]:
    """The right answer under the keys that the task shows; nothing if they are its own."""
    if document is None or not document.structured or not isinstance(schema, dict):
        return
    found: dict[str, str] = {}
    _compare(schema, document.value, found, 0)
    names = {own: shown for own, shown in found.items() if _is_read(own, sources)}
    names = {own: shown for own, shown in names.items() if not _is_named(shown, sources)}
    if names:
        told = ", ".join(f"`{shown}` for `{own}`" for own, shown in list(names.items())[:3])
        yield Rewrite(
            "shown-keys",
            f"the keys that the task shows, {told}",
            document.render(_renamed(document.value, names)),
            Severity.MEDIUM,
            _ADVICE,
            Cause.SPELLING,
        )


def _compare(schema: Any, value: Any, found: dict[str, str], depth: int) -> None:
    """Note each key that stands where the schema has another one, all around it being the same."""
    if not isinstance(schema, dict) or depth > _MOST_DEEP:
        return
    if isinstance(value, list):
        for item in value[:20]:
            _compare(schema.get("items"), item, found, depth + 1)
    inner = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(inner, dict):
        return
    missing = [key for key in inner if key not in value]
    extra = [key for key in value if key not in inner]
    common = [key for key in inner if key in value]
    if len(missing) == len(extra) == 1 and common:
        pair = (missing[0], extra[0])
        if all(isinstance(key, str) and _PLAIN.fullmatch(key) for key in pair):
            found[extra[0]] = missing[0]
    for key in common:
        _compare(inner[key], value[key], found, depth + 1)


def _is_read(key: str, sources: Sequence[str]) -> bool:
    """Does the source read it one by one: `row["A"]`, `row.get("A")`, `.A` in a filter of jq?"""
    name = re.escape(key)
    pattern = rf"""\[["']{name}["']\]|\.get\(["']{name}["']|jq [^\n]*\.{name}\b"""
    return any(re.search(pattern, text) for text in sources)


def _is_named(key: str, sources: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) for text in sources)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return value
