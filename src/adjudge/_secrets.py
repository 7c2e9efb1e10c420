"""No secret is shown: what stands in the URLs of a text that is printed or recorded."""

from __future__ import annotations

import re

ACCOUNT = re.compile(r"(?<=://)([^:/?#@\s]*:[^\s'\"]*|[^/?#\s]*)@")
"""Up to the last `@` of the word: a password may have a `/`, `?`, `#` or `@` that nobody encoded."""
SECRET_OPTION = re.compile(
    r"(?<=[?&;])([\w.-]*(?:pass|pwd|secret|token|key|sig|credential)[\w.-]*)=[^&;\s'\"]*", re.IGNORECASE
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
