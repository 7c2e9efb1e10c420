"""Names of a package that load on first use, so that importing the package costs next to nothing.

A package that wants this says, in its `__init__`, what lives where:

    __getattr__, __dir__ = late_names(__name__, {"columns": ("Coded", "TrialColumns"), "verify": ("verify",)})

and imports the same names below `if TYPE_CHECKING` for type checkers and readers (a test compares the two).
A module of the package goes by its short name, one of another folder by its full one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Homes = Mapping[str, tuple[str, ...]]


def late_names(package: str, homes: Homes) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package whose names live in the modules of `homes`."""
    home_of = late_homes(package, homes)

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home_of[name])
        # A folder that can be called stands for itself: a function of its name would be hidden by it.
        value = module if module.__name__ == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)  # a submodule of the same name must not take its place
        return value

    def names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return load, names


def late_homes(package: str, homes: Homes) -> dict[str, str]:
    """Each name and the module that holds it, in full."""
    root = package.partition(".")[0] + "."
    return {
        name: module if module.startswith(root) else f"{package}.{module}"
        for module, names in homes.items()
        for name in names
    }
