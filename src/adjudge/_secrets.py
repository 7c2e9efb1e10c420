"""No secret is shown: what stands in the URLs of a text that is printed or recorded."""

from __future__ import annotations

import re

from adjudge._lazy import late_pattern

ACCOUNT = late_pattern(r"(?<=://)([^:/?#@\s]{0,999}:[^\s'\"]{0,1999}|[^/?#\s]{0,1999})@")
"""Up to the last `@` of the word: a password may have a `/`, `?`, `#` or `@` that nobody encoded.
Both patterns are bounded: an agent's words may stand in a message."""
SECRET_OPTION = late_pattern(
    r"(?<=[?&;])([\w.-]{0,99}(?:pass|pwd|secret|token|key|sig|credential)[\w.-]{0,99})=[^&;\s'\"]*",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """Text with every URL in it safe to print: passwords, tokens and keys stand as `…`.

    Of an account only the name is shown, and only if a password follows it: alone it may be a token.
    """
    return SECRET_OPTION.sub(r"\1=…", ACCOUNT.sub(_masked, text))


def _masked(account: re.Match[str]) -> str:
    name, colon, _ = account[1].partition(":")
    plain = account.string[: account.start()].endswith(("postgresql://", "postgres://", "+psycopg://"))
    if colon:
        return f"{name}:…@"
    return f"{name}@" if plain else "…@"
