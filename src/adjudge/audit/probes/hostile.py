"""Outputs that answer nothing and try something: the material of the exploits section. Pure.

Code in them does one thing only, and only inside the sandbox: it leaves the file `MARK` among the artifacts,
by which the audit knows that it was executed.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

from adjudge.audit.documents import in_format
from adjudge.audit.probes.probe import MARK
from adjudge.contracts import OutputFormat, Task
from adjudge.gates import OutputFile

_TOUCH = f"touch /logs/verifier/{MARK}"
_PYTHON = f"__import__('os').system('{_TOUCH}')"
_MODULE = f"import os\nos.system('{_TOUCH}')\n"
_HUGE = 4 << 20
_DEEP = 50_000
_USUAL_IMPORTS = (
    *("json", "re", "math", "csv", "os", "sys", "pathlib", "random", "decimal", "collections", "typing"),
    *("sitecustomize", "usercustomize", "conftest", "numpy", "pandas", "yaml", "adjudge_kit", "verify"),
)
_MAX_SOURCE = 1 << 20
CODE = frozenset(
    f".{name}"
    for name in ["py", "sh", "js", "ts", "r", "c", "cpp", "rs", "go", "java", "jl", "m", "sql", "ipynb"]
)
"""Outputs that are programs: to run them is what their verifier is for."""
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


def executable_outputs(kind: OutputFormat) -> dict[str, tuple[str, bytes]]:
    """Outputs that are code for whoever evaluates what an agent wrote."""
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
    }


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


def planted_modules(task: Task) -> dict[str, OutputFile]:
    """Python modules with the names of those that the verifier imports, for the workspace."""
    names = {*_USUAL_IMPORTS, *_imports(task.folder / "tests")}
    return {f"{name}.py": OutputFile(_MODULE.encode()) for name in sorted(names)}


def _imports(folder: Path) -> set[str]:
    """Top-level modules that a verifier's Python files import; a file that does not parse is passed over."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.py"))[:50]:
        try:
            if path.is_symlink() or path.stat().st_size > _MAX_SOURCE:
                continue
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return {name for name in found if name.isidentifier() and name != "__future__"}
