"""Python packages for verifiers: which ones a task asks for, fetched once, shown read-only in the sandbox."""

from adjudge.packages.named import NamedPackages, declared_packages, is_requirement, named_packages
from adjudge.packages.prepare import PackageSet, known_packages, packages_home, prepare_packages
from adjudge.packages.provision import Provisioned, TaskSandboxes, provide, sandbox_for

__all__ = [
    "NamedPackages",
    "PackageSet",
    "Provisioned",
    "TaskSandboxes",
    "declared_packages",
    "is_requirement",
    "known_packages",
    "named_packages",
    "packages_home",
    "prepare_packages",
    "provide",
    "sandbox_for",
]
