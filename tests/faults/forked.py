"""A real command in a process that is forked off this one, so that nothing has to be imported anew.

Most of a short command's processor time goes into its imports. Forked, a fault costs a third, and comes while
the command works, not while it starts. The process is one of its own in all that a fault can do to it: it has
its own limits, descriptors and signals, and runs what `python -m adjudge` runs.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path

from adjudge.cli import main

LIST_MODULES = """
import atexit, sys
atexit.register(lambda path=sys.argv.pop(1): open(path, "w").write("\\n".join(list(sys.modules))))
from adjudge.cli import main
main()
"""


def import_what_it_imports(command: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> None:
    """Have here whatever a command imports, so that those forked off need not."""
    told = folder / "modules"
    subprocess.run(
        [sys.executable, "-c", LIST_MODULES, str(told), *command],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    for name in told.read_text().split("\n"):
        if name != "__main__":
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


class Forked:
    """As much of a `subprocess.Popen` as the harness uses."""

    def __init__(
        self, arguments: tuple[str, ...], folder: Path, environment: Mapping[str, str], limits: dict[int, int]
    ) -> None:
        self.args = arguments
        self.returncode: int | None = None
        streams = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _become(arguments, folder, environment, limits, (streams[0][1], streams[1][1]))
        for _, writing in streams:
            os.close(writing)
        self._reading = [reading for reading, _ in streams]
        self._said: dict[int, bytes] = dict.fromkeys(self._reading, b"")

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = 60.0) -> tuple[str, str]:
        """Both streams, when the process has ended; what it left running may hold them and is not awaited."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            self._read(0.05)
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(self.args, timeout)
        self._read(0)
        for descriptor in self._reading:
            os.close(descriptor)
        out, err = (said.decode("utf-8", "replace") for said in self._said.values())
        return out, err

    def _read(self, wait: float) -> None:
        while ready := select.select(self._reading, [], [], wait)[0]:
            wait = 0
            chunks = {descriptor: os.read(descriptor, 65536) for descriptor in ready}
            for descriptor, chunk in chunks.items():
                self._said[descriptor] += chunk
            if not any(chunks.values()):
                time.sleep(0.01)
                return


def _become(
    arguments: tuple[str, ...],
    folder: Path,
    environment: Mapping[str, str],
    limits: dict[int, int],
    streams: tuple[int, int],
) -> None:
    """In the new process: be the command, and never return."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams[0], 1)
        os.dup2(streams[1], 2)
        os.closerange(3, 4096)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r", closefd=False) for n in range(3))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["adjudge", *arguments]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for finalizer in tuple(weakref.finalize._registry):  # type: ignore[attr-defined]
            finalizer.atexit = False  # temporary folders of this one's parent
        sys.dont_write_bytecode = True  # half of a file would be everybody's from then on
        for kind, most in limits.items():
            resource.setrlimit(kind, (most, most))
        code = _ended()
    finally:
        os._exit(code)


def _ended() -> int:
    """Run the command to the end of its threads and of what it does at its exit; its exit code."""
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    threading._shutdown()  # type: ignore[attr-defined]  # as Python's own end does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return code


def size_of_this_process() -> int:
    """Its address space in bytes, which a forked one begins with."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
