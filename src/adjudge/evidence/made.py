"""What a verifier puts into its tests itself, so that nobody misses it there before it has run.

A trial's `/tests` is the verifier's own copy: scripts copy the answer beside their modules, compile, unpack.
Only names count, not the folders they are put into: a look that is not sure says nothing.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from msgspec import Struct, field

from adjudge._lazy import late_pattern

_WRITTEN = late_pattern(r">\|?\s*[\"']?([^\s\"'<>|&;()]+)")
_OWN_FOLDER = ("$TESTS", "${TESTS", "$TEST_DIR", "${TEST_DIR", "$SCRIPT_DIR", "${SCRIPT_DIR")
_PYTHON_WRITES = late_pattern(
    r"\b(?:copy2?|copyfile|copytree|move|rename|mkdir|makedirs|touch|write_text|write_bytes|symlink(?:_to)?"
    r"|connect|extractall)\(|\bopen\([^)]{0,200}[\"'][wax]b?\+?[\"']|\bcwd\s{0,9}="
)
_PYTHON_TESTS = late_pattern(r"[\"']/tests\b|__file__|\b(?:HERE|TESTS?(?:_DIR|_ROOT)?|tests?_dir|here)\b")
_COPIES = frozenset({"cp", "mv", "ln", "install", "rsync"})
_BUILDS = frozenset(
    {
        *("tar", "unzip", "7z", "git", "patch", "curl", "wget", "make", "cmake", "ninja", "meson"),
        *("cargo", "go", "npm", "yarn", "pnpm", "mvn", "gradle", "dotnet", "javac", "tsc", "bundle"),
    }
)


class Made(Struct):
    """The names of files and folders that a script makes or places, collected as it is read."""

    names: set[str] = field(default_factory=set)
    builds: bool = False
    """Does it unpack or build something in its tests, so that any file may come to be there?"""
    in_tests: bool = False
    """Does it write to its tests, as far as can be seen?"""

    def read(self, text: str) -> None:
        """Every file that a script writes to by a redirection."""
        written = _WRITTEN.findall(text)
        self.names |= {PurePosixPath(name).name for name in written}
        self.in_tests |= any(_is_in_tests(name, here=False) for name in written)

    def read_python(self, text: str) -> None:
        """Does a module of the verifier's write to its folder? A line that does both, by its words, may."""
        self.in_tests |= any(
            _PYTHON_WRITES.search(line) and _PYTHON_TESTS.search(line) for line in text.splitlines()
        )

    def note(self, words: tuple[str, ...], *, in_tests: bool) -> None:
        """What one command makes: a copy by the name of its target, or of its source in that folder."""
        name = PurePosixPath(words[0]).name
        named = [word for word in words[1:] if not word.startswith("-")]
        if name in _COPIES:  # what it takes from the tests must be there before
            from_elsewhere = "/" if in_tests else ""
            named = [
                word
                for word in named[:-1]
                if word.startswith(from_elsewhere) and not word.startswith("/tests/")
            ] + named[-1:]
        if name in _COPIES or name in ("mkdir", "touch", "tee"):
            self.names |= {PurePosixPath(word).name for word in named}
            placed = named[-1:] if name in _COPIES else named
            self.in_tests |= any(_is_in_tests(word, here=in_tests) for word in placed)
        elif name in _BUILDS and (in_tests or any("/tests" in word for word in words)):
            self.builds = self.in_tests = True
        products = [after for word, after in pairwise(words) if word in ("-o", "-O", "--output")]
        self.names |= {PurePosixPath(product).name for product in products}
        self.in_tests |= any(_is_in_tests(product, here=in_tests) for product in products)
        self.names -= {"", "tests"}

    def may_hold(self, path: str) -> bool:
        """May that file be there when the verifier looks for it?"""
        return self.builds or not self.names.isdisjoint(PurePosixPath(path).parts[2:])

    def has_module(self, name: str) -> bool:
        """Was a module of that name placed?"""
        return not self.names.isdisjoint({name, f"{name}.py"})


def _is_in_tests(word: str, *, here: bool) -> bool:
    """Does a word name something in `/tests`? `here` says that relative paths lead there."""
    if word == "/tests" or word.startswith(("/tests/", *_OWN_FOLDER)):
        return True
    return here and word[:1] not in ("/", "$", "~")
