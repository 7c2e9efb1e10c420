"""Absolute paths of files that a text mentions: an instruction in any script, or the source of a verifier.

Read the way people write: in backquotes, bold, quotation marks (then with spaces, too), at the end of a
sentence, glued to the next word. Patterns such as `room_{id}.json` name many files and count as none, and so
does `/path/to/scan.csv`, which stands for a path that the reader has to think of.

Files may also be listed below a folder: "produce these files in `/app/results/`: - `fit.json` …". The folder
stands in a line that asks to write something; the names are the first words of list items behind it, up to
the next heading.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path

from adjudge._files import read_plain_file
from adjudge._lazy import late_pattern

HOME_OF_ROOT = "/root/"
"""What `~/` means in a task's container, whose user is root unless it says otherwise."""
_SOURCES = frozenset({".sh", ".py", ".js", ".ts", ".rb", ".pl", ".R", ".jl", ".go", ".rs", ""})
VENDORED = frozenset({"node_modules", "site-packages", "vendor", "vendored", "third_party", ".venv", "venv"})
"""Folders of packages that were put beside the tests: other people's files."""
_MAX_SOURCE = 1 << 20
_MAX_SOURCES = 50

# Not after a letter, a dot or a closing brace: `./workspace/x`, `src/app/x`, `${DIR}/x` are other paths. The
# characters left out end a path in prose of any script, in Markdown, HTML or a shell line.
_STOPS = (
    r"\s`'\"()\[\]{}<>|*?,;:!$&\\^\x00-\x1f\x7f\u200b-\u200f\ufeff"
    r"“”‘’«»‹›…—–•，。、；：！？（）「」『』【】《》〈〉"
)
_MENTION = late_pattern(rf"(?:(?<=file://)|(?<![A-Za-z0-9.~/}})-]))(?P<home>~?)/(?!/)(?P<path>[^{_STOPS}]+)")
_QUOTED = late_pattern(r"""(?P<mark>[`"'])(?P<path>/[^`"'\n/][^`"'\n]{0,200}\.\w{1,8})(?P=mark)""")
_EXTENSION = late_pattern(r"[^/.]\.[A-Za-z0-9]+$")
# 写入/workspace/output.md文件: scripts without spaces go on right after the extension.
_GLUED = late_pattern(r"(?<=[^/.])\.[A-Za-z0-9]+(?=[^\x00-\x7f][^/]*$)")
_STANDS_FOR_ANY = late_pattern(r"/?(?:(?:absolute|full)/)?(?:path/(?:to|of)|your|some)/", re.IGNORECASE)
_PATTERN = tuple("{<[*?$")
_GOES_ON = late_pattern(r"(?:\{[^{}\n]*\}|\[[^\[\]\n]*\]|<\w[^<>\n]*>|\$\{?\w+\}?|[*?]+)[\w-]*\.\w")
_ENDS = late_pattern(r"(?:\*\*++|\?++)(?!\.?[\w/-])|</\w+>|<br\b", re.IGNORECASE)

_WRITES = re.compile(
    r"\b(?:produc|writ|sav|creat|generat|output|stor|plac|put)(?:e|es|ing|s)?\b", re.IGNORECASE
)
_GIVEN = re.compile(
    r"\b(?:inputs?|given|provided|reference|located|available|load|read|from|listed in"
    r"|(?:is|are) (?:at|in))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n")
_FOLDER = re.compile(r"`(/[\w./-]*[\w-])/`")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\**`([\w-][\w.-]*\.[A-Za-z]\w*)`")


def mentioned_files(text: str) -> list[str]:
    """Every path that can be a file, with or without an extension, in the order of the last mentions."""
    found: dict[str, None] = {}
    for _, path in sorted(_mentions(text)):
        found.pop(path, None)
        found[path] = None
    return list(found)


def listed_files(instruction: str) -> list[str]:
    """The paths of the listed files, in the order of the list; none if no list follows a folder."""
    folder: str | None = None
    found: dict[str, None] = {}
    for line in instruction.splitlines():
        if line.startswith("#"):
            folder = None
        elif (named := _FOLDER.search(line)) and _WRITES.search(line):
            folder = named[1]
        elif folder is not None and (item := _ITEM.match(line)):
            found[f"{folder}/{item[1]}"] = None
    return list(found)


def is_given(path: str, instruction: str) -> bool:
    """Does every sentence that names the path say that it is there, and none to write it?"""
    said = [part for part in _SENTENCE.split(instruction) if path in part]
    return all(_GIVEN.search(part) and not _WRITES.search(part) for part in said)


def has_extension(path: str) -> bool:
    """Does the name end like a file's?"""
    return _EXTENSION.search(path) is not None


def files_in_sources(home: Path, files: Collection[str]) -> set[str]:
    """The paths that the programs in a task's `tests/` name: what its verifier looks at. Bounded.

    Packages that lie there name other people's files; the sources nearest to the top come first.
    """
    found: set[str] = set()
    for path in source_files(files):
        read = read_plain_file(f"{home}/{path}", limit=_MAX_SOURCE)
        if read.data is not None:
            found.update(_named_in(read.data))
    return found


def source_files(files: Collection[str]) -> list[str]:
    """The programs in `tests/`, those nearest to the top first; bounded."""
    sources = [path for path in files if path.startswith("tests/") and _is_source(path)]
    return sorted(sources, key=lambda path: (path.count("/"), path))[:_MAX_SOURCES]


@lru_cache(maxsize=512)  # the same helpers lie in many tasks
def _named_in(source: bytes) -> frozenset[str]:
    return frozenset(mentioned_files(source.decode("utf-8", "replace")))


def _is_source(path: str) -> bool:
    name = path.rpartition("/")[2]
    return (
        (f".{name.rpartition('.')[2]}" if "." in name else "") in _SOURCES
        and name not in ("adjudge_kit.py", "adjudge_untrusted.py")
        and VENDORED.isdisjoint(path.split("/"))
    )


def _mentions(text: str) -> Iterator[tuple[int, str]]:
    for quoted in _QUOTED.finditer(text):
        if " " in quoted["path"] and _is_plain(quoted["path"][1:]):
            yield quoted.start(), quoted["path"]
    for mention in _MENTION.finditer(text):
        path = mention["path"]
        glued = _GLUED.search(path)
        path = path[: glued.end()] if glued else path.rstrip(".-")
        before = text[mention.start() - 1 : mention.start()]
        if not glued and _names_many(path, before, text[mention.end() : mention.end() + 200]):
            continue
        if before == "_":
            path = path.rstrip("_").rstrip(".")  # _/workspace/a.md_ is emphasis
        if _is_plain(path):
            yield mention.start(), (HOME_OF_ROOT if mention["home"] else "/") + path


def _is_plain(path: str) -> bool:
    """Can it be the path of a file? No name holds a null byte, and nobody means other control characters."""
    whole = bool(path) and path.isprintable() and not path.endswith("/") and not _STANDS_FOR_ANY.match(path)
    return whole and not {"", ".", ".."} & set(path.split("/"))


def _names_many(path: str, before: str, after: str) -> bool:
    """`room_{id}.json` and `*.csv` are many files; `a.md**`, `a.md?` and `a.md<br>` are one."""
    if not after.startswith(_PATTERN) or (before == "*" and after.startswith("*")):
        return False
    return bool(_GOES_ON.match(after)) if _EXTENSION.search(path) else not _ENDS.match(after)
