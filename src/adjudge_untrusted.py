"""Run an agent's program inside a verifier, apart from the verifier: for tasks whose answer is a program.

A verifier that starts the agent's program gives it the verifier's own rights: it could read the expected
answers in `/tests`, or leave a process behind that writes `reward.json`. Copy this file into `tests/`
(`adjudge kit --untrusted TASK`) and start the program through it:

    from adjudge_untrusted import run_untrusted
    done = run_untrusted(["python3", "solution.py"], stdin=b"3 4\\n", timeout=10)
    done.code, done.stdout, done.stderr, done.timed_out

    python3 /tests/adjudge_untrusted.py --timeout 10 -- python3 /workspace/solution.py < input > output

What holds for the program and for everything it starts, for good, whatever it becomes (Linux's Landlock):
- it reads the system's programs and what it may write, and nothing else: no tests, no artifacts, no home;
- it writes only in the workspace (`write`) and in a temporary folder of its own;
- it cannot reach the verifier's memory, nor use TCP unless `network=True`; from Linux 6.12 on it cannot
  signal the verifier either;
- it has none of the verifier's variables or descriptors, and ends with its time.
Whatever it leaves running is killed before `run_untrusted` returns, and what it leaves in the folders that it
may write in can be read: pipes are gone, and so are links that lead to where it may not look, through which
the verifier would take its own expected answers for the program's.

A kernel without Landlock (older than 5.13, or one that forbids it) raises `NoConfinement`: nothing is run.
Standard library only, one file, Python 3.8 or newer.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, NamedTuple

__all__ = ["Done", "NoConfinement", "run_untrusted"]

READ = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc")
"""What any program may read and start."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts")
MOST_OUTPUT = 16 << 20
"""Bytes of each stream that are kept; a program that writes more is stopped."""

