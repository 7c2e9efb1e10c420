"""One thing that a verifier needs, and all of them together with the commands that say so."""

from __future__ import annotations

from msgspec import Struct, field

from adjudge.evidence.shell import Command
from adjudge.evidence.sign import Lack


class Need(Struct, frozen=True):
    """Something the verifier needs, and how sure that is."""

    lack: Lack
    """What it would be if it is not there."""
    name: str
    place: str
    """The file and line that need it: `tests/test.sh line 3`."""
    certain: bool
    """Is it needed whatever the answer is?"""
    quiet: bool
    """Would the verifier not be heard if it is missing?"""


class Needs(Struct):
    """All that was found; `commands` are those of the shell scripts, for questions about a line."""

    needs: list[Need] = field(default_factory=list)
    commands: dict[str, list[Command]] = field(default_factory=dict)
    """By the path in the sandbox: `/tests/test.sh`."""
    asked: set[str] = field(default_factory=set)
    """Programs that a script asks for before it goes on: `command -v pytest`."""
    optional: set[str] = field(default_factory=set)
    """Modules of node and Perl that the verifier's programs can do without."""
    prepares: list[Command] = field(default_factory=list)
    """The commands that fetch or install something."""
    writes_tests: bool = False
    """Do its own scripts put something into `/tests`, as far as can be seen?"""
