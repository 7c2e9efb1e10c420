"""Runs inside the warm server, between a Python's own start and the verifier's first line; never imported
here. Why it is built this way: docs/design/sandbox.md.

The interpreter asks `sys.path_hooks` what kind of file its script is, when everything else of its start is
done. The server's Python has a hook (`plan.py`) that calls `serve`, which answers only in a process that was
forked off: the server never returns from it, each trial does, and Python goes on as if nothing had happened.
So flags, arguments, tracebacks and exit codes are Python's own.

Invariants:
- Nothing of the task runs in the server, and nothing of an output reaches it. It gets the size of a disk,
  three descriptors and nothing else, and parses no byte.
- What a trial's process has of the server is memory that is the same for all trials, and no descriptor.
- A trial's first process builds its namespaces, gives up every capability, takes the filter of system calls
  and then waits for the others; the verifier is a fork of it.

It must work in every Python 3.8 or newer.
"""

# mypy: ignore-errors

import _signal
import _socket
import array
import ctypes
import os
import posix
import signal

RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC = 1, 2, 4, 8, 32, 4096, 16384
# What a first process makes or looks up, it makes in pages that are copied for it: so much is made here.
OWN, OWN_READ_ONLY, OWN_PROC, OWN_TERMINALS, BOUND, BOUND_ALONE, READ_ONLY, READ_ONLY_PROC = (
    ctypes.c_ulong(flags)
    for flags in (
        NOSUID | NODEV,
        RDONLY | NOSUID | NODEV,
        NOSUID | NODEV | NOEXEC,
        NOSUID | NOEXEC,
        BIND | REC,
        BIND,
        BIND | REMOUNT | RDONLY | NOSUID | NODEV,
        BIND | REMOUNT | RDONLY | NOSUID | NODEV | NOEXEC,
    )
)
EVERY_SIGNAL = frozenset(map(int, signal.valid_signals()))
DETACH = 2
NEW_USER = 0x10000000
LIMIT_PROCESSES = 6
SET_SECCOMP, DROP_BOUNDING, NO_NEW_PRIVILEGES = 22, 24, 38
LAST_CAPABILITY = 63
CAPABILITY_VERSION = 0x20080522
SET_INTERFACE_FLAGS, UP_AND_RUNNING = 0x8914, 0x41
FOLDER = posix.O_RDONLY | posix.O_DIRECTORY
MOST_DESCRIPTORS = 4096

# Without letting go of the interpreter's lock: a process is copied in such a call.
LIBC = ctypes.PyDLL(None, use_errno=True)
_CALLS = "mount umount2 pivot_root unshare setrlimit prctl capset ioctl kill syscall"
for _name in _CALLS.split():
    getattr(LIBC, _name)  # found once, and known from then on
NO_CAPABILITIES = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
CAPABILITIES = [ctypes.c_ulong(number) for number in range(LAST_CAPABILITY + 1)]
LOOPBACK_UP = ctypes.create_string_buffer(b"lo".ljust(16, b"\0") + UP_AND_RUNNING.to_bytes(2, "little"), 40)
REQUEST, ONE, FILTERED = (ctypes.c_ulong(number) for number in (SET_INTERFACE_FLAGS, 1, 2))


class FilterProgram(ctypes.Structure):
    """A filter, as the kernel takes it: how many instructions, and where."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def serve(channel, plan, read_folders):
    """Fork for each request on the channel until it is shut; return only where the verifier is to run."""
    folder, has_shell = posix.getcwd(), posix.getpid() == 3
    if posix.getpid() != 2 and (posix.getpid(), posix.getppid()) != (3, 2):
        posix._exit(1)  # something else than bash has started it
    if shares_memory():
        posix._exit(1)  # what one trial writes there all others would read
    flags = ctypes.c_ulong(plan["namespaces"] | signal.SIGCHLD)
    limits = (ctypes.c_ulong * 2)(plan["processes"], plan["processes"])
    code = ctypes.create_string_buffer(plan["filter"], len(plan["filter"]))
    program = FilterProgram(len(plan["filter"]) // 8, ctypes.cast(code, ctypes.c_void_p))
    plan = {**plan, "limits": limits, "program": ctypes.byref(program)}
    server = _socket.socket(fileno=channel)
    server.send(b"W")
    while True:
        request, rights, _, _ = server.recvmsg(8, _socket.CMSG_SPACE(12))
        if not rights:
            posix._exit(0)
        received = array.array("i")
        received.frombytes(rights[0][2])
        child = LIBC.syscall(plan["clone"], flags, 0, 0, 0, 0)
        if child == 0:
            break
        if child < 0:
            posix.write(received[0], b"E%d" % ctypes.get_errno())
        for descriptor in received:
            posix.close(descriptor)
        reap()
    server.close()
    control = _socket.socket(fileno=received[0])
    try:
        first_process(control, plan, int.from_bytes(request, "little"), has_shell)
        begin(control, received, folder)
        read_folders()
    except BaseException as error:
        give_up(control, error)


def shares_memory():
    """Is there memory to write to that a fork does not copy? Where code may not be made, ctypes uses some."""
    descriptor = posix.open("/proc/self/maps", posix.O_RDONLY)
    told = b""
    while True:
        more = posix.read(descriptor, 65536)
        if not more:
            break
        told += more
    posix.close(descriptor)
    kinds = [line.split(b" ", 2)[1] for line in told.splitlines()]
    return any(kind[1:2] == b"w" and kind[3:4] == b"s" for kind in kinds)


def reap():
    """Trials that are gone."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def begin(control, received, folder):
    """In the verifier's process: wait until all is in place, and have nothing but its own three streams."""
    if control.recv(1) != b"G":
        posix._exit(1)
    # Opened anew: the server's own has flags and locks that would be those of all trials.
    posix.dup2(posix.open("/dev/null", posix.O_RDWR), 0)
    posix.dup2(received[1], 1)
    posix.dup2(received[2], 2)
    posix.chdir(folder)
    control.detach()
    os.closerange(3, MOST_DESCRIPTORS)


