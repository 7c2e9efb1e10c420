"""Read a Python file as the list of what it needs: modules, programs and files. Nothing of it is run.

Only what is written plainly is found: `import numpy`, `subprocess.run(["node", …])`, `"/tests/expected"`.
`certain` tells a need without which the file cannot do its work from one that may be optional: an import at
the top is certain, one with a fallback (`except ImportError: numpy = None`) or in a helper function is not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from adjudge._lazy import late_pattern

_MOST = 500_000
_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_START_ERRORS = frozenset({"FileNotFoundError", "OSError", "Exception", "BaseException"})
_STARTS = frozenset({"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"})
_ENDS = frozenset({"exit", "_exit", "quit", "abort", "fail", "skip"})
_RUNS = late_pattern(
    r"(test|main|run|verif|check|grad|scor|eval|setup|set_?up|load|compute|_?compare)", re.IGNORECASE
)
_CATCHES = late_pattern(
    r"^\s*except\s*(?:\(?[\w., ]*\b(?:Base)?Exception\b|\(?[\w., ]*(?:Import|ModuleNotFound|OS)Error|:)", re.M
)
_IN_TESTS = late_pattern(r"/tests/[\w./ -]+")
_LOOKS_FIRST = late_pattern(r"\bexists\(|\bis_file\(|\bisfile\(|\bis_dir\(|\bisdir\(")


class SourceNeed(Struct, frozen=True):
    """One need of a Python file; `kind` is `module`, `shell` (a command line), `program` or `file`."""

    kind: str
    name: str
    line: int
    certain: bool
    quiet: bool = False
    """Would an error be caught before anybody hears of it?"""


@lru_cache(maxsize=256)  # benchmarks carry the same helper file in every task
def python_needs(text: str) -> tuple[SourceNeed, ...]:
    """What a Python file needs, in the order of its lines; empty for what is not Python."""
    if len(text) > _MOST or text == _kit():
        return ()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    looks_first = bool(_LOOKS_FIRST.search(text))
    asks_for_programs = "shutil.which" in text or "which(" in text
    quiet = bool(_CATCHES.search(text))
    needs: list[SourceNeed] = []
    for node, certain, caught in _walk(tree.body, certain=True, caught=frozenset()):
        if isinstance(node, ast.Import):
            sure = certain and not (caught & _IMPORT_ERRORS)
            needs += [SourceNeed("module", alias.name, node.lineno, sure) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            sure = certain and not (caught & _IMPORT_ERRORS)
            needs.append(SourceNeed("module", node.module, node.lineno, sure))
        elif isinstance(node, ast.Call):
            sure = certain and not asks_for_programs and not (caught & _START_ERRORS)
            needs += _started(node, certain=sure)
        elif isinstance(node, ast.Constant) and _IN_TESTS.fullmatch(str(node.value)):
            needs.append(SourceNeed("file", str(node.value), node.lineno, certain and not looks_first))
    return tuple(replace(need, quiet=quiet or need.quiet) for need in needs)


@cache
def _kit() -> str | None:
    """The text of the authoring kit, which needs nothing but Python; most verifiers come with a copy."""
    found = find_spec("adjudge_kit")
    try:
        return None if found is None or found.origin is None else Path(found.origin).read_text("utf-8")
    except OSError:
        return None


def _walk(
    body: list[ast.stmt], *, certain: bool, caught: frozenset[str]
) -> Iterator[tuple[ast.AST, bool, frozenset[str]]]:
    """Every statement and expression, with whether it runs in any case and which errors have a fallback."""
    for statement in body:
        if isinstance(statement, ast.Try):
            yield from _walk(statement.body, certain=certain, caught=caught | _fallbacks(statement))
            for handler in statement.handlers:
                yield from _walk(handler.body, certain=False, caught=caught)
            yield from _walk(statement.orelse, certain=False, caught=caught)
            yield from _walk(statement.finalbody, certain=certain, caught=caught)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            runs = certain and bool(_RUNS.match(statement.name))
            yield from _walk(statement.body, certain=runs, caught=caught)
        elif isinstance(statement, ast.ClassDef):
            yield from _walk(statement.body, certain=certain, caught=caught)
        elif isinstance(statement, ast.If):
            if "TYPE_CHECKING" not in ast.dump(statement.test):
                main = "__name__" in ast.dump(statement.test)
                yield from ((node, certain, caught) for node in _nodes(statement.test))
                yield from _walk(statement.body, certain=certain and main, caught=caught)
                yield from _walk(statement.orelse, certain=False, caught=caught)
        elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
            yield from _walk(statement.body, certain=certain, caught=caught)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            yield from ((node, certain, caught) for item in statement.items for node in _nodes(item))
            yield from _walk(statement.body, certain=certain, caught=caught)
        else:
            for node in _nodes(statement):
                yield node, certain, caught


def _nodes(top: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives, in its order, without the nodes that hold nothing; in half of its time."""
    nodes = [top]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                nodes += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                nodes.append(value)
    return nodes


