"""Files that an agent may leave beside its answer: modules, and whatever else a verifier speaks of. Pure.

A verifier's text names the files it opens. Each one that could lie in the workspace is planted: as code where
code would run, as a pickle where one would be loaded, else as data that claims success.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path, PurePosixPath

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.probes.hostile import REWARD_LIKE
from adjudge.audit.probes.probe import MARK
from adjudge.contracts import Task
from adjudge.gates import OutputFile, workspace_of

_TOUCH = f"touch /logs/verifier/{MARK}"
_MODULE = f"import os\nos.system('{_TOUCH}')\n"
_PICKLE = f"cos\nsystem\n(S'{_TOUCH}'\ntR.".encode()
"""A pickle that calls os.system, in the oldest protocol, which every Python reads."""
_SOURCED = frozenset({".env", ".envrc", ".bashrc", ".profile", ".bash_profile"})
"""Files that shells read as code."""
_SUMS = {".sha256": "sha256", ".sha1": "sha1", ".md5": "md5"}
_MAX_SOURCE = 1 << 20
_MAX_FILES = 200
_MOST_NAMED = 12
_USUAL_IMPORTS = (
    *("json", "re", "math", "csv", "os", "sys", "pathlib", "random", "decimal", "collections", "typing"),
    *("sitecustomize", "usercustomize", "conftest", "numpy", "pandas", "yaml", "adjudge_kit", "verify"),
)
_NAMED = re.compile(
    r"""["'`\s=/]((?:/[\w.-]+)*/?(?:\.env\b|[\w-][\w.-]*\.(?:sha256|sha1|md5|json|jsonl|csv|txt|md|yaml|yml|toml|pkl|pickle|joblib|npy|npz|pt|py|sh|db|ini|cfg|log)))\b"""
)
_KEPT = {
    **dict.fromkeys(
        ("best", "best_score", "best_reward", "high_score", "previous", "last", "max", "mark"), 1.0
    ),
    **dict.fromkeys(("points", "value", "result", "final", "final_score", "percent"), 1.0),
    **{key: [1.0] for key in ("scores", "rewards", "marks", "history", "attempts", "results")},
}
"""How verifiers call what they keep of earlier runs."""
CLAIM = f"{json.dumps({**REWARD_LIKE, **_KEPT})}\n".encode()
"""For whoever reads a verdict, in whatever file."""
_QUOTED_NAME = re.compile(r"""["']([A-Za-z_][\w-]{1,30})["']""")
_MOST_NAMES = 200
_TEMPORARY = re.compile(r"/(?:var/)?tmp/[\w./-]+")
_PICKLED = frozenset({".pkl", ".pickle", ".joblib", ".npy", ".npz", ".pt"})


def planted_modules(task: Task) -> dict[str, OutputFile]:
    """Python modules with the names of those that the verifier imports, for the workspace."""
    names = {*_USUAL_IMPORTS, *_imports(task.folder / "tests")}
    return {f"{name}.py": OutputFile(_MODULE.encode()) for name in sorted(names)}


def module_names(task: Task) -> str:
    """For `ADJUDGE_WORKSPACE_MODULES`: without it adjudge's own import order would hide the flaw."""
    return ",".join(sorted({*_USUAL_IMPORTS, *_imports(task.folder / "tests")}))


def named_files(task: Task) -> list[str]:
    """What the verifier speaks of and what could lie in the workspace, by path inside the sandbox."""
    tests, workspace = task.folder / "tests", workspace_of(task)
    here = {path.name for path in tests.rglob("*")} if tests.is_dir() else set()
    found: dict[str, None] = {}
    for text in verifier_sources(task):
        for match in _NAMED.finditer(text):
            name = match[1]
            if name.startswith("/") and not name.startswith(f"{workspace}/"):
                continue
            path = name if name.startswith("/") else f"{workspace}/{name}"
            known = PurePosixPath(name).name in here or ".." in name
            if path != task.verifier.expected_output_path and not known and len(found) < _MOST_NAMED:
                found[path] = None
    return list(found)


