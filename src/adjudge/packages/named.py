"""Which Python packages a task asks for: what it declares, and what its scripts install as they run.

Declared is `[verifier] packages` in `task.toml`. Named are the packages of `uvx -w`, `uv run --with` and `pip
install` in `test.sh` and what it starts, and of `pip install` in the Dockerfile of the verifier's image, as
far as the verifier's files or the reference solution ask for them; all of them, if it runs the agent's
program. So are those that the solution's own scripts install. Only plain requirements count
(`pytest==8.4.1`); a path, a URL or an option names nothing that a wheel could serve.
"""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import PurePosixPath

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.evidence import UV_VALUES, Command, Lack, needs_of, read_script, started_by_uv, unwrapped
from adjudge.tasks import declared_table, image_recipe

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
_OTHER_NAMES = """
pillow=PIL pyyaml=yaml scikit-learn=sklearn scikit-image=skimage opencv-python=cv2
opencv-python-headless=cv2 beautifulsoup4=bs4 pyjwt=jwt python-dateutil=dateutil python-docx=docx
python-pptx=pptx pymupdf=fitz protobuf=google pycryptodome=Crypto python-levenshtein=Levenshtein
biopython=Bio psycopg2-binary=psycopg2 mysqlclient=MySQLdb attrs=attr python-magic=magic pyserial=serial
gitpython=git faiss-cpu=faiss
"""
_IMPORTED_AS = dict(pair.split("=") for pair in _OTHER_NAMES.split())
"""Packages whose modules have another name, as far as verifiers use them."""
_MOST_BYTES = 200_000
_MOST_FILES = 20


_FILE_OF_ROWS = re.compile(r"\s*(?:-r|--requirement)[\s=]+(\S+)")
_IN_SCRIPT = re.compile(r"^# /// script\s*$\n((?:^#.*$\n)+?)^# ///\s*$", re.MULTILINE)


class NamedPackages(Struct, frozen=True):
    """Requirements as they were written, each once, and the Python that a script asks for."""

    requirements: tuple[str, ...]
    python: str | None = None
    installs: bool = False
    """Do the scripts install them as they run, so that stand-ins must serve that?"""
    needed: tuple[str, ...] = ()
    """Those that the task declares or its scripts install; the others are only in its image."""


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
    needed = _once(found)
    if not declared_packages(task):
        found += _of_dockerfile(task, everything=bool(found) or task.runs_output)
    solving = _of_solution(task)
    return NamedPackages(_once([*found, *solving]), python, installs or bool(solving), needed)


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
        beside = [] if name == "uvx" else _of_project(words, task)
        return [part for value in values for part in value.split(",")] + tool + beside
    if words[:2] == ("uv", "sync"):
        return _of_project(words, task)
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


def _of_file(path: str, task: Task, depth: int = 3) -> list[str]:
    """The rows of a file of requirements in the tests, and of those that it names."""
    if not path.startswith("/tests/") or not depth:
        return []
    found = []
    for row in _text(task, f"tests/{path.removeprefix('/tests/')}").split("\n"):
        if (named := _FILE_OF_ROWS.match(row)) is not None:
            found += _of_file(str(PurePosixPath(path).parent / named[1]), task, depth - 1)
        else:
            found.append(row.partition("#")[0].partition(";")[0].strip())
    return found


def _of_project(words: tuple[str, ...], task: Task) -> list[str]:
    """What `uv run` finds beside what it starts: the script's own list (PEP 723), or the tests' project."""
    started = started_by_uv(words)
    script = started[0] if started[:1] and started[0].endswith(".py") else ""
    if script and (block := _IN_SCRIPT.search(_text(task, f"tests/{script.removeprefix('/tests/')}"))):
        return _dependencies(re.sub(r"^# ?", "", block[1], flags=re.MULTILINE))
    project = _text(task, "tests/pyproject.toml")
    return _dependencies(project) if project else []


def _dependencies(toml: str) -> list[str]:
    """Those of a project and of its group for development; none of what cannot be read."""
    try:
        data = tomllib.loads(toml)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    project, groups = data.get("project"), data.get("dependency-groups")
    listed = [
        data.get("dependencies"),
        project.get("dependencies") if isinstance(project, dict) else None,
        groups.get("dev") if isinstance(groups, dict) else None,
    ]
    found = [item for rows in listed if isinstance(rows, list) for item in rows if isinstance(item, str)]
    return [item.partition(";")[0].strip() for item in found]


def _of_dockerfile(task: Task, *, everything: bool) -> list[str]:
    """What the image installs with pip: all of it, or only what the verifier's own files ask for."""
    found = [
        item
        for run in image_recipe(task).runs
        for command in read_script(run)
        for item in _installed_by(command, task)
    ]
    if everything:
        return found
    needed = {
        re.sub(r"[-_.]+", "-", need.name).lower()
        for need in needs_of(task).needs
        if need.lack in (Lack.MODULE, Lack.COMMAND)
    }
    runner = "pytest" in needed or "py.test" in needed
    needed |= _words_of_solution(task)
    return [
        item
        for item in found
        if (name := name_of(item)) in needed
        or _IMPORTED_AS.get(name, "").lower() in needed
        or (runner and name.startswith("pytest"))
    ]


def _of_solution(task: Task) -> list[str]:
    """What the reference solution installs itself: its answer may need that whenever it is run."""
    names = sorted(path.name for path in (task.folder / "solution").glob("*.sh"))[:_MOST_FILES]
    scripts = (read_script(_text(task, f"solution/{name}")) for name in names)
    return [item for script in scripts for command in script for item in _installed_by(command, task)]


def _words_of_solution(task: Task) -> set[str]:
    """The words of the reference solution: it runs in the same image, and a control or an audit runs it."""
    folder = task.folder / "solution"
    names = sorted(path.name for path in folder.glob("*") if path.suffix in (".sh", ".py"))[:_MOST_FILES]
    texts = (_text(task, f"solution/{name}") for name in names)
    return {word.replace("_", "-").lower() for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}


def _installed_by(command: Command, task: Task) -> list[str]:
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
