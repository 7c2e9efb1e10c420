"""Watch what a verifier opens, asks about and starts, from inside its sandbox.

The kernel stops every system call that names a file, in whatever language it is made, and tells a supervisor
(seccomp's user notification), which notes the path and lets the call go on. Nothing is traced and nothing is
changed but the time it takes. The supervisor is a Python of the sandbox's own; where there is none, or where
the kernel refuses, the verifier runs unwatched, and `WatchedFiles` is None: the audit then says so.
"""

from __future__ import annotations

import json

from msgspec import Struct

WATCH_FILE = "adjudge-watch"
"""Where the supervisor leaves its notes among the artifacts."""
_MOST = 400

SUPERVISOR = f"""
import array, ctypes, fcntl, json, os, select, socket, struct, sys
CALLS = {{  # number: the argument that is a path, the argument that is open's flags
    "x86_64": (0xC000003E, 317, 59, {{2: (0, 1), 4: (0, None), 6: (0, None), 21: (0, None), 59: (0, None),
        257: (1, 2), 262: (1, None), 269: (1, None), 332: (1, None), 437: (1, None), 439: (1, None)}}),
    "aarch64": (0xC00000B7, 277, 221, {{48: (1, None), 56: (1, 2), 79: (1, None), 221: (0, None),
        291: (1, None), 437: (1, None), 439: (1, None)}}),
}}
SKIPPED = ("/usr/", "/lib", "/bin/", "/sbin/", "/proc/", "/sys/", "/dev/", "/tests/", "/logs/", "/etc/")
command = sys.argv[1:]

def unwatched():
    os.execvp(command[0], command)

if os.uname().machine not in CALLS:
    unwatched()
machine, seccomp, execve, watched = CALLS[os.uname().machine]

def filtered():
    line = lambda *parts: struct.pack("=HBBI", *parts)
    numbers = sorted(watched)
    lines = [line(0x20, 0, 0, 4), line(0x15, 0, len(numbers) + 1, machine), line(0x20, 0, 0, 0)]
    lines += [line(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    lines += [line(6, 0, 0, 0x7FFF0000), line(6, 0, 0, 0x7FC00000)]
    code = ctypes.create_string_buffer(b"".join(lines))
    program = ctypes.create_string_buffer(struct.pack("=H6xQ", len(lines), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    return libc.syscall(seccomp, 1, 8, program)

ours, theirs = socket.socketpair(socket.AF_UNIX)
child = os.fork()
if child == 0:
    ours.close()
    listener = filtered()
    if listener < 0:
        theirs.sendall(b"n")
    else:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))]
        theirs.sendmsg([b"y"], rights)
        theirs.recv(1)
    unwatched()
theirs.close()
answer, extra, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
if answer != b"y":
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
listener = array.array("i", extra[0][2])[0]
ours.sendall(b"g")
read, listed, static = {{}}, {{}}, {{}}

def named(pid, call, arguments):
    place, flags = watched[call]
    with open(f"/proc/{{pid}}/mem", "rb", 0) as memory:
        memory.seek(arguments[place])
        path = os.fsdecode(memory.read(4096 - arguments[place] % 4096).split(b"\\0")[0])
    if not path.startswith("/"):
        folder = arguments[0] & 0xFFFFFFFF
        here = place == 0 or folder == 0xFFFFFF9C
        base = os.readlink(f"/proc/{{pid}}/cwd" if here else f"/proc/{{pid}}/fd/{{folder}}")
        path = os.path.join(base, path)
    return os.path.normpath(path), arguments[flags] if flags is not None else 0

def is_static(path, depth=0):
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    if head[:2] == b"#!" and depth < 4:
        words = head[2:].split(b"\\n")[0].split()
        return bool(words) and is_static(os.fsdecode(words[0]), depth + 1)
    if head[:5] != b"\\x7fELF\\x02":
        return head[:4] == b"\\x7fELF"
    start, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    return not any(head[start + n * size : start + n * size + 4] == b"\\x03\\0\\0\\0" for n in range(count))

def note(pid, call, arguments):
    path, flags = named(pid, call, arguments)
    if call == execve:
        if path not in static:
            static[path] = is_static(path)
    elif not path.startswith(SKIPPED) and path.startswith("/") and len(read) < {_MOST}:
        if flags & 0o200000:
            listed[path] = True
        elif not flags & 0o101:  # neither created nor written
            read[path] = True

poll = select.poll()
poll.register(listener, select.POLLIN)
status = None
while status is None:
    ready = poll.poll(20)
    if not ready or not ready[0][1] & select.POLLIN:
        ended, code = os.waitpid(child, os.WNOHANG if not ready else 0)
        status = code if ended else None
        continue
    call = bytearray(80)
    try:
        fcntl.ioctl(listener, 0xC0502100, call)
    except OSError:
        continue
    number, pid = struct.unpack_from("QI", call)
    try:
        note(pid, struct.unpack_from("i", call, 16)[0], struct.unpack_from("6Q", call, 32))
    except (OSError, ValueError):
        pass
    try:
        fcntl.ioctl(listener, 0xC0182101, struct.pack("QqiI", number, 0, 0, 1))
    except OSError:
        pass
try:
    with open("/logs/verifier/{WATCH_FILE}", "w") as file:
        started = [path for path in static if static[path]]
        json.dump({{"read": list(read), "listed": list(listed), "static": started}}, file)
except OSError:
    pass
os._exit(os.waitstatus_to_exitcode(status) & 255)
"""


class WatchedFiles(Struct, frozen=True):
    """What a verifier looked for outside of its tests and the system, and what it started."""

    read: tuple[str, ...]
    """Files that it opened to read, or asked about, whether they were there or not."""
    listed: tuple[str, ...]
    """Folders whose content it listed."""
    static: tuple[str, ...]
    """Programs that it started and that no library can be put into."""


def watching(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command, started by a supervisor."""
    return ("python3", "-I", "-S", "-B", "-c", SUPERVISOR, *command)


def read_notes(data: bytes | None) -> WatchedFiles | None:
    """What the supervisor noted; None if it could not watch, or if its notes are not its own."""
    try:
        notes = json.loads(data or b"")
        return WatchedFiles(*(tuple(map(str, notes[name])) for name in ("read", "listed", "static")))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
