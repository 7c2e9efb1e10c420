"""Small values that can be made again, kept between commands in the user's cache folder.

A value counts only if this user wrote it, nobody else could have, and it says that it is of the key it is
looked up by. A cache that cannot be read or written costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from adjudge._files import cache_folder

_MOST_BYTES = 1 << 20


def key_of(*parts: object) -> str:
    """A name for these facts, which are JSON: other facts have another."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def recall(kind: str, key: str) -> dict[str, Any] | None:
    """What was kept of this kind under this key, if it can be trusted."""
    try:
        path = cache_folder() / kind / f"{key}.json"
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return None
            found = json.loads(file.read(_MOST_BYTES))
        return dict(found["value"]) if found["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(kind: str, key: str, value: dict[str, Any]) -> None:
    """Keep a JSON value, in place of what was kept under this key."""
    with contextlib.suppress(OSError):
        folder = cache_folder() / kind
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            json.dump({"key": key, "value": value}, file)
        Path(file.name).replace(folder / f"{key}.json")
