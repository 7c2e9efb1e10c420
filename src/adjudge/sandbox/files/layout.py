"""The folders of a sandbox and whose they are; its file system and namespaces as arguments for bubblewrap.

One tmpfs of limited size is the whole writable world; the host's programs are bound into it read-only.
Nothing of the host is writable, and only `/usr`, `/tests` and a few files of `/etc` are visible.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from adjudge.errors import UsageError
from adjudge.sandbox.identity import reachable

HOSTNAME = "adjudge"
TESTS = "/tests"
HOME = "/run/verifier"
"""The verifier's own and private. No answer can lie there: `/run` is no folder for outputs."""
WRITABLE = ("/logs", "/tmp", "/var/tmp", "/run", HOME)  # noqa: S108 - paths inside the sandbox
"""Where a verifier may always write, beside its workspace."""
SYSTEM_FOLDERS = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin"),
    *("/sys", "/usr", "/opt/adjudge"),
)
"""Nothing of a job is ever placed there."""

PYTHON_FOLDER = "/opt/adjudge/bin"
"""Holds `python`, and `python3` if the host's `/usr` has none; last on the PATH."""
ETC = "/opt/adjudge/etc"
"""Where the parts of `/etc` are shown: those of a sandbox are links, so that all parts can be one mount."""

_PROGRAM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_CONFIGURATION = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives"),
    *("os-release", "mime.types", "protocols", "services"),
    *("fonts", "java-*", "R"),
)
"""The parts of `/etc` that programs in `/usr` cannot do without, and that tell nothing of this machine."""
_NOT_FROM_A_ROOTFS = {
    "dev",
    "proc",
    "sys",
    "tmp",
    "run",
    "tests",
    "logs",
    "home",
    "root",
    "workspace",
    "etc",
    "opt",
    "var",
}
_SHARED_FOLDERS = {"opt": "adjudge", "var": "tmp"}
"""Of a root file system, shown entry by entry but for one that is the sandbox's own."""
_MASKED_FOLDERS = ("acpi", "asound", "scsi")
_MASKED_FILES = (
    *("kcore", "keys", "key-users", "latency_stats", "timer_list", "timer_stats", "sched_debug"),
    "interrupts",
)
_ON_THE_PATH = ("usr/local/bin", "usr/bin", "bin")


class Mount(Struct, frozen=True):
    """Something of the host seen read-only in the sandbox, or (`link`) a symbolic link made there."""

    target: str
    source: Path | None = None
    link: str | None = None

    def arguments(self) -> list[str]:
        if self.link is not None:
            return ["--symlink", self.link, self.target]
        return ["--ro-bind", str(self.source), self.target]


@cache
def programs(rootfs: Path | None = None) -> tuple[Mount, ...]:
    """The host's programs, or those of a root file system given instead; looked up once."""
    root = rootfs or Path("/")
    if not (root / "usr").is_dir():
        raise UsageError("no root file system", file=root, remedy="It needs at least a folder 'usr'.")
    names: Iterable[str] = ("usr", *_PROGRAM_FOLDERS)
    if rootfs is not None:
        names = sorted(entry.name for entry in rootfs.iterdir() if entry.name not in _NOT_FROM_A_ROOTFS)
    mounts = [mount for name in names if (mount := _mount(root / name, f"/{name}"))]
    for folder, ours in _SHARED_FOLDERS.items() if rootfs is not None else ():
        if (root / folder).is_dir():
            below = sorted(entry.name for entry in (root / folder).iterdir() if entry.name != ours)
            mounts += [
                mount for name in below if (mount := _mount(root / folder / name, f"/{folder}/{name}"))
            ]
    etc = root / "etc"
    own = {"passwd", "group", "hosts", "nsswitch.conf", "resolv.conf", "hostname", "mtab"}
    wanted = sorted(
        path
        for pattern in (_CONFIGURATION if rootfs is None else ("*",))
        for path in etc.glob(pattern)
        if path.name not in own
    )
    for name in (path.name for path in wanted):
        if (mount := _mount(etc / name, f"/etc/{name}")) is not None and mount.link is None:
            mounts.append(replace(mount, target=f"{ETC}/{name}"))
            mount = Mount(mount.target, link=f"{ETC}/{name}")
        mounts += [] if mount is None else [mount]
    if rootfs is None and not has_python(root):
        mounts += _own_python()
    if not _has_program(root, "python"):  # many scripts say `python` and mean the third
        mounts.append(Mount(f"{PYTHON_FOLDER}/python", link=_python3(root)))
    return tuple(mounts)


def _mount(source: Path, target: str) -> Mount | None:
    if source.is_symlink():
        return Mount(target, link=str(source.readlink()))
    return Mount(target, source=source) if source.exists() else None


def has_python(root: Path = Path("/")) -> bool:
    """Is there a `python3` among the programs that are bound in any case?"""
    return _has_program(root, "python3")


def _has_program(root: Path, name: str) -> bool:
    return any((root / folder / name).exists() for folder in _ON_THE_PATH)


def _python3(root: Path) -> str:
    """Where `python3` is in the sandbox: beside `python`, if this machine's own has none."""
    found = (f"/{folder}/python3" for folder in _ON_THE_PATH if (root / folder / "python3").exists())
    return next(found, "python3")


