"""Right answers of several files that lie in a task: a folder that holds them as the answer's own would.

`expected_folder` looks for one that is called like what is expected, or like the answer's folder, where the
names of the files are not known yet; `expected_files` for one with files of the names that are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from adjudge.audit.probes import CODE, Files
from adjudge.contracts import Task
from adjudge.gates import OutputFile

_LIKELY = ("golden", "expected", "reference", "solution", "oracle", "answer", "correct", "truth", "want")
_PLACES = ("tests", "solution")
_MOST_FILES = 100
_MAX_BYTES = 4 << 20


def expected_folder(task: Task) -> dict[str, bytes]:
    """The files of the first folder that looks like a right answer, by their paths; nothing if none does."""
    top = task.verifier.expected_output_path
    own = PurePosixPath(top).name.lower()
    for folder, files in _folders(task):
        name = folder.name.lower()
        if name == own or any(word in name for word in _LIKELY):
            return {f"{top}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}
    return {}


def expected_files(task: Task) -> Iterator[tuple[str, Files]]:
    """Folders with the main file and at least one more of those that the answer has, by their names."""
    paths = [PurePosixPath(path) for path in task.output.paths]
    if len(paths) < 2:
        return
    root = PurePosixPath(os.path.commonpath([path.parent for path in paths]))
    names = [path.relative_to(root).as_posix() for path in paths]
    for folder, files in _folders(task):
        known = {path.relative_to(folder).as_posix(): path for path in files}
        if names[0] in known and any(name in known for name in names[1:]):
            yield (
                folder.relative_to(task.folder).as_posix(),
                tuple(
                    (f"{root}/{name}", OutputFile(known[name].read_bytes()))
                    for name in names
                    if name in known
                ),
            )


def _folders(task: Task) -> Iterator[tuple[Path, list[Path]]]:
    """Folders of the verifier's and the solution's own, each with its data; links and large files apart."""
    for place in _PLACES:
        for name, folders, _ in os.walk(task.folder / place):
            folders[:] = sorted(one for one in folders if not one.startswith((".", "__")) and one != "fail")
            files = [
                path
                for path in sorted(Path(name).rglob("*"))[:_MOST_FILES]
                if path.is_file()
                and not path.is_symlink()
                and path.suffix.lower() not in CODE
                and path.stat().st_size <= _MAX_BYTES
            ]
            if files:
                yield Path(name), files
