"""Python packages for verifiers: which ones a task asks for, fetched once, shown read-only in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.packages.by_task import TaskSandboxes, sandbox_for
    from adjudge.packages.named import declared_packages, named_packages
    from adjudge.packages.prepare import packages_home, prepare_packages
    from adjudge.packages.provision import Provisioned, installed_in, provide, provide_most

__all__ = [
    "Provisioned",
    "TaskSandboxes",
    "declared_packages",
    "installed_in",
    "named_packages",
    "packages_home",
    "prepare_packages",
    "provide",
    "provide_most",
    "sandbox_for",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "by_task": ("TaskSandboxes", "sandbox_for"),
        "named": ("declared_packages", "named_packages"),
        "prepare": ("packages_home", "prepare_packages"),
        "provision": ("Provisioned", "installed_in", "provide", "provide_most"),
    },
)
