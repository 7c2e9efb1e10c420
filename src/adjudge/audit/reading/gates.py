"""Tests that no reward depends on: pytest's exit code is thrown away, and another test writes the score.

Nothing is said where somebody may ask which tests passed: a hook, a report, a log, `$?`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Task

_RUN = re.compile(r"^[^#\n]*\bpytest\b[^\n]*?\|\|[ \t]*(?:true|:|echo\b[^\n]*|exit 0)[ \t]*$", re.M)
_ASKED = re.compile(
    r"\$\?|PIPESTATUS|--(?:ctrf|junit|json|report)|\btee\b|[^2&]>+[ \t]*(?!/dev/null|&)[\w/$\"{]"
)
_LEAST = 2
_FILLS = frozenset({"append", "add", "update", "extend", "setdefault", "insert"})


def read_gates(task: Task, modules: Sequence[Module], sources: Sequence[tuple[str, str]]) -> Iterator[Remark]:
    """One remark per file of tests, on the first that costs nothing."""
    script = task.verifier.script.rpartition("/")[2]
    runs = [match[0] for file, text in sources if file == script for match in _RUN.finditer(_joined(text))]
    if not runs or any(map(_ASKED.search, runs)) or (task.folder / "tests" / "conftest.py").exists():
        return
    if any("$?" in text for file, text in sources if file == script):
        return
    for module in modules:
        if not module.file.endswith(".py") or "pytest_" in module.text.replace("pytest_plugins", ""):
            continue
        tests = [f for name, f in module.flow.functions.items() if name.startswith("test")]
        writers = [test for test in tests if any(map(_writes, ast.walk(test)))]
        free = [
            test for test in tests if test not in writers and _asserts(test) and not _leaves(module, test)
        ]
        if writers and len(free) >= _LEAST and not _others_write(module, tests):
            yield module.remark(
                _heading(free[0]),
                Cause.UNSCORED,
                f"{len(free)} tests such as `{free[0].name}` change neither the score, which "
                f"`{writers[-1].name}` writes, nor an exit code that counts: to fail them costs nothing",
                "Let the exit code of pytest decide, or take these checks into the score.",
            )


def _joined(text: str) -> str:
    """Commands that go on in the next line, as one line."""
    return re.sub(r"\\\n[ \t]*", " ", text)


def _heading(test: ast.AST) -> ast.AST:
    """The first assertion, whose code says what is asked for in vain."""
    return next((part for part in ast.walk(test) if isinstance(part, ast.Assert)), test)


def _asserts(test: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Assert)
        or (isinstance(part, ast.Call) and ast.unparse(part.func) == "pytest.fail")
        for part in ast.walk(test)
    )


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    mode = [
        part.value
        for part in (*node.args, *(k.value for k in node.keywords))
        if isinstance(part, ast.Constant)
    ]
    opened = called(node) == "open" and any(
        isinstance(m, str) and re.fullmatch("[wax][bt+]*", m) for m in mode
    )
    return opened or called(node) in ("write_text", "write_bytes", "dump")


def _leaves(module: Module, test: ast.AST) -> bool:
    """Does a test leave something behind for whoever writes the score, itself or by a function of its own?"""
    helpers = {
        module.flow.functions[called(part)]
        for part in ast.walk(test)
        if isinstance(part, ast.Call) and called(part) in module.flow.functions
    }
    return any(_leaves_behind(function) for function in (test, *helpers)) or any(
        _writes(part) for function in helpers for part in ast.walk(function)
    )


def _leaves_behind(function: ast.AST) -> bool:
    parts = list(ast.walk(function))
    own = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for part in parts:
        held: ast.expr | None = None
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
            held = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _FILLS:
            held = part.func.value
        if isinstance(part, ast.Global | ast.Nonlocal) or (held is not None and _root(held) not in own):
            return True
    return False


def _others_write(module: Module, tests: Sequence[ast.AST]) -> bool:
    """Is there a fixture, a hook or an end of the module that writes as well?"""
    inside = {part for test in tests for part in ast.walk(test)}
    return any(_writes(node) for node in module.nodes if node not in inside)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
