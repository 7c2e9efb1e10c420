"""Names and an order that a verifier asks for and the task never says: an agent can only guess them.

A key or a heading of the right answer counts if a word of it stands nowhere in what the agent is given while
others beside it are told there. The right answer is tried without that key, and under a heading of the words
that are told. Where no name is told (a table by the names of the data), or the task sends its agent to a
document that is not at hand, nothing is tried. A list whose order the task does not speak of is tried in the
order in which its items stand in what the agent is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, get, lists, name_of, replaced
from adjudge.audit.given import given_files
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import OutputFormat, Severity, Task

_HEADING = re.compile(r"^(#{2,6}[ \t]+)(\S.*?)([ \t]*#*[ \t]*)$", re.M)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FILE = re.compile(
    r"[\w./-]*\w\.(?:md|txt|rst|html?|pdf|docx|json|ya?ml|toml|csv|tsv|xsd|proto|xml|sql|py)\b"
)
_ADDRESS = re.compile(r"\bhttps?://")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+){0,5}")
_STEM = 5
"""Letters by which `compares` and `comparison` are one word."""
_SHORTEST = 3
"""Letters of a word that says something; so many of another that may be its abbreviation."""
_BY_NAME = frozenset({OutputFormat.JSON, OutputFormat.JSONL, OutputFormat.CSV})
"""What else has keys are mostly settings, whose names a program gives and no task."""
_STANDARD = re.compile(
    r"\bgeo-?json\b|\bjson[- ]?(?:schema|ld)\b|\bopen-?api\b|\bswagger\b|\bsarif\b|\bfhir\b|\bspdx\b"
    r"|\bcyclonedx\b|\bterraform\b|\bcloudformation\b|\bkubernetes\b|\bdocker|\bcompose\b|\bpackage\.json\b|\btsconfig\b|\bmanifest"
    r"|\bvega\b|\bplotly\b|\bstix\b|\bpolic(?:y|ies)\b|\bconfig|\bsettings\b|\bjupyter\b|\bnotebooks?\b",
    re.I,
)
"""Formats whose names everybody can look up."""
_MOST_BYTES = 2 << 20
"""Of all that the agent is given: of more it is not known what it says."""
_SMALL = frozenset({"and", "the", "for", "with", "from", "per", "all", "its"})
_CALENDAR = re.compile("mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")
"""How the names of days and months begin: who is told some knows the others."""
_LOOSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT})
_ORDER = re.compile(
    r"\border|\bsort|\brank|\bfirst\b|\blast\b|\balphabet|\b(?:a|de)scending|\bchronolog|\bsequence|\bpriorit"
    r"|\bfrom .{1,40} to\b|\bstep",
    re.I,
)
_LEAST, _MOST = 3, 200
_AS_GIVEN = "Compare the items without regard to their order, or say in the task which order they have."
_ADVICE = "Say in the instruction every name that the verifier looks for, or look for those that it says."


def unsaid_names(task: Task, files: Iterable[str], text: str, document: Document | None) -> Iterator[Rewrite]:
    """The right answer, which has these files, without what its agent could not know."""
    told = _Told(task, files)
    if not told.all_at_hand:
        return
    named = task.output.format in _BY_NAME and not _STANDARD.search(task.instruction)
    if document is not None and (document.by_place or (document.structured and named)):
        keys = dict.fromkeys(_unsaid_keys(document.value, told, sections=not document.by_place))
        if keys:
            data = document.render(_without(document.value, frozenset(keys)))
            what = f"nothing under {_shown(keys)}, which the task never names"
            yield Rewrite("unsaid-keys", what, data, Severity.MEDIUM, _ADVICE, Cause.UNSAID)
    if document is not None and document.structured and not _ORDER.search(task.instruction):
        yield from _in_the_order_given(document, told)
    if task.output.format in _LOOSE:
        headings = [match[2] for match in _HEADING.finditer(text)]
        unsaid = [heading for heading in headings if told.lacks(heading)]
        if unsaid and len(unsaid) < len(headings):
            other = {heading: told.part_of(heading) for heading in unsaid}
            written = _HEADING.sub(lambda m: f"{m[1]}{other.get(m[2], m[2])}{m[3]}", text)
            what = f"another heading than {_shown(unsaid)}, which the task never names"
            yield Rewrite("unsaid-headings", what, written.encode(), Severity.MEDIUM, _ADVICE, Cause.UNSAID)


class _Told:
    """The words of all that an agent is given."""

    def __init__(self, task: Task, written: Iterable[str]) -> None:
        files = given_files(task)
        texts = [task.instruction, *(path.name for path in files)]
        small = sum(path.stat().st_size for path in files) <= _MOST_BYTES
        texts += [path.read_bytes().decode("utf-8", "replace") for path in files if small]
        words = {word.lower() for text in texts for word in _WORD.findall(text)}
        self.stems = {word[:length] for word in words for length in range(_SHORTEST, _STEM + 1)}
        self.text = "\n".join(texts)
        self.letters = re.sub(r"[^a-z0-9]+", "", task.instruction.lower())
        outputs = (task.verifier.expected_output_path, *written)
        known = {path.name for path in files} | {PurePosixPath(output).name for output in outputs}
        named = {PurePosixPath(name).name for name in _FILE.findall(task.instruction)}
        self.all_at_hand = small and named <= known and not _ADDRESS.search(task.instruction)

    def lacks(self, name: str) -> bool:
        """Is there a word in a name that the agent is told nowhere?"""
        if re.sub(r"[^a-z0-9]+", "", name.lower()) in self.letters:
            return False
        return any(not self.knows(word) for word in _WORD.findall(name))

    def knows(self, word: str) -> bool:
        """Is it told, known without, or too small a word to matter?"""
        word = word.lower()
        known = len(word) < _SHORTEST or word in _SMALL or _CALENDAR.match(word)
        return bool(known) or word[:_STEM] in self.stems

    def place(self, name: str) -> int | None:
        """Where the agent first reads a name."""
        found = re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", self.text)
        return None if found is None else found.start()

    def part_of(self, heading: str) -> str:
        """The words of a heading that are told; any other heading if none is."""
        words = [word for word in re.findall(r"[\w-]+", heading) if self.knows(word)]
        while words and words[-1].lower() in _SMALL:
            words.pop()
        while words and words[0].lower() in _SMALL:
            words.pop(0)
        return " ".join(words) or "Further points"


def _in_the_order_given(document: Document, told: _Told) -> Iterator[Rewrite]:
    """Lists in the order in which the task, or an input, speaks of their items."""
    changes = []
    for path in lists(document.value):
        items = get(document.value, path)
        for names in _names(items) if _LEAST <= len(items) <= _MOST else ():
            places = [told.place(name) for name in names]
            if all(place is not None for place in places) and len(set(places)) == len(places):
                given = [item for _, item in sorted(zip(places, items, strict=True), key=itemgetter(0))]
                if given != items:
                    changes.append((path, given))
                break
    if changes:
        data = document.render(replaced(document.value, changes))
        what = f"{name_of(changes[0][0])} in the order of what the agent is given"
        yield Rewrite("unsaid-order", what, data, Severity.MEDIUM, _AS_GIVEN, Cause.ORDER)


def _names(items: Sequence[Any]) -> Iterator[list[str]]:
    """What the items of a list may go by: themselves, or a text that each has of its own."""
    keys = items[0] if isinstance(items[0], dict) else [None]
    for key in keys:
        found = [item.get(key) if isinstance(item, dict) else item for item in items]
        names = [name for name in found if isinstance(name, str) and len(name) >= _SHORTEST]
        if len(set(names)) == len(items):
            yield names


def _unsaid_keys(value: Any, told: _Told, *, sections: bool) -> Iterator[str]:
    """Keys that are not told, of objects most of whose keys are; without `sections` only those of values."""
    if isinstance(value, dict):
        names = [key for key in value if isinstance(key, str) and _NAME.fullmatch(key)]
        alike = len({type(child) for child in value.values()}) == 1  # perhaps a table by the names of things
        unsaid = [key for key in names if told.lacks(key) and ("_" in key or not alike)]
        if 2 * len(unsaid) <= len(value) and len(names) == len(value):
            yield from (key for key in unsaid if sections or not isinstance(value[key], dict | list))
        for child in value.values():
            yield from _unsaid_keys(child, told, sections=sections)
    elif isinstance(value, list):
        for child in value[:2]:
            yield from _unsaid_keys(child, told, sections=sections)


def _without(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(child, keys) for key, child in value.items() if key not in keys}
    return [_without(child, keys) for child in value] if isinstance(value, list) else value


def _shown(names: Sequence[str] | Mapping[str, Any]) -> str:
    first = [f"`{name}`" for name in list(names)[:3]]
    return " and ".join(first) if len(names) <= len(first) else f"{', '.join(first)} and more"
