"""Ask the verifier itself for its references: import its Python files in the sandbox, see what they hold.

Constants of a module, and what functions return that take nothing and are named like a reference
(`compute_ground_truth`, `expected`, `solve`), also in classes of tests, come back as JSON; so does what such
a function makes of each entry of a constant that has what it takes (`expected(hours, rate)`, and a table of
both). Functions of other names are asked last. Python inside of shell scripts is a module, too. All of it
runs inside the sandbox, as a verifier would; nothing of it is imported here. What a module prints, raises or
exits with does not matter.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from adjudge.audit.answers.data import as_numbers, data_beside, inputs_given
from adjudge.audit.answers.embedded import embedded_trees
from adjudge.audit.answers.layouts import blocks_shown
from adjudge.audit.probes import Bench
from adjudge.contracts import OutputFormat, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import SandboxJob, frozen_tests
from adjudge.scoring import files_of_image

_FILE = "adjudge-references.json"
_READ_STRICTLY = frozenset({OutputFormat.BINARY, OutputFormat.TEXT, OutputFormat.TOML, OutputFormat.XML})
_MOST_INSIDE = 120_000
_MOST_TABLES = 40_000
_MOST_PATHS = 6
Reference = tuple[str, str, Any]
_ASK = """
import inspect, io, itertools, json, math, numbers, os, pathlib, re, signal, sys, types
LOGS, FILE = "/logs/verifier", "adjudge-references.json"
NAMED = re.compile(r"truth|expect|refer|solve|solution|oracle|answer|golden|correct|compute|target", re.I)
FILED = re.compile(r"path|file|name|csv|json|src|source|data|input|^f$|^p$", re.I)
INSIDE, TABLES, PATHS = json.loads(sys.argv[1])
found, later = [], []

def plain(value, depth=0):
    if depth > 6:
        raise ValueError
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
        return value
    if isinstance(value, dict):
        return {str(k): plain(v, depth + 1) for k, v in list(value.items())[:200]}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    if hasattr(value, "_asdict"):
        return plain(value._asdict(), depth + 1)
    if isinstance(value, (list, tuple)):
        return [plain(v, depth + 1) for v in list(value)[:200]]
    if isinstance(value, complex):
        return [value.real, value.imag]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, types.GeneratorType):
        return [plain(v, depth + 1) for v in itertools.islice(value, 200)]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    if hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return plain(vars(value), depth + 1)
    if isinstance(value, numbers.Number):
        return float(value)
    raise ValueError

def note(where, name, value):
    try:
        found.append([where, name, plain(value)])
    except Exception:
        pass

def entries(value):
    if isinstance(value, dict):
        return list(value.items())[:200]
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    return list(enumerate(value))[:200] if isinstance(value, (list, tuple)) else []

def named(need, key, given):
    return ((), {name: given[name] for name in need}) if isinstance(given, dict) else None

def spread(need, key, given):
    return (given, {}) if isinstance(given, (list, tuple)) and len(given) == len(need) else None

def behind(need, key, given):
    long = isinstance(given, (list, tuple)) and len(given) == len(need) + 1
    return (given[1:], {}, given[0]) if long and isinstance(given[0], str) else None

def whole(need, key, given):
    return ((given,), {}) if len(need) == 1 else None

def by_key(need, key, given):
    return ((key,), {}) if len(need) == 1 and isinstance(key, str) else None

def with_key(need, key, given):
    return ((key, given), {}) if len(need) == 2 and isinstance(key, str) else None

def applied(function, need, value):
    for way in (named, spread, behind, whole, by_key, with_key):
        results = {}
        try:
            for key, given in entries(value):
                args, names, *other = way(need, key, given)
                results[other[0] if other else key] = function(*args, **names)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:
            continue
        if any(one is not None and not isinstance(one, bool) for one in results.values()):
            return list(results.values()) if list(results) == list(range(len(results))) else results
    return None

