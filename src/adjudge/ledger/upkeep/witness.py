"""Where heads are kept, outside the ledger: a file, the notes of a git repository, or a URL.

A witness protects only if it is kept apart from the ledger: somebody who can rewrite both can hide a cut.
Heads are only ever added to it, one JSON object per line.

    heads.jsonl            a file; on another disk, in a bucket that keeps versions, in a shared folder
    git:PATH               notes of the commit that is checked out there, under refs/notes/adjudge
    https://HOST/...       each head is POSTed; a GET returns all of them, one per line (404: none yet)
"""

from __future__ import annotations

import base64
import fcntl
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge._files import open_plain
from adjudge._secrets import without_secrets
from adjudge._spawn import public_environment
from adjudge.errors import LedgerError, UsageError
from adjudge.ledger.store.location import split_account
from adjudge.ledger.upkeep.heads import HEAD_BYTES, SignedHead, check_heads, read_heads, read_key, sign_head
from adjudge.ledger.upkeep.verify import read_leaves

if TYPE_CHECKING:
    from adjudge.ledger.store.database import Database

WITNESS_VARIABLE = "ADJUDGE_WITNESS"
KEY_VARIABLE = "ADJUDGE_SIGNING_KEY"
"""The path of a key, never a key."""
_WAIT_SEC = 20
_MOST_BYTES = 64 << 20
_NOTES = "refs/notes/adjudge"


class Witness(Struct, frozen=True):
    """A place for heads; `shown` is safe to print."""

    shown: str
    read: Callable[[], list[SignedHead]]
    """Every head that is there, oldest first. LedgerError if they cannot be read."""
    add: Callable[[SignedHead], None]
    """Add one, for good. LedgerError if it cannot be added."""


def find_witness(where: str) -> Witness:
    """The witness that a person named."""
    if re.match(r"https?://", where):
        return _url(where)
    if "://" in where:
        raise UsageError(
            "this cannot be a witness",
            field="--witness",
            found=without_secrets(where),
            allowed="a file, git:PATH, or an http(s) URL",
        )
    if where.startswith("git:"):
        return _git(Path(where.removeprefix("git:")))
    return _file(Path(where))


def _file(path: Path) -> Witness:
    def read() -> list[SignedHead]:
        try:
            with os.fdopen(open_plain(path), "rb") as file:
                return read_heads(iter(lambda: file.readline(HEAD_BYTES + 2), b""), str(path))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LedgerError(f"the witness cannot be read: {error.strerror}", file=path) from error

    def add(head: SignedHead) -> None:
        line = f"{head.model_dump_json()}\n".encode()
        try:
            opened = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX)
                os.write(opened, line)
                os.fsync(opened)
            finally:
                os.close(opened)
        except OSError as error:
            raise LedgerError(f"the head cannot be witnessed: {error.strerror}", file=path) from error

    return Witness(str(path), read, add)


def _git(repository: Path) -> Witness:
    shown = f"git:{repository}"

    def git(*words: str, given: bytes | None = None) -> bytes:
        try:
            done = subprocess.run(
                ["git", "-C", str(repository), *words],
                input=given,
                capture_output=True,
                env=public_environment(),
                timeout=_WAIT_SEC,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LedgerError("git cannot be asked", file=shown, found=str(error)) from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise LedgerError("git refused", file=shown, found=said)
        return done.stdout

    def read() -> list[SignedHead]:
        notes = git("notes", f"--ref={_NOTES}", "list").split()[::2]
        lines = [line for note in notes for line in git("cat-file", "blob", note.decode()).splitlines()]
        return sorted(read_heads(lines, shown), key=lambda head: (head.signed_at, head.rows))

    def add(head: SignedHead) -> None:
        line = head.model_dump_json().encode()
        git("notes", f"--ref={_NOTES}", "append", "-F", "-", "HEAD", given=line + b"\n")

    return Witness(shown, read, add)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection is an answer like any other: following it would hand the account to another host."""

    def redirect_request(self, *_: object) -> None:
        return None


def _url(url: str) -> Witness:
    shown = without_secrets(url)
    bare, account = split_account(url)
    headers = {"Content-Type": "application/x-ndjson"}
    if account:
        headers["Authorization"] = f"Basic {base64.b64encode(account.encode()).decode()}"

    def ask(body: bytes | None) -> bytes:
        request = urllib.request.Request(bare, data=body, headers=headers)  # noqa: S310 - http(s) only
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_WAIT_SEC) as answer:
            found: bytes = answer.read(_MOST_BYTES + 1)
        if len(found) > _MOST_BYTES:
            raise LedgerError("the witness answers with more than it may", file=shown)
        return found

    def read() -> list[SignedHead]:
        try:
            return read_heads(ask(None).splitlines(), shown)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return []
            raise LedgerError(f"the witness answers {error.code}", file=shown) from error
        except OSError as error:
            raise LedgerError("the witness cannot be reached", file=shown, found=_reason(error)) from error

    def add(head: SignedHead) -> None:
        try:
            ask(f"{head.model_dump_json()}\n".encode())
        except urllib.error.HTTPError as error:
            raise LedgerError(f"the witness answers {error.code}", file=shown) from error
        except OSError as error:
            raise LedgerError("the witness cannot be reached", file=shown, found=_reason(error)) from error

    return Witness(shown, read, add)


def _reason(error: OSError) -> str:
    return str(getattr(error, "reason", error))


def sign_ledger(database: Database, where: str, key_file: Path) -> SignedHead:
    """Sign where the ledger stands now and add it to the witness. An unchanged ledger is not signed twice.

    LedgerError if the ledger no longer holds what was signed last: then nothing is signed.
    """
    key = read_key(key_file)
    witness = find_witness(where)
    heads = witness.read()
    leaves, hashes = read_leaves(database, [head.rows for head in heads])
    for problem in [*check_heads(heads), *_differences(heads, len(leaves), hashes)]:
        raise LedgerError(
            f"the ledger is not signed: {problem}",
            file=witness.shown,
            remedy="adjudge ledger verify --witness says more; restore a backup, or begin a new witness.",
        )
    newest = heads[-1] if heads else None
    if newest is not None and newest.root != leaves.root(newest.rows).hex():
        raise LedgerError(
            "the ledger is not signed: rows before the last signed head were changed", file=witness.shown
        )
    if newest is not None and newest.rows == len(leaves):
        return newest
    made = sign_head(leaves, hashes[len(leaves)], key, before=newest)
    witness.add(made)
    return made


def check_witness(database: Database, where: str, public_key: str | None = None) -> list[str]:
    """What a ledger lacks of what was signed; nothing if it extends every head of the witness."""
    heads = find_witness(where).read()
    problems = list(check_heads(heads, public_key))
    if not heads:
        return ["the witness holds no head"]
    leaves, hashes = read_leaves(database, [head.rows for head in heads])
    problems += _differences(heads, len(leaves), hashes)
    known = [head for head in heads if head.rows <= len(leaves)]
    if known and not problems and known[-1].root != leaves.root(known[-1].rows).hex():
        problems.append(f"rows up to {known[-1].rows} are not those that were signed")
    return problems


def _differences(heads: list[SignedHead], rows: int, hashes: dict[int, bytes]) -> Iterator[str]:
    for head in heads:
        when = head.signed_at.isoformat(timespec="seconds")
        if head.rows > rows:
            cut = "its end was cut off"
            yield f"the ledger ends at row {rows}, but {head.rows} rows were signed at {when}: {cut}"
        elif hashes[head.rows].hex() != head.chain:
            yield f"row {head.rows} is not the one that was signed at {when}: rows up to it were rewritten"
