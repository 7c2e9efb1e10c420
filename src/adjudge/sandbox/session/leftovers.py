"""What an agent left in its session, held to the rules that hold for any other output (`files/admission.py`).

It is done between the agent's last process and the verifier's first, from outside, and follows no link:
- links in the agent's folder that lead to the tests, the artifacts or `/proc`, files that steer a test runner
  and compiled code are moved out of the root, as they would not have been placed in a sandbox of its own;
- so is what shells and Python run by themselves when they start in the agent's home;
- Python asks the agent's folder last (`files/import_order.py`).

The agent's home and what it installed there stay, because its program may need them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import Struct

from adjudge._files import read_plain_file
from adjudge.sandbox.files.admission import BECAUSE_ABOVE, is_above_tests, leads_astray
from adjudge.sandbox.files.import_order import FOLDERS_FILE, folders_file, python_covers
from adjudge.sandbox.files.layout import SYSTEM_FOLDERS
from adjudge.sandbox.files.runner_files import COMPILED, RUNNER_FILES, steering_files
from adjudge.sandbox.session.frame import SessionRoot

_COLLECT = "/logs/verifier"
_AGENTS_TOO = ("/tmp", "/var/tmp", "/root", "/home")  # noqa: S108 - inside the session
_STARTED_BY_SHELLS = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshenv", ".zshrc"),
    *(".inputrc", ".pythonrc", ".pythonrc.py"),
)
_STARTED_BY_PYTHON = re.compile(r"(?:sitecustomize|usercustomize)(?:\.\w+)*|.*\.pth")
_LONGEST = 1 << 18
BECAUSE_ASTRAY = "is a link that leads out of the agent's files"
BECAUSE_STARTED = "would be run by itself in the verifier"


class AgentsFolder(Struct, frozen=True):
    """Where the agent worked, what will be verified by, and which of a runner's files the task asks for."""

    workdir: str
    tests: Path
    asked_for: frozenset[str] = frozenset()


class _Found(NamedTuple):
    """A file of the agent's, as the rules look at it."""

    data: bytes = b""
    mode: int = 0o644
    link: str | None = None


def spoken_of(instruction: str, brought: Iterable[str]) -> frozenset[str]:
    """Which of a runner's files an instruction speaks of, or are among the names that the task brings."""
    names = frozenset(brought)
    return frozenset(name for name in RUNNER_FILES if name in instruction or name in names)


def sort_out(session: Path, agents: AgentsFolder) -> dict[str, str]:
    """Move out of the root what must not meet a verifier; by path, why. No process may be running in it."""
    root = SessionRoot(session)
    found = dict.fromkeys(_started(root), BECAUSE_STARTED)
    workdir = str(PurePosixPath("/", agents.workdir))
    found |= dict.fromkeys(_above_tests(root, workdir), BECAUSE_ABOVE)
    if workdir != "/" and root.is_real(workdir):
        files = dict(_notable(root, workdir))
        links = {path: file.link for path, file in files.items() if file.link is not None}
        folders = (workdir, *_AGENTS_TOO)
        found |= dict.fromkeys(leads_astray(links, folders, _COLLECT), BECAUSE_ASTRAY)
        found |= steering_files(files, agents.tests, agents.asked_for)
    for path in found:
        root.discard(path.lstrip("/"))
    root.discard(FOLDERS_FILE.lstrip("/"))
    root.file(FOLDERS_FILE.lstrip("/"), folders_file((workdir,)))
    return found


def import_covers(session: Path, rootfs: Path | None) -> list[str]:
    """Arguments for bubblewrap that show every Python the one order of imports."""
    covers = session / "covers"
    covers.mkdir(exist_ok=True)
    covers.chmod(0o755)
    arguments: list[str] = []
    for number, (path, content) in enumerate(python_covers(rootfs)):
        shown = covers / str(number)
        shown.write_bytes(content)
        shown.chmod(0o644)
        arguments += ["--ro-bind", str(shown), path]
    return arguments


def _notable(root: SessionRoot, workdir: str) -> Iterator[tuple[str, _Found]]:
    """The links of a folder, and the files that a rule may name; compiled code by the name of its folder."""
    top = root.at(workdir)
    for folder, folders, names in os.walk(top):
        inside = f"{workdir}/{Path(folder).relative_to(top)}".removesuffix("/.")
        for name in (*folders, *names):
            path = Path(folder, name)
            if path.is_symlink():
                yield f"{inside}/{name}", _Found(link=os.readlink(path))  # noqa: PTH115
            elif name == COMPILED or name in RUNNER_FILES:
                yield f"{inside}/{name}", _Found(_beginning(path))
        folders[:] = [name for name in folders if name != COMPILED]


def _beginning(path: Path) -> bytes:
    try:
        return read_plain_file(path, limit=_LONGEST).data or b""
    except OSError:
        return b""


def _above_tests(root: SessionRoot, workdir: str) -> Iterator[str]:
    """What programs that are run in `/tests` would obey on their way up; the system's own links stay."""
    for name in root.names("/"):
        path = f"/{name}"
        if path in SYSTEM_FOLDERS or workdir == path or workdir.startswith(f"{path}/"):
            continue
        there = root.at(path)
        if there.is_symlink():
            there = root.at(os.readlink(there))  # noqa: PTH115 - text, to be read from the session's root
        if is_above_tests(f"{path}/-") or not there.is_dir():
            yield path


def _started(root: SessionRoot) -> Iterator[str]:
    """What is run by itself in the homes of the session."""
    homes = ["/root", *(f"/home/{name}" for name in root.names("/home"))]
    for home in homes:
        yield from (f"{home}/{name}" for name in root.names(home) if name in _STARTED_BY_SHELLS)
        libraries = f"{home}/.local/lib"
        for version in root.names(libraries):
            packages = f"{libraries}/{version}/site-packages"
            yield from (
                f"{packages}/{name}" for name in root.names(packages) if _STARTED_BY_PYTHON.fullmatch(name)
            )
