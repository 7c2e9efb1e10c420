"""What a verifier finds in its sandbox: the programs on its PATH and the modules its Python can import.

The sandbox itself is asked, once per sandbox, by a job of its own: whatever a root
filesystem, an image or a set of packages brings is in the answer. If that job fails there is no answer
(None), and nothing is concluded from it.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from adjudge.contracts import Limits
from adjudge.errors import MachineryError
from adjudge.sandbox import Sandbox, SandboxJob

_MARK = "-- python --"
_ASK_PYTHON = (
    "import sys,pkgutil\n"
    "print('%d.%d' % sys.version_info[:2])\n"
    "names = set(sys.builtin_module_names) | set(getattr(sys, 'stdlib_module_names', ()))\n"
    "names |= {m.name for m in pkgutil.iter_modules()}\n"
    "print('\\n'.join(sorted(names)))\n"
)
_NODE_FOLDERS = "/usr/lib/node_modules /usr/local/lib/node_modules /usr/share/nodejs /usr/lib/nodejs"
_ASK = (
    f"compgen -c | sort -u; ls {_NODE_FOLDERS} 2>/dev/null | sed 's,^,/,'; "
    f"echo '{_MARK}'; python3 -c \"$ASK_PYTHON\" 2>/dev/null"
)


@dataclass(frozen=True)
class Surroundings:
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
        parts = (self.commands, self.modules or (), self.libraries)
        text = "\n".join([self.python or "", *(name for part in parts for name in ("", *sorted(part)))])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


_known: dict[Hashable, Surroundings | None] = {}
_lock = threading.Lock()


def surroundings_of(sandbox: Sandbox) -> Surroundings | None:
    """Ask a sandbox what it has; the answer holds for the life of this process."""
    key: Hashable = sandbox if isinstance(sandbox, Hashable) else id(sandbox)
    with _lock:
        if key not in _known:
            _known[key] = _ask(sandbox)
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
    python, *modules = after.split("\n")
    names = [name for name in before.split("\n") if name]
    commands = frozenset(name for name in names if not name.startswith("/"))
    libraries = frozenset(name[1:] for name in names if name.startswith("/"))
    if not python:
        return Surroundings(commands, None, None, libraries)
    return Surroundings(commands, frozenset(name for name in modules if name), python, libraries)
