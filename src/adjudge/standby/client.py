"""The process in which a command was called, while a fork of the resident one runs it.

It says all about itself, waits for a yes, and says go, with its streams: from then on, and no earlier, the
command is the other's. Whatever fails before leaves the command to this process. From then on it passes
on each signal it gets, stops and goes on with the command, and ends as the command ended. If it is killed,
its connection closes, and the command is killed at once.

It imports only what a short start can afford.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import signal
import stat
import sys

from adjudge.standby.rights import proof_for, rights_of

TYPE_CHECKING = False  # as in `_lazy`
if TYPE_CHECKING:
    from typing import NoReturn

QUICK = frozenset(
    {
        *("score", "check", "tasks", "init", "kit", "schema"),
        *("trials", "show", "traces", "annotate", "tags", "ledger"),
        *("report", "compare", "gate", "plan", "export"),
    }
)
"""The commands that are called at the prompt and soon done. All others run where they are called."""
NO_HELP = frozenset({"harbor", "standby"})
YES, GO, ENDED, KILLED, NOT_RUN = b"y", b"g", b"e", b"k", b"n"
ALL_OF_IT = 0x80
"""Beside a signal's number: it is for all processes of the command, as the terminal sends it."""
PASSED_ON = frozenset(
    {
        *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGCONT),
        *(signal.SIGWINCH, signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO),
    }
)
MOST_HELD, HIGHEST_HELD = 200, 400
_MEMORY_DEVICES = 1
"""The major number of `/dev/null` and its like."""
_PATIENCE_SEC = 2.0
_SI_USER, _SI_KERNEL = 0, 0x80
_SO_PEERCRED, _SO_PEERPIDFD = 17, 77
_LOST = "error: the process of `adjudge standby` that ran this command was killed\n"


def is_quick(arguments: list[str]) -> bool:
    """Is this a command that another process may run, by its name alone?"""
    if not arguments:
        return False
    if arguments[-1] == "--help" and len(arguments) <= 3:
        return arguments[0] not in NO_HELP
    return arguments[0] in QUICK


def needs_its_terminal(arguments: list[str]) -> bool:
    """May the terminal make this process wait for its turn? It would not the other one, of another session.

    It may if this process reads it, opens it by its name, or is in its background.
    """
    if any(map(_names_terminal, arguments)):
        return True
    return any(os.isatty(number) and _is_in_background(number) for number in (0, 1, 2))


def _names_terminal(argument: str) -> bool:
    if argument == "-":
        return os.isatty(0)
    path = argument.partition("=")[2] if argument.startswith("--") else argument
    if not path.startswith(("/dev/", "/proc/")):
        return False
    try:
        status = os.stat(path)  # noqa: PTH116 - no pathlib here
    except (OSError, ValueError):
        return path == "/dev/tty"
    return stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) != _MEMORY_DEVICES


def _is_in_background(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:  # not the terminal of this session, so it makes nobody wait
        return False


def run_elsewhere(address: str) -> None:
    """Have the command run by the process that listens at `address`; returns if it is to be run here."""
    if not is_quick(sys.argv[1:]) or sys.gettrace() or sys.getprofile() or needs_its_terminal(sys.argv[1:]):
        return
    try:
        signal.signal(signal.SIGIO, signal.getsignal(signal.SIGIO))
    except (TypeError, ValueError):  # in a thread that no signal reaches, or one that others handle
        return
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    try:
        connection.settimeout(_PATIENCE_SEC)
        connection.connect(address)
        held = held_open()
        taken = not in_what_it_differs(connection) and _is_taken(connection, before, held)
        if taken:
            _go(connection, held)
    except (OSError, AttributeError, ValueError):  # also a stream that is closed, or none of Python's own
        taken = False
    if taken:
        _await_end(connection)
    connection.close()
    signal.signal(signal.SIGIO, signal.signal(signal.SIGIO, signal.SIG_IGN))  # what still waits goes
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def peer_of(connection: _socket.socket) -> tuple[int, int]:
    """The process and the user at the other end."""
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERCRED, 12)
    return int.from_bytes(credentials[:4], sys.byteorder), int.from_bytes(credentials[4:8], sys.byteorder)


def is_there(connection: _socket.socket) -> bool:
    """Is the number of `peer_of` still that of the process at the other end?

    To be asked after all that was read by that number. A socket outlives who opened it in a child of his, and
    somebody else may have the number by then. Before Linux 6.5 nobody can say: then yes.
    """
    try:
        handle = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERPIDFD)
    except OSError as error:
        return error.errno == errno.ENOPROTOOPT
    try:
        signal.pidfd_send_signal(handle, 0)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def in_what_it_differs(connection: _socket.socket) -> list[str]:
    """Has the process at the other end the rights of this one? If not, it is told nothing.

    Else whoever sees the folder from a sandbox could listen there, and be handed a command to answer as he
    likes, with the variables and the folder of a process outside. OSError if it cannot be looked at.
    """
    process, user = peer_of(connection)
    if user != os.geteuid():
        return ["user"]
    theirs, own = rights_of(process), rights_of(os.getpid())
    if not is_there(connection):
        return ["number of a process that has ended"]
    return sorted(name for name in theirs.keys() | own.keys() if theirs.get(name) != own.get(name))


