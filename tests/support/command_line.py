"""Run `adjudge` as a person would, but inside this process: a quarter of a second each is a lot of tests."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
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
