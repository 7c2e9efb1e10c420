"""Load one task folder: `instruction.md`, `tests/test.sh`, `task.toml`, and a digest over everything.

A `task.toml` that is absent or empty declares nothing, and all it could say is inferred or has a default.
Tasks in Harbor's format load as they are; `Task.not_honoured` says what they ask for and will not get.
What adjudge reads must be right; what it does not read is other people's and may be anything. Files are
UTF-8 text inside the folder: a link that leads out of it is refused, because the digest would not cover
what it points to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any

from adjudge.contracts import Origin, Task, TaskMetadata, VerifierSpec, check_json
from adjudge.errors import TaskError
from adjudge.tasks.declarations import keep_declarations, read_declarations
from adjudge.tasks.digest import (
    TreeListing,
    list_tree,
    read_entries,
    refuse_unreadable,
    task_digests,
)
from adjudge.tasks.dockerfile import read_dockerfile
from adjudge.tasks.environment import read_environment
from adjudge.tasks.harbor import (
    DEFAULT_WORKDIR,
    OLD_FILE,
    declared_inputs,
    find_workdir,
    not_honoured,
    old_instruction,
    step_names,
)
from adjudge.tasks.image import find_dockerfile
from adjudge.tasks.limits import read_limits, read_runs_output, read_writable_tests
from adjudge.tasks.mentions import files_in_sources
from adjudge.tasks.output_contract import read_output_contract
from adjudge.tasks.output_path import Answer, artifact_path, find_answer_path
from adjudge.tasks.settings import Settings, toml_as_json
from adjudge.tasks.sources import starts_from

SCRIPT = "tests/test.sh"
_MAX_TEXT_BYTES = 16 << 20
_MAX_ID = 500


def load_task(folder: Path | str, *, root: Path | str | None = None, output_path: str | None = None) -> Task:
    """Load and check one task. Its id is its path below `root`, else below the nearest folder above that is
    named `tasks`; if there is neither, its own name. `output_path` says where its answer is, whatever the
    task says.

    Raises TaskError, with file, field and remedy, for a folder that cannot be used.
    """
    return load_found(
        Path(folder).resolve(), folder, None if root is None else Path(root).resolve(), output_path
    )


def load_found(
    home: Path, folder: Path | str, root: Path | None, output_path: str | None, *, unread: bool = False
) -> Task:
    """`load_task` for paths without links; `folder` is how the task was named.

    With `unread`, files are only listed: `digest` is then drawn by lot, so that nothing remembered by it is
    taken for this task's, and `tests_digest` is None. No sandbox runs such a task.
    """
    if not os.path.isdir(home):  # noqa: PTH112 - a folder that may not be looked into is no folder either
        raise TaskError(
            "there is no such folder",
            file=folder,
            remedy="Name a folder with task.toml, instruction.md and tests/.",
        )
    task_id = _task_id(home, root)
    settings = read_declarations(home, lambda name: _read(home, name))
    steps = step_names(settings)
    instruction = _instruction(home, steps)
    script = _script(home, steps)
    listed = list_tree(home)
    digest, tests = _digests(listed, unread=unread)
    _refuse_links_out(home, listed.links)
    files = {*listed.files, *listed.links}
    dockerfile = find_dockerfile(settings.data, files.__contains__)
    recipe = read_dockerfile((_read(home, dockerfile) if dockerfile else None) or "")
    workdir = find_workdir(settings, recipe)
    answer = (
        _folder_of_steps(workdir)
        if steps and output_path is None
        else find_answer_path(
            settings,
            instruction,
            inputs=_inputs(files) | declared_inputs(settings.data),
            verifier_names=lambda: files_in_sources(home, files),
            workdir=workdir or DEFAULT_WORKDIR,
            output_path=output_path,
        )
    )
    contract = read_output_contract(settings, answer, instruction, lambda path: _read(home, path))
    task = Task(
        id=task_id,
        folder=home,
        instruction=instruction,
        verifier=VerifierSpec(
            script=script,
            expected_output_path=answer.paths[0],
            reward_path=artifact_path(settings, "reward_path", "reward.json"),
            details_path=artifact_path(settings, "details_path", "details.json"),
        ),
        output=contract,
        limits=read_limits(settings),
        env={**recipe.env, **read_environment(settings)},
        metadata=_metadata(settings),
        workdir=workdir,
        steps=steps,
        not_honoured=not_honoured(settings, files, dockerfile, recipe),
        deterministic=settings.flag("verifier", "deterministic"),
        runs_output=read_runs_output(
            settings,
            answer.paths[0],
            lambda: answer.is_folder and starts_from(home, files, answer.paths[0]),
        ),
        writable_tests=read_writable_tests(settings),
        digest=digest,
        tests_digest=tests,
    )
    keep_declarations(task, settings)
    return task


def _digests(listed: TreeListing, *, unread: bool) -> tuple[str, str | None]:
    if unread:
        refuse_unreadable(listed)
        return os.urandom(32).hex(), None
    return task_digests(read_entries(listed))


def _folder_of_steps(workdir: str | None) -> Answer:
    """Each step of a task has the whole working folder as its answer."""
    return Answer((workdir or DEFAULT_WORKDIR,), Origin.INFERRED, is_folder=True)


def _instruction(home: Path, steps: list[str]) -> str:
    text = _read(home, "instruction.md")
    if text is None and steps:
        parts = [_read(home, f"steps/{name}/instruction.md") for name in steps]
        text = "\n\n".join(part for part in parts if part is not None) or None
    if text is None:
        text = old_instruction(_read(home, OLD_FILE))
    if text is None and os.path.isfile(home / OLD_FILE):  # noqa: PTH113 - one that may not be read is none
        raise TaskError(
            "this file has no instruction",
            file=home / OLD_FILE,
            field="instruction",
            remedy="Add instruction.md: it is what the agent is asked to do.",
        )
    if text is None:
        raise TaskError(
            "this file is missing",
            file=home / (f"steps/{steps[0]}/instruction.md" if steps else "instruction.md"),
            remedy="Add it: it is what the agent is asked to do.",
        )
    if not text.strip():
        raise TaskError("the instruction is empty", file=home / "instruction.md", remedy="Say what to do.")
    return text


def _script(home: Path, steps: list[str]) -> str:
    """The verifier's entry point; of a task in steps that of its last one."""
    wanted = f"steps/{steps[-1]}/{SCRIPT}" if steps else SCRIPT
    for name in dict.fromkeys((wanted, SCRIPT)):
        if _read(home, name) is not None:
            return name
    if _read(home, "run-tests.sh") is not None:
        raise TaskError(
            "this task is of the old kind: run-tests.sh prints what it found and writes no reward",
            file=home / "run-tests.sh",
            remedy=f"Add {SCRIPT} that writes /logs/verifier/reward.txt, as in Harbor's format.",
        )
    raise TaskError(
        "the verifier's entry point is missing",
        file=home / wanted,
        remedy="Add a shell script that reads the output and writes /logs/verifier/reward.json.",
    )


