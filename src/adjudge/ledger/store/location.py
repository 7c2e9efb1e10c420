"""Where a ledger is: what a person typed, made into one database URL and one place for large blobs.

`--ledger`, else `ADJUDGE_LEDGER`, else `./adjudge.db`. A value with `://` is a URL, anything else is a
path of a SQLite file. Nothing is opened here, and no password is ever shown.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import UsageError

LEDGER_VARIABLE = "ADJUDGE_LEDGER"
BLOBS_VARIABLE = "ADJUDGE_BLOBS"
DEFAULT_LEDGER = "adjudge.db"

_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^@]*@")
_PASSWORD_OPTION = re.compile(r"(?<=[?&])(\w*password)=[^&]*")
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


@dataclass(frozen=True)
class Location:
    """A ledger's address. `path` is set for SQLite only; `shown` is safe to print."""

    url: str
    path: Path | None
    shown: str


def locate(ledger: str | Path | None = None) -> Location:
    """Resolve what was asked for. An empty string counts as not given; an unknown scheme is refused."""
    asked = str(ledger or os.environ.get(LEDGER_VARIABLE) or DEFAULT_LEDGER)
    scheme, separator, rest = asked.partition("://")
    if not separator:
        return _file(Path(asked))
    if scheme in {"sqlite", "sqlite+pysqlite"}:
        name = rest.partition("?")[0]
        if not name.startswith("/") or name == "/" or name.startswith("/:memory:"):
            raise UsageError(
                "a SQLite ledger is a file",
                field="--ledger",
                found=asked,
                allowed="sqlite:///relative/path.db, sqlite:////absolute/path.db, or just the path",
            )
        return _file(Path(name[1:]))
    if scheme in _POSTGRES:
        shown = _PASSWORD_OPTION.sub(r"\1=…", _PASSWORD.sub(r"\1:…@", f"postgresql://{rest}"))
        return Location(f"postgresql+psycopg://{rest}", None, shown)
    raise UsageError(
        "this kind of database cannot hold a ledger",
        field="--ledger",
        found=f"{scheme}://…",
        allowed="a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE",
    )


def default_blobs(location: Location) -> str | None:
    """The folder beside a SQLite ledger; None for PostgreSQL, which has no beside."""
    if location.path is None:
        return None
    return f"{location.path}.blobs"


def _file(path: Path) -> Location:
    path = path.expanduser()
    absolute = path if path.is_absolute() else Path.cwd() / path
    return Location(f"sqlite:///{absolute}", absolute, str(path))
