"""One operation inside the namespaces of a running session. Started as a program of its own, never imported.

    python -I -S inside.py PIDFD < (one line of JSON, then the payload)

It joins every namespace of the process that the descriptor stands for, forks so that the child is in the
session's process namespace, and there runs a command, packs files into a tar stream, or unpacks one. Paths
are therefore resolved by the kernel inside the session: a link that an agent planted leads nowhere but
into its own file system.

Standard library only, and everything it needs is imported before it joins: afterwards this machine's
files are gone. A command keeps the few capabilities that "root" needs over its own files and loses all
others, for good, because the bounding set is emptied first. Exit code 125 means that the operation could
not be started; the reason is on stderr.
"""

from __future__ import annotations

import base64
import ctypes
import errno
import json
import os
import resource
import shutil
import signal
import stat
import sys
import tarfile
import time
from typing import Any, NoReturn

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2
ROOT_KEEPS = {0, 1, 3, 4, 5, 10}  # chown, dac_override, fowner, fsetid, kill, net_bind_service
LAST_CAPABILITY = 63
CANNOT_START = 125
MAX_NAME = 1000
NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000
"""User, mount, pid, network, ipc and uts."""
NEW_USER = 0x10000000
_LOOKS, _PAUSE_SEC = 2000, 0.005


class SockFprog(ctypes.Structure):
    """A filter, as the kernel takes it: how many instructions, and where."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def main() -> int:
    request = json.loads(sys.stdin.buffer.readline())
    cpus = request.get("cpus")
    if cpus:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cpus])
    target = int(sys.argv[1])
    if os.geteuid() == 0:
        os.setgroups([])
    _call(LIBC.setns, target, NAMESPACES)
    os.close(target)
    if os.geteuid() != 0:  # root outside is nobody inside; the session's root is its owner outside
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() not in (parent, 0):  # 0: the parent lives outside this process namespace
                os._exit(CANNOT_START)
            os._exit(OPERATIONS[request["operation"]](request))
        except OSError as error:
            _complain(f"{error.strerror}: {error.filename}" if error.filename else str(error))
        except (tarfile.TarError, KeyError, ValueError) as error:
            _complain(f"{type(error).__name__}: {error}")

    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, stop)
    _, status = os.waitpid(child, 0)
    if stopped:
        _wait_for_group(child)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _wait_for_group(group: int) -> None:
    """Wait until all that was killed is gone: on a busy machine that takes a moment."""
    for _ in range(_LOOKS):
        try:
            os.killpg(group, 0)
        except OSError:
            return
        time.sleep(_PAUSE_SEC)


def run_command(request: dict[str, Any]) -> int:
    """Become the command; returns only if that fails."""
    uid, gid, home, name = _account(request["user"])
    for limit, value in request["limits"].items():
        resource.setrlimit(getattr(resource, limit), (value, value))
    environment = {"HOME": home, "USER": name, "LOGNAME": name, **request["env"]}
    _drop_capabilities(ROOT_KEEPS if uid == 0 else set())
    if uid != 0:
        _become(uid, gid)
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _filter_calls(base64.b64decode(request["filter"]))
    try:
        os.chdir(request["cwd"])
    except OSError as error:
        _complain(f"cannot work in {request['cwd']!r}: {error.strerror}")
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"  # noqa: PTH110 - no pathlib in here
    os.execve(shell, [shell, "-c", request["command"]], environment)  # noqa: S606


def pack_file(request: dict[str, Any]) -> int:
    """Write one file to stdout as tar."""
    path = os.path.realpath(request["path"])
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise ValueError(f"{request['path']!r} is not a plain file")
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        _pack_one(archive, path, "file", int(request["max_bytes"]))
    return 0


def pack_folder(request: dict[str, Any]) -> int:
    """Write what a folder holds to stdout as tar.

    Pipes, sockets and devices are left out, and so is what vanishes meanwhile or lies too deep to be named.
    """
    source = os.path.realpath(request["path"])
    left, files = int(request["max_bytes"]), int(request["max_files"])
    if not os.path.isdir(source):  # noqa: PTH112 - no pathlib in here
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), source)
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for folder, folders, others in os.walk(source):
            if len(folder) - len(source) > MAX_NAME:
                folders.clear()
            for name in sorted(folders + others):
                if (files := files - 1) < 0:
                    raise ValueError(f"more than {request['max_files']} files")
                path = os.path.join(folder, name)  # noqa: PTH118
                try:
                    left -= _pack_one(archive, path, os.path.relpath(path, source), left)
                except OSError:  # nothing of it is written yet
                    continue
    return 0


def _pack_one(archive: tarfile.TarFile, path: str, name: str, left: int) -> int:
    """How many bytes of content were written."""
    kind = os.lstat(path).st_mode
    if stat.S_ISDIR(kind) or stat.S_ISLNK(kind):
        archive.addfile(archive.gettarinfo(path, name))
        return 0
    if not stat.S_ISREG(kind):
        return 0
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        member = archive.gettarinfo(arcname=name, fileobj=file)
        if member.size > left:
            raise ValueError(f"{path!r}: more than the {left} bytes that are left for one transfer")
        member.type, member.linkname = tarfile.REGTYPE, ""  # a hard link would arrive without its content
        archive.addfile(member, _AtLeast(file))
        return member.size


class _AtLeast:
    """A file that gives as many bytes as are asked for: somebody may cut it short while it is read."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._file.read(size)
        return data.ljust(size, b"\0")


