"""Data inside an HTML page: compressed, then Base64, so that no byte can end a script or begin a tag."""

from __future__ import annotations

import base64
import json
import zlib


def pack(value: object) -> str:
    """A JSON value as text of A-Z, a-z, 0-9, +, / and = alone. Half of a surrogate pair becomes `?`."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(data.encode("utf-8", "replace"), 9)).decode("ascii")


def unpack(text: str) -> object:
    """What was packed; for tests, and for whoever wants the data of a page without a browser."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