def apply(where, key, function, need, module):
    tables = [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
    for name, value in [*tables, *TABLES]:
        if isinstance(value, (dict, list, tuple, set, frozenset)) and len(value) > 1:
            try:
                made = applied(function, need, value)
            except BaseException:
                continue
            if made:
                note(where, key + "(" + name + ")", made)
    if len(need) == 1 and FILED.search(need[0]):
        for path in PATHS:
            for kind in (str, pathlib.Path):
                try:
                    note(where, key + "(" + os.path.basename(path) + ")", function(kind(path)))
                    break
                except BaseException:
                    pass

def ask(where, key, function, module):
    try:
        need = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty
                and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if not need:
            note(where, key + "()", function())
        elif len(need) <= 6:
            apply(where, key, function, [p.name for p in need], module)
    except BaseException:
        pass

def look(path, source=None):
    name = "adjudge_asks_" + os.path.basename(path).split(".")[0]
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    try:
        source = source or open(path, encoding="utf-8").read()
        exec(compile(source, path, "exec"), module.__dict__)
    except BaseException:
        pass
    for key, value in list(vars(module).items()):
        if key.startswith("__"):
            continue
        if isinstance(value, types.FunctionType):
            if value.__module__ == name:
                asked = (os.path.basename(path), key, value, module)
                ask(*asked) if NAMED.search(key) else later.append(asked)
        elif isinstance(value, type) and value.__module__ == name:
            for part in [part for part in vars(value) if NAMED.search(part) and not part.startswith("test")]:
                try:
                    note(os.path.basename(path), key + "." + part + "()", getattr(value(), part)())
                except BaseException:
                    pass
            made = [part for part, one in vars(value).items()
                    if isinstance(one, (classmethod, staticmethod)) and part[:1] != "_"]
            for part in made:
                later.append((os.path.basename(path), key + "." + part, getattr(value, part), module))
        elif not isinstance(value, (type, types.ModuleType, types.FunctionType)):
            note(os.path.basename(path), key, value)

def keep():
    with open(LOGS + "/" + FILE, "w") as file:
        json.dump(found, file)

def write(*_):
    for leftover in ("reward.json", "reward.txt", "details.json", "errors.json"):
        try:
            os.unlink(LOGS + "/" + leftover)
        except OSError:
            pass
    keep()
    os._exit(0)

signal.signal(signal.SIGALRM, write)
signal.alarm(8)
sys.stdout = sys.stderr = io.StringIO()
sys.path.insert(0, "/tests")
for folder, folders, files in sorted(os.walk("/tests")):
    for file in sorted(files):
        if file.endswith(".py") and file != "adjudge_kit.py" and file != "__init__.py":
            look(os.path.join(folder, file))
for name, source in INSIDE:
    look("/tests/" + name, source)
keep()
signal.alarm(4)
for asked in later:
    ask(*asked)
write()
"""


def references(bench: Bench) -> list[tuple[str, str, Any]]:
    """(file, name, value) of what the verifier's modules and its files of data hold, and of what its functions
    make of them; nothing of the first if it has none in Python."""
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
    with frozen_tests(task) as tests:
        outcome = bench.sandbox.run(
            SandboxJob(
                command=("python3", "-B", "-c", _ASK, inside if len(inside) <= _MOST_INSIDE else "[[], [], []]"),
                tests=tests,
                files={**files_of_image(task), **_workspace(task)},
                workdir=workspace_of(task),
                limits=bench.limits_in_time(),
                env=dict(task.env),
            )
        )
    found = outcome.artifacts.get(_FILE)
    if found is None or found.data is None:
        return []
    try:
        told = json.loads(found.data)
    except (ValueError, RecursionError):
        return []
    return [(str(where), str(name), value) for where, name, value in told]


def _given(pieces: list[tuple[str, str]], data: list[Reference]) -> list[Any]:
    """Python inside of scripts, tables for functions to be asked about, and paths: as much as may be given."""
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
