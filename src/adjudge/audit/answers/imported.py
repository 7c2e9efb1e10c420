"""Ask the verifier itself for its references: import its Python files in the sandbox, see what they hold.

Constants of a module, and what functions return that take nothing and are named like a reference
(`compute_ground_truth`, `expected`, `solve`), also in classes of tests, come back as JSON; so does what such
a function makes of each entry of a constant, or of a file of data, that has what it takes (`expected(hours,
rate)`, and a table of both). Functions of other names are asked last. Python inside of shell scripts is a
module, too. All of it runs inside the sandbox (`asked`), as a verifier would; nothing of it is imported here.
What a module prints, raises or exits with does not matter. What files of data hold is read (`data`).
"""

from __future__ import annotations

import ast
import json
from typing import Any

from adjudge.audit.answers.asked import ASK, FILE
from adjudge.audit.answers.data import as_numbers, data_beside, inputs_given
from adjudge.audit.answers.embedded import embedded_trees
from adjudge.audit.answers.written import blocks_shown
from adjudge.audit.probes import Bench
from adjudge.contracts import OutputFormat, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import SandboxJob, frozen_tests
from adjudge.scoring import files_of_image

_READ_STRICTLY = frozenset({OutputFormat.BINARY, OutputFormat.TEXT, OutputFormat.TOML, OutputFormat.XML})
_MOST_INSIDE = 120_000
_MOST_TABLES = 40_000
_MOST_PATHS = 6
Reference = tuple[str, str, Any]


def references(bench: Bench) -> list[tuple[str, str, Any]]:
    """(file, name, value) of what the verifier's modules hold and its functions give, then of files of data.

    Of the first there is nothing if it has no Python.
    """
    task = bench.task
    data, inputs = data_beside(task), inputs_given(task)
    beside = [(where, what, as_numbers(value)) for where, what, value in data]
    beside += [(where, what, as_numbers(value)) for where, what, value in inputs]
    return [*_held(bench, data, inputs), *beside]


def _held(bench: Bench, data: list[Reference], inputs: list[Reference]) -> list[Reference]:
    task = bench.task
    pieces = [(name, ast.unparse(tree)) for name, tree in embedded_trees(task.folder / "tests")]
    if not pieces and not any((task.folder / "tests").rglob("*.py")):
        return []
    inside = json.dumps(_given(pieces, [*data, *inputs]))
    inside = inside if len(inside) <= _MOST_INSIDE else "[[], [], []]"
    with frozen_tests(task) as tests:
        outcome = bench.sandbox.run(
            SandboxJob(
                command=("python3", "-B", "-c", ASK, inside),
                tests=tests,
                files={**files_of_image(task), **_workspace(task)},
                workdir=workspace_of(task),
                limits=bench.limits_in_time(),
                env=dict(task.env),
            )
        )
    found = outcome.artifacts.get(FILE)
    if found is None or found.data is None:
        return []
    try:
        told = json.loads(found.data)
    except (ValueError, RecursionError):
        return []
    return [(str(where), str(name), value) for where, name, value in told]


def _given(pieces: list[tuple[str, str]], data: list[Reference]) -> list[Any]:
    """Python inside of scripts, tables for functions to be asked about, and paths; bounded."""
    tables: list[tuple[str, Any]] = []
    left = _MOST_TABLES
    for where, what, value in data:
        left -= len(json.dumps(value, default=str))
        if left > 0:
            tables.append((f"{what} of {where}", value))
    places = [where if where.startswith("/") else f"/tests/{where}" for where, _, _ in data]
    return [pieces, tables, list(dict.fromkeys(places))[:_MOST_PATHS]]


def _workspace(task: Task) -> dict[str, OutputFile]:
    """An answer with nothing right in it, so that a module that reads it at its start finds something.

    Of lines or tags it is the example of the instruction: a reader of these stops at anything else.
    """
    examples = [block for block in blocks_shown(task.instruction) if "\n" in block.strip()]
    data = "{}"
    if examples and task.output.format in _READ_STRICTLY:
        data = examples[-1]
    return {task.verifier.expected_output_path: OutputFile(f"{data}\n".encode())}


def fitting(found: list[tuple[str, str, Any]], wanted: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Whole answers among the references: (source, value) of each object that has the wanted keys.

    An object with the keys and more is cut to them; the one that has most of them comes first.
    """
    keys = set(wanted)
    fits: list[tuple[int, str, dict[str, Any]]] = []
    for where, name, value in found:
        stack = [value]
        for node in stack:
            if isinstance(node, dict):
                common = keys & set(node)
                if common and 2 * len(common) >= len(keys):
                    fits.append(
                        (len(common), f"{name} of tests/{where}", {k: node[k] for k in wanted if k in node})
                    )
                stack += node.values()
            elif isinstance(node, list):
                stack += node[:50]
            if len(stack) > 2000:
                break
    fits.sort(key=lambda fit: -fit[0])
    return [(source, value) for _, source, value in fits[:8]]


def fitting_rows(found: list[tuple[str, str, Any]], keys: set[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Lists of records among the references that have most of the wanted columns, if any are known."""
    fits = []
    for where, name, value in found:
        stack = [value]
        for node in stack:
            records = isinstance(node, list) and node and all(isinstance(row, dict) for row in node)
            if records and (not keys or 2 * len(keys & set(node[0])) >= len(keys)):
                fits.append((f"{name} of tests/{where}", node))
            if isinstance(node, dict):
                stack += node.values()
            elif isinstance(node, list):
                stack += node[:50]
            if len(stack) > 2000:
                break
    return fits[:6]


def by_name(found: list[tuple[str, str, Any]], names: set[str]) -> dict[str, list[Any]]:
    """Values for single fields: under their own key anywhere, or in a constant of a like name."""
    lower = {name.lower(): name for name in names}
    values: dict[str, list[Any]] = {}
    for _, constant, value in found:
        word = constant.lower().removesuffix("()")
        for plain, name in lower.items():
            if plain in word and not isinstance(value, dict):
                place = 0 if plain == word else len(values.get(name, ()))
                values.setdefault(name, []).insert(place, value)
        stack = [value]
        for node in stack:
            if isinstance(node, dict):
                for key, child in node.items():
                    if key in names:
                        inner = child
                        if isinstance(child, dict):
                            inner = next(
                                (child[k] for k in ("value", "expected", "ref", "target") if k in child),
                                child,
                            )
                        if isinstance(child, list) and child and not isinstance(child[0], dict | list):
                            inner = child[0]
                        values.setdefault(key, []).append(inner)
                        if isinstance(child, list):
                            values[key].append(child)
                stack += node.values()
            elif isinstance(node, list):
                stack += node[:50]
            if len(stack) > 2000:
                break
    return values
