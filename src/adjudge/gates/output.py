"""Read what the agent wrote, once, into memory; all that follows looks at these bytes, not at the disk again.

Nothing here is trusted: no link is followed, no pipe or device is opened, and no more is read than
`limits.output_mb`, whatever size a file claims. An output that is not a readable file of allowed size has a
`problem` and shows nothing to the verifier. If this machine fails while it is read (no descriptor, no memory,
a bad disk), that is no problem of the output's: MachineryError, and no reward.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from adjudge._files import is_machines_failure
from adjudge.contracts import Origin, OutputFormat, OutputInfo, Task
from adjudge.errors import MachineryError, UsageError, describe
from adjudge.gates.snapshot import OutputFile, TooBig, read_file, read_tree
from adjudge.tasks import TreeEntry, tree_digest

_MEDIA_TYPES = {
    OutputFormat.JSON: "application/json",
    OutputFormat.JSONL: "application/jsonl",
    OutputFormat.CSV: "text/csv",
    OutputFormat.YAML: "application/yaml",
    OutputFormat.TOML: "application/toml",
    OutputFormat.XML: "application/xml",
    OutputFormat.MARKDOWN: "text/markdown",
    OutputFormat.MARKDOWN_JSON: "text/markdown",
    OutputFormat.TEXT: "text/plain",
    OutputFormat.PYTHON: "text/x-python",
    OutputFormat.NOTEBOOK: "application/x-ipynb+json",
    OutputFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    OutputFormat.PDF: "application/pdf",
    OutputFormat.ZIP: "application/zip",
    OutputFormat.IMAGE: "image/*",
    OutputFormat.PARQUET: "application/vnd.apache.parquet",
    OutputFormat.BINARY: "application/octet-stream",
}
_SHARED = frozenset({"home", "logs"})
FOLDER_TYPE = "inode/directory"


class AgentOutput(Struct, frozen=True):
    """A snapshot of what the agent wrote."""

    info: OutputInfo
    files: Mapping[str, OutputFile]
    """By absolute path in the sandbox; empty if nothing may be shown to the verifier."""
    answer: bytes | None
    """The bytes at `expected_output_path`; None if that is a folder, or if only the verifier can tell."""
    problem: str | None
    """Why there is no answer: missing, a link, a pipe, a folder, too large, unreadable."""
    notes: tuple[str, ...] = field(default=())
    """What was left out of a workspace, and which named files are not there; no fault of the answer's."""
    missing: bool = False
    """Is the problem that there is nothing at all?"""

    @property
    def is_folder(self) -> bool:
        """Does it stand for the whole workspace?"""
        return self.info.media_type == FOLDER_TYPE


def workspace_of(task: Task) -> str:
    """The folder that an output folder stands for: the first part of the expected output path.

    In folders that hold several people's, `/home` and `/logs`, it is the first two parts.
    """
    parts = task.verifier.expected_output_path.split("/")[1:]
    folders = parts if task.output.is_folder else parts[:-1]
    return "/" + "/".join(folders[: 2 if folders[0] in _SHARED else 1])


def find_answer(
    task: Task, files: Mapping[str, OutputFile]
) -> tuple[bytes | None, str | None, tuple[str, ...]]:
    """The answer among an agent's files: its bytes, else why there is none, and notes about the rest.

    An answer that is a folder has no bytes of its own. If the task declares one file it must be there. If it
    declares several, or if the path was only inferred, others that are there are for the verifier to weigh.
    """
    expected = task.verifier.expected_output_path
    if task.output.is_folder:
        below = any(path.startswith(f"{expected}/") for path in files)
        return None, None if below else "the output is missing: the folder is not there or is empty", ()
    answer = files.get(expected)
    if answer is not None and answer.link is None:
        return answer.data, None, _absent(task, files)
    if answer is not None:
        return None, "the output is a link, not a file; it was not followed", ()
    others = [path for path in task.output.paths[1:] if path in files]
    if others or (task.output.path_origin is Origin.INFERRED and files):
        return None, None, _absent(task, files)
    return None, "the output is missing", ()


def _absent(task: Task, files: Mapping[str, OutputFile]) -> tuple[str, ...]:
    return tuple(
        describe("not there; whether it is needed, the verifier decides", file=path)
        for path in task.output.paths or [task.verifier.expected_output_path]
        if path not in files
    )


