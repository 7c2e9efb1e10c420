"""Outputs that answer nothing and try something: the material of the exploits section. Pure.

Code in them does one thing only, and only inside the sandbox: it leaves the file `MARK` among the artifacts,
by which the audit knows that it was executed.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from adjudge.audit.probe import MARK
from adjudge.contracts import OutputFormat, Task
from adjudge.gates import OutputFile
from adjudge.tasks import find_fences

_TOUCH = f"touch /logs/verifier/{MARK}"
_PYTHON = f"__import__('os').system('{_TOUCH}')"
_MODULE = f"import os\nos.system('{_TOUCH}')\n"
_HUGE = 4 << 20
_DEEP = 50_000
_USUAL_IMPORTS = (
    *("json", "re", "math", "csv", "os", "sys", "pathlib", "random", "decimal", "collections", "typing"),
    *("sitecustomize", "usercustomize", "conftest", "numpy", "pandas", "yaml", "adjudge_kit", "verify"),
)
_OPTIONS = re.compile(r'"([^"\n]+)"\s*:\s*"([^"\n]*(?:\||/| or )[^"\n]*)"')
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
NONSENSE = "I could not work this out.\n"


def nonsense(kind: OutputFormat) -> bytes:
    """An answer that says nothing, in the format where the format has one."""
    if kind in (OutputFormat.JSON, OutputFormat.YAML, OutputFormat.JSONL):
        return b'{"note": "I could not work this out."}\n'
    if kind is OutputFormat.CSV:
        return b"note\nI could not work this out.\n"
    if kind is OutputFormat.TOML:
        return b'note = "I could not work this out."\n'
    return NONSENSE.encode()


def in_format(value: Any, kind: OutputFormat) -> bytes:
    """JSON as an answer of a format: fenced in prose, else bare."""
    text = json.dumps(value, indent=2)
    if kind in (OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT):
        return f"# Answer\n\n```json\n{text}\n```\n".encode()
    return (json.dumps(value) if kind is OutputFormat.JSONL else text).encode() + b"\n"


def skeleton(instruction: str) -> str | None:
    """The last JSON example in the instruction as it stands there; None where there is none."""
    fences = [f for f in find_fences(instruction) if f.label in ("", "json", "jsonc", "json5", "jsonl")]
    shown = [f.content for f in fences if f.content.lstrip()[:1] in ("{", "[")]
    return shown[-1] if shown else None


def shape(schema: dict[str, Any] | None, depth: int = 0) -> Any:
    """A value of the expected shape with nothing in it; None where no shape is known."""
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


def options_shown(instruction: str) -> dict[str, str]:
    """Texts of the skeleton that name several options, such as "pass | fail", by their field."""
    return dict(_OPTIONS.findall(skeleton(instruction) or ""))


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
