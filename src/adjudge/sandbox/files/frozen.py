"""The tests a verifier sees: a copy that was made when the task was first scored, and never changes after.

A task's digest is taken when it is loaded, and stands on the record of every trial. Its folder may be edited
meanwhile. So a verifier never sees the folder itself but a copy, addressed by the digest of what it holds.
If the folder no longer holds what was loaded, nothing is scored: `SandboxError`, and no record.

Invariants: a copy holds exactly what its digest covers, so caches, `.git` and empty folders are not in it,
and times and modes are the same everywhere. Each process has copies of its own, one per digest; a copy that
somebody touched is made anew; those that nobody uses go when all together pass `MAX_BYTES`, and all of them
go with the process, even if it is killed.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct, field

from adjudge.contracts import Task
from adjudge.errors import SandboxError, TaskError
from adjudge.sandbox.files.claimed import claim_folder
from adjudge.sandbox.identity import public_folder
from adjudge.tasks import IGNORED_FOLDERS, is_ignored_file, task_digest

PREFIX = "adjudge-frozen-"
MAX_BYTES = 2 << 30
"""Of all copies together, but for those in use."""
_TIME = 1_577_836_800
"""2020-01-01, the time of every file: when a copy was made is nobody's business."""


class PackedTests(Struct, frozen=True):
    """A task's tests as a value, to be sent to another machine."""

    digest: str
    files: tuple[tuple[str, bool, bytes | str], ...]
    """Relative path, whether it is executable, and content: of a file its bytes, of a link its target."""


class _Copy(Struct):
    folder: Path
    size: int
    signature: tuple[tuple[str, int, int], ...] = ()
    users: int = 0


class _Store(Struct):
    folder: Path
    lock: int
    copies: dict[str, _Copy] = field(default_factory=dict)
    """By digest, the least recently used first."""


_guard = threading.RLock()
_store: _Store | None = None


@contextlib.contextmanager
def frozen_tests(task: Task) -> Iterator[Path]:
    """The folder to show as `/tests`, unchanged until the end of the block.

    Raises SandboxError if the task's folder no longer holds what was loaded.
    """
    with _guard:
        digest = task.tests_digest or _digest_of_unchanged(task)
        source = task.folder / "tests"
        copy = _known(digest) or _keep(digest, source, lambda target: _copy_tree(source, target))
        copy.users += 1
    try:
        yield copy.folder
    finally:
        with _guard:
            copy.users -= 1


def pack_tests(task: Task) -> PackedTests:
    """The tests as a value; the same that a verifier would see here."""
    files: list[tuple[str, bool, bytes | str]] = []
    with frozen_tests(task) as folder:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink():
                files.append((name, False, str(path.readlink())))
            elif path.is_file():
                files.append((name, bool(path.stat().st_mode & stat.S_IXUSR), path.read_bytes()))
        return PackedTests(folder.name, tuple(files))


def adopt_tests(packed: PackedTests) -> None:
    """Take over what another machine has packed: a task with these tests then needs no folder here."""

    def unpack(target: Path) -> None:
        for name, executable, content in packed.files:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                (target / name).symlink_to(content)
            else:
                (target / name).write_bytes(content)
                _set_mode(target / name, executable=executable)

    with _guard:
        if _known(packed.digest) is None:
            _keep(packed.digest, "the tests that were sent", unpack)


def own_folder() -> Path:
    """The folder of this process's copies: what is put there goes with the process, even if it is killed."""
    with _guard:
        return _here().folder


def _known(digest: str) -> _Copy | None:
    """A copy that is there and as it was made; it becomes the most recently used."""
    copies = _here().copies
    copy = copies.get(digest)
    if copy is None:
        return None
    try:
        untouched = _signature(copy.folder) == copy.signature
    except OSError:
        untouched = False
    if not untouched and not copy.users:
        _remove(copy.folder)
    if not untouched:
        del copies[digest]
        return None
    copies[digest] = copies.pop(digest)
    return copy


def _keep(digest: str, source: Path | str, fill: Callable[[Path], None]) -> _Copy:
    """Make a copy beside the others; SandboxError if it does not hold what its digest says."""
    store = _here()
    target = store.folder / "new"
    try:
        target.mkdir()
        fill(target)
        if task_digest(target) != digest:
            raise _changed(source)
        for folder, _, _ in os.walk(target):
            Path(folder).chmod(0o755)
            os.utime(folder, (_TIME, _TIME))
        size = sum(path.lstat().st_size for path in target.rglob("*"))
        _make_room(store, size)
        copy = _Copy(target.rename(store.folder / digest), size)
        copy.signature = _signature(copy.folder)
    except (OSError, TaskError) as error:
        raise SandboxError("the tests cannot be copied", file=source, found=str(error)) from error
    finally:
        if target.exists():
            _remove(target)
    store.copies[digest] = copy
    return copy


def _copy_tree(source: Path, target: Path) -> None:
    """What a digest covers and nothing else. A pipe, which is none of it, raises OSError."""
    for folder, folders, names in os.walk(source, onerror=_raise):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS and name not in links]
        for name in (*links, *names):
            if is_ignored_file(name) and name not in links:
                continue
            path = Path(folder, name)
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy, follow_symlinks=False)
            if not copy.is_symlink():
                _set_mode(copy, executable=bool(path.stat().st_mode & stat.S_IXUSR))


def _raise(error: OSError) -> None:
    raise error


def _set_mode(path: Path, *, executable: bool) -> None:
    path.chmod(0o755 if executable else 0o644)
    os.utime(path, (_TIME, _TIME))


def _make_room(store: _Store, size: int) -> None:
    total = size + sum(copy.size for copy in store.copies.values())
    for digest, copy in list(store.copies.items()):
        if total <= MAX_BYTES:
            return
        if not copy.users:
            total -= copy.size
            del store.copies[digest]
            _remove(copy.folder)


def _digest_of_unchanged(task: Task) -> str:
    """For a task that was not loaded by us, and so does not know the digest of its tests."""
    try:
        if task_digest(task.folder) == task.digest:
            return task_digest(task.folder / "tests")
    except TaskError as error:
        raise SandboxError("the task's folder cannot be read any more", found=str(error)) from error
    raise _changed(task.folder)


def _changed(what: Path | str) -> SandboxError:
    return SandboxError(
        "the tests are no longer those that were loaded, so nothing is scored under their digest",
        file=what,
        remedy="Run again: the task is then loaded as it is now.",
    )


def _signature(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Changes with any change of content, name or mode: the kernel alone sets the time of a change."""
    found = []
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                found.append((entry.path, status.st_ctime_ns, status.st_size))
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(entry.path)
    return tuple(sorted(found))


def _here() -> _Store:
    """This process's own. Others may pass through but not list it: digests of unknown tests are no names."""
    global _store  # noqa: PLW0603 - one per process
    if _store is None or not _store.folder.is_dir():
        folder, lock = claim_folder(PREFIX, public_folder())
        folder.chmod(0o711)
        _store = _Store(folder, lock)
        atexit.register(_remove, folder)
    return _store


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # what stays is removed by whoever claims a folder next


def _after_fork() -> None:
    """A forked process makes copies of its own: its parent's go with its parent."""
    global _store, _guard
    if _store is not None:
        atexit.unregister(_remove)
        os.close(_store.lock)  # the parent's is held by the parent alone, and goes with it
    _store, _guard = None, threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