def read_output(task: Task, output: Path | str) -> AgentOutput:
    """Read a file, or a folder that stands for the whole workspace. Never raises for what it finds.

    Raises MachineryError if this machine cannot read it.
    """
    name = os.fspath(output)
    try:
        mode = os.lstat(name).st_mode
        return _read_folder(task, name) if stat.S_ISDIR(mode) else _read_single(task, name, mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return _problem(task, name, "the output is missing", missing=True)
    except TooBig as error:
        return _oversized(task, name, error)
    except OSError as error:
        if is_machines_failure(error):
            raise MachineryError(
                "this machine cannot read the output", file=_named(name), found=error.strerror
            ) from error
        return _problem(task, name, f"the output cannot be read: {error.strerror}")


def output_of_bytes(task: Task, data: bytes) -> AgentOutput:
    """An answer that is in memory already: what `read_output` makes of a file that holds these bytes.

    UsageError if the answer is a folder, which bytes are not.
    """
    expected = task.verifier.expected_output_path
    if task.output.is_folder:
        raise UsageError(
            "the task's answer is a folder, and bytes are one file",
            field="output",
            allowed="the path of a folder",
        )
    if len(data) > task.limits.output_mb << 20:
        return _oversized(task, expected, TooBig(len(data)))
    return AgentOutput(_info(task, expected, data), {expected: OutputFile(data)}, data, None)


def _info(task: Task, name: str, data: bytes) -> OutputInfo:
    return OutputInfo(
        path=_named(name),
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        media_type=_MEDIA_TYPES[task.output.format],
    )


def _read_single(task: Task, name: str, mode: int) -> AgentOutput:
    limit = task.limits.output_mb << 20
    file = read_file(name, limit=limit, listed=stat.S_ISREG(mode))
    if isinstance(file, str):
        return _problem(task, name, f"the output is {file}, not a file; it was not opened")
    info = _info(task, name, file.data)
    place = _place_of_single(task, name)
    is_answer = place == task.verifier.expected_output_path
    return AgentOutput(info, {place: file}, file.data if is_answer else None, None)


def _place_of_single(task: Task, name: str) -> str:
    """Where one file belongs: at the path of its name among several, in an answer that is a folder by its
    name, else at the expected output path, whatever it is called."""
    expected, own = task.verifier.expected_output_path, os.path.basename(name)  # noqa: PTH119 - a string stays one
    if task.output.is_folder:
        return f"{expected}/{own}"
    ending = f"/{own}"
    for path in task.output.paths:
        if path.endswith(ending):
            return path
    return expected


def _read_folder(task: Task, name: str) -> AgentOutput:
    workspace = workspace_of(task)
    expected = task.verifier.expected_output_path
    tree = read_tree(name, limit=task.limits.output_mb << 20)
    top = "" if _stands_for_root(task, tree.files) else workspace
    files = {f"{top}/{path}": file for path, file in tree.files.items()}
    notes = tuple(
        describe(f"left out of the workspace, because it is {what}", file=f"{top}/{path}")
        for path, what in sorted(tree.left_out.items())
    )
    answer, problem, about = find_answer(task, files)
    if problem is not None:
        inside = expected.removeprefix(f"{top}/")
        instead = _instead(tree.left_out, tree.folders, files, inside, top)
        missing = instead is None and problem.startswith("the output is missing")
        what = instead or (f"{problem} from the folder that was given" if missing else problem)
        return _problem(task, name, what, media_type=FOLDER_TYPE, notes=notes, missing=missing)
    entries = (
        TreeEntry(path, "file", bool(file.mode & 0o100), hashlib.sha256(file.data).digest())
        if file.link is None
        else TreeEntry(path, "link", False, os.fsencode(file.link))
        for path, file in tree.files.items()
    )
    info = OutputInfo(
        path=_named(name),
        sha256=tree_digest(entries),
        size_bytes=sum(len(file.data) for file in files.values()),
        media_type=FOLDER_TYPE,
    )
    return AgentOutput(info, files, answer, None, (*notes, *about))


def _stands_for_root(task: Task, files: Mapping[str, OutputFile]) -> bool:
    """Does a folder hold the answer at its whole path (`app/out.json`), as Harbor's artifacts do?"""
    workspace = workspace_of(task)
    wanted = task.output.paths or [task.verifier.expected_output_path]
    from_root = any(path[1:] in files for path in wanted)
    return from_root and not any(path.removeprefix(f"{workspace}/") in files for path in wanted)


def _instead(
    left_out: Mapping[str, str],
    folders: frozenset[str],
    files: Mapping[str, OutputFile],
    inside: str,
    workspace: str,
) -> str | None:
    """What stands where the output should be; None if nothing does."""
    if inside in left_out:
        return f"the output is {left_out[inside]}, not a file; it was not opened"
    if inside in folders:
        return "the output is a folder, not a file"
    parts = inside.split("/")
    above = [f"{workspace}/{'/'.join(parts[:n])}" for n in range(1, len(parts))]
    if any(path in files and files[path].link is not None for path in above):
        return "the output lies behind a link, which was not followed"
    return None


def _oversized(task: Task, name: str, error: TooBig) -> AgentOutput:
    return _problem(
        task,
        name,
        f"the output is too large: it has {error.what}; the limit is {task.limits.output_mb} MB",
        size=error.size,
        remedy="If such outputs are meant, raise `[output] max_mb` in task.toml.",
    )


def _problem(
    task: Task,
    name: str,
    what: str,
    *,
    size: int | None = None,
    media_type: str | None = None,
    remedy: str | None = None,
    notes: tuple[str, ...] = (),
    missing: bool = False,
) -> AgentOutput:
    info = OutputInfo(path=_named(name), sha256=None, size_bytes=size, media_type=media_type)
    problem = describe(what, file=task.verifier.expected_output_path, remedy=remedy)
    return AgentOutput(info, {}, None, problem, notes, missing)


def _named(name: str) -> str:
    """The path as text that JSON can carry, also if it is not UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()
