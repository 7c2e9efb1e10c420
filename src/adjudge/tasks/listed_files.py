"""Files that an instruction lists below a folder: "produce these files in `/app/results/`: - `fit.json` …".

The folder stands in a line that asks to write something; the names are the first words of list items behind
it, up to the next heading. Paths of such a text that are only said to be there are given, and no answer.
"""

from __future__ import annotations

import re

_WRITES = re.compile(
    r"\b(?:produc|writ|sav|creat|generat|output|stor|plac|put)(?:e|es|ing|s)?\b", re.IGNORECASE
)
_GIVEN = re.compile(
    r"\b(?:inputs?|given|provided|reference|located|available|load|read|from|(?:is|are) (?:at|in))\b",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"`(/[\w./-]*[\w-])/`")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\**`([\w-][\w.-]*\.[A-Za-z]\w*)`")


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
    """Does every line that names the path say that it is there, and none to write it?"""
    lines = [line for line in instruction.splitlines() if path in line]
    return all(_GIVEN.search(line) and not _WRITES.search(line) for line in lines)