def _own_python() -> list[Mount]:
    """The interpreter that runs adjudge, at its own path, since its libraries are found from there.

    None if it is in root's home, which the sandbox's user may not enter: shell verifiers still work.
    """
    prefix = Path(sys.base_prefix).resolve()
    if not reachable(prefix):
        return []
    program = prefix / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return [Mount(str(prefix), source=prefix), Mount(f"{PYTHON_FOLDER}/python3", link=str(program))]


@cache
def python_libraries(rootfs: Path | None = None) -> tuple[Path, ...]:
    """The standard libraries of every Python that a verifier may start, as folders of this machine."""
    root = rootfs or Path("/")
    found = [
        encodings.parent
        for folder in ("usr/lib", "usr/lib64", "usr/local/lib")
        for encodings in sorted(root.glob(f"{folder}/python3.*/encodings"))
    ]
    if rootfs is None and not has_python(root):
        found += sorted(
            path.parent for path in Path(sys.base_prefix).resolve().glob("lib/python3.*/encodings")
        )
    seen: dict[Path, Path] = {}
    for folder in found:
        seen.setdefault(folder.resolve(), folder)
    return tuple(seen.values())


def isolation(*, uid: int, network: bool = False, nesting: bool = False) -> list[str]:
    """New namespaces of every kind, no privileges; unless `nesting`, no way to make further namespaces."""
    return [
        "--unshare-all",
        *(["--share-net"] if network else []),
        "--unshare-user",
        *([] if nesting else ["--disable-userns"]),
        *("--uid", str(uid), "--gid", str(uid)),
        *("--hostname", HOSTNAME),
        *("--cap-drop", "ALL"),
        "--new-session",
    ]


def root_folder(
    *, size: int, shared_memory: int, mounts: Iterable[Mount], nesting: bool = False
) -> list[str]:
    """A private root of `size` bytes with `/proc`, a minimal `/dev` and the given mounts.

    With `nesting` `/proc` is not covered: the kernel lets nobody mount one inside who cannot see all of this.
    """
    return [
        *("--size", str(size), "--tmpfs", "/"),
        *(argument for mount in mounts for argument in mount.arguments()),
        *(
            "--proc",
            "/proc",
            *([] if nesting else [*masked_proc(), "--remount-ro", "/proc"]),
            "--dev",
            "/dev",
        ),
        *("--size", str(shared_memory), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside the sandbox
        *("--remount-ro", "/dev"),
    ]


@cache
def masked_in_proc() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Folders and files of `/proc` that are covered: what tells of the machine, and the first process.

    Not files that root alone may read: nothing in a sandbox is the machine's root (`identity`).
    """
    folders = ("/proc/1", *(f"/proc/{name}" for name in _MASKED_FOLDERS if Path("/proc", name).is_dir()))
    return folders, tuple(f"/proc/{name}" for name in _MASKED_FILES if _others_may_read(Path("/proc", name)))


def _others_may_read(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IRGRP))
    except OSError:
        return False


@cache
def masked_proc() -> tuple[str, ...]:
    """Cover what of `/proc` tells of the machine, as container engines do, and the sandbox's first process.

    The rest becomes read-only: through `/proc/N/mem` a program that the verifier starts could write into the
    verifier itself, whose user it has.
    That one is bubblewrap, of the same user: through `/proc/1/mem` a verifier could run code in it, and its
    memory is not the verifier's. A file becomes one that cannot be opened, a folder an empty one, which is
    read-only as well: files in it would be memory that nobody counts.
    """
    folders, files = masked_in_proc()
    return (
        *(
            argument
            for path in folders
            for argument in ("--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path)
        ),
        *(a for path in files for a in ("--ro-bind", "/dev/null", path)),
    )


def environment(variables: dict[str, str]) -> list[str]:
    """Exactly these variables and no other."""
    path = variables.get("PATH", "")
    if PYTHON_FOLDER not in path:
        variables = {**variables, "PATH": f"{path}:{PYTHON_FOLDER}"}
    return ["--clearenv", *(a for name, value in variables.items() for a in ("--setenv", name, value))]


def covered(files: Iterable[tuple[str, bytes]], descriptor: Callable[[bytes], int]) -> list[str]:
    """Show other content, read-only, in place of files that are there."""
    return [
        argument
        for path, content in files
        for argument in ("--perms", "0444", "--ro-bind-data", str(descriptor(content)), path)
    ]


def hidden(paths: Iterable[str], empty: Callable[[], int], rootfs: Path | None = None) -> list[str]:
    """Cover programs with an empty unusable file and folders with an empty one; what is not there stays so.

    `empty` gives a fresh descriptor of an empty file for each program.
    """
    arguments: list[str] = []
    root = rootfs or Path("/")
    seen: set[str] = set()
    for path in paths:
        real = (root / path.lstrip("/")).resolve()
        inside = "/" + str(real.relative_to(root.resolve()))
        if inside in seen:  # two names of one program; it cannot be covered twice
            continue
        seen.add(inside)
        if real.is_dir():
            arguments += ["--perms", "0555", "--size", "4096", "--tmpfs", inside, "--remount-ro", inside]
        elif real.exists():
            arguments += ["--perms", "0000", "--ro-bind-data", str(empty()), inside]
    return arguments


def is_below(path: str, folder: str) -> bool:
    """Is a path the folder itself, or anything in it?"""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
