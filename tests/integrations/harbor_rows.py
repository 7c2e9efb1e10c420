"""Every reward file of the reference's tables: what a verifier wrote, and what adjudge must make of it.

`tests/harbor/record_fixtures.py` makes one tiny task of each row and lets real Harbor run it; the import
tests then read the recorded job. `reward` is None where no usable reward was written.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One reward file. `content` is None where the row makes something other than a file."""

    name: str
    content: bytes | None
    reward: float | None
    file: str = "reward.json"
    also_text: bytes | None = None
    """A reward.txt beside it."""
    says: str = ""
    """What `validity.errors` must mention where there is no usable reward."""


JSON_ROWS = (
    Row("plain", b'{"reward": 1}', 1.0),
    Row("float", b'{"reward": 0.25}', 0.25),
    Row("several-keys", b'{"reward": 0.5, "speed": 3}', 0.5),
    Row("no-reward-key", b'{"accuracy": 0.5, "style": 1}', None, says="accuracy"),
    Row("empty-key", b'{"": 1}', None, says="reward"),
    Row("negative", b'{"reward": -1}', None, says="-1"),
    Row("too-large", b'{"reward": 17.5}', None, says="17.5"),
    Row("negative-zero", b'{"reward": -0.0}', 0.0),
    Row("denormal", b'{"reward": 5e-324}', 5e-324),
    Row("true", b'{"reward": true}', None, says="True"),
    Row("duplicate-keys", b'{"reward": 0, "reward": 1}', None, says="reward"),
    Row("empty-object", b"{}", None, says="reward"),
    Row("string", b'{"reward": "0.5"}', None, says="0.5"),
    Row("nan-string", b'{"reward": "NaN"}', None, says="NaN"),
    Row("null", b'{"reward": null}', None, says="None"),
    Row("nested", b'{"reward": {"value": 1}}', None, says="value"),
    Row("list-value", b'{"reward": [1]}', None, says="[1]"),
    Row("nan", b'{"reward": NaN}', None, says="NaN"),
    Row("infinity", b'{"reward": Infinity}', None, says="Infinity"),
    Row("overflow", b'{"reward": 1e309}', None, says="reward"),
    Row("whitespace", b" \n", None, says="empty"),
    Row("truncated", b'{"reward": 1', None, says="JSON"),
    Row("trailing-junk", b'{"reward": 1} x', None, says="JSON"),
    Row("bom", b'\xef\xbb\xbf{"reward": 1}', 1.0),
    Row("bad-utf8", b'{"reward": 1, "note": "\xff"}', None, says="UTF-8"),
    Row("utf16", '{"reward": 1}'.encode("utf-16"), None, says="UTF-8"),
    Row("digits-5000", b'{"reward": ' + b"9" * 5000 + b"}", None, says="reward.json"),
    Row("zero-bytes", b"", None, says="empty"),
    Row("bare-number", b"1", None, says="object"),
    Row("bare-true", b"true", None, says="object"),
    Row("bare-list", b"[1]", None, says="object"),
    Row("bare-string", b'"1"', None, says="object"),
    Row("bare-null", b"null", None, says="object"),
    Row("folder", None, None, says="director"),
    Row("missing", None, None, says="reward.json"),
    Row("link", None, None, says="link"),
    Row("bad-json-good-txt", b"{", None, also_text=b"1", says="JSON"),
)

TEXT_ROWS = (
    Row("txt-plain", b"1\n", 1.0, "reward.txt"),
    Row("txt-padded", b"  0.5 \n", 0.5, "reward.txt"),
    Row("txt-negative", b"-1", None, "reward.txt", says="-1"),
    Row("txt-17", b"17", None, "reward.txt", says="17"),
    Row("txt-underscore", b"1_000", None, "reward.txt", says="1_000"),
    Row("txt-fullwidth", "１".encode(), None, "reward.txt", says="１"),
    Row("txt-nan", b"nan", None, "reward.txt", says="nan"),
    Row("txt-inf", b"inf", None, "reward.txt", says="inf"),
    Row("txt-overflow", b"1e309", None, "reward.txt", says="1e309"),
    Row("txt-true", b"true", None, "reward.txt", says="true"),
    Row("txt-two-numbers", b"0 1", None, "reward.txt", says="0 1"),
    Row("txt-hex", b"0x1", None, "reward.txt", says="0x1"),
    Row("txt-percent", b"50%", None, "reward.txt", says="50%"),
    Row("txt-empty", b"", None, "reward.txt", says="bare number"),
)

ROWS = JSON_ROWS + TEXT_ROWS
DEEP_NEST = b'{"reward": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
HUGE_INTEGER = b'{"reward": ' + b"9" * 401 + b"}"
