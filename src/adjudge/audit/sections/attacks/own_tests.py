"""Tests that lie in the workspace and that the verifier runs: whoever may rewrite them has passed them.

Each is hollowed out: it keeps its names, and tests nothing. The program beside it stays as the task gives it,
so that what is gained is gained by the tests alone.
"""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.causes import Cause
from adjudge.audit.documents import nonsense
from adjudge.audit.probes import Bench, Files, Probe, only_answer, verifier_sources
from adjudge.audit.sections.attacks.side_files import Exploit
from adjudge.gates import OutputFile
from adjudge.tasks import provided_files

_TEST = re.compile(r"(?:^|[_.-])(?:tests?|spec|check)(?:[_.-]|$)|^test", re.I)
_RUNNERS = re.compile(r"\b(?:pytest|unittest|npm (?:run )?test|jest|mocha|node --test|bats|tox)\b")
_ENDINGS = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts")
_MOST = 10
_MAX_SOURCE = 1 << 20


def own_tests(bench: Bench) -> list[Exploit]:
    """One exploit for all tests of the workspace that the verifier names or may collect; [] for none."""
    task = bench.task
    source = "\n".join(verifier_sources(task))
    hollowed: dict[str, OutputFile] = {}
    given = provided_files(task)
    for path, file in given.items():
        name = PurePosixPath(path)
        if name.suffix not in _ENDINGS or not _TEST.search(name.stem) or len(hollowed) >= _MOST:
            continue
        if name.name in source or _RUNNERS.search(source):
            text = file.read_bytes()[:_MAX_SOURCE].decode("utf-8", "replace")
            hollowed[path] = OutputFile(hollow_test(text, name.suffix).encode())
    if not hollowed or task.verifier.expected_output_path in hollowed:
        return []
    kept: Files = ()
    if task.verifier.expected_output_path not in given:
        kept = only_answer(task, nonsense(task.output.format))
    plain = Probe("exploits/own-tests-kept", "the workspace with the tests that it has", kept)
    what = "the workspace with tests that test nothing"
    probe = Probe("exploits/own-tests", what, tuple({**dict(kept), **hollowed}.items()))
    return [Exploit(probe, Cause.SIDE_FILE, plain)]


def hollow_test(text: str, suffix: str) -> str:
    """A test file of the same names that passes whatever there is."""
    if suffix == ".sh":
        return "#!/usr/bin/env bash\nexit 0\n"
    if suffix != ".py":
        return 'if (typeof test === "function") test("ok", () => {});\n'
    try:
        tree = parse_python(text)
    except NO_PYTHON:
        return "def test_ok():\n    pass\n"
    kept = [part for node in tree.body if (part := _hollow(node)) is not None]
    started = "__main__" in text and "unittest" in text
    lines = [ast.unparse(ast.fix_missing_locations(node)) for node in kept]
    ending = ['if __name__ == "__main__":\n    unittest.main()'] if started else []
    return "\n".join(["import unittest", *(lines or ["def test_ok():\n    pass"]), *ending, ""])


def _hollow(node: ast.stmt) -> ast.stmt | None:
    """A test, or a class of tests, with nothing in it; None for anything else."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if not node.name.startswith("test"):
            return None
        first = [arg for arg in node.args.args if arg.arg == "self"]
        empty = ast.arguments(posonlyargs=[], args=first, kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.FunctionDef(node.name, empty, [ast.Pass()], [], lineno=node.lineno)
    if isinstance(node, ast.ClassDef):
        body = [part for inner in node.body if (part := _hollow(inner)) is not None]
        bases: list[ast.expr] = [base for base in node.bases if "TestCase" in ast.unparse(base)]
        plain: list[ast.expr] = [ast.parse("unittest.TestCase", mode="eval").body] if bases else []
        return ast.ClassDef(node.name, plain, [], body, []) if body else None
    return None
