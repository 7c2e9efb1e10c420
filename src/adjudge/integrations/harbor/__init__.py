"""Harbor: import its jobs, run it in our sandbox, record as it runs, write job folders it can read.

Importing and exporting need no Harbor. The two plug-ins subclass Harbor's classes, so they load on first use,
and need Harbor (Python 3.12 or newer).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.integrations.harbor.command import HarborRun, run_harbor
    from adjudge.integrations.harbor.environment import BubblewrapEnvironment
    from adjudge.integrations.harbor.exporter import Exported, export_jobs
    from adjudge.integrations.harbor.importer import import_jobs
    from adjudge.integrations.harbor.plugin import LedgerPlugin
    from adjudge.integrations.harbor.recorder import ImportSummary
    from adjudge.integrations.harbor.serve import find_task_folders, task_problems
    from adjudge.integrations.harbor.summary import (
        experiment_lines,
        import_json,
        import_lines,
        import_progress,
    )

_LATE = {
    "BubblewrapEnvironment": "environment",
    "Exported": "exporter",
    "HarborRun": "command",
    "ImportSummary": "recorder",
    "LedgerPlugin": "plugin",
    "experiment_lines": "summary",
    "export_jobs": "exporter",
    "find_task_folders": "serve",
    "import_jobs": "importer",
    "import_json": "summary",
    "import_lines": "summary",
    "import_progress": "summary",
    "run_harbor": "command",
    "task_problems": "serve",
}

__all__ = [
    "BubblewrapEnvironment",
    "Exported",
    "HarborRun",
    "ImportSummary",
    "LedgerPlugin",
    "experiment_lines",
    "export_jobs",
    "find_task_folders",
    "import_jobs",
    "import_json",
    "import_lines",
    "import_progress",
    "run_harbor",
    "task_problems",
]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
