"""A sign that a verifier could not do its work here, and what it is about.

Signs are compared by `key`, so that what a verifier said, what was seen of it and what a look at its files
shows count as one thing if they are about the same program, module or file.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class SignKind(StrEnum):
    """Where a sign comes from; the record names it."""

    SAID = "the verifier said"
    DID = "seen while it ran"
    STATIC = "its files show"
    CONTROL = "control"


class Lack(StrEnum):
    """What was not there, or not possible."""

    COMMAND = "missing program"
    MODULE = "missing module"
    LIBRARY = "missing node package"
    HEADER = "missing header or library"
    USER = "no way to become another user"
    FILE = "missing file"
    PERMISSION = "no permission"
    NETWORK = "no network"
    SERVICE = "out of reach"
    INSTALL = "failed install"
    PLUGIN = "missing plugin"
    VARIABLE = "missing variable"
    NO_TESTS = "no test was run"
    OWN_ERROR = "error in the verifier's own code"
    MACHINE = "the machine gave out"
    ENDED = "how it ended"


PREPARATION = frozenset({Lack.NETWORK, Lack.INSTALL})
"""What only matters if the thing to be fetched is needed and not here."""


class Sign(Struct, frozen=True):
    """One sign: `lack` and `name` say what is wrong, `says` gives the words or the place."""

    kind: SignKind
    lack: Lack
    name: str
    says: str

    @property
    def key(self) -> tuple[Lack, str]:
        return self.lack, self.name

    def worded(self) -> str:
        """The sign as a phrase: `missing program 'pytest' (tests/test.sh line 3)`."""
        about = f"{self.lack} {self.name!r}" if self.name else str(self.lack)
        return f"{about} ({self.says})" if self.says else about
