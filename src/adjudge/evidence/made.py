"""What a verifier puts into its tests itself, so that nobody misses it there before it has run.

A trial's `/tests` is the verifier's own copy: scripts copy the answer beside their modules, compile, unpack.
Only names count, not the folders they are put into: a look that is not sure says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

_WRITTEN = re.compile(r">\|?\s*[\"']?([^\s\"'<>|&;()]+)")
_COPIES = frozenset({"cp", "mv", "ln", "install", "rsync"})
_BUILDS = frozenset(
    {
        *("tar", "unzip", "7z", "git", "patch", "curl", "wget", "make", "cmake", "ninja", "meson"),
        *("cargo", "go", "npm", "yarn", "pnpm", "mvn", "gradle", "dotnet", "javac", "tsc", "bundle"),
    }
)


@dataclass
class Made:
    """The names of files and folders that a script makes or places, collected as it is read."""

    names: set[str] = field(default_factory=set)
    builds: bool = False
    """Does it unpack or build something in its tests, so that any file may come to be there?"""

    def read(self, text: str) -> None:
        """Every file that a script writes to by a redirection."""
        self.names |= {PurePosixPath(name).name for name in _WRITTEN.findall(text)}

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
        elif name in _BUILDS and (in_tests or any("/tests" in word for word in words)):
            self.builds = True
        self.names |= {
            PurePosixPath(after).name for word, after in pairwise(words) if word in ("-o", "-O", "--output")
        }
        self.names -= {"", "tests"}

    def may_hold(self, path: str) -> bool:
        """May that file be there when the verifier looks for it?"""
        return self.builds or not self.names.isdisjoint(PurePosixPath(path).parts[2:])

    def has_module(self, name: str) -> bool:
        """Was a module of that name placed?"""
        return not self.names.isdisjoint({name, f"{name}.py"})
