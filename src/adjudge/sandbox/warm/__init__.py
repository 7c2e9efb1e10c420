"""Warm runs: a Python that is already started, in a sandbox that stands, forks for each trial.

What a trial finds is what it would find in a sandbox of its own (`inside.py`, docs/sandbox.md).
Whether a job may be run this way says `warm_start`; whether its task should be, the caller decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.sandbox.warm.eligible import warm_start
    from adjudge.sandbox.warm.script import PythonStart, read_script
    from adjudge.sandbox.warm.servers import close_servers, run_warm

__all__ = ["PythonStart", "close_servers", "read_script", "run_warm", "warm_start"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "eligible": ("warm_start",),
        "script": ("PythonStart", "read_script"),
        "servers": ("close_servers", "run_warm"),
    },
)