_PASSES = 200
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES, _SUBREAPER = 38, 36
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_READING = _EXECUTE | _READ_FILE | _READ_FOLDER
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE
_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights on files each version of Landlock knows, from when on."""


class NoConfinement(Exception):  # noqa: N818 - names what is missing
    """This kernel cannot keep a program apart; nothing was run."""


class Done(NamedTuple):
    """How the program ended: `code` is its exit code, or minus the signal that ended it."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    too_much: bool
    """It wrote more than `MOST_OUTPUT`, and was stopped if it had not ended by then."""


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def run_untrusted(
    command: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout: float = 60.0,
    cwd: str = "/workspace",
    write: Sequence[str] = ("/workspace",),
    read: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    network: bool = False,
) -> Done:
    """Run a program that nobody vouches for, and return when it and all it started are gone.

    `write` are the folders it may change, `read` what else it may look at. Raises `NoConfinement`, and
    `OSError` if there is no such program.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    before = set(_descendants())
    traps = set(_traps(write, read))
    _check(libc.prctl(_SUBREAPER, 1, 0, 0, 0), "no subreaper")
    private = tempfile.mkdtemp(prefix="untrusted-")
    variables = {
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "HOME": private,
        "TMPDIR": private,
        **(env or {}),
    }
    rules = _rules(libc, [*READ, sys.prefix, sys.base_prefix, *read], [*write, private], network)
    out, err = (tempfile.TemporaryFile(dir=private) for _ in range(2))  # noqa: SIM115
    given = tempfile.TemporaryFile(dir=private)  # noqa: SIM115
    try:
        given.write(stdin)
        given.seek(0)

        def confine() -> None:
            _check(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
            _check(libc.syscall(_RESTRICT_SELF, rules, 0), "landlock_restrict_self")

        process = subprocess.Popen(
            list(command),
            stdin=given,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env=variables,
            preexec_fn=confine,  # noqa: PLW1509 - a verifier is its own process, usually of one thread
            start_new_session=True,
        )
    except subprocess.SubprocessError as error:  # all that it says of what failed between fork and exec
        raise NoConfinement(f"Landlock refuses to confine it: {error}") from error
    else:
        timed_out, too_much = _wait(process, timeout, (out.fileno(), err.fileno()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _end_all(before)
        for path, _ in set(_traps(write, read)) - traps:
            os.unlink(path)
        return Done(process.returncode, _content(out), _content(err), timed_out, too_much)
    finally:
        os.close(rules)
        for file in (out, err, given):
            file.close()
        shutil.rmtree(private, ignore_errors=True)


def _wait(process: subprocess.Popen[bytes], timeout: float, streams: tuple[int, int]) -> tuple[bool, bool]:
    """Wait for the end; was it out of time, did it write too much?"""
    end = time.monotonic() + timeout
    pause = 0.001
    while True:
        try:
            process.wait(pause)
            ended = True
        except subprocess.TimeoutExpired:
            pause = min(0.05, 2 * pause)
            ended = False
        too_much = any(os.fstat(stream).st_size > MOST_OUTPUT for stream in streams)
        if ended or too_much:  # also if it ended for want of disk before anybody looked
            return False, too_much
        if time.monotonic() > end:
            return True, False


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(MOST_OUTPUT)


def _rules(libc: ctypes.CDLL, reading: Sequence[str], writing: Sequence[str], network: bool) -> int:
    """A descriptor of what is allowed; everything else is not."""
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        raise NoConfinement(
            "this kernel has no Landlock, or forbids it here: the agent's program cannot be kept apart from "
            f"the verifier ({os.strerror(ctypes.get_errno())})"
        )
    known = (1 << _RIGHTS[max(since for since in _RIGHTS if since <= version)]) - 1
    wanted = _Ruleset(
        known,
        3 if version >= 4 and not network else 0,  # to bind and to connect
        3 if version >= 6 else 0,  # no signal and no abstract socket of others
    )
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(wanted), size, 0)
    _check(rules, "landlock_create_ruleset")
    try:
        for path in reading:
            _allow(libc, rules, path, _READING)
        for path in DEVICES:
            _allow(libc, rules, path, (_READ_FILE | _WRITE_FILE | _READ_FOLDER | (1 << 15)) & known)
        for path in writing:
            _allow(libc, rules, path, known)
    except BaseException:
        os.close(rules)
        raise
    return int(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Allow something below a folder, or of a file; a path that is not there needs no rule."""
    try:
        folder = os.open(path, getattr(os, "O_PATH", 0o10000000) | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _ON_FILES | 1 << 14 | 1 << 15
        rule = _Beneath(rights, folder)
        _check(libc.syscall(_ADD_RULE, rules, 1, ctypes.byref(rule), 0), f"landlock_add_rule for {path}")
    finally:
        os.close(folder)


def _check(result: int, what: str) -> None:
    if result < 0:
        raise NoConfinement(f"{what}: {os.strerror(ctypes.get_errno())}")


def _traps(write: Sequence[str], read: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Files that are no files: links out of what a program may see, with their targets, and pipes.

    A folder that it closed is opened again, since whoever reads on would do the same.
    """
    open_to_it = [os.path.realpath(path) for path in (*READ, *DEVICES, *write, *read) if path != "/proc"]
    waiting = [os.path.abspath(path) for path in write]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(folder, os.stat(folder).st_mode | 0o700)
        try:
            entries = list(os.scandir(folder))
        except OSError:  # not there, or a path too long to be opened by anybody
            continue
        for entry in entries:
            if entry.is_symlink():
                leads_to = os.path.realpath(entry.path)
                if not any(leads_to == path or leads_to.startswith(f"{path}/") for path in open_to_it):
                    yield entry.path, os.readlink(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path, ""


def _end_all(before: set[tuple[int, bytes]]) -> None:
    """Kill what the program left behind: it became ours when its parents ended, and is confined meanwhile."""
    for _ in range(_PASSES):
        left = [pid for pid, began in _descendants() if (pid, began) not in before]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not left:
            return
    raise NoConfinement("the program's processes multiply faster than they can be killed")


def _descendants() -> Iterator[tuple[int, bytes]]:
    """Every process that has this one among its ancestors, and when it began: numbers are given out again.

    A dead one that nobody waited for, too.
    """
    parents: dict[int, int] = {}
    began: dict[int, bytes] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    words = file.read().rpartition(b")")[2].split()
                parents[int(name)], began[int(name)] = int(words[1]), words[19]
            except (OSError, IndexError):
                continue
    for pid, parent in parents.items():
        above, seen = parent, 0
        while above and above != os.getpid() and seen < len(parents):
            above, seen = parents.get(above, 0), seen + 1
        if above == os.getpid():
            yield pid, began[pid]


def main(arguments: Sequence[str]) -> int:
    """The command line; the exit code is the program's, 124 after its time, 125 if it cannot be confined."""
    import argparse

    parser = argparse.ArgumentParser(description="Run an agent's program apart from the verifier.")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--write", action="append", metavar="FOLDER", help="what it may change [/workspace]")
    parser.add_argument("--read", action="append", default=[], metavar="PATH", help="what else it may read")
    parser.add_argument("--network", action="store_true", help="let it use TCP inside the sandbox")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="after --")
    given = parser.parse_args(arguments)
    try:
        done = run_untrusted(
            given.command,
            stdin=b"" if sys.stdin.isatty() else sys.stdin.buffer.read(),
            timeout=given.timeout,
            cwd=os.getcwd(),
            write=given.write or ("/workspace",),
            read=given.read,
            network=given.network,
        )
    except (NoConfinement, OSError) as error:
        sys.stderr.write(f"adjudge_untrusted: {error}\n")
        return 125
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    if done.timed_out or done.too_much:
        return 124
    return done.code if done.code >= 0 else 128 - done.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
