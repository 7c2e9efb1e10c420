"""Which of an agent's files a verifier gets to see, and which would let the agent speak for the verifier.

Everything in `SandboxJob.files` is taken for an agent's, whatever the task's paths are. Three rules, the same
for every backend, kept before anything is placed:

- No file lies where the verifier or the sandbox has its own: `/tests`, the folder of the artifacts, the
  verifier's home, the folders of the system. Such a file is left out, and so is one that stands where the
  verifier needs a folder (`/logs`, `/tmp`): an agent cannot keep its verifier from being run. Nor does
  one lie above the tests, in `/` itself or in a folder there that programs look for on their way up
  (`/node_modules`, `/.git`, `/.cargo`): those that are run in `/tests` would obey it.
- A link stays only if it leads to where the agent itself could have looked: into the agent's own folders, or
  to a program, library or folder of the system that it bears the name of. It is followed as the kernel would,
  through other links of the agent. One that leads to the tests, to a folder that the verifier writes in, or
  to `/proc` is left out; so is one to a file of the system by another name (`log -> /bin/ls`): what the
  verifier writes there fails, and what it then reads back is a text that the agent chose.
- A module that bears the name of one of the verifier's or of the standard library stays where it is, since
  the verifier may read it, but is named: the import order (`import_order`) never lets it win.
- A file that would steer the verifier's test runner, or stand in for its compiled code, is left out unless
  the task asks for it (`runner_files`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.errors import SandboxError
from adjudge.sandbox.files.import_order import NEVER_THE_AGENTS
from adjudge.sandbox.files.layout import HOME, SYSTEM_FOLDERS, TESTS, WRITABLE, is_below, python_libraries
from adjudge.sandbox.files.runner_files import steering_files

if TYPE_CHECKING:
    from adjudge.sandbox.job import PlacedFile

_MAX_STEPS = 1000
_MAX_LINKS = 40
"""As many as the kernel follows; a longer chain does not resolve there either."""
_OPAQUE = ("/proc", "/sys", "/dev", "/run", TESTS, HOME)
"""Nothing of an agent leads there: `/proc/self/root` alone would lead anywhere."""
_PROGRAM_FOLDERS = ("bin", "sbin", ".bin")
BECAUSE_ABOVE = "lies above the tests, where programs look that are run there"
_LOOKED_FOR = ("node_modules", "__mocks__")
_COMMON = frozenset(
    {
        *("numpy", "pandas", "scipy", "sympy", "sklearn", "matplotlib", "networkx", "yaml", "requests"),
        *("jsonschema", "pydantic", "lxml", "bs4", "openpyxl", "PIL", "toml", "tomli", "dateutil", "attr"),
        *("packaging", "setuptools"),
    }
)
"""What verifiers often import: named if an agent brings it, even if it is not installed here."""
_MODULE_ENDINGS = (".py", ".pyc", ".so")
_NOT_SHADOWED = frozenset({"test"})
"""The standard library's tests of itself: no verifier needs them, and people call their own files so."""


class Admission(Struct, frozen=True):
    """What is placed, what is not and why, and which of the placed modules bear another's name."""

    files: Mapping[str, PlacedFile]
    left_out: Mapping[str, str]
    """By path: why, as words that go on from "because it ..."."""
    shadowing: tuple[str, ...]
    """Paths of modules that must never be imported instead of another of the same name."""
    folders: tuple[str, ...]
    """The agent's folders: whatever is imported from there comes after everything else."""


def admit(
    files: Mapping[str, PlacedFile],
    *,
    workdir: str,
    collect: str,
    tests: Path,
    asked_for: Collection[str] = (),
    answer_is_data: bool = False,
    brought: Collection[str] = (),
) -> Admission:
    """Sort an agent's files. Files below none of the protected folders, without links, nearly all stay.

    `brought` are the paths of those that the task itself has there.
    """
    protected = (*SYSTEM_FOLDERS, TESTS, HOME, collect)
    _refuse_workspace(workdir, protected)
    needed = (*protected, *WRITABLE, workdir)
    folders = _agents_folders(files, workdir, protected)
    links = {path: file.link for path, file in files.items() if file.link is not None}
    kept: dict[str, PlacedFile] = {}
    left_out = steering_files(files, tests, asked_for, data_in=folders if answer_is_data else ())
    for path, file in files.items():
        owner = next((folder for folder in protected if is_below(path, folder)), None)
        if path in left_out:
            continue
        if owner is not None:
            left_out[path] = f"lies in {owner}, where only the verifier and the system have files"
        elif any(is_below(folder, path) for folder in needed):
            left_out[path] = "stands where the verifier needs a folder"
        elif is_above_tests(path) and path not in brought and not is_below(path, workdir):
            left_out[path] = BECAUSE_ABOVE
        elif file.link is not None and not _may_follow(path, links, folders, collect):
            left_out[path] = "is a link that leads out of the agent's files"
        else:
            kept[path] = file
    return Admission(kept, left_out, tuple(sorted(_shadowing(kept, folders, tests))), folders)


def is_above_tests(path: str) -> bool:
    """Is it in `/` itself, or in a folder there that programs look for on their way up from `/tests`?"""
    top, _, below = path.strip("/").partition("/")
    return not below or top.startswith(".") or top in _LOOKED_FOR


