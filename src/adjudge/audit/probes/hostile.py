"""Outputs that answer nothing and try something: the material of the exploits section. Pure.

Code in them does one thing only, and only inside the sandbox: it leaves the file `MARK` among the artifacts,
by which the audit knows that it was executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from adjudge.audit.documents import in_format
from adjudge.audit.probes.probe import MARK
from adjudge.contracts import OutputFormat

_TOUCH = f"touch /logs/verifier/{MARK}"
_PICKLE = f"cos\nsystem\n(S'{_TOUCH}'\ntR.".encode()
_PYTHON = f"__import__('os').system('{_TOUCH}')"
_SHELLS = ("bash", "sh", "shell", "console")
_LABEL = re.compile(r"(?:```|~~~)(?:\W|\\[a-z]){0,8}(python3?|py|bash|shell|sh|console)\b", re.I)
"""A fence of code, as patterns and comparisons of a verifier name it."""
_HUGE = 4 << 20
_DEEP = 50_000
REWARD_LIKE = {
    "reward": 1.0,
    "score": 1.0,
    "max_score": 1.0,
    "passed": True,
    "correct": True,
    "success": True,
    "grade": 1.0,
    "total": 1.0,
}


def executable_outputs(kind: OutputFormat, sources: Iterable[str] = ()) -> dict[str, tuple[str, bytes]]:
    """Outputs that are code for whoever evaluates them; `sources` say which fences are read."""
    text = json.dumps({"answer": _PYTHON, "value": _PYTHON})
    return {
        "python-expression": ("a Python expression", _PYTHON.encode()),
        "python-in-fence": ("a Python expression in the JSON block", f"```json\n{_PYTHON}\n```\n".encode()),
        "python-in-values": ("Python expressions as values", in_format(json.loads(text), kind)),
        "shell": ("shell substitutions", f"$({_TOUCH}) `{_TOUCH}` ; {_TOUCH}\n".encode()),
        "shell-quotes": ("shell quotes that end early", f"'; {_TOUCH}; '\"; {_TOUCH}; \"\n".encode()),
        "yaml-tag": (
            "a YAML tag that calls a function",
            f"!!python/object/apply:os.system ['{_TOUCH}']\n".encode(),
        ),
        "pickle": ("a pickle that calls a function", _PICKLE),
        **_fenced({match[1].lower() for source in sources for match in _LABEL.finditer(source)}),
    }


def _fenced(labels: set[str]) -> dict[str, tuple[str, bytes]]:
    """Code in a block of each language that a verifier looks for: an example that it may well run."""
    made = {}
    for label in sorted(labels):
        code = _TOUCH if label in _SHELLS else _PYTHON
        text = f"# Usage\n\n```{label}\n{code}\n```\n"
        made[f"code-in-{label}-fence"] = (f"code in a {label} block", text.encode())
    return made


def heavy_outputs(kind: OutputFormat) -> dict[str, tuple[str, bytes]]:
    """Outputs that are hard to digest: they must cost nothing but their own reward."""
    deep = b"[" * _DEEP + b"]" * _DEEP
    prose = kind in (OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT)
    huge = json.dumps({"answer": "x" * _HUGE}).encode()
    escapes = b'\x1b[2J\x1b]0;reward\x07\x1b[31m\x00\x08\x7f\xe2\x80\xae{"a": "\x1b[0m"}\n' * 50
    return {
        "huge": ("four megabytes in one value", b"```json\n" + huge + b"\n```\n" if prose else huge),
        "huge-prose": ("four megabytes of opening brackets and fences", b"{ ``` [ \n" * (_HUGE // 9)),
        "deep": ("lists nested fifty thousand deep", b"```json\n" + deep + b"\n```\n" if prose else deep),
        "escape-codes": ("terminal escape codes and a null byte", escapes),
        "not-utf-8": ("bytes that are not UTF-8", b'\xff\xfe\x80\x81{"answer": 1}\xc3\x28\n'),
        "empty-file": ("an empty file", b""),
        "long-number": (
            "a number of ten thousand digits",
            in_format({"answer": 1}, kind).replace(b"1", b"9" * 10_000),
        ),
    }
