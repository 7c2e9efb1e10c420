"""Which files of an answer of several are looked at besides the main one, and how each is made wrong.

A file counts as part of the answer if the task names it, or if it lies in the folder of the main file and
that folder is not the whole workspace. Programs are none, nor what the task brings along or what is a link.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from msgspec import Struct

from adjudge.audit.documents import KINDS, leaves, nonsense, open_document, replaced
from adjudge.audit.given import PLACES
from adjudge.audit.probes import CODE, Files, halved, wrong_everywhere
from adjudge.contracts import OutputFormat, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.scoring import files_of_image


class AnswerFile(Struct, frozen=True):
    """One file of an answer that has several."""

    path: str
    data: bytes
    named: bool
    """Does the task name it? Others of a folder may be there for people."""

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def kind(self) -> OutputFormat:
        return KINDS.get(PurePosixPath(self.path).suffix.lower(), OutputFormat.TEXT)

    @property
    def is_data(self) -> bool:
        return PurePosixPath(self.path).suffix.lower() in KINDS

    def ways_wrong(self) -> list[bytes]:
        """Wrong far off and, where it holds numbers or truths, near by; texts that name records stay then."""
        document = open_document(self.data, self.kind) if self.is_data else None
        if document is None or not leaves(document.value):
            return [nonsense(self.kind)]
        near = halved(document.value)
        if near == document.value and document.structured:
            texts = [leaf for leaf in leaves(near) if leaf.kind == "text"]
            near = replaced(near, [(leaf.path, "none of these") for leaf in texts[1::2]])
        made = [document.render(value) for value in (wrong_everywhere(document.value), near)]
        return [data for data in dict.fromkeys(made) if data != self.data] or [nonsense(self.kind)]

    def hollow(self) -> bytes | None:
        """The same shape with nothing in it: a header alone, an empty list. None if that is an empty file."""
        document = open_document(self.data, self.kind) if self.is_data else None
        if document is None or not document.structured:
            return None
        data = document.render(type(document.value)())
        return data if data.strip() else None


def main_file(task: Task, files: Files) -> AnswerFile | None:
    """The file that the audit changes most; None if it is a link, or not there."""
    path = task.verifier.expected_output_path
    file = dict(files).get(path)
    return None if file is None or file.link is not None else AnswerFile(path, file.data, named=True)


def other_files(task: Task, files: Files) -> list[AnswerFile]:
    """The others, those that the task names first, data before other texts."""
    main = PurePosixPath(task.verifier.expected_output_path)
    folder = None if str(main.parent) == workspace_of(task) else f"{main.parent}/"
    given = _given(task)
    found = []
    for path, file in files:
        name, suffix = PurePosixPath(path).name, PurePosixPath(path).suffix.lower()
        if path == str(main) or file.link is not None or suffix in CODE or name in given:
            continue
        named = name in task.instruction
        if named or path in task.output.paths or (folder is not None and path.startswith(folder)):
            found.append(AnswerFile(path, file.data, named))
    return sorted(found, key=lambda one: (not one.named, not one.is_data, one.path))


def changed_files(files: Files, changes: dict[str, bytes | None]) -> Files:
    """The workspace with other contents in some files, and without those that are None."""
    kept = tuple((path, file) for path, file in files if path not in changes)
    return (*kept, *((path, OutputFile(data)) for path, data in changes.items() if data is not None))


def _given(task: Task) -> set[str]:
    """The names of what the task brings along: it is not for the agent to write."""
    names = {PurePosixPath(path).name for path in files_of_image(task)}
    return names | {found.name for place in PLACES for found in (task.folder / place).rglob("*")}
