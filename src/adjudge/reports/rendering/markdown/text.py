"""Text and tables in Markdown that no name can break out of: what goes into a pull request is read by many.

Everything that could be markup is escaped: tables stay tables, nothing becomes a link, a heading, a tag or a
mention, and control characters are spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from adjudge.errors import printable

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_LEADING = re.compile(r"^([#+=>-]|\d+(?=[.)]))")
_LINK = re.compile(r"(?i)(?<=:)//|www\.|@")


def text(value: str) -> str:
    """Text that nobody vouches for, as text."""
    plain = printable(value).replace("&", "&amp;").replace("<", "&lt;")
    linked = _LINK.sub(lambda found: "".join(f"&#{ord(c)};" for c in found[0]), plain)
    return _LEADING.sub(
        lambda found: "".join(f"&#{ord(c)};" for c in found[0]), _SPECIAL.sub(r"\\\1", linked)
    )


def name(value: str) -> str:
    """A name in a table or sentence: escaped only where it holds anything but letters, digits and .-/() ."""
    return value if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 .,/()-]*", value) else text(value)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; the first column is names, which are escaped, the others are ours, to the right."""
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    lines += ["| " + " | ".join([name(row[0]), *row[1:]]) + " |" for row in rows]
    return [*lines, ""]
