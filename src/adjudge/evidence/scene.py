"""Whose doing is it? What belongs to the agent, and what the task promised would be there.

A verifier that says "No such file: /workspace/out.json" speaks of the agent; one that says the same of
`/tests/expected.json` speaks of itself. A `Scene` knows the folders of the answer, its words, the
instruction and the task's files, and decides such questions. A missing program or module that the agent was
asked to write is the agent's; one that the task's own image or scripts were to bring is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from adjudge._lazy import late_pattern
from adjudge.contracts import Task

_SHORT = 12
_MOST_ECHO = 4 << 20
_SYSTEM = (
    "/usr/",
    "/bin/",
    "/lib",
    "/opt/",
    "/etc/",
    "/sbin/",
    "/tests/",
    "/logs/",
    "/root/",
    "/proc/",
    "/sys/",
)
_PRODUCTS = ("/tmp/", "/var/tmp/", "/run/", "/dev/shm/", "/logs/")  # noqa: S108 - paths in the sandbox
_OF_WINDOWS = late_pattern(r"(?:^|/)[A-Za-z]:\\")
_MOST_BUILD = 200_000
_MOST_PROVIDED = 2000
_SCRIPTS = (".sh", ".bash")


class Scene(Struct, frozen=True, dict=True):
    """What is known of a task and an answer. The defaults know nothing, so that nothing is the agent's."""

    roots: tuple[str, ...] = ()
    """Folders in which answers lie: whatever is missing there, the agent did not write."""
    answer: Mapping[str, bytes] = field(default_factory=dict)
    instruction: str = ""
    build: str = ""
    """What the task says about its environment: Dockerfile, requirements."""
    provided: frozenset[str] = frozenset()
    """Names of files that the task's environment brings."""
    removed: frozenset[str] = frozenset()
    """Files of the task's image that the agent's folder no longer has."""
    untouched: frozenset[str] = frozenset()
    """Shell scripts of the task's image that are as they were, so that their words are not the agent's."""
    runs_output: bool = False
    """Does the verifier run the agent's program?"""

    def owns_path(self, path: str) -> bool:
        """Is this a path that the agent was to write? A relative one is: the workspace is where it leads.

        What is missing among the products of a run (`/tmp`), the agent's program may not have made.
        """
        if not path.startswith("/"):
            return True
        if _OF_WINDOWS.search(path):
            return False  # no agent was asked for a file of that name
        if PurePosixPath(path).name in self.provided and path not in self.answer and path not in self.removed:
            return False
        if path in self.removed or (path.startswith(_PRODUCTS) and "/bin/" not in path):
            return True
        if any(path == root or path.startswith(f"{root}/") for root in self.roots):
            return True
        return not path.startswith(_SYSTEM) and path in self.instruction

    def is_in_answer(self, path: str) -> bool:
        """Does this whole path lead into a folder of the answer? A relative one may lead anywhere."""
        return any(path.startswith(f"{root}/") for root in self.roots) and path.isprintable()

    def is_untouched(self, path: str) -> bool:
        """Is this a script of the task's image that the agent left as it was? A relative path may be one."""
        return path in self.untouched or any(known.endswith(f"/{path}") for known in self.untouched)

    def is_agents_file(self, path: str) -> bool:
        """Is this file of the answer, so that what it does is the agent's doing?"""
        if self.is_untouched(path):
            return False
        if path in self.answer or any(path.startswith(f"{root}/") for root in self.roots):
            return True
        name = PurePosixPath(path).name
        return not path.startswith("/") and any(known.endswith(f"/{name}") for known in self.answer)

    def wrote_module(self, name: str) -> bool:
        """Is a module by that name the agent's to write?"""
        if any(PurePosixPath(p).stem == name or f"/{name}/" in p for p in self.answer):
            return True
        if self.is_promised(name):
            return False
        return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?:\.py\b|/)", self.instruction)) or bool(
            re.search(
                rf"(?:package|module|library) (?:named |called )?[`'\"]?{re.escape(name)}\b", self.instruction
            )
        )

    def wrote_header(self, name: str) -> bool:
        """Is a header by that name, or a library as `-lflow`, the agent's to write?"""
        if name.startswith("-l"):
            name = f"lib{name[2:]}."
            return (
                any(PurePosixPath(path).name.startswith(name) for path in self.answer)
                or name in self.instruction
            )
        own = PurePosixPath(name).name
        return own in self.instruction or any(path.endswith(f"/{own}") for path in self.answer)

    def wrote_program(self, name: str) -> bool:
        """Is a program by that name the agent's to make? Not one that everybody knows."""
        if any(PurePosixPath(path).name == name for path in self.answer):
            return True
        if name in _EVERYDAY or self.is_promised(name):
            return False
        return bool(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", self.instruction))

    def is_promised(self, name: str) -> bool:
        """Does the task's image, or its list of requirements, bring this?"""
        return bool(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", self.build, re.IGNORECASE))

    def is_echo(self, line: str) -> bool:
        """Do these words stand in the answer, so that the verifier may only have shown it?"""
        words = line.strip()
        return len(words) >= _SHORT and words in self._words

    @cached_property
    def _words(self) -> str:
        texts: list[str] = []
        size = 0
        for data in self.answer.values():
            size += len(data)
            if size > _MOST_ECHO:
                break
            texts.append(data.decode("utf-8", "replace"))
        return "\n".join(texts)


_PROGRAMS = """
python python2 python3 pip pip3 pytest uv uvx node npm npx deno bun ruby perl php java javac go cargo rustc
gcc g++ cc clang make cmake jq curl wget git bash sh awk sed grep diff Rscript julia docker sqlite3 psql mysql
redis-server ffmpeg convert pdftotext tesseract latex pdflatex libreoffice tree xmllint file unzip zip tar bc
dc openssl ssh
"""
_EVERYDAY = frozenset(_PROGRAMS.split())
"""Programs that an instruction may well name although the agent is not to write them."""


def scene_of(task: Task, workspace: str, answer: Mapping[str, bytes], *, whole: bool = False) -> Scene:
    """The scene of one task and one answer; `whole` if that is all of the workspace, as the agent left it."""
    from adjudge.tasks import provided_files  # reads Dockerfiles: who judges artifacts alone has none

    provided = provided_files(task)
    roots = {workspace, str(PurePosixPath(task.verifier.expected_output_path).parent)} - {"/"}
    return Scene(
        tuple(sorted(roots)),
        answer,
        task.instruction,
        _build_text(task.folder, task.digest),
        _provided(task.folder, task.digest),
        frozenset(p for p in provided if whole and p.startswith(f"{workspace}/") and p not in answer),
        frozenset(_untouched(provided, answer)),
        task.runs_output,
    )


def _untouched(provided: Mapping[str, Path], answer: Mapping[str, bytes]) -> Iterator[str]:
    for path, file in provided.items():
        if path.endswith(_SCRIPTS) and (path not in answer or _holds(file, answer[path])):
            yield path


def _holds(file: Path, data: bytes) -> bool:
    try:
        return file.stat().st_size == len(data) and file.read_bytes() == data
    except OSError:
        return False


@lru_cache(maxsize=512)
def _provided(folder: Path, _digest: str) -> frozenset[str]:
    """The names of the files in a task's `environment` folder, which its image would hold."""
    environment = folder / "environment"
    if not environment.is_dir():
        return frozenset()
    return frozenset(path.name for path in islice(environment.rglob("*"), _MOST_PROVIDED) if path.suffix)


@lru_cache(maxsize=512)
def _build_text(folder: Path, _digest: str) -> str:
    texts: list[str] = []
    for name in ("environment/Dockerfile", "Dockerfile", "tests/Dockerfile", "environment/requirements.txt"):
        file = folder / name
        try:
            if file.is_file() and not file.is_symlink() and file.stat().st_size < _MOST_BUILD:
                texts.append(file.read_text("utf-8", "replace"))
        except OSError:
            continue
    return "\n".join(texts)