def held_open() -> list[int]:
    """The descriptors that this process was started with, as `<(command)` of a shell leaves them.

    The standard ones are among them. OSError if one of those is closed, or if there are too many.
    """
    for number in (0, 1, 2):
        os.fstat(number)
    numbers = sorted(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208 - no pathlib here
    found = [number for number in numbers if _is_inherited(number)]
    if len(found) > MOST_HELD or found[-1] > HIGHEST_HELD:
        raise OSError(len(found))
    return found


def _is_inherited(number: int) -> bool:
    """Python closes what it opens itself before another program starts."""
    try:
        return os.get_inheritable(number)
    except OSError:  # the listing's own
        return False


def myself(blocked: set[int | signal.Signals], held: list[int]) -> dict[str, object]:
    """What of this process only itself can say; the rest is read in `/proc`."""
    return {
        "held": held,
        "shown": shown_to_itself(),
        "arguments": sys.argv,
        "given": sys.orig_argv,
        "file": _file_of("__main__"),
        "environment": dict(os.environb),
        "blocked": sorted(map(int, blocked)),
        "streams": [
            (stream.encoding, stream.errors, stream.line_buffering, stream.write_through)  # type: ignore[union-attr]  # checked by whoever calls
            for stream in (sys.stdin, sys.stdout, sys.stderr)
        ],
        "interpreter": interpreter(),
    }


def shown_to_itself() -> list[bytes]:
    """What `/proc` shows of a process to that process alone, where the system is strict."""
    found = []
    for name in ("personality", "timerslack_ns"):
        opened = os.open(f"/proc/self/{name}", os.O_RDONLY | os.O_CLOEXEC)
        found.append(os.read(opened, 64))
        os.close(opened)
    return found


def interpreter() -> list[object]:
    """All that Python was started with, and where it finds its modules."""
    return [
        *(sys.version, sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.pycache_prefix),
        *(tuple(sys.flags), sys.path, sys.warnoptions, sorted(sys._xoptions.items())),
        *(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), sys.dont_write_bytecode),
        *(os.path.realpath(_file_of("__main__") or ""), _file_of("sitecustomize"), _file_of("usercustomize")),
        __file__,
    ]


def _file_of(module: str) -> str | None:
    found = sys.modules.get(module)
    return None if found is None else found.__dict__.get("__file__")


def request_of(blocked: set[int | signal.Signals], held: list[int]) -> bytes:
    """What `myself` says, as it is sent."""
    message = repr(myself(blocked, held)).encode()
    return len(message).to_bytes(4, "big") + message


def _is_taken(connection: _socket.socket, blocked: set[int | signal.Signals], held: list[int]) -> bool:
    """Say all about this process; did the other say yes?"""
    connection.sendall(request_of(blocked, held))
    return connection.recv(1) == YES


def _go(connection: _socket.socket, held: list[int]) -> None:
    """Hand the streams and the folder over, and with them the command; and a proof of this one's right.

    Only to who said yes: in the queue of a process that hangs they would stay open for whoever reads them.
    """
    own = [proof_for(peer_of(connection)[0])]
    try:
        own.append(os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
        _wake_by_signal(connection)
        passed = b"".join(number.to_bytes(4, sys.byteorder) for number in (*held, *own))
        connection.sendmsg([GO], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, passed)])
    finally:
        for number in own:
            os.close(number)


def _wake_by_signal(connection: _socket.socket) -> None:
    """From now on SIGIO says that there is something to read: so there is one thing to wait for."""
    number = connection.fileno()
    connection.setblocking(False)
    fcntl.fcntl(number, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_ASYNC)


def _await_end(connection: _socket.socket) -> None:
    """Pass on what signals say until the command has ended; then end the same way.

    Returns if the other could not start it, and it is this process's again.
    """
    while True:
        try:
            told = connection.recv(2)
        except BlockingIOError:
            told = None
        except OSError:
            told = b""
        if told == NOT_RUN:
            return
        if told is not None:
            _end(told)
        came = signal.sigwaitinfo(PASSED_ON)
        if came.si_signo != signal.SIGIO or came.si_code <= _SI_USER:
            _pass_on(connection, came.si_signo, to_all=came.si_code == _SI_KERNEL)


def _pass_on(connection: _socket.socket, number: int, *, to_all: bool) -> None:
    """Send a signal on to the command. One that stops it stops this process, too, for as long."""
    _tell(connection, number | (ALL_OF_IT if to_all else 0))
    if number == signal.SIGTSTP and signal.getsignal(number) is signal.SIG_DFL:
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})  # stops here
        signal.pthread_sigmask(signal.SIG_BLOCK, {number})
        _tell(connection, signal.SIGCONT | ALL_OF_IT)


def _tell(connection: _socket.socket, byte: int) -> None:
    try:
        connection.send(bytes([byte]))
    except OSError:  # it has ended meanwhile, which is read next
        return


def _end(told: bytes) -> NoReturn:
    """End as the command did: by the same signal, or with the same exit code."""
    kind, number = told[:1], told[1] if len(told) > 1 else 1
    if kind == KILLED:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the command has left one if it was to
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        number |= 128
    elif kind != ENDED:
        os.write(2, _LOST.encode())
    os._exit(number)
