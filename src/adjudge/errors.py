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

A problem is worded by `describe`: which file, which field, what was found, what is allowed, what to do.
"""

from __future__ import annotations

from typing import Any

_FOUND_LIMIT = 80
_NOTHING: Any = object()


def show(value: object) -> str:
    """`repr` of a value that nobody vouches for: one line, no control characters, bounded length."""
    if isinstance(value, str) and len(value) > 2 * _FOUND_LIMIT:
        value = value[: 2 * _FOUND_LIMIT]
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a nest of thousands of lists
        text = f"<{type(value).__name__} too large to show>"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return text if len(text) <= _FOUND_LIMIT else text[: _FOUND_LIMIT - 1] + "…"


def describe(
    what: str,
    *,
    file: object = None,
    field: str | None = None,
    found: object = _NOTHING,
    allowed: str | None = None,
    remedy: str | None = None,
) -> str:
    """Word one problem: `file: field: what; found …; allowed: …. remedy`. Parts not given are left out."""
    where = "".join(f"{part}: " for part in (file, field) if part is not None)
    text = f"{where}{what}"
    if found is not _NOTHING:
        text += f"; found {show(found)}"
    if allowed is not None:
        text += f"; allowed: {allowed}"
    return f"{text}. {remedy}" if remedy else text


class AdjudgeError(Exception):
    """Anything adjudge refuses or fails to do; the message says which file, what was found, what to do."""

    exit_code = 1

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
        super().__init__(describe(what, file=file, field=field, found=found, allowed=allowed, remedy=remedy))


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
