"""Harbor: import its jobs, run it in our sandbox, record as it runs, write job folders it can read.

Importing and exporting need no Harbor. The two plug-ins subclass Harbor's classes, so they load on first use,
and need Harbor (Python 3.12 or newer).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.integrations.harbor.environment import BubblewrapEnvironment
    from adjudge.integrations.harbor.exporter import Exported, export_jobs
    from adjudge.integrations.harbor.importer import import_jobs
    from adjudge.integrations.harbor.plugin import LedgerPlugin
    from adjudge.integrations.harbor.recorder import ImportSummary

_LATE = {
    "BubblewrapEnvironment": "environment",
    "Exported": "exporter",
    "ImportSummary": "recorder",
    "LedgerPlugin": "plugin",
    "export_jobs": "exporter",
    "import_jobs": "importer",
}

__all__ = [
    "BubblewrapEnvironment",
    "Exported",
    "ImportSummary",
    "LedgerPlugin",
    "export_jobs",
    "import_jobs",
]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
