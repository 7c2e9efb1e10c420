"""Read all of a verifier's source: its Python, also that inside of its shell scripts, and these themselves.

Nothing is run. What cannot be parsed is passed over: the audit's probes ask the verifier itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.answers import python_in
from adjudge.audit.reading.amounts import read_bounds, read_numbers, read_within_bounds
from adjudge.audit.reading.claims import read_claims
from adjudge.audit.reading.credit import read_credit
from adjudge.audit.reading.fields import read_fields
from adjudge.audit.reading.flow import Flow
from adjudge.audit.reading.gates import read_gates
from adjudge.audit.reading.inputs import read_inputs
from adjudge.audit.reading.lists import read_lists
from adjudge.audit.reading.loops import read_loops
from adjudge.audit.reading.machinery import read_machinery
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.normalising import read_normalising
from adjudge.audit.reading.one_way import read_one_way
from adjudge.audit.reading.places import read_places
from adjudge.audit.reading.references import read_references
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.set_order import read_set_order
from adjudge.audit.reading.shell import read_shell
from adjudge.audit.reading.slips import read_slips
from adjudge.audit.reading.texts import read_texts
from adjudge.contracts import Task
from adjudge.tasks import own_sources, read_source

_RULES = (
    *(read_slips, read_loops, read_numbers, read_references, read_normalising),
    *(read_texts, read_lists, read_one_way, read_credit, read_machinery),
    *(read_set_order, read_claims, read_bounds, read_within_bounds),
)
_MOST_READ = 1 << 18
"""Of all files together: reading them takes five seconds at most."""
_OTHERS = frozenset({"adjudge_kit.py", "conftest.py", "setup.py"})
"""Not the verifier's own judgement."""


def read_sources(task: Task) -> tuple[list[str], list[Remark]]:
    """The files that could be read, and what a reader would remark on: the worst first, each once."""
    sources = list(_sources(task.folder / "tests"))
    modules = list(_modules(task, sources))
    made = frozenset[str]().union(*(module.generators for module in modules))
    for module in modules:
        module.generators = made
    judging, in_shell = read_shell(task, sources)
    files = list(dict.fromkeys((*(module.file for module in modules), *judging)))
    in_python = [*_remarks(modules), *read_fields(task, sources)] if modules else []
    placed = [*read_inputs(task, modules), *read_places(task, sources), *read_gates(task, modules, sources)]
    found = {(r.file, r.line, r.cause): r for r in (*in_python, *in_shell, *placed)}
    return files, sorted(found.values(), key=lambda r: (r.severity.rank, r.file, r.line, str(r.cause)))


def _remarks(modules: Sequence[Module]) -> Iterator[Remark]:
    for module in modules:
        try:
            for rules in _RULES:
                yield from rules(module)
        except RecursionError:
            continue


def _modules(task: Task, sources: Sequence[tuple[str, str]]) -> Iterator[Module]:
    path = PurePosixPath(task.verifier.expected_output_path)
    argv = any(file.endswith(".sh") and path.name in text for file, text in sources)
    for file, text in sources:
        for offset, tree in _trees(file, text):
            try:
                flow = Flow(tree, (str(path), path.name), argv=argv)
                yield Module(file, tree, flow, task.instruction, path.suffix, offset)
            except RecursionError:
                continue


def _trees(file: str, text: str) -> Iterator[tuple[int, ast.Module]]:
    if file.endswith(".sh"):
        yield from python_in(text)
        return
    try:
        yield 0, parse_python(text)
    except NO_PYTHON:
        return


def _sources(tests: Path) -> Iterator[tuple[str, str]]:
    """(name below tests/, text) of the own Python and shell scripts, those at the top first; bounded."""
    room = _MOST_READ
    for path in map(Path, own_sources(tests)):
        if path.suffix not in (".py", ".sh") or path.name in _OTHERS:
            continue
        source = read_source(str(path))
        if source is not None and len(source) <= room:
            room -= len(source)
            yield path.relative_to(tests).as_posix(), source.decode("utf-8", "replace")
