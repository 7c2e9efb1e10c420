"""Does a `test.sh` do nothing but start Python on one file of the tests? Read by a small, strict grammar.

The script is not interpreted here: bash itself runs it when a warm server starts, so what it sets (variables,
the folder, flags) is as it would be in any run. The grammar only makes sure that nothing else happens in it:
no other program, no redirection, no expansion, nothing after Python that would change its exit code.
"""

from __future__ import annotations

import re

from msgspec import Struct

_WORD = r"[A-Za-z0-9_./:,=+@%-]+"
_HERE = r'\$\(dirname (?:"\$0"|"\$\{BASH_SOURCE\[0\]\}")\)'
_SET = re.compile(r"set(?: -(?:[eu]+o?|o)(?: (?:pipefail|errexit|nounset))?)+")
_CD = re.compile(rf'cd (?:"(?P<quoted>[\w./-]+)"|(?P<plain>[\w./-]+)|"(?P<here>{_HERE})")')
_MKDIR = re.compile(r'mkdir -p "?(?P<folder>/[\w./-]+)"?')
_EXPORT = re.compile(rf"export (?P<name>[A-Z_][A-Z0-9_]*)=(?:{_WORD})?")
_START = re.compile(
    rf"(?P<set>(?:[A-Z_][A-Z0-9_]*={_WORD} )*)(?:exec )?(?:/usr/bin/)?python3?"
    rf'(?P<flags>(?: -[EsBuI]+)*) (?:"(?P<here>{_HERE})/(?P<beside>[\w-]+\.py)"|(?P<script>[\w./-]+\.py))'
    rf"(?: {_WORD})*(?: \|\| exit \$\?)?"
)
_EXIT = re.compile(r'exit (?:\$\?|"\$\?")')
_FORBIDDEN = re.compile(
    r"PYTHON|^LD_|BASH|PATH$|^IFS$|ENV$|^POSIX|^SHELL|^LANG|^LC_|^HOME$|^TZ|^GLIBC|^MALLOC"
    r"|SSL|^LIBFFI|^ADJUDGE_"  # libraries of preloaded modules; modules that are to be an agent's
)
_HARMLESS = frozenset({"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"})
_MOST_BYTES = 16_384


class PythonStart(Struct, frozen=True):
    """What a script starts: the file as Python is told it, in which folder, and where that is in `/tests`."""

    told: str
    folder: str
    path: str


class _DoesMoreError(Exception):
    """Says what the script does besides."""


def read_script(text: bytes, *, workdir: str, collect: str) -> PythonStart | str:
    """What the script starts; else why it is no script of this kind, in words."""
    if len(text) > _MOST_BYTES:
        return "its script is too long to be read"
    lines = [
        line for line in text.split(b"\n") if line.strip(b" ") and not line.lstrip(b" ").startswith(b"#")
    ]
    if any(not line.isascii() or not line.decode().isprintable() for line in lines):
        return "its script holds more than plain text"
    try:
        return _read([line.decode().strip(" ") for line in lines], workdir, collect)
    except _DoesMoreError as error:
        return f"its script {error}"


def _read(lines: list[str], workdir: str, collect: str) -> PythonStart:
    folder = workdir
    for number, line in enumerate(lines):
        if (match := _START.fullmatch(line)) is not None:
            _check_after(lines[number + 1 :])
            return _start(match, folder)
        if (match := _CD.fullmatch(line)) is not None:
            folder = "/tests" if match["here"] else match["quoted"] or match["plain"]
            if folder not in ("/tests", workdir):
                raise _DoesMoreError(f"goes to another folder: {folder}")
        elif (match := _MKDIR.fullmatch(line)) is not None:
            if match["folder"] != collect:  # which is there already
                raise _DoesMoreError(f"makes a folder: {match['folder']}")
        elif (match := _EXPORT.fullmatch(line)) is not None:
            _check_variable(match["name"])
        elif not _SET.fullmatch(line):
            raise _DoesMoreError(f"does more than start Python: {line[:80]}")
    raise _DoesMoreError("does not start Python on a file of the tests")


def _start(match: re.Match[str], folder: str) -> PythonStart:
    for pair in match["set"].split():
        _check_variable(pair.partition("=")[0])
    told = f"/tests/{match['beside']}" if match["here"] else match["script"]
    path = told if told.startswith("/") else f"{folder}/{told.removeprefix('./')}"
    if not re.fullmatch(r"/tests/[\w-]+\.py", path):
        raise _DoesMoreError(f"starts Python on {told}, which does not lie directly in /tests")
    return PythonStart(told, folder, path)


def _check_after(lines: list[str]) -> None:
    for line in lines:
        if not _EXIT.fullmatch(line):
            raise _DoesMoreError(f"does something after Python: {line[:80]}")


def _check_variable(name: str) -> None:
    if steers_python(name):
        raise _DoesMoreError(f"sets {name}")


def steers_python(name: str) -> bool:
    """Does a variable decide what Python imports, or how programs start?"""
    return name not in _HARMLESS and _FORBIDDEN.search(name) is not None
