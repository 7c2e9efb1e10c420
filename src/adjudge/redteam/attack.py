"""What a model proposes: files of the workspace, or a program that writes them. Its text is only data.

The reply is one JSON object, alone or in a fence. Whatever else it is becomes a `NoAttack` that says why, and
the model is told. Paths lie below the workspace; sizes and numbers are bounded.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from adjudge.errors import show

MOST_FILES = 50
MOST_CHARACTERS = 1 << 20
MOST_FIELDS = 100
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)


class Attack(Struct, frozen=True):
    """One proposal. Either `files`, by path inside the sandbox, or a `program` for bash that writes them."""

    idea: str
    files: Mapping[str, bytes]
    program: str | None
    left_wrong: tuple[str, ...]
    """The fields that the model says it left wrong: what tells an exploit from a solution."""


class NoAttack(Struct, frozen=True):
    """A reply that proposes nothing."""

    why: str
    gave_up: bool = False


def read_object(text: str) -> dict[str, Any] | str:
    """The JSON object of a reply, or why there is none. The last of several fences counts."""
    for part in [text, *reversed(_FENCED.findall(text))]:
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else "the reply is JSON but no object"
    return "the reply is not one JSON object"


def read_attack(text: str, workspace: str) -> Attack | NoAttack:
    """The attack in a reply."""
    found = read_object(text)
    if isinstance(found, str):
        return NoAttack(found)
    if found.get("give_up") is True:
        return NoAttack("the model gave up", gave_up=True)
    files = read_files(found.get("files", {}), workspace)
    program, wrong, idea = found.get("program"), found.get("left_wrong", []), found.get("idea")
    if isinstance(files, str):
        return NoAttack(files)
    problem = None
    if program is not None and (not isinstance(program, str) or len(program) > MOST_CHARACTERS):
        problem = "'program' must be a text"
    elif bool(files) == bool(program):
        problem = "give either 'files' or a 'program'"
    elif not isinstance(wrong, list) or not all(isinstance(name, str) for name in wrong):
        problem = "'left_wrong' must be a list of field names"
    if problem is not None:
        return NoAttack(problem)
    said = idea[:2000] if isinstance(idea, str) else ""
    return Attack(said, files, program or None, tuple(wrong[:MOST_FIELDS]))


def read_files(found: Any, folder: str) -> dict[str, bytes] | str:
    """Files by path below `folder`, or what is wrong with them."""
    if not isinstance(found, dict) or len(found) > MOST_FILES:
        return f"'files' must be an object of at most {MOST_FILES} texts by path"
    files: dict[str, bytes] = {}
    for name, text in found.items():
        path = posixpath.normpath(posixpath.join(folder, name))
        if "\0" in name or not path.startswith(f"{folder.rstrip('/')}/"):
            return f"a file lies outside {folder}: {show(name)}"
        if not isinstance(text, str):
            return f"the file {show(name)} must be a text"
        files[path] = text.encode("utf-8", "surrogatepass")
    if sum(map(len, files.values())) > MOST_CHARACTERS:
        return f"the files are larger than {MOST_CHARACTERS} bytes together"
    return files
