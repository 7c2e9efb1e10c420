"""Users, their passwords and their tokens, on the ledger's desk; every change stands in the chain.

A password is kept as its Argon2id hash, a token as the SHA-256 of its secret, which is random and long.
Either is shown once or never. Removing a user takes their sessions and tokens along.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import uuid
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.errors import MissingExtra, UsageError
from adjudge.ledger import Desk, NewAttachment
from adjudge.web.access.visitor import LOCAL_USER, UserRole, Visitor

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

SESSION_SEC = 12 * 3600.0
SHORTEST_PASSWORD = 10
LOG_KIND = "access"
"""What the log's rows in the chain are called."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


class User(Struct, frozen=True):
    """Somebody who may log in."""

    name: str
    role: UserRole
    discipline: str | None
    created_at: str
    tokens: tuple[str, ...] = ()
    """The ids of their tokens."""


class Users:
    """The users of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._desk = Desk(ledger)

    def any(self) -> bool:
        """Is there at least one user?"""
        return bool(self._desk.all("user"))

    def knows(self, name: str) -> bool:
        """Is there a user of this name?"""
        return self._desk.get("user", name) is not None

    def all(self) -> list[User]:
        """Every user, by name."""
        tokens = self._desk.all("token")
        return [
            User(
                name,
                UserRole(found["role"]),
                found["discipline"],
                found["created_at"],
                tuple(key for key, token in tokens.items() if token["user"] == name),
            )
            for name, found in self._desk.all("user").items()
        ]

    def add(
        self,
        name: str,
        role: UserRole,
        *,
        password: str | None,
        discipline: str | None = None,
        by: str = "command line",
    ) -> None:
        """Add a user, or give one another role or password. Without a password only tokens let them in."""
        if _NAME.fullmatch(name) is None or name == LOCAL_USER:
            raise UsageError(
                "this cannot be the name of a user",
                field="NAME",
                found=name,
                allowed="up to 64 letters, digits and . _ @ -, and not 'local'",
            )
        if password is not None and len(password) < SHORTEST_PASSWORD:
            raise UsageError("the password is too short", allowed=f"at least {SHORTEST_PASSWORD} characters")
        value = {
            "role": role.value,
            "discipline": discipline,
            "password": None if password is None else _hasher().hash(password),
            "created_at": _now(),
        }
        self._desk.put("user", name, value)
        self._end_sessions(name)
        self.log("user added", name, by=by, role=role.value)

    def remove(self, name: str, *, by: str = "command line") -> None:
        """Remove a user with their sessions and tokens. What they reviewed stays."""
        if not self._desk.remove("user", name):
            raise UsageError("there is no such user", found=name, remedy="adjudge users list names them.")
        self._end_sessions(name)
        for key, token in self._desk.all("token").items():
            if token["user"] == name:
                self._desk.remove("token", key)
        self.log("user removed", name, by=by)

    def make_token(self, name: str, *, by: str = "command line") -> tuple[str, str]:
        """A token for a user: (its id, the whole of it). It is never shown again."""
        if self._desk.get("user", name) is None:
            raise UsageError("there is no such user", found=name, remedy="adjudge users list names them.")
        key, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        self._desk.put("token", key, {"user": name, "hash": _digest(secret), "created_at": _now()})
        self.log("token made", name, by=by, token=key)
        return key, f"adjudge_{key}_{secret}"

    def revoke_token(self, key: str, *, by: str = "command line") -> None:
        """Take a token back."""
        if not self._desk.remove("token", key):
            raise UsageError("there is no such token", found=key, remedy="adjudge users list names them.")
        self.log("token revoked", key, by=by)

    def by_password(self, name: str, password: str) -> Visitor | None:
        """Who this is; None if name and password do not belong together. Takes as long either way."""
        from argon2.exceptions import InvalidHashError, VerifyMismatchError

        found = self._desk.get("user", name)
        kept = found["password"] if found is not None and found["password"] is not None else _nobody()
        try:
            _hasher().verify(kept, password)
        except (VerifyMismatchError, InvalidHashError):
            return None
        return None if found is None else _visitor(name, found)

    def by_token(self, text: str) -> Visitor | None:
        """Whose token this is; None if it is nobody's."""
        parts = text.split("_", 2)
        if len(parts) != 3 or parts[0] != "adjudge" or not text.isascii():
            return None
        with self._desk.looking() as drawer:
            found = drawer.get("token", parts[1])
            if found is None or not hmac.compare_digest(found["hash"], _digest(parts[2])):
                return None
            user = drawer.get("user", found["user"])
        return None if user is None else _visitor(found["user"], user)

    def begin_session(self, name: str) -> str:
        """A new session of a user; its id goes into a cookie and is kept as its hash."""
        session = secrets.token_urlsafe(32)
        self._desk.put("session", _digest(session), {"user": name}, lasts=SESSION_SEC)
        return session

    def by_session(self, session: str) -> Visitor | None:
        """Whose session this is; None if it has ended."""
        with self._desk.looking() as drawer:
            found = drawer.get("session", _digest(session))
            user = None if found is None else drawer.get("user", found["user"])
        return None if found is None or user is None else _visitor(found["user"], user, session)

    def end_session(self, session: str) -> None:
        """End a session."""
        self._desk.remove("session", _digest(session))

    def secret(self) -> bytes:
        """What page tokens are made with: the same for every server over this ledger, and after a restart."""
        found = self._desk.get("secret", "pages")
        if found is None and self._ledger.database.read_only:
            return secrets.token_bytes(32)
        if found is None:
            with self._desk.exclusive() as drawer:
                found = drawer.get("secret", "pages") or {"hex": secrets.token_hex(32)}
                drawer.put("secret", "pages", found)
        return bytes.fromhex(found["hex"])

    def log(self, what: str, about: str, *, by: str, **more: str) -> None:
        """Write into the log, which is part of the chain and can only grow."""
        document = {"what": what, "about": about, "by": by, "at": _now(), **more}
        self._ledger.attach([NewAttachment(LOG_KIND, uuid.uuid4().hex, document)])

    def _end_sessions(self, name: str) -> None:
        for key, session in self._desk.all("session").items():
            if session["user"] == name:
                self._desk.remove("session", key)


def _visitor(name: str, found: dict[str, Any], session: str | None = None) -> Visitor:
    return Visitor(name, UserRole(found["role"]), found["discipline"], session)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def _hasher() -> Any:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingExtra("web", needed_for="a password") from None
    return PasswordHasher()


@cache
def _nobody() -> str:
    """A hash that no password fits, so that a name that does not exist takes as long as one that does."""
    return str(_hasher().hash(secrets.token_urlsafe(32)))
