"""The standard streams of a command: always open, and a reader who leaves early is no error.

`adjudge trials | head -1` closes the pipe after its first line. What is written then goes nowhere, the
command does its work to the end, and its exit code is what it is with a reader. Mere printing is left early.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Pipe(io.FileIO):
    """A stream that takes everything, also if nobody reads it any more."""

    unread = False
    stops = False
    """Is who writes told that nobody reads?"""

    def write(self, data: ReadableBuffer, /) -> int:
        if not self.unread:
            try:
                return super().write(data)
            except BrokenPipeError:
                self.unread = True
                if self.stops:
                    raise
            except OSError:  # a full disk: said once, not again when Python empties its buffers
                self.unread = True
                raise
        return memoryview(data).nbytes


def open_standard_streams() -> None:
    """Whoever starts adjudge with a stream closed gets an empty one.

    Else the next file that is opened would take its number, and be mistaken for it by every program started.
    Streams that a caller has put in place of the standard ones stay.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115 - stays
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is getattr(sys, f"__{name}__") and isinstance(stream, io.TextIOWrapper):
            stream.flush()
            raw = io.BufferedWriter(_Pipe(number, "w", closefd=False))
            quiet = io.TextIOWrapper(
                raw, stream.encoding, stream.errors, line_buffering=stream.line_buffering
            )
            setattr(sys, name, quiet)


@contextmanager
def while_read() -> Iterator[None]:
    """Print in this block, and leave it as soon as nobody reads: the rest need not be made."""
    pipe = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(pipe, _Pipe):
        yield
        return
    pipe.stops = True
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        if not pipe.unread:  # another pipe than this one
            raise
    finally:
        pipe.stops = False
