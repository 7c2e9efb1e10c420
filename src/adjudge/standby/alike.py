"""Is a process so like this one that a fork of this one may run its command? Any doubt is a no.

What a process can do, and what it sees, is read in `/proc` for both: its user, groups and rights, limits,
namespaces, control groups, root, security labels, scheduling. Variables that Python or a library reads when
it starts must be the same; all others are the command's own. And every file that this process has loaded, or
could load of adjudge, must be the one that it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from adjudge.standby.rights import rights_of

GROUPS = "cgroup"
_FILES = (
    *("limits", GROUPS, "oom_score_adj", "loginuid", "sessionid", "coredump_filter"),
    *("attr/current", "attr/exec", "attr/fscreate"),
)
_SAME_VARIABLES = (
    *("PYTHON", "LC_", "LANG", "LOCPATH", "NLSPATH", "LD_", "GLIBC_", "MALLOC_", "COVERAGE"),
    *("OMP_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "NUMPY_", "NPY_", "VECLIB_", "KMP_", "RUST_"),
    *("PYDANTIC_", "SQLALCHEMY_", "DISABLE_SQLALCHEMY", "FSSPEC_", "ZSTD_", "SQLITE_", "OPENSSL_", "SSL_"),
    "HOME",
)
_START_LIGHT = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}
"""What `start_light` adds to an environment that has none."""
_TOLD_OF = (
    *("PYTHONPROFILEIMPORTTIME", "PYTHONMALLOCSTATS", "PYTHONFAULTHANDLER", "PYTHONTRACEMALLOC"),
    *("PYTHONDUMPREFS", "ADJUDGE_TRACEBACK"),
)
_TOLD_OF_OPTIONS = {"importtime", "faulthandler", "tracemalloc", "showrefcount"}
_BESIDE_IT = ("adjudge_kit.py", "adjudge_untrusted.py")
_PRIO_PROCESS = 0
_IOPRIO_GET = {"x86_64": 252, "aarch64": 31}

Facts = dict[str, Any]


def facts(process: int) -> Facts:
    """What a process may do and what it sees. Raises OSError if it ends meanwhile or is somebody else's."""
    at = f"/proc/{process}"
    return {
        **rights_of(process),
        **{name: _read(f"{at}/{name}") for name in _FILES},
        "exe": os.readlink(f"{at}/exe"),  # noqa: PTH115 - of a deleted file it says so
        "scheduled": (os.sched_getscheduler(process), os.sched_getparam(process).sched_priority),
        "nice": os.getpriority(_PRIO_PROCESS, process),
        "ioprio": _io_priority(process),
    }


def same_variables(environment: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """The variables that must be the same: a library has read them while it was loaded."""
    prefixes = tuple(map(os.fsencode, _SAME_VARIABLES))
    added = {os.fsencode(name): os.fsencode(text) for name, text in _START_LIGHT.items()}
    return {name: text for name, text in (added | dict(environment)).items() if name.startswith(prefixes)}


def told_of_itself(environment: Mapping[bytes, bytes]) -> set[str]:
    """What makes Python tell of its start, its end or its frames, which in a fork are not those of a command.

    Python's own are the same for both, or the command is not served anyway; the last is the command's.
    """
    flags = {name for name in ("inspect", "verbose", "dev_mode") if getattr(sys.flags, name)}
    variables = {name for name in _TOLD_OF if environment.get(os.fsencode(name))}
    return flags | variables | (sys._xoptions.keys() & _TOLD_OF_OPTIONS)


class Loaded:
    """The files behind this process, as they were when it was ready."""

    def __init__(self, since: float) -> None:
        """Raises RuntimeError if one of them was changed `since` then: who knows which half was loaded."""
        status = {path: found for path in sorted(self._paths()) if (found := _status(path)) is not None}
        if late := [path for path, found in status.items() if found.st_ctime > since]:
            raise RuntimeError(f"{late[0]} was changed while it was loaded")
        self.files = list(status)
        self.marks = list(map(_mark, status.values()))
        self.modules = frozenset(name.partition(".")[0] for name in sys.modules)
        self.found = _found(self.modules)

    def is_current(self) -> bool:
        """Would a process that starts now load the same files?"""
        try:
            marks = list(map(_mark, map(os.stat, self.files)))
        except OSError:
            return False
        return marks == self.marks and _found(self.modules) == self.found

    @staticmethod
    def _paths() -> set[str]:
        """All that is imported, all libraries, the interpreter, path files, and adjudge to its last file."""
        modules = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
        mapped = {"/" + line.partition("/")[2] for line in maps if "/" in line}
        house = Path(__file__).parents[1]
        own = [*house.rglob("*"), *(house.parent / name for name in _BESIDE_IT)]
        files = {str(path) for path in own if path.is_file() and "__pycache__" not in path.parts}
        path_files = {f"{folder}/{n}" for folder in sys.path for n in _names(folder) if n.endswith(".pth")}
        return {path for path in modules if path} | mapped | files | path_files


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - as for each command
    except OSError:
        return None


def _mark(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mtime_ns, status.st_ino, status.st_size, status.st_dev


def _found(modules: frozenset[str]) -> frozenset[object]:
    """What Python sees in its folders: distributions, path files, and what may be one of these modules.

    An archive is seen as a whole, and of what is not there, that it is not: Python looks there but once.
    """
    found: set[object] = set()
    for place in filter(None, sys.path):
        try:
            names = os.listdir(place)  # noqa: PTH208 - names are enough
        except OSError:
            status = _status(place)
            found.add((place, status and _mark(status)))
            continue
        for name in names:
            if name.endswith(_OF_INSTALLERS) or name.partition(".")[0] in modules:
                found.add(f"{place}/{name}")
    return frozenset(found)


_OF_INSTALLERS = (".dist-info", ".egg-info", ".egg-link", ".pth")


def _names(folder: str) -> Iterable[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are enough
    except OSError:
        return ()


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:  # not every kernel has every file
        return None


def _io_priority(process: int) -> int | None:
    """As `ionice` shows it; None where its number is not known here."""
    import ctypes

    call = _IOPRIO_GET.get(os.uname().machine)
    return None if call is None else ctypes.CDLL(None).syscall(call, 1, process)
