"""Find the trial folders of a tree: in this process, or by a program beside it while this one records.

Listing a folder takes a third of the time of recording it. The program is this very file, and needs nothing
but Python itself, so it starts in some 12 ms. It is told what is left to be listed, writes what it finds to
its output, and waits there until somebody reads on; so memory stays bounded, and it ends with its reader.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` itself would take as long as the rest of the start
    from collections.abc import Iterator
    from typing import IO, Any

TELLING_NAMES = frozenset(
    {"reward.json", "reward.txt", "details.json", "errors.json", "reward-details.json", "trial.json"}
)
"""A folder that holds one of these is a trial."""
_FEW_FILES = 100
"""A folder with more is listed again by who reads it."""
_CHUNK = 500
_SIZE_BYTES = 8

Listed = tuple[str, tuple[str, ...] | None]
"""A trial folder, and the names in it; None if it holds, or may hold, something else than a few files."""


def list_folders(root: str, left: list[str]) -> Iterator[Listed]:
    """Every trial folder at or below those `left`, in a stable order; links to folders are not followed.

    At any moment `left` is what a later call needs to go on.
    """
    while left:
        folder = left.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:
            yield folder, None  # reading it again will say why, and it is quarantined with that reason
            continue
        names = tuple([entry.name for entry in listed])
        if TELLING_NAMES.isdisjoint(names):
            below = [entry.path for entry in listed if entry.is_dir(follow_symlinks=False)]
            left += sorted(below, reverse=True)
            if not below and (listed or folder != root):
                yield folder, None
        elif len(names) > _FEW_FILES or not all(entry.is_file(follow_symlinks=False) for entry in listed):
            yield folder, None
        else:
            yield folder, names


def write_chunk(file: IO[bytes], thing: Any) -> None:
    """Something that `read_chunk` reads."""
    data = marshal.dumps(thing)
    file.write(len(data).to_bytes(_SIZE_BYTES, "little") + data)
    file.flush()


def read_chunk(file: IO[bytes]) -> Any:
    """What was written; raises EOFError if it ends before that. It comes from a process of our own."""
    size = file.read(_SIZE_BYTES)
    data = file.read(int.from_bytes(size, "little"))
    if not data:
        raise EOFError
    return marshal.loads(data)  # noqa: S302


def _main() -> None:
    """What is left comes in, chunks of folders go out, and an empty one at the end."""
    root, left = read_chunk(sys.stdin.buffer)
    chunk: list[Listed] = []
    same: dict[tuple[str, ...], tuple[str, ...]] = {}
    for folder, names in list_folders(root, left):
        if names is not None:  # most folders hold the same files: told once, they are written once
            same = same if len(same) < _FEW_FILES else {}
            names = same.setdefault(names, names)  # noqa: PLW2901
        chunk.append((folder, names))
        if len(chunk) == _CHUNK:
            write_chunk(sys.stdout.buffer, chunk)
            chunk = []
    if chunk:
        write_chunk(sys.stdout.buffer, chunk)
    write_chunk(sys.stdout.buffer, [])


if __name__ == "__main__":
    try:
        _main()
    except (BrokenPipeError, EOFError):  # who asked is gone
        os._exit(1)