def _inputs(files: Collection[str]) -> set[str]:
    """The names of the files that the task puts into the agent's environment."""
    return {path.rpartition("/")[2] for path in files if path.startswith(("environment/", "workdir/"))}


def _task_id(home: Path, root: Path | None) -> str:
    root = root or next((folder for folder in home.parents if folder.name == "tasks"), None)
    below = home.relative_to(root).as_posix() if root is not None and home.is_relative_to(root) else "."
    task_id = home.name if below == "." else below
    try:
        task_id.encode()
    except UnicodeEncodeError:
        raise TaskError(
            "a task is named by its path, and this one is not UTF-8", file=home, remedy="Rename the folder."
        ) from None
    if len(task_id) > _MAX_ID:
        raise TaskError(
            f"a task is named by its path, and this one has {len(task_id)} characters",
            file=home,
            allowed=f"at most {_MAX_ID}",
            remedy="Move the folder up or shorten its name.",
        )
    return task_id


def _read(home: Path, name: str) -> str | None:
    """The text of one file of the task; None if there is none. A byte order mark is dropped."""
    file = f"{home}/{name}"
    real = _without_links(f"{home}", name)
    if not real.startswith(f"{home}/"):
        raise TaskError(
            "this leads out of the task folder, so the task's digest would not cover it",
            file=file,
            found=real,
            remedy="Put a copy in its place.",
        )
    try:
        fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not hang whoever asks
        try:
            data = _content(fd, file)
        finally:
            os.close(fd)
        return data.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TaskError(f"this file cannot be read: {error.strerror}", file=file) from error
    except UnicodeDecodeError as error:
        raise TaskError(
            f"this file is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}",
            file=file,
            remedy="Save it as UTF-8.",
        ) from error


def _without_links(home: str, name: str) -> str:
    """The real path of a file in a folder whose own path has no link."""
    at = home
    for part in name.split("/"):
        at = f"{at}/{part}"
        if part in ("", ".", "..") or os.path.islink(at):  # noqa: PTH114 - a string stays one
            return os.path.realpath(f"{home}/{name}")
    return at


def _content(fd: int, file: str) -> bytes:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise TaskError("this is not a file", file=file, remedy="Put a file in its place.")
    if status.st_size > _MAX_TEXT_BYTES:
        raise TaskError(f"this file is larger than {_MAX_TEXT_BYTES >> 20} MB", file=file)
    parts: list[bytes] = []
    while chunk := os.read(fd, _MAX_TEXT_BYTES):
        parts.append(chunk)
    return b"".join(parts)


def _refuse_links_out(home: Path, links: Collection[str]) -> None:
    """Only `tests/` goes into the sandbox, and there a link out of it leads nowhere."""
    inside = Path(os.path.realpath(home / "tests")) if links else home
    for path in links:
        where = home / path
        if path.startswith("tests/") and not Path(os.path.realpath(where)).is_relative_to(inside):
            raise TaskError(
                "this link leads out of the tests folder; the verifier would not find what it points to",
                file=where,
                found=os.readlink(where),  # noqa: PTH115 - text as it stands
                remedy="Put a copy in its place.",
            )


def _metadata(settings: Settings) -> TaskMetadata:
    """`[metadata]` is other people's too: an unexpected type goes to `extra`, unrefused."""
    try:
        extra: dict[str, Any] = toml_as_json(settings.section("metadata"))
        check_json(extra)
    except ValueError as error:
        raise TaskError(str(error), file=settings.file, field="[metadata]") from error
    known: dict[str, Any] = {}
    for key in ("difficulty", "category", "domain"):
        value = extra.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            known[key] = str(extra.pop(key))
    tags = extra.get("tags")
    if isinstance(tags, str):
        tags = [tags]
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        known["tags"] = tags
        del extra["tags"]
    return TaskMetadata(**known, extra=extra)
