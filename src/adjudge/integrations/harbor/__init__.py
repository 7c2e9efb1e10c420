"""Harbor: import its jobs, run it in our sandbox, record as it runs, write job folders it can read.

Importing and exporting need no Harbor. The two plug-ins subclass Harbor's classes, so they load on first use,
and need Harbor (Python 3.12 or newer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.integrations.harbor.command import run_harbor, tasks_to_look_at
    from adjudge.integrations.harbor.environment import BubblewrapEnvironment
    from adjudge.integrations.harbor.exporter import export_jobs
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

__all__ = [
    "BubblewrapEnvironment",
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
    "tasks_to_look_at",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "command": ("run_harbor", "tasks_to_look_at"),
        "environment": ("BubblewrapEnvironment",),
        "exporter": ("export_jobs",),
        "importer": ("import_jobs",),
        "plugin": ("LedgerPlugin",),
        "recorder": ("ImportSummary",),
        "serve": ("find_task_folders", "task_problems"),
        "summary": ("experiment_lines", "import_json", "import_lines", "import_progress"),
    },
)
