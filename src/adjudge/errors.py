"""Every exception adjudge raises, and the one way it words a problem.

AdjudgeError                 catch this to catch them all
├── UsageError               the caller asked for something that cannot be (exit code 2)
│   ├── TaskError            a task folder cannot be used as it stands
│   ├── RubricError          a rubric, or the scores given to it, cannot mean anything
│   ├── ManifestError        a manifest row cannot be read
│   └── MissingExtra         an optional part of adjudge is not installed
├── ArtifactError            a verifier artifact is bad (only raised where `strict=True` was asked for)
└── MachineryError           the machine failed, not the agent (exit code 1)
    ├── SandboxUnavailable   no sandbox works here
    ├── SandboxError         a sandbox that works failed this time
    └── LedgerError          the ledger cannot be opened, read or written

Every one carries its `problem`: which file, which field, what was found, what is allowed, what to do.
Its text is made from those parts alone, so a person reads a sentence and a program reads the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Self

from adjudge._secrets import without_secrets

_FOUND_LIMIT = 80
_LOOKED_AT = 10_000
_FEW = 20
_NOTHING: Any = object()


def show(value: object) -> str:
    """`repr` of a value that nobody vouches for: one line, no control characters, bounded length.

    An enum is shown as its value, also within a short list, and a time as ISO 8601: as people write them.
    """
    value = _by_value(value)
    if isinstance(value, str):  # its secrets go before its end does: half a URL is not known for one
        value = _masked(value[:_LOOKED_AT])[: 2 * _FOUND_LIMIT]
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a nest of thousands of lists
        text = f"<{type(value).__name__} too large to show>"
    text = printable(_masked(text))
    return text if len(text) <= _FOUND_LIMIT else text[: _FOUND_LIMIT - 1] + "…"


def printable(text: str, *, keep_newlines: bool = False) -> str:
    """Text that nobody vouches for, made safe to print: control, format and surrogate characters escaped.

    Also stops bidirectional overrides, which can make a line read as something it is not.
    """
    plain = text.replace("\n", "").replace("\t", "") if keep_newlines else text
    if plain.isprintable():  # nearly always, and a hundred times as fast
        return text
    kept = "\n\t" if keep_newlines else ""
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii") for c in text
    )


def _masked(text: str) -> str:
    return without_secrets(text) if "://" in text else text


def _by_value(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple) and len(value) <= _FEW and any(isinstance(v, Enum) for v in value):
        return [_by_value(v) for v in value]
    return value


@dataclass(frozen=True, init=False)
class Problem:
    """One thing that is wrong, in its parts. `str()` gives the sentence, `as_json()` the parts.

    The sentence is `file: field: what; found …; allowed: …. remedy`. Parts not given are left out. No part
    shows a password that stands in a URL: people type one where it does not belong, and messages are kept.
    """

    what: str
    file: str | None
    field: str | None
    found: str | None
    """As `show` words it: bounded and printable, whatever was found."""
    allowed: str | None
    remedy: str | None

    def __init__(
        self,
        what: str,
        *,
        file: object = None,
        field: str | None = None,
        found: object = _NOTHING,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self._set(
            what,
            None if file is None else str(file),
            field,
            None if found is _NOTHING else show(found),
            allowed,
            remedy,
        )

    def _set(self, *parts: str | None) -> None:
        shown = (None if part is None else _masked(part) for part in parts)
        self.__dict__.update(zip(self.__dataclass_fields__, shown, strict=True))

    def at(self, *, file: object = None, field: str | None = None) -> Self:
        """The same problem in a larger whole: in this file, if none is named yet, and below this field."""
        inner = self.field or ""
        joint = "." if field and inner and not inner.startswith("[") else ""
        moved = object.__new__(type(self))
        moved._set(
            self.what,
            self.file if file is None or self.file is not None else str(file),
            f"{field or ''}{joint}{inner}" or None,
            self.found,
            self.allowed,
            self.remedy,
        )
        return moved

    def as_json(self) -> dict[str, str | None]:
        """The parts by name; null for those that are not known."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        text = "".join(f"{part}: " for part in (self.file, self.field) if part is not None) + self.what
        if self.found is not None:
            text = f"{text.removesuffix('.')}; found {self.found}"
        if self.allowed is not None:
            text = f"{text.removesuffix('.')}; allowed: {self.allowed}"
        if not self.remedy:
            return text
        return f"{text} {self.remedy}" if text.endswith((".", "!", "?")) else f"{text}. {self.remedy}"


def describe(what: str, **parts: Any) -> str:
    """One problem as a sentence; the parts are those of `Problem`."""
    return str(Problem(what, **parts))


class AdjudgeError(Exception):
    """Anything adjudge refuses or fails to do; `problem` says which file, what was found, what to do."""

    exit_code = 1
    problem: Problem

    def __init__(
        self,
        what: str | Problem,
        *,
        file: object = None,
        field: str | None = None,
        found: object = _NOTHING,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        """Either the parts of a problem, or a whole `Problem` (of which file and field may be completed)."""
        if isinstance(what, Problem):
            self.problem = what.at(file=file, field=field)
        else:
            self.problem = Problem(what, file=file, field=field, found=found, allowed=allowed, remedy=remedy)
        super().__init__(str(self.problem))

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (type(self), self.problem)  # between processes, whatever its class takes


def _revived(kind: type[AdjudgeError], problem: Problem) -> AdjudgeError:
    error = kind.__new__(kind)
    AdjudgeError.__init__(error, problem)
    return error


class UsageError(AdjudgeError):
    """The caller asked for something that cannot be."""

    exit_code = 2


class TaskError(UsageError):
    """A task folder cannot be used as it stands."""


class RubricError(UsageError):
    """A rubric, or the scores given to it, cannot mean anything."""


class ManifestError(UsageError):
    """A manifest row cannot be read."""


class MissingExtra(UsageError):  # noqa: N818 - reads as the noun it is: `except MissingExtra`
    """An optional part of adjudge is not installed."""

    def __init__(self, extra: str, *, needed_for: str) -> None:
        super().__init__(
            f"{needed_for} needs the optional part {extra!r}, which is not installed",
            remedy=f"Install it: pip install 'adjudge[{extra}]'",
        )


class ArtifactError(AdjudgeError):
    """A verifier artifact is bad; raised only where `strict=True` was asked for."""


class MachineryError(AdjudgeError):
    """The machine failed, not the agent."""


class SandboxUnavailable(MachineryError):  # noqa: N818 - names a state, and is read as one
    """No sandbox works here."""


class SandboxError(MachineryError):
    """A sandbox that works on this machine failed this time."""


class LedgerError(MachineryError):
    """The ledger cannot be opened, read or written."""


def clip(text: str, longest: int) -> str:
    """The text, or its beginning and end and how much is missing; control characters spelled out."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
    return printable(text, keep_newlines=True)