def _fallbacks(statement: ast.Try) -> frozenset[str]:
    """The errors that a `try` goes on after: not those whose handler ends the program or raises."""
    names: set[str] = set()
    for handler in statement.handlers:
        if any(_ends(node) for part in handler.body for node in ast.walk(part)):
            continue
        if _swallows(statement, handler):
            continue
        kinds = [None] if handler.type is None else ast.walk(handler.type)
        names |= {
            "Exception"
            if kind is None
            else kind.id
            if isinstance(kind, ast.Name)
            else getattr(kind, "attr", "")
            for kind in kinds
        }
    return frozenset(names)


def _swallows(statement: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Does a handler of any error give up without a word? Around imports alone it makes them optional."""
    broad = handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )
    only_imports = all(isinstance(part, ast.Import | ast.ImportFrom) for part in statement.body)
    return broad and not only_imports and all(_is_nothing(part) for part in handler.body)


def _is_nothing(part: ast.stmt) -> bool:
    """`pass`, `continue`, `ok = False`, `return 0`, `code = 1`, or a word about it."""
    if isinstance(part, ast.Pass | ast.Continue | ast.Break):
        return True
    if isinstance(part, ast.Assign | ast.Return | ast.AnnAssign):
        value = part.value
        value = value.operand if isinstance(value, ast.UnaryOp) else value  # -1
        return value is None or (
            isinstance(value, ast.Constant) and (not value.value or type(value.value) is int)
        )
    called = part.value if isinstance(part, ast.Expr) else None
    name = getattr(called, "func", None)
    return isinstance(name, ast.Name) and name.id == "print"


def _ends(node: ast.AST) -> bool:
    """Does this end the program, or write a reward of nothing?"""
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return "reward" in node.value or "/logs/" in node.value
    if not isinstance(node, ast.Call):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return name in _ENDS or "reward" in name.lower() or "score" in name.lower()


def _started(node: ast.Call, *, certain: bool) -> list[SourceNeed]:
    """The program that a call starts, if it is written out."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    of_os = isinstance(owner, ast.Name) and owner.id == "os" and name in ("system", "popen", "execvp")
    of_subprocess = name in _STARTS and (
        owner is None or (isinstance(owner, ast.Name) and owner.id == "subprocess")
    )
    if not (of_os or of_subprocess) or not node.args or (owner is None and name in ("run", "call")):
        return []
    first = node.args[0]
    if isinstance(first, ast.List | ast.Tuple) and first.elts:
        words = [
            part.value
            for part in first.elts
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        if "sys.executable" in ast.unparse(first.elts[0]):
            module = words[1:2] if words[:1] == ["-m"] else []
            return [SourceNeed("module", name, node.lineno, certain, quiet=True) for name in module]
        first = first.elts[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return [SourceNeed("program", first.value, node.lineno, certain)]
    elif isinstance(first, ast.Constant) and isinstance(first.value, str):
        shell = of_os or any(k.arg == "shell" for k in node.keywords) or " " not in first.value
        return [SourceNeed("shell" if shell else "program", first.value, node.lineno, certain)]
    return []