def unpack(request: dict[str, Any]) -> int:
    """Read a tar stream from stdin into a folder, or its one member into a file."""
    target = request["path"]
    with tarfile.open(fileobj=sys.stdin.buffer, mode="r|") as archive:
        if request["single"]:
            os.makedirs(os.path.dirname(target) or "/", exist_ok=True)  # noqa: PTH103, PTH120
            if os.path.isdir(target):  # noqa: PTH112
                target = os.path.join(target, request["name"])  # noqa: PTH118
            member = archive.next()
            content = archive.extractfile(member) if member is not None else None
            if member is None or content is None:
                raise ValueError("the stream holds no file")
            with open(target, "wb") as file:  # noqa: PTH123
                shutil.copyfileobj(content, file)
            os.chmod(target, member.mode)  # noqa: PTH101
            return 0
        os.makedirs(target, exist_ok=True)  # noqa: PTH103
        archive.extractall(target, filter="tar")
    return 0


OPERATIONS = {
    "run": run_command,
    "pack_file": pack_file,
    "pack_folder": pack_folder,
    "unpack": unpack,
}


def _account(user: str | int | None) -> tuple[int, int, str, str]:  # noqa: RET503 - `_complain` does not return
    """uid, gid, home and name of a user of the session; None is root, whatever the agent wrote about it."""
    if user in (None, 0, "0", "root"):
        return 0, 0, "/root", "root"
    try:
        with open("/etc/passwd", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            rows = [line.split(":") for line in file.read(1_000_000).splitlines()]
    except OSError:
        rows = []
    for row in rows:
        if len(row) >= 7 and str(user) in (row[0], row[2]) and row[2].isdigit() and row[3].isdigit():
            return int(row[2]), int(row[3]), row[5], row[0]
    if str(user).isdigit():
        return int(user), int(user), "/", str(user)
    known = ", ".join(row[0] for row in rows[:20]) or "none"
    _complain(f"user {user!r} is not in this environment's /etc/passwd; known: {known}")


def _become(uid: int, gid: int) -> None:
    """Carry `uid` in a user namespace of its own: the files stay those of the one user who runs the
    session."""
    _call(LIBC.unshare, NEW_USER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} 0 1"), ("gid_map", f"{gid} 0 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, text.encode())
        os.close(descriptor)
    _drop_capabilities(set())


def _drop_capabilities(keep: set[int]) -> None:
    for capability in range(LAST_CAPABILITY + 1):
        if capability not in keep:
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def _filter_calls(program: bytes) -> None:
    """Have the kernel refuse what the filter says, for good; an empty one refuses nothing."""
    if not program:
        return
    code = ctypes.create_string_buffer(program, len(program))
    what = SockFprog(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    _call(LIBC.prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(what), 0, 0)


def _call(function: Any, *arguments: Any) -> None:
    """Call the C library, whose `setns` and `unshare` Python itself offers only since 3.12."""
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _complain(message: str) -> NoReturn:
    os.write(2, f"adjudge: {message}\n".encode("utf-8", "replace"))
    os._exit(CANNOT_START)


LIBC = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    sys.exit(main())