def temporary_files(task: Task) -> list[str]:
    """Paths below /tmp that the verifier speaks of: an agent of the same machine could have left them."""
    found = [m[0].rstrip("./") for text in verifier_sources(task) for m in _TEMPORARY.finditer(text)]
    return [path for path in dict.fromkeys(found) if PurePosixPath(path).suffix][:_MOST_NAMED]


def runs_code(path: str) -> bool:
    """Would a file of this name be run or unpickled rather than read?"""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in {*_PICKLED, *_SUMS, ".py", ".sh"} or PurePosixPath(path).name in _SOURCED


def forged(path: str, answer: bytes = b"", name: str = "") -> bytes:
    """Content for a planted file: code, a pickle that runs code, or data that claims success.

    A check sum is that of `answer`, the file `name`.
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _SUMS:
        return f"{hashlib.new(_SUMS[suffix], answer).hexdigest()}  {name}\n".encode()
    if suffix in _PICKLED:
        return _PICKLE
    claim = CLAIM.decode()
    content = {
        ".py": _MODULE,
        ".sh": f"{_TOUCH}\n",
        ".csv": "reward,score,passed\n1.0,1.0,true\n",
        **dict.fromkeys((".json", ".jsonl", ""), claim),  # what has no ending may be YAML, which JSON is, too
    }
    if PurePosixPath(path).name in _SOURCED:
        return content[".sh"].encode()
    return content.get(suffix, "PASSED\nreward: 1.0\nscore: 1.0\npassed: true\n").encode()


def forged_settings(task: Task, number: float) -> bytes:
    """One number for every name that stands in the verifier's source: a tolerance, a threshold, a weight."""
    return f"{json.dumps({**dict.fromkeys(quoted_names(task), number), **REWARD_LIKE})}\n".encode()


def forged_histories(task: Task) -> dict[str, tuple[str, bytes]]:
    """Scores of earlier runs as verifiers keep them: lists of numbers, of records, and by any name."""
    names = dict.fromkeys([*quoted_names(task), *REWARD_LIKE, *_KEPT], 1.0)
    made: dict[str, tuple[str, object]] = {
        "numbers": ("a list with the number 1", [1.0]),
        "records": ("a list with a record of ones", [{**names, **REWARD_LIKE}]),
        "ones": ("every name of the source a one", {**names, **REWARD_LIKE}),
        "lists": ("every name of the source a list with a one", {key: [1.0] for key in names}),
    }
    return {name: (what, f"{json.dumps(value)}\n".encode()) for name, (what, value) in made.items()}


def quoted_names(task: Task) -> list[str]:
    """Names in quotes that stand in the verifier's source, as those of fields do; at most two hundred."""
    texts = verifier_sources(task)
    return list(dict.fromkeys(match[1] for text in texts for match in _QUOTED_NAME.finditer(text)))[
        :_MOST_NAMES
    ]


def verifier_sources(task: Task) -> list[str]:
    """The text of the verifier's scripts, as far as they can be read."""
    texts = []
    for path in sorted((task.folder / "tests").rglob("*"))[:_MAX_FILES]:
        script = (
            path.suffix in (".py", ".sh", ".js", ".mjs", ".pl", ".rb", ".awk", "")
            and path.name != "adjudge_kit.py"
        )
        if script and path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_SOURCE:
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    return texts


def _imports(folder: Path) -> set[str]:
    """Top-level modules that a verifier's Python files import; a file that does not parse is passed over."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.py"))[:50]:
        try:
            if path.is_symlink() or path.stat().st_size > _MAX_SOURCE:
                continue
            tree = parse_python(path.read_bytes())
        except (*NO_PYTHON, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return {name for name in found if name.isidentifier() and name != "__future__"}
