"""`adjudge users`: who may log in to a server over this ledger, and as what."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.web import Users

app = typed.Commands(help="Say who may use a server over this ledger: add, list, remove, token.")
_Name = Annotated[str, typed.Argument(metavar="NAME", help="The user's name; it stands in annotations.")]


@app.command("add")
@prints(Format.TERMINAL, Format.JSON)
def add(
    out: Out,
    name: _Name,
    *,
    role: Annotated[
        str, typed.Option("--role", metavar="ROLE", help="viewer, reviewer, admin.")
    ] = "reviewer",
    discipline: Annotated[
        str | None, typed.Option("--discipline", metavar="WORD", help="What they are an expert in.")
    ] = None,
    password: Annotated[
        bool,
        typed.Option(
            "--password/--no-password", help="Ask for a password; without, only tokens let them in."
        ),
    ] = True,
    ledger: LedgerOption = None,
) -> None:
    """Add a user, or give one another role or password.

    The password is asked for, or read from stdin if that is no terminal.
    """
    from adjudge.ledger import open_ledger
    from adjudge.web import UserRole, Users

    words = [r.value for r in UserRole]
    if role not in words:
        raise UsageError("there is no such role", field="--role", found=role, allowed=", ".join(words))
    with open_ledger(ledger) as opened:
        Users(opened).add(
            name, UserRole(role), password=_password() if password else None, discipline=discipline
        )
    _told(out, {"name": name, "role": role}, f"{name} may log in as {role}.")


@app.command("list")
@prints(Format.TERMINAL, Format.JSON)
def list_(out: Out, *, ledger: LedgerOption = None) -> None:
    """List the users, their roles and their tokens' ids."""
    from adjudge.ledger import open_ledger
    from adjudge.web import Users

    with open_ledger(ledger, create=False) as opened:
        found = Users(opened).all()
    if out.for_programs:
        out.write_json(
            [
                {"name": u.name, "role": u.role.value, "discipline": u.discipline, "tokens": list(u.tokens)}
                for u in found
            ]
        )
        return
    safe = out.terminal.safe
    lines = []
    for user in found:
        tokens = f"tokens: {', '.join(user.tokens)}" if user.tokens else ""
        parts = (user.name, user.role.value, user.discipline, tokens)
        lines.append("  ".join(part for part in parts if part))
    out.write("".join(f"{safe(line)}\n" for line in lines))
    if not found:
        out.say("There are no users; on 127.0.0.1 none are needed.")


@app.command("remove")
@prints(Format.TERMINAL, Format.JSON)
def remove(out: Out, name: _Name, *, ledger: LedgerOption = None) -> None:
    """Remove a user with their sessions and tokens. What they reviewed stays."""
    with_users(ledger, lambda users: users.remove(name))
    _told(out, {"removed": name}, f"{name} may no longer log in.")


@app.command("token")
@prints(Format.TERMINAL, Format.JSON)
def token(
    out: Out,
    name: _Name,
    *,
    revoke: Annotated[
        str | None, typed.Option("--revoke", metavar="ID", help="Take this token back instead.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Make a token for programs. It is shown once; the ledger keeps only its hash."""
    if revoke is not None:
        with_users(ledger, lambda users: users.revoke_token(revoke))
        _told(out, {"revoked": revoke}, f"The token {revoke} no longer works.")
        return
    made: list[tuple[str, str]] = []
    with_users(ledger, lambda users: made.append(users.make_token(name)))
    key, text = made[0]
    if out.for_programs:
        out.write_json({"id": key, "token": text})
        return
    print(f"The token {key} of {name}; it is not shown again:", file=sys.stderr)
    out.write(f"{text}\n")


def _told(out: Out, value: dict[str, str], sentence: str) -> None:
    if out.for_programs:
        out.write_json(value)
    else:
        out.write(f"{sentence}\n")


def with_users(ledger: str | None, act: Callable[[Users], object]) -> None:
    """Do something with the users of a ledger that is there."""
    from adjudge.ledger import open_ledger
    from adjudge.web import Users

    with open_ledger(ledger, create=False) as opened:
        act(Users(opened))


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    from getpass import getpass

    first = getpass("Password: ")
    if getpass("Again: ") != first:
        raise UsageError("the two passwords differ")
    return first