def _refuse_workspace(workdir: str, protected: tuple[str, ...]) -> None:
    """Where the workspace is, is the task's to say, and its mistake. Files may all be the agent's choice."""
    owner = next((f for f in protected if is_below(workdir, f) and workdir != protected[-1]), None)
    if owner is not None:
        raise SandboxError(
            "the workspace lies where only the verifier and the system have files",
            found=workdir,
            allowed=f"a path outside {owner}",
            remedy="Declare another output path in task.toml.",
        )


def _agents_folders(
    files: Mapping[str, PlacedFile], workdir: str, protected: tuple[str, ...]
) -> tuple[str, ...]:
    """The workspace, and the folders of files that are placed outside of it; never the root itself."""
    outside = {
        path.rpartition("/")[0]
        for path in files
        if not is_below(path, workdir) and not any(is_below(path, folder) for folder in protected)
    } - {""}
    tops = [folder for folder in sorted(outside) if not any(is_below(folder, o) for o in outside - {folder})]
    return (workdir, *tops)


def leads_astray(links: Mapping[str, str], folders: tuple[str, ...], collect: str) -> set[str]:
    """Those of an agent's links that do not lead to its folders, nor to what is nobody's."""
    return {path for path in links if not _may_follow(path, links, folders, collect)}


def _may_follow(path: str, links: Mapping[str, str], folders: tuple[str, ...], collect: str) -> bool:
    """Does a link lead to the agent's own, or to what is nobody's?"""
    target = _target(path, links, folders)
    if target is None:
        return False
    closed = (*_OPAQUE, collect)
    if any(is_below(target, folder) or is_below(folder, target) for folder in closed):
        # The workspace may be above the artifacts' folder (`/logs`), and is the agent's all the same.
        return target in folders and not any(is_below(target, folder) for folder in closed)
    if any(is_below(target, folder) for folder in folders):
        return True
    if any(is_below(target, folder) or is_below(folder, target) for folder in WRITABLE):
        return False
    return _bears_the_name(path, target)


def _bears_the_name(path: str, target: str) -> bool:
    """Is a link called like what it leads to (`python -> python3.11`, `libz.so -> libz.so.1`)?

    Or does it lie in a folder for programs, in which no verifier writes.
    """
    folder, _, name = path.rpartition("/")
    there = target.rpartition("/")[2]
    version = there.removeprefix(name) if there.startswith(name) else "x"
    return not version.strip("0123456789.-") or folder.rpartition("/")[2] in _PROGRAM_FOLDERS


def _target(path: str, links: Mapping[str, str], folders: tuple[str, ...]) -> str | None:
    """Where a link of the agent leads, step by step; None if that cannot be known from the agent's files.

    `..` is only followed in folders that are known to be no links: the agent's own and those above them.
    """
    here = path.rpartition("/")[0]
    waiting = _parts(links[path])
    if links[path].startswith("/"):
        here = ""
    followed = 0
    for _ in range(_MAX_STEPS):
        if not waiting:
            return here or "/"
        part = waiting.pop()
        if part == "..":
            if not any(is_below(here or "/", f) or is_below(f, here or "/") for f in folders):
                return None
            here = here.rpartition("/")[0]
            continue
        there = f"{here}/{part}"
        if there not in links:
            here = there
            continue
        followed += 1
        if followed > _MAX_LINKS:
            return None
        waiting += _parts(links[there])
        if links[there].startswith("/"):
            here = ""
    return None


def _parts(target: str) -> list[str]:
    """The names of a path, the first one last."""
    return [part for part in reversed(target.split("/")) if part not in ("", ".")]


def _shadowing(paths: Iterable[str], folders: tuple[str, ...], tests: Path) -> set[str]:
    """Modules and packages, in any folder that could be a start of imports, that bear a known name."""
    places = set(paths)
    known: frozenset[str] | None = None
    found: set[str] = set()
    for path in places:
        folder, _, name = path.rpartition("/")
        module = name.partition(".")[0]
        if not name.endswith(_MODULE_ENDINGS):
            continue
        if module == "__init__":
            folder, _, module = folder.rpartition("/")
        if f"{folder}/__init__.py" in places and folder not in folders:
            continue  # inside a package: it is imported by a name of two parts
        if known is None:
            known = _known_names(tests)
        if module in known:
            found.add(path)
    return found


def _known_names(tests: Path) -> frozenset[str]:
    """Of the standard library, of what is installed here, and of the task's tests."""
    return (
        _library_names() | frozenset(NEVER_THE_AGENTS) | _COMMON | frozenset(_modules_in(tests))
    ) - _NOT_SHADOWED


@cache
def _library_names() -> frozenset[str]:
    names = {*sys.stdlib_module_names, *NEVER_THE_AGENTS, *_COMMON}
    for library in python_libraries():
        for packages in (library, library / "site-packages", library / "dist-packages"):
            names.update(_modules_in(packages))
        names.update(_modules_in(library.parent / "python3" / "dist-packages"))
    return frozenset(names)


def _modules_in(folder: Path) -> Iterable[str]:
    """The names under which a folder's modules and packages can be imported; none if there is no folder."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                module, dot, _ = entry.name.partition(".")
                if module.isidentifier() and (
                    (dot and entry.name.endswith(_MODULE_ENDINGS)) or (not dot and entry.is_dir())
                ):
                    yield module
    except OSError:
        return
