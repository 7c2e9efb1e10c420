"""What a verifier finds in its sandbox: the programs on its PATH and the modules its Python can import.

The sandbox itself is asked, once per sandbox, by a job of its own: whatever a root
filesystem, an image or a set of packages brings is in the answer. If that job fails there is no answer
(None), and nothing is concluded from it. An answer is kept for the next command as long as no name is added
to the folders that programs and modules were found in, or removed from them; if that cannot be told, as of an
image, each process asks anew.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from adjudge._kept import keep, key_of, recall
from adjudge._version import __version__
from adjudge.contracts import Limits
from adjudge.errors import MachineryError
from adjudge.sandbox import Sandbox, SandboxJob, pythons, stamps_of

_MARK = "-- python --"
_ASK_PYTHON = (
    "import sys,pkgutil\n"
    "print('%d.%d' % sys.version_info[:2])\n"
    "print(':'.join(sys.path[1:]))\n"
    "names = set(sys.builtin_module_names) | set(getattr(sys, 'stdlib_module_names', ()))\n"
    "names |= {m.name for m in pkgutil.iter_modules()}\n"
    "print('\\n'.join(sorted(names)))\n"
)
_NODE_FOLDERS = "/usr/lib/node_modules /usr/local/lib/node_modules /usr/share/nodejs /usr/lib/nodejs"
_ASK = (
    f"compgen -c | sort -u; ls {_NODE_FOLDERS} 2>/dev/null | sed 's,^,/,'; "
    f'echo \'{_MARK}\'; echo "$PATH"; python3 -c "$ASK_PYTHON" 2>/dev/null'
)


class Surroundings(Struct, frozen=True):
    """Programs and modules by name; `modules` is None if there is no Python to ask."""

    commands: frozenset[str]
    modules: frozenset[str] | None
    python: str | None
    """Its version, as `3.11`."""
    libraries: frozenset[str] = frozenset()
    """Packages that node finds from anywhere."""

    @property
    def digest(self) -> str:
        """The same for the same programs and modules: what was learned in one holds in the other."""
        return _digest(self)


@lru_cache(maxsize=64)
def _digest(found: Surroundings) -> str:
    """Of thousands of names, asked for by every trial that was wrong."""
    parts = (found.commands, found.modules or (), found.libraries)
    text = "\n".join([found.python or "", *(name for part in parts for name in ("", *sorted(part)))])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


_KIND = "surroundings"
_known: dict[Hashable, Surroundings | None] = {}
_lock = threading.Lock()


def surroundings_of(sandbox: Sandbox) -> Surroundings | None:
    """Ask a sandbox what it has; the answer holds for the life of this process."""
    key: Hashable = sandbox if isinstance(sandbox, Hashable) else id(sandbox)
    with _lock:
        if key not in _known:
            _known[key] = _recall(sandbox) or _ask(sandbox)
        return _known[key]


def _ask(sandbox: Sandbox) -> Surroundings | None:
    with tempfile.TemporaryDirectory(prefix="adjudge-look-") as folder:
        Path(folder).chmod(0o755)
        job = SandboxJob(
            ("bash", "-c", _ASK),
            Path(folder),
            {},
            "/workspace",
            Limits(wall_time_sec=60, captured_kb=4096),
            env={"ASK_PYTHON": _ASK_PYTHON},
        )
        try:
            outcome = sandbox.run(job)
        except MachineryError:
            return None
    before, mark, after = outcome.stdout.decode("utf-8", "replace").partition(f"{_MARK}\n")
    if not mark:
        return None
    programs, python, paths, *modules = [*after.split("\n"), "", "", ""]
    names = [name for name in before.split("\n") if name]
    commands = frozenset(name for name in names if not name.startswith("/"))
    libraries = frozenset(name[1:] for name in names if name.startswith("/"))
    imported = frozenset(name for name in modules if name) if python else None
    found = Surroundings(commands, imported, python or None, libraries)
    _keep(sandbox, found, [*programs.split(":"), *paths.split(":"), *_NODE_FOLDERS.split()])
    return found


def _recall(sandbox: Sandbox) -> Surroundings | None:
    kept = recall(_KIND, _key(sandbox))
    try:
        if kept is None or stamps_of(sandbox, kept["stamps"]) != kept["stamps"]:
            return None
        modules = kept["modules"]
        return Surroundings(
            frozenset(kept["commands"]),
            None if modules is None else frozenset(modules),
            kept["python"],
            frozenset(kept["libraries"]),
        )
    except (KeyError, TypeError):
        return None


def _keep(sandbox: Sandbox, found: Surroundings, folders: list[str]) -> None:
    stamps = stamps_of(sandbox, (folder for folder in folders if folder.startswith("/")))
    if stamps is None:
        return
    modules = None if found.modules is None else sorted(found.modules)
    kept = {"stamps": stamps, "commands": sorted(found.commands), "modules": modules, "python": found.python}
    keep(_KIND, _key(sandbox), {**kept, "libraries": sorted(found.libraries)})


def _key(sandbox: Sandbox) -> str:
    return key_of(__version__, repr(sandbox), _ASK, _ASK_PYTHON, pythons(sandbox))
