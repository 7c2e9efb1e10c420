"""Values that are code, for whoever evaluates what an answer holds. Pure: values in, values out.

Each leaves the file `MARK` among the artifacts, inside the sandbox, does nothing else, and then is the value
in whose place it stands, if its language has a way to say so.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Leaf
from adjudge.audit.probes.probe import MARK
from adjudge.contracts import Severity

_TOUCH = f"touch /logs/verifier/{MARK}"
_SHELL = f"a[$({_TOUCH})'; {_TOUCH}; ']"
"""Runs without quotes, in double quotes and in single quotes alike, and where a shell counts with it."""
_PICKLE = base64.b64encode(f"cos\nsystem\n(S'{_TOUCH}'\ntR.".encode()).decode()
_ENCODED = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_TONGUES = {
    "system": re.compile(r"\b(?:[gmn]?awk|perl|ruby)\b|^use strict\b", re.M),
    "node": re.compile(r"\b(?:node|deno|bun)\s|\brequire\(|^import .+ from ", re.M),
}


class Spoof(Struct, frozen=True):
    """One value in place of a right one, and what it means if it keeps the credit."""

    name: str
    what: str
    value: Any
    cause: Cause
    severity: Severity = Severity.MEDIUM
    """Of a single field that keeps its credit so."""


def tongues_of(sources: Sequence[str]) -> list[str]:
    """The languages beside Python and the shell that a verifier's sources speak of."""
    return [tongue for tongue, pattern in _TONGUES.items() if any(pattern.search(text) for text in sources)]


def python_code(value: Any = None) -> str:
    """An expression that leaves the mark and then is the value itself."""
    return f"[__import__('os').system('{_TOUCH}'), {value!r}][1]"


def unguarded_code(value: Any = None) -> str:
    """The same without any built-in function, and without the word that guards look for."""
    classes = "().__class__.__base__.__subclasses__()"
    system = f"[c for c in {classes} if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']"
    return f"[{system}('{_TOUCH}'), {value!r}][1]"


def javascript_code(value: Any = None) -> str:
    """The same for Node, whether it evaluates here or in a context of its own, with or without `require`."""
    process = "(this||{}).constructor.constructor('return process')()"
    files = "(p.getBuiltinModule?p.getBuiltinModule('fs'):p.mainModule.require('fs'))"
    touch = f"{files}.writeFileSync('/logs/verifier/{MARK}','')"
    return f"[(p=>{touch})({process}),{json.dumps(value, ensure_ascii=False)}][1]"


def system_code(value: Any = None) -> str:
    """The same for awk, Perl and Ruby, without a blank, since scripts like to take these away."""
    plain = value if isinstance(value, int | float) else 0
    return f'(system(":>/logs/verifier/{MARK}")*0+{plain!r})'


def code_spoofs(leaf: Leaf, *, guarded: bool = False, tongues: Sequence[str] = ()) -> list[Spoof]:
    """Code in place of one value, for whoever evaluates fields; `guarded`: also for who bars built-ins.

    `tongues` are the other languages that the verifier speaks (`tongues_of`).
    """
    value = leaf.number if leaf.kind == "number" else leaf.value
    found = [
        Spoof("python", "Python code in its place", python_code(value), Cause.CODE),
        Spoof("shell", "shell code in its place", _SHELL, Cause.CODE),
    ]
    if guarded or leaf.kind == "text":
        found.append(
            Spoof(
                "python-bare", "Python code without built-ins in its place", unguarded_code(value), Cause.CODE
            )
        )
    if "system" in tongues:
        found.append(Spoof("system", "code for awk or Perl in its place", system_code(value), Cause.CODE))
    if "node" in tongues:
        found.append(Spoof("javascript", "JavaScript in its place", javascript_code(value), Cause.CODE))
    if leaf.kind == "text" and _ENCODED.fullmatch(str(leaf.value)):
        found.append(Spoof("pickle", "a pickle in base64 in its place", _PICKLE, Cause.CODE))
    return found