def give_up(control, error):
    try:
        control.send(b"E" + f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:400])
    finally:
        posix._exit(1)


def first_process(control, plan, size, has_shell):
    """Build, confine, fork, then reap. Returns only in the verifier's process."""
    own = posix.open("/proc/self", FOLDER)  # of the server's sandbox: the new one is covered and read-only
    map_user(own, 0, plan["uid"])
    write("/proc/sys/user/max_user_namespaces", b"1")  # the one that `confine` makes, and no other
    bring_loopback_up()
    build(plan, size)
    opened = [posix.open(name, FOLDER) for name in ("/", "/dev/shm", "/proc")]  # noqa: S108 - inside
    confine(plan, own)
    posix.close(own)
    posix.setsid()
    child = os.fork()
    if child == 0:
        if has_shell:
            stand_for_the_shell()
        return
    # A signal from inside counts only if the first process of the namespace has a handler for it.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, EVERY_SIGNAL)
    descriptors = array.array("i", opened).tobytes()
    control.sendmsg([b"R"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    keep = control.fileno()
    os.closerange(0, keep)
    os.closerange(keep + 1, MOST_DESCRIPTORS)
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == child:
            LIBC.kill(-1, _signal.SIGKILL)  # what is left writes no longer while the end is told and heard of
            control.send(b"S" + status.to_bytes(4, "little"))
            break
    while True:  # until it is killed from outside, with all the others
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            signal.pause()


def stand_for_the_shell():
    """Bash waits for a command that it did not become, and tells the signal that ended it as a code."""
    verifier = os.fork()
    if verifier == 0:
        return
    os.closerange(0, MOST_DESCRIPTORS)
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # those that Python does not leave alone
        signal.signal(number, signal.SIG_DFL)
    status = os.waitpid(verifier, 0)[1]
    posix._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def build(plan, size):
    """The root: what `layout` and bubblewrap make for a cold run, from the server's own folders."""
    root = plan["root"]
    mount(b"tmpfs", root, b"tmpfs", OWN, b"mode=0755,size=%d" % size)
    posix.chdir(root)
    for kind, target, source in plan["places"]:
        if kind == "link":
            posix.symlink(source, target)
        elif kind == "file":
            posix.close(posix.open(target, posix.O_CREAT | posix.O_WRONLY, 0o444))
        else:
            posix.mkdir(target, 0o700 if kind == "private folder" else 0o755)
        if source and kind != "link":
            mount(source, target, None, BOUND)
    mount(b"proc", b"proc", b"proc", OWN_PROC)
    for target in plan["masked folders"]:
        mount(b"tmpfs", target, b"tmpfs", OWN_READ_ONLY, b"mode=0555,size=4096")
    for target in plan["masked files"]:
        mount(b"/dev/null", target, None, BOUND_ALONE)
        mount(None, target, None, READ_ONLY)
    mount(None, b"proc", None, READ_ONLY_PROC)
    mount(b"devpts", b"dev/pts", b"devpts", OWN_TERMINALS, b"newinstance,ptmxmode=0666,mode=620")
    mount(b"tmpfs", b"dev/shm", b"tmpfs", OWN, plan["shared memory"])
    check(LIBC.pivot_root(b".", b"."))
    check(LIBC.umount2(b".", DETACH))
    posix.chdir("/")


def confine(plan, own):
    """As bubblewrap does for `--disable-userns --cap-drop ALL --seccomp`; for good."""
    check(LIBC.unshare(NEW_USER))
    map_user(own, plan["uid"], 0)
    if plan["processes"]:
        check(LIBC.setrlimit(LIMIT_PROCESSES, plan["limits"]))
    for capability in CAPABILITIES:
        if LIBC.prctl(DROP_BOUNDING, capability, 0, 0, 0) < 0:
            break  # the kernel knows fewer
    check(LIBC.capset(*NO_CAPABILITIES))
    check(LIBC.prctl(NO_NEW_PRIVILEGES, ONE, 0, 0, 0))
    check(LIBC.prctl(SET_SECCOMP, FILTERED, plan["program"], 0, 0))


def bring_loopback_up():
    asked = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    check(LIBC.ioctl(asked.fileno(), REQUEST, LOOPBACK_UP))
    asked.close()


def map_user(own, inside, outside):
    """`own` is the folder of this process in a `/proc`."""
    write("setgroups", b"deny", own)
    write("uid_map", b"%d %d 1" % (inside, outside), own)
    write("gid_map", b"%d %d 1" % (inside, outside), own)


def write(path, text, folder=None):
    descriptor = posix.open(path, posix.O_WRONLY, dir_fd=folder)
    try:
        posix.write(descriptor, text)
    finally:
        posix.close(descriptor)


def mount(source, target, kind, flags, data=None):
    try:
        check(LIBC.mount(source, target, kind, flags, data))
    except OSError as error:
        raise OSError(error.errno, error.strerror, target.decode()) from None


def check(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
