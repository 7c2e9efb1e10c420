"""Run `adjudge` as a person would, but inside this process: a quarter of a second each is a lot of tests."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    stdout: str
    stderr: str


def run_adjudge(*arguments: object, stdin: str = "", **environment: str) -> Done:
    """Run a command; keywords set environment variables. Nothing of this process's own ledger leaks in."""
    from adjudge.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    kept = {
        k: v for k, v in os.environ.items() if k not in ("ADJUDGE_LEDGER", "ADJUDGE_BLOBS", "FORCE_COLOR")
    }
    code: object = 0
    with (
        mock.patch.dict(os.environ, {**kept, "COLUMNS": "80", **environment}, clear=True),
        mock.patch.object(sys, "argv", ["adjudge", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    texts = []
    for stream in (out, err):
        stream.flush()
        buffer = stream.buffer
        assert isinstance(buffer, io.BytesIO)
        texts.append(buffer.getvalue().decode())
    return Done(code if isinstance(code, int) else int(code is not None), *texts)


def forked_adjudge(
    words: list[str], folder: Path, *, unread: bool = False, environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command in a fork of this process, over the ledger of a folder: its exit code and its words.

    Real descriptors, and the flush that Python ends with, without the time that imports take. `unread`: its
    stdout is a pipe that nobody reads, and only what it says on stderr comes back.
    """
    said = folder / "said.txt"
    child = os.fork()
    if child == 0:
        code: object = 99
        try:
            os.chdir(folder)
            target = os.open(said, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND, 0o644)
            reader, writer = os.pipe()
            os.dup2(writer if unread else target, 1)
            os.dup2(target, 2)
            for fd in (reader, writer, target):
                os.close(fd)
            for number, stream in ((1, "stdout"), (2, "stderr")):
                opened = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - stays
                setattr(sys, stream, opened)
                setattr(sys, f"__{stream}__", opened)  # as a fresh process has them
            os.environ["ADJUDGE_LEDGER"] = str(folder / "adjudge.db")
            os.environ.update(environment or {})
            sys.argv = ["adjudge", *words]
            from adjudge.cli import main

            code = 0
            try:
                main()
            except SystemExit as ended:
                code = ended.code or 0
            sys.stdout.flush()
            sys.stderr.flush()
        except BrokenPipeError:
            code = 120  # what Python says if its last flush fails
        finally:
            os._exit(code if isinstance(code, int) else 99)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said.read_text(encoding="utf-8", errors="replace")
