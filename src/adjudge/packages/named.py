"""Which Python packages a task asks for: what it declares, and what its scripts install as they run.

Declared is `[verifier] packages` in `task.toml`. Named are the packages of `uvx -w`, `uv run --with` and `pip
install` in `test.sh` and what it starts, and of `pip install` in a Dockerfile that can be read. Only plain
requirements count (`pytest==8.4.1`); a path, a URL or an option names nothing that a wheel could serve.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from adjudge.contracts import Task
from adjudge.evidence import UV_VALUES, Command, needs_of, read_script, started_by_uv, unwrapped
from adjudge.tasks import declared_table

_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[\w,-]+\])?(?:\s*(?:[<>=!~]=?=?)\s*[\w.*+!-]+(?:\s*,\s*[<>=!~]=?=?\s*[\w.*+!-]+)*)?"
)
_PIP_VALUES = frozenset(
    {
        *("-i", "--index-url", "--extra-index-url", "-t", "--target", "--python", "-c", "--constraint", "-f"),
        *("--timeout", "--retries", "--root", "--prefix", "--find-links", "--trusted-host", "--cache-dir"),
    }
)
_NOT_A_PACKAGE = frozenset({"python", "python3", "bash", "sh", "pip", "setuptools", "wheel", "uv"})
_DOCKERFILES = ("tests/Dockerfile", "environment/Dockerfile", "Dockerfile")
_MOST_BYTES = 200_000


@dataclass(frozen=True)
class NamedPackages:
    """Requirements as they were written, each once, and the Python that a script asks for."""

    requirements: tuple[str, ...]
    python: str | None = None
    installs: bool = False
    """Do the scripts install them as they run, so that stand-ins must serve that?"""


def named_packages(task: Task) -> NamedPackages:
    """What a task asks for; no requirements at all if it asks for none."""
    found: list[str] = list(declared_packages(task))
    python: str | None = None
    installs = False
    for command in needs_of(task).prepares:
        words = unwrapped(command.words)
        asked = _asked(words, task)
        installs = installs or bool(asked)
        found += asked
        python = python or _python(words)
    if found and not declared_packages(task):
        found += _of_dockerfiles(task)
    return NamedPackages(_once(found), python, installs)


def declared_packages(task: Task) -> tuple[str, ...]:
    """`[verifier] packages`; what is no requirement is left out."""
    listed = declared_table(task, "verifier").get("packages", [])
    return _once([item for item in listed if isinstance(item, str)] if isinstance(listed, list) else [])


def is_requirement(text: str) -> bool:
    """Is this a plain requirement: a name, perhaps extras and versions?"""
    return bool(_REQUIREMENT.fullmatch(text.strip()))


def name_of(requirement: str) -> str:
    """The name of a requirement, as indexes write it: `pytest-json-ctrf`."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~\s;]", requirement.strip())[0]).lower()


def _once(listed: list[str]) -> tuple[str, ...]:
    """Each package once; a version beats a bare name."""
    chosen: dict[str, str] = {}
    for item in listed:
        text = item.strip().replace(" ", "")
        name = name_of(text)
        if (
            is_requirement(text)
            and name not in _NOT_A_PACKAGE
            and (name not in chosen or chosen[name] == name)
        ):
            chosen[name] = text
    return tuple(sorted(chosen.values()))


def _asked(words: tuple[str, ...], task: Task) -> list[str]:
    """The requirements of one command that installs or fetches."""
    name = PurePosixPath(words[0]).name
    if name in ("uvx", "uv") and started_by_uv(words):
        values = [words[n + 1] for n, word in enumerate(words[:-1]) if word in ("-w", "--with", "--from")]
        values += [word.partition("=")[2] for word in words if word.startswith(("--with=", "--from="))]
        as_tool = (name == "uvx" or words[1:2] == ("tool",)) and "--from" not in words
        runner = started_by_uv(words)[0] == "pytest"  # `uv run` starts what a project has, or a runner
        tool = [_tool(words if name == "uvx" else words[2:])] if as_tool else ["pytest"] if runner else []
        return [part for value in values for part in value.split(",")] + tool
    if "install" not in words:
        return []
    if name in ("pip", "pip3") or words[:2] == ("uv", "pip") or (words[1:3] == ("-m", "pip")):
        return _of_pip(words[words.index("install") + 1 :], task)
    return []


def _tool(words: tuple[str, ...]) -> str:
    """The tool of `uvx`, with its version: `pytest==8.4.1`."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        if rest.pop(0) in UV_VALUES and rest:
            rest.pop(0)
    return rest[0].replace("@", "==") if rest else ""


def _of_pip(words: tuple[str, ...], task: Task) -> list[str]:
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-r", "--requirement") and rest:
            found += _of_file(rest.pop(0), task)
        elif word in _PIP_VALUES and rest:
            rest.pop(0)
        elif not word.startswith("-"):
            found.append(word)
    return found


def _of_file(path: str, task: Task) -> list[str]:
    if not path.startswith("/tests/"):
        return []
    text = _text(task, f"tests/{path.removeprefix('/tests/')}")
    return [row.partition("#")[0].partition(";")[0].strip() for row in text.split("\n")]


def _of_dockerfiles(task: Task) -> list[str]:
    found: list[str] = []
    for name in _DOCKERFILES:
        rows = re.sub(r"\\\n", " ", _text(task, name)).split("\n")
        for row in rows:
            if row.strip().upper().startswith("RUN "):
                found += [
                    item for command in read_script(row.strip()[4:]) for item in _in_dockerfile(command, task)
                ]
    return found


def _in_dockerfile(command: Command, task: Task) -> list[str]:
    words = unwrapped(command.words)
    return _asked(words, task) if words else []


def _python(words: tuple[str, ...]) -> str | None:
    for option, value in pairwise(words):
        if option in ("-p", "--python") and re.fullmatch(r"\d+\.\d+(?:\.\d+)?", value):
            return value
    return None


def _text(task: Task, name: str) -> str:
    file = task.folder / name
    try:
        if file.is_symlink() or file.stat().st_size > _MOST_BYTES:
            return ""
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
