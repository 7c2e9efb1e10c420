"""Where a ledger is: what a person typed, made into one database URL and one place for large blobs.

`--ledger`, else `ADJUDGE_LEDGER`, else `./adjudge.db`. A value with `://` is a URL, anything else is a
path of a SQLite file. Nothing is opened here, and no password is ever shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from adjudge._secrets import ACCOUNT, SECRET_OPTION, without_secrets
from adjudge._spawn import SECRET_VARIABLES
from adjudge.errors import UsageError

LEDGER_VARIABLE = "ADJUDGE_LEDGER"
BLOBS_VARIABLE = "ADJUDGE_BLOBS"
DEFAULT_LEDGER = "adjudge.db"

_ACCOUNT = re.compile(r"(?<=://)([^/?#\s]*)@")
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


class Location(Struct, frozen=True):
    """A ledger's address. `path` is set for SQLite only; `shown` is safe to print."""

    url: str
    path: Path | None
    shown: str

    def scrubbed(self, text: str) -> str:
        """What somebody else said about it, without its password."""
        account = ACCOUNT.search(self.url)
        password = unquote(account[1].partition(":")[2]) if account else ""
        return without_secrets(text.replace(password, "…") if password else text)


def locate(ledger: str | Path | None = None) -> Location:
    """Resolve what was asked for. An empty name is refused: a variable that was not set may be behind it.

    An empty ADJUDGE_LEDGER counts as not set, as with other programs' variables.
    """
    if ledger == "":
        raise UsageError(
            "the name of the ledger is empty",
            field="--ledger",
            found=ledger,
            allowed="a path or a URL; without the option ADJUDGE_LEDGER, else ./adjudge.db",
        )
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
        return Location(f"postgresql+psycopg://{rest}", None, without_secrets(f"postgresql://{rest}"))
    raise UsageError(
        "this kind of database cannot hold a ledger",
        field="--ledger",
        found=f"{scheme}://…",
        allowed="a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE",
    )


def split_account(url: str) -> tuple[str, str]:
    """A URL without its account, and the account (`name:password`, decoded); empty if it has none."""
    found = _ACCOUNT.search(url)
    if found is None:
        return url, ""
    return url[: found.start()] + url[found.end() :], unquote(found[1])


def storable(url: str) -> str:
    """A URL as it may be written down: without its account and without options that are secrets."""
    bare, _ = split_account(url)
    place, mark, options = bare.partition("?")
    kept = [option for option in options.split("&") if option and not SECRET_OPTION.match(f"?{option}", 1)]
    return f"{place}{mark}{'&'.join(kept)}" if kept else place


@contextmanager
def secrets_put_away() -> Iterator[None]:
    """No variable that may hold a password is in the environment while a block runs that starts processes."""
    held = {name: os.environ.pop(name) for name in SECRET_VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(held)


def default_blobs(location: Location) -> str | None:
    """The folder beside a SQLite ledger; None for PostgreSQL, which has no beside."""
    if location.path is None:
        return None
    return f"{location.path}.blobs"


def _file(path: Path) -> Location:
    path = path.expanduser()
    absolute = path if path.is_absolute() else Path.cwd() / path
    return Location(f"sqlite:///{absolute}", absolute, str(path))
