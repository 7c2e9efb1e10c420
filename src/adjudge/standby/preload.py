"""What the resident process imports before it serves: all that quick commands use, and no optional extra.

Whole rooms, since each module says itself what is too heavy to be imported with it. A module that cannot be
imported here is left to the command that needs it, which then says why.
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
    *("sqlalchemy", "sqlalchemy.dialects.sqlite.pysqlite", "numpy", "jsonschema_rs", "zstandard", "sqlite3"),
    *(
        "click",
        "click.shell_completion",
        "yaml",
        "json",
        "tomllib",
        "csv",
        "difflib",
        "getpass",
        "concurrent.futures.thread",
    ),
)


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
    for name, module in list(sys.modules.items()):
        if name.startswith("adjudge."):
            compile_late_patterns(module)
    gc.collect()
    gc.freeze()


def _try(module: str) -> None:
    with contextlib.suppress(ImportError):
        import_module(module)
