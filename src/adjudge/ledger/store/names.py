"""Every experiment, agent, model, task id, digest, reviewer and category once, as a number.

Rows refer to names by number: indexes stay small, and statistics read integers instead of a million
strings. A name never changes, so a number once known is known for good and may be cached.
`NO_NAME` (0) stands for "none": no model, no task digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import select

from adjudge.ledger.store.schema import names
from adjudge.ledger.store.sql import chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.store.chain import Appender

NO_NAME = 0
_LONGEST = 500


def name_key(text: str) -> str:
    """The text under which a name is kept.

    No database holds half of a surrogate pair, PostgreSQL no U+0000 nor very long keys. Such a name (nobody
    gives one, but an agent might) is kept as a readable beginning and a digest; documents hold it as it was.
    """
    if len(text) <= _LONGEST and is_storable(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    begin = text[:100].replace("\0", "␀").encode("utf-8", "replace").decode("utf-8")
    return f"{begin}…{digest}"


def is_storable(text: str) -> bool:
    """Can both databases hold this text as it is? Not U+0000, and not half of a surrogate pair."""
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Names:
    """Looks names up, and in a write makes those that are missing."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    def find(self, connection: Connection, texts: Iterable[str]) -> dict[str, int]:
        """The number of each text that has one."""
        keys = {text: name_key(text) for text in texts}
        unknown = {key for key in keys.values() if key not in self._numbers}
        for some in chunks(unknown):
            for seq, text in connection.execute(
                select(names.c.seq, names.c.text).where(names.c.text.in_(some))
            ):
                self._numbers[text] = seq
                self._texts[seq] = text
        return {text: self._numbers[key] for text, key in keys.items() if key in self._numbers}

    def number(self, connection: Connection, appender: Appender, texts: Iterable[str]) -> dict[str, int]:
        """The number of each text, made if there was none. Only inside the write lock.

        New numbers are not cached: the transaction may yet be undone.
        """
        wanted = list(dict.fromkeys(texts))
        found = self.find(connection, wanted)
        made: dict[str, int] = {}
        for text in wanted:
            if text not in found:
                key = name_key(text)
                if key not in made:
                    made[key] = appender.append("names", {"text": key})
                found[text] = made[key]
        return found

    def texts(self, connection: Connection, numbers: Iterable[int]) -> dict[int, str]:
        """The text of each number; `NO_NAME` and numbers that are not names are left out."""
        wanted = set(numbers) - {NO_NAME}
        for some in chunks(wanted - self._texts.keys()):
            for seq, text in connection.execute(
                select(names.c.seq, names.c.text).where(names.c.seq.in_(some))
            ):
                self._numbers[text] = seq
                self._texts[seq] = text
        return {number: self._texts[number] for number in wanted if number in self._texts}
