"""`task.toml` as typed look-ups: what adjudge reads must have the right type, what it does not read is free.

Every refusal names the file, the key as the author wrote it (`[verifier] timeout_sec`), what was found and
what is allowed.
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import TaskError

MAX_DEPTH = 200


@dataclass(frozen=True)
class Settings:
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
        """A string, or None where the key is absent."""
        value = self.section(section).get(key)
        if value is not None and (not isinstance(value, str) or not value.strip() or not value.isprintable()):
            raise self.bad(section, key, value, "a string that is not empty and has no control characters")
        return value

    def flag(self, section: str, key: str) -> bool:
        """A boolean; False where the key is absent."""
        value = self.section(section).get(key, False)
        if not isinstance(value, bool):
            raise self.bad(section, key, value, "true or false")
        return value

    def positive(self, section: str, key: str) -> float | None:
        """A finite number above 0, or None where the key is absent."""
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
    """Parse the text of `task.toml`; an empty file is a task that declares nothing."""
    try:
        return Settings(file, tomllib.loads(content))
    except tomllib.TOMLDecodeError as error:
        raise TaskError(
            f"this is not TOML: {error}", file=file, remedy="Correct the syntax there."
        ) from error
    except (RecursionError, ValueError) as error:  # nested without end; an integer of thousands of digits
        raise TaskError(f"this TOML cannot be read: {type(error).__name__}", file=file) from error


def as_json(value: Any, depth: int = 0) -> Any:
    """A TOML value as a JSON value: dates become ISO text, and numbers JSON cannot hold become text.

    Raises ValueError for what nests without end, which dotted keys can do.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {key: as_json(child, depth + 1) for key, child in value.items()}
    if isinstance(value, list):
        return [as_json(child, depth + 1) for child in value]
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
