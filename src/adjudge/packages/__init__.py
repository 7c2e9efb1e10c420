"""Python packages for verifiers: which ones a task asks for, fetched once, shown read-only in the sandbox."""

from adjudge.packages.named import declared_packages, named_packages
from adjudge.packages.prepare import packages_home, prepare_packages
from adjudge.packages.provision import Provisioned, TaskSandboxes, provide, sandbox_for

__all__ = [
    "Provisioned",
    "TaskSandboxes",
    "declared_packages",
    "named_packages",
    "packages_home",
    "prepare_packages",
    "provide",
    "sandbox_for",
]
