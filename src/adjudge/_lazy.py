"""Names of a package that load on first use, so that importing the package costs next to nothing.

A package that wants this says, in its `__init__`, what lives where:

    __getattr__, __dir__ = late_names(__name__, {"columns": ("Coded", "TrialColumns"), "verify": ("verify",)})

and imports the same names below `if TYPE_CHECKING` for type checkers and readers (a test compares the two).
A module of the package goes by its short name, one of another folder by its full one.

`stand_in` does it for a module of Python's own that a dependency imports and a command hardly ever uses, and
`late_pattern` for a regular expression, since a command imports a hundred of them and uses few.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from _thread import allocate_lock
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False  # as type checkers take it; the module of that name would be half of a short start
if TYPE_CHECKING:
    from typing import Any, AnyStr

_FIRST_COLLECTION = 120_000
"""Objects until the collector looks for cycles: a start makes up to so many, and all of them stay."""

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


def late_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile(text, flags)`, when something of it is first used."""
    late: Any = _LatePattern(text, flags)
    pattern: re.Pattern[AnyStr] = late
    return pattern


class _LatePattern:
    """A pattern whose methods are found on it once one of them was asked for."""

    def __init__(self, text: Any, flags: int) -> None:
        self._source = text, flags

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(re.compile(*self._source), attribute)
        setattr(self, attribute, value)
        return value


_METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern", "flags")


def compile_late_patterns(module: ModuleType) -> None:
    """Compile those that a module holds, for a process that others are forked from."""
    for pattern in vars(module).values():
        if isinstance(pattern, _LatePattern):
            compiled = re.compile(*pattern._source)
            vars(pattern).update({name: getattr(compiled, name) for name in _METHODS})


def start_light() -> None:
    """For a process of our own, before it imports a dependency: spare it what dependencies hardly use."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would search every installed package
    stand_in("importlib.metadata", "entry_points")  # pydantic and SQLAlchemy would look for plugins with it
    stand_in("asyncio", "iscoroutine", has_modules=True)  # SQLAlchemy has an asynchronous half
    stand_in("secrets")  # pydantic compares kept secrets with it
    gc.set_threshold(_FIRST_COLLECTION)


def stand_in(name: str, *functions: str, has_modules: bool = False) -> None:
    """Let `import name` cost nothing until something of that module is used; no effect if it is there.

    `functions` are those that others take from it while they are imported themselves: they get one that loads
    the module when it is called. Whatever else is asked for loads it at once; `has_modules` says that modules
    within it may be asked for, in which case `from name import …` loads it, too. For our own processes only.
    """
    if name in sys.modules:
        return
    absent = _StandIn(name)
    absent.has_modules = has_modules
    for function in functions:
        setattr(absent, function, _called_late(name, function))
    sys.modules[name] = absent
    package, _, last = name.rpartition(".")
    if package:
        setattr(sys.modules[package], last, absent)


_replacing = allocate_lock()


class _StandIn(ModuleType):
    """A module that is not loaded yet."""

    has_modules: bool
    __spec__ = None  # the import system asks for it, and must not load the module by asking

    def __getattr__(self, attribute: str) -> Any:
        if attribute == "__path__" and not self.has_modules:
            raise AttributeError(attribute)  # which every `from … import` asks for
        return getattr(_loaded(self.__name__), attribute)


def _called_late(name: str, function: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(_loaded(name), function)(*arguments, **options)

    return call


def _loaded(name: str) -> ModuleType:
    """The module itself, which from now on is what `import` finds."""
    with _replacing:
        if isinstance(sys.modules.get(name), _StandIn):
            del sys.modules[name]
    return import_module(name)
