"""Small files that `RUN` lines of a Dockerfile write out in full: `printf 'a,b\\n1,2\\n' > /app/data.csv`.

Nothing is executed. Only `printf` and `echo` of plain text count, with `>` or `>>` behind them; text that
holds variables, formats or anything else that a shell would work out is passed over.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

_ENDS = frozenset({"&&", ";", "||", "|", "&", "(", ")"})
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_LONGEST = 65_536


def texts_written(command: str) -> Iterator[tuple[str, bytes, bool]]:
    """Of each file that a command line writes out: its path as written, the text, and if it is appended."""
    if len(command) > _LONGEST or not re.search(r"\b(?:printf|echo)\b", command):
        return
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    one: list[str] = []
    try:
        for word in words:
            if word not in _ENDS:
                one.append(word)
                continue
            if word != "|" and (found := _written(one)) is not None:
                yield found
            one = []
    except ValueError:  # a quotation mark that is never closed
        return
    if (found := _written(one)) is not None:
        yield found


def _written(words: list[str]) -> tuple[str, bytes, bool] | None:
    if len(words) < 4 or words[0] not in ("printf", "echo") or words[-2] not in (">", ">>"):
        return None
    said = words[1:-2]
    if any(mark in word for word in (*said, words[-1]) for mark in "$`") or ">" in said:
        return None
    text = _printed(said) if words[0] == "printf" else _echoed(said)
    return None if text is None else (words[-1], text.encode("utf-8", "surrogateescape"), words[-2] == ">>")


def _printed(said: list[str]) -> str | None:
    return _unescaped(said[0]) if len(said) == 1 and "%" not in said[0] else None


def _echoed(said: list[str]) -> str | None:
    options = "".join(word[1:] for word in said[:1] if re.fullmatch(r"-[en]{1,2}", word))
    plain = " ".join(said[1:] if options else said)
    if "\\" in plain and "e" not in options:
        return None  # shells differ
    text = _unescaped(plain) if "e" in options else plain
    return text if text is None or "n" in options else f"{text}\n"


def _unescaped(text: str) -> str | None:
    if any(match[1] not in _ESCAPES for match in _ESCAPE.finditer(text)):
        return None
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], text)
