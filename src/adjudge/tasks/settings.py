"""`task.toml` as typed look-ups: what adjudge reads must have the right type, what it does not read is free.

Every refusal names the file, the key as the author wrote it (`[verifier] timeout_sec`), what was found and
what is allowed.
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.errors import TaskError

MAX_DEPTH = 200
MAX_CHARACTERS = 1 << 20
MAX_KEY_PARTS = 64


class Settings(Struct, frozen=True):
    """The parsed `task.toml`; `file` is only for messages."""

    file: Path
    data: dict[str, Any]

    def section(self, name: str) -> dict[str, Any]:
        """The table `[name]` (dots go deeper); an absent one is empty."""
        table = self.data
        for part in name.split("."):
            table = table.get(part, {})
            if not isinstance(table, dict):
                raise TaskError(
                    "this must be a table", file=self.file, field=f"[{name}]", found=table, allowed="a table"
                )
        return table

    def text(self, section: str, key: str) -> str | None:
        """A string, or None if the key is absent."""
        value = self.section(section).get(key)
        if value is not None and (not isinstance(value, str) or not value.strip() or not value.isprintable()):
            raise self.bad(section, key, value, "a string that is not empty and has no control characters")
        return value

    def texts(self, section: str, key: str) -> list[str]:
        """A string, or a list of them; empty if the key is absent."""
        value = self.section(section).get(key)
        if not isinstance(value, list):
            text = self.text(section, key)
            return [] if text is None else [text]
        if not value or not all(isinstance(v, str) and v.strip() and v.isprintable() for v in value):
            raise self.bad(section, key, value, "a string, or a list of strings that are not empty")
        return list(value)

    def flag(self, section: str, key: str) -> bool:
        """A boolean; False if the key is absent."""
        value = self.section(section).get(key, False)
        if not isinstance(value, bool):
            raise self.bad(section, key, value, "true or false")
        return value

    def positive(self, section: str, key: str) -> float | None:
        """A finite number above 0, or None if the key is absent."""
        value = self.section(section).get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.bad(section, key, value, "a number above 0")
        if not 0 < value < 1e15 or not math.isfinite(value):
            raise self.bad(section, key, value, "a finite number above 0")
        return value

    def bad(
        self, section: str, key: str, found: object, allowed: str, remedy: str | None = None
    ) -> TaskError:
        """The refusal of one value."""
        return TaskError(
            "this value cannot be used",
            file=self.file,
            field=f"[{section}] {key}",
            found=found,
            allowed=allowed,
            remedy=remedy,
        )


def parse_settings(file: Path, content: str) -> Settings:
    """Parse the text of `task.toml`; an empty file is a task that declares nothing.

    Bounded in size and in the parts of a key: the parser takes memory by the square of the latter.
    """
    if len(content) > MAX_CHARACTERS:
        raise TaskError(f"this file is longer than {MAX_CHARACTERS >> 10} K characters", file=file)
    if has_deep_keys(content, MAX_KEY_PARTS):
        raise TaskError(f"a key has more than {MAX_KEY_PARTS} parts", file=file, remedy="Shorten it.")
    try:
        return Settings(file, tomllib.loads(content))
    except tomllib.TOMLDecodeError as error:
        raise TaskError(
            f"this is not TOML: {error}", file=file, remedy="Correct the syntax there."
        ) from error
    except (RecursionError, ValueError) as error:  # nested without end; an integer of thousands of digits
        raise TaskError(f"this TOML cannot be read: {type(error).__name__}", file=file) from error


def has_deep_keys(toml: str, most: int) -> bool:
    """Does a line hold something like a key of more than `most` parts? Linear, and without parsing."""
    for line in toml.splitlines():
        if line.count(".") < most:
            continue
        heads = line.split("=")[:-1] or [line] if line.lstrip().startswith("[") else line.split("=")[:-1]
        if any(sum(1 for part in head.split(".") if part.strip()) > most for head in heads):
            return True
    return False


def toml_as_json(value: Any, depth: int = 0) -> Any:
    """A TOML value as a JSON value: dates become ISO text, and numbers JSON cannot hold become text.

    Raises ValueError for what nests without end, which dotted keys can do.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {key: toml_as_json(child, depth + 1) for key, child in value.items()}
    if isinstance(value, list):
        return [toml_as_json(child, depth + 1) for child in value]
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
