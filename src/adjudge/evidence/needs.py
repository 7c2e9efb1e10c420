"""What a verifier needs, from a look at its files: programs, modules, files, the network.

The look starts at `tests/test.sh` and follows what is started from there: further scripts, Python files,
the tests that pytest or unittest would collect, and the modules beside them that those import. It is bounded
in files and bytes, follows no link, and runs nothing.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from adjudge._lazy import late_pattern
from adjudge.evidence.command_line import (
    FETCHES,
    asks_host,
    fetches,
    has_fallback,
    started_by_uv,
    tests_named,
    unwrapped,
)
from adjudge.evidence.made import Made
from adjudge.evidence.need import Need, Needs
from adjudge.evidence.python_source import python_needs
from adjudge.evidence.recipes import make_recipes, node_modules, npm_folder, npm_script, perl_modules
from adjudge.evidence.shell import Command, read_script
from adjudge.evidence.sign import Lack

_MOST_FILES = 60
_MOST_BYTES = 1 << 20
_VENDORED = frozenset(
    {"node_modules", "site-packages", "vendor", "third_party", ".venv", "venv", "__pycache__"}
)
_PYTHON = late_pattern(r"python(?:\d(?:\.\d+)?)?")
_OTHER_RUNNERS = frozenset({"make", "gmake", "npm", "yarn", "pnpm", "npx", "node", "nodejs", "perl"})
_RUNNERS = frozenset({"pytest", "py.test", "unittest"})


def find_needs(tests: Path, script: str) -> Needs:
    """The needs of the verifier that starts with `script`, a path as `tests/test.sh`."""
    look = _Look(tests)
    look.shell_file(script.removeprefix("tests/"), certain=True, quiet=False)
    look.found.writes_tests = look.made.in_tests
    return look.found


class _Look:
    """One walk over the files of a verifier."""

    def __init__(self, tests: Path) -> None:
        self.tests = tests
        self.found = Needs()
        self.seen: set[str] = set()
        self.functions: set[str] = set()
        self.folder = "."
        """Below `/tests`, where relative paths lead; None of the script's `cd` is followed elsewhere."""
        self.in_tests = False
        self.made = Made()

    # files

    def _text(self, path: str) -> str | None:
        """The text of a file below tests, once; None for what is not there, a link, or too much."""
        if path in self.seen or len(self.seen) >= _MOST_FILES:
            return None
        self.seen.add(path)
        file = self.tests / path
        try:
            if file.is_symlink() or file.stat().st_size > _MOST_BYTES:
                return None
            return file.read_text("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def _inside(self, word: str) -> str | None:
        """The path below tests that a word names; None for all else."""
        word = word.replace("${", "$").replace("}", "")
        for start in (
            "$(dirname $0)",
            "$(dirname $BASH_SOURCE)",
            "$DIR",
            "$SCRIPT_DIR",
            "$TEST_DIR",
            "$TESTS_DIR",
        ):
            if word.replace('"', "").startswith(f"{start}/"):
                word = f"/tests/{word.replace(chr(34), '').removeprefix(f'{start}/')}"
        if word.startswith("/tests/"):
            inside = os.path.normpath(word.removeprefix("/tests/"))
        elif self.in_tests and not word.startswith(("/", "-", "$")):
            inside = os.path.normpath(f"{self.folder}/{word}")
        else:
            return None
        return None if inside.startswith("..") or "$" in inside or "*" in inside else inside

    def _need(self, lack: Lack, name: str, place: str, *, certain: bool, quiet: bool) -> None:
        if not (
            (lack is Lack.FILE and self.made.may_hold(name))
            or (lack is Lack.MODULE and self.made.has_module(name))
        ):
            self.found.needs.append(Need(lack, name, place, certain, quiet))

    # shell

    def shell_file(self, path: str, *, certain: bool, quiet: bool) -> None:
        text = self._text(path)
        if text is None:
            return
        self.functions |= set(
            re.findall(r"^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\s*\)", text, re.MULTILINE)
        )
        self.functions |= set(re.findall(r"^\s*function\s+([A-Za-z_][\w-]*)", text, re.MULTILINE))
        self.made.read(text)
        commands = read_script(text)
        self.found.commands[f"/tests/{path}"] = commands
        for command in commands:
            self.command(command, f"tests/{path}", certain=certain, quiet=quiet)

    def command(self, command: Command, where: str, *, certain: bool, quiet: bool) -> None:
        words = unwrapped(command.words)
        if not words or words[0].startswith("$") or not words[0]:
            return
        name, place = words[0], f"{where} line {command.line}"
        sure = certain and not command.conditional and not has_fallback(command)
        quiet = quiet or command.quiet
        if name in ("cd", "pushd") and len(words) > 1:
            target = words[1].replace('"', "")
            self.folder = self._inside(f"{target}/") or "."
            self.in_tests = target.startswith(("/tests", "$(dirname")) or (
                self.in_tests and target[:1] not in "/$"
            )
            return
        self.made.note(words, in_tests=self.in_tests)
        if name in ("test", "[", "[[", "echo", "printf", "trap", "export", "set", "mkdir", "rm", "touch"):
            return
        if name in ("command", "which", "type", "hash") and len(words) > 1:
            self.found.asked.add(words[-1])
            return
        if (
            PurePosixPath(name).name in _RUNNERS
            and name.startswith("/")
            and not name.startswith(("/usr/", "/tests/"))
        ):
            self._need(Lack.FILE, name, place, certain=sure, quiet=quiet)
        if "/" not in name:
            if name not in self.functions:
                self._need(Lack.COMMAND, name, place, certain=sure, quiet=quiet)
        elif (inside := self._inside(name)) is not None:
            self._file(inside, place, certain=sure, quiet=quiet, words=words)
            return
        if name in ("curl", "wget") and (host := asks_host(words)) is not None:
            self._need(Lack.NETWORK, host, place, certain=sure, quiet=True)
        if (name in FETCHES and fetches(words)) or words[1:4] == ("-m", "pip", "install"):
            self.found.prepares.append(command)
        self._arguments(words, command, where, place, certain=sure, quiet=quiet)

    def _arguments(
        self, words: tuple[str, ...], command: Command, where: str, place: str, *, certain: bool, quiet: bool
    ) -> None:
        name = PurePosixPath(words[0]).name
        if _PYTHON.fullmatch(name):
            self._python_command(words, command, place, certain=certain, quiet=quiet)
        elif name in ("pytest", "py.test"):
            self._collect(words[1:], place, certain=certain, quiet=quiet)
        elif name in ("uv", "uvx", "pipx", "poetry", "pdm", "hatch"):
            started = started_by_uv(words)
            if started[:1] and started[0] in ("pytest", "py.test"):
                self._collect(started[1:], place, certain=certain, quiet=quiet)
            elif started and _PYTHON.fullmatch(started[0]):
                self._python_command(started, command, place, certain=certain, quiet=quiet, provided=True)
        elif name in _OTHER_RUNNERS:
            self._other_runner(name, words, place, certain=certain, quiet=quiet)
        elif name in ("bash", "sh", "dash", "zsh", "source", "."):
            if "-c" in words[1:-1]:
                for nested in read_script(words[words.index("-c", 1) + 1], first_line=command.line):
                    self.command(nested, where, certain=certain, quiet=quiet)
            else:
                self._paths(words[1:2], place, certain=certain, quiet=quiet)
        else:
            self._paths(words[1:], place, certain=certain, quiet=quiet)

    def _paths(self, words: tuple[str, ...], place: str, *, certain: bool, quiet: bool) -> None:
        for word in words:
            if (inside := self._inside(word)) is not None and (word.startswith("/") or "." in word):
                self._file(inside, place, certain=certain, quiet=quiet, words=())

    def _file(self, inside: str, place: str, *, certain: bool, quiet: bool, words: tuple[str, ...]) -> None:
        file = self.tests / inside
        if not os.path.lexists(file):
            # a shell goes on without a word after `cmp -s`
            self._need(Lack.FILE, f"/tests/{inside}", place, certain=certain, quiet=True)
        elif words and file.is_file() and not os.access(file, os.X_OK):
            self._need(Lack.PERMISSION, f"/tests/{inside}", place, certain=certain, quiet=quiet)
        elif file.suffix in (".sh", ".bash"):
            self.shell_file(inside, certain=certain, quiet=quiet)
        elif file.suffix == ".py" and words:
            self._python_file(inside, certain=certain, quiet=quiet)

    # other files

    def _other_runner(
        self, name: str, words: tuple[str, ...], place: str, *, certain: bool, quiet: bool
    ) -> None:
        """make, npm, node and Perl, each with what it reads."""
        if name in ("make", "gmake"):
            self._make(words, certain=certain, quiet=quiet)
        elif name in ("node", "nodejs"):
            for inside in [path for word in words[1:2] if (path := self._inside(word)) is not None]:
                self._file(inside, place, certain=certain, quiet=quiet, words=())
                self._javascript(inside, certain=certain, quiet=quiet)
        elif name == "perl":
            for inside in [path for word in words[1:] if (path := self._inside(word)) is not None][:1]:
                self._file(inside, place, certain=certain, quiet=quiet, words=())
                needed = list(perl_modules(self._text(inside) or ""))
                self.found.optional |= {module for _, module, must in needed if not must}
        else:
            self._npm(words, place, certain=certain, quiet=quiet)

    def _make(self, words: tuple[str, ...], *, certain: bool, quiet: bool) -> None:
        folder = next((words[n + 1] for n, word in enumerate(words[:-1]) if word == "-C"), None)
        if (folder is None and not self.in_tests) or (folder is not None and not folder.startswith("/tests")):
            return
        below = folder.removeprefix("/tests").strip("/") if folder else self.folder.lstrip(".")
        targets = tuple(w for w in words[1:] if not w.startswith("-") and w != folder and "=" not in w)
        for name in ("Makefile", "makefile", "GNUmakefile"):
            path = f"{below}/{name}" if below else name
            text = self._text(path)
            if text is None:
                continue
            for number, line in make_recipes(text, targets):
                for command in read_script(line, first_line=number):
                    self.command(command, f"tests/{path}", certain=certain, quiet=quiet)
            return

    def _npm(self, words: tuple[str, ...], place: str, *, certain: bool, quiet: bool) -> None:
        """A script of `package.json`, or the tool that `npx` would fetch."""
        if PurePosixPath(words[0]).name == "npx":
            tool = next((word for word in words[1:] if not word.startswith("-")), None)
            if tool is not None and not self._node_tool(tool):
                self._need(Lack.COMMAND, tool.partition("@")[0] or tool, place, certain=certain, quiet=quiet)
            return
        folder, words = npm_folder(words)
        inside = (
            self.folder
            if folder is None and self.in_tests
            else self._inside(f"{folder}/.")
            if folder
            else None
        )
        if inside is None:
            return
        package = "package.json" if inside == "." else f"{inside}/package.json"
        line = npm_script(self._text(package) or "", words)
        for command in read_script(line or ""):
            names = unwrapped(command.words)[:1]
            if names and "/" not in names[0] and names[0] != "node" and not self._node_tool(names[0]):
                self._need(Lack.COMMAND, names[0], place, certain=certain, quiet=quiet)

    def _node_tool(self, name: str) -> bool:
        return os.path.lexists(self.tests / "node_modules" / ".bin" / name)

    def _javascript(self, path: str, *, certain: bool, quiet: bool) -> None:
        text = self._text(path)
        for line, name, needed in node_modules(text or ""):
            if not needed:
                self.found.optional.add(name)
            if not (self.tests / "node_modules" / name).exists():
                self._need(
                    Lack.LIBRARY, name, f"tests/{path} line {line}", certain=certain and needed, quiet=True
                )

    # Python

    def _python_command(
        self,
        words: tuple[str, ...],
        command: Command,
        place: str,
        *,
        certain: bool,
        quiet: bool,
        provided: bool = False,
    ) -> None:
        rest = list(words[1:])
        while rest:
            word = rest.pop(0)
            if word == "-m" and rest:
                module = rest.pop(0)
                if not provided and self._local(module.split(".")[0]) is None:
                    self._need(Lack.MODULE, module.split(".")[0], place, certain=certain, quiet=quiet)
                if module in _RUNNERS:
                    self._collect(tuple(rest), place, certain=certain, quiet=quiet)
                return
            if word == "-c" and rest:
                self._python_text(
                    rest.pop(0), place.rpartition(" line ")[0], command.line - 1, certain=certain, quiet=quiet
                )
                return
            if word in ("-W", "-X"):
                del rest[:1]
            elif word == "-" or (not word.startswith("-") and not word):
                break
            elif not word.startswith("-"):
                if (inside := self._inside(word)) is not None:
                    if (self.tests / inside).exists():
                        self._python_file(inside, certain=certain, quiet=quiet)
                    else:
                        self._need(Lack.FILE, f"/tests/{inside}", place, certain=certain, quiet=quiet)
                self._paths(tuple(rest), place, certain=certain, quiet=quiet)
                return
        if command.text is not None:
            where = place.rpartition(" line ")[0]
            self._python_text(command.text, where, command.line, certain=certain, quiet=quiet)

    def _collect(self, words: tuple[str, ...], place: str, *, certain: bool, quiet: bool) -> None:
        """The files that a test runner would read."""
        named = tests_named(words)
        paths = [inside for word in named if (inside := self._inside(word.partition("::")[0])) is not None]
        if not paths and "/tests" in [word.rstrip("/") for word in named]:
            paths = ["."]
        for path in paths:
            file = self.tests / path
            if file.is_dir():
                names = sorted(entry.name for entry in os.scandir(file) if entry.name.endswith(".py"))
                for name in names:
                    if name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py"):
                        inside = name if path == "." else f"{path}/{name}"
                        self._python_file(inside, certain=certain, quiet=quiet)
            elif file.suffix == ".py" or "." not in file.name:
                if not os.path.lexists(file):
                    self._need(Lack.FILE, f"/tests/{path}", place, certain=certain, quiet=quiet)
                else:
                    self._python_file(path, certain=certain, quiet=quiet)
                    above = PurePosixPath(path).parent / "conftest.py"
                    self._python_file(str(above), certain=certain, quiet=quiet)

    def _python_file(self, path: str, *, certain: bool, quiet: bool) -> None:
        text = self._text(path)
        if text is not None:
            self._python_text(text, f"tests/{path}", 0, certain=certain, quiet=quiet)

    def _python_text(self, text: str, where: str, before: int, *, certain: bool, quiet: bool) -> None:
        self.made.read_python(text)
        beside = str(PurePosixPath(where.removeprefix("tests/")).parent)
        for need in python_needs(text):
            place, sure = f"{where} line {need.line + before}", certain and need.certain
            unheard = quiet or need.quiet
            if need.kind == "module":
                top = need.name.split(".")[0]
                local = self._local(top, beside)
                if local is None:
                    self._need(Lack.MODULE, top, place, certain=sure, quiet=unheard)
                elif not set(PurePosixPath(local).parts) & _VENDORED:
                    self._python_file(local, certain=sure, quiet=unheard)
            elif need.kind == "file":
                if not os.path.lexists(self.tests / os.path.normpath(need.name.removeprefix("/tests/"))):
                    self._need(Lack.FILE, need.name, place, certain=sure, quiet=unheard)
            elif need.kind == "program":
                if "/" not in need.name:
                    self._need(Lack.COMMAND, need.name, place, certain=sure, quiet=True)
            else:
                for command in read_script(need.name):
                    name = unwrapped(command.words)[:1]
                    if name and "/" not in name[0] and name[0][:1] not in "${":
                        certain_too = sure and not command.conditional and not has_fallback(command)
                        self._need(Lack.COMMAND, name[0], place, certain=certain_too, quiet=True)

    def _local(self, module: str, beside: str = ".") -> str | None:
        """The file of a module that lies with the tests; None if it comes from elsewhere."""
        for folder in dict.fromkeys((beside, ".")):
            for name in (f"{module}.py", f"{module}/__init__.py"):
                path = name if folder == "." else f"{folder}/{name}"
                if (self.tests / path).exists():
                    return path
            if (self.tests / folder / module).is_dir():
                return f"{folder}/{module}/__init__.py"
        return None
