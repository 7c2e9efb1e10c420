"""Markdown pages as the tests read them: fenced blocks, links, anchors, and the commands they show.

A block may be preceded by an HTML comment, alone on the line above its fence:
`<!-- not run: needs Docker -->` keeps the tests from running it and tells readers of the source why.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_FENCE = re.compile(r"(?P<indent>\s*)(?P<marks>`{3,}|~{3,})(?P<language>[^\s`]*)\s*$")
_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^()\s]+)\)")
_SOURCE = re.compile(r"\b(?:src|srcset|href)=\"(?P<target>[^\"]+)\"")
_INLINE_CODE = re.compile(r"(`+)(?P<code>.+?)(?<!`)\1(?!`)")
_TERM = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` is that of its first line of content, counted from 1."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str | None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Step:
    """One command of a console block and the output shown below it; None where none is shown."""

    line: int
    command: str
    shown: str | None


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order. An unclosed fence is an error of the page."""
    opened: tuple[str, str, int, str | None] | None = None
    content: list[str] = []
    previous = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.fullmatch(line)
        if opened is None and fence:
            marked = _NOT_RUN.fullmatch(previous.strip())
            opened = (fence["marks"], fence["language"].lower(), number + 1, marked and marked[1])
            content = []
        elif opened is not None and fence and not fence["language"] and fence["marks"].startswith(opened[0]):
            _, language, first, not_run = opened
            yield Block(page, first, language, "\n".join(content) + "\n", not_run)
            opened = None
        elif opened is not None:
            content.append(line)
        previous = line
    assert opened is None, f"{page}: a fence opened before line {opened[2]} is never closed"


def steps(block: Block) -> list[Step]:
    """The commands of a console block: a line that begins with `$ `, continued after a backslash."""
    found: list[Step] = []
    lines = block.text.splitlines()
    index = 0
    while index < len(lines):
        first = index
        assert lines[index].startswith("$ "), f"{block.place}: a console block begins with '$ '"
        command = lines[index][2:]
        while command.endswith("\\"):
            index += 1
            command = command[:-1] + lines[index].removeprefix("> ").strip()
        index += 1
        shown: list[str] = []
        while index < len(lines) and not lines[index].startswith("$ "):
            shown.append(lines[index])
            index += 1
        found.append(Step(block.line + first, command, "\n".join(shown) + "\n" if shown else None))
    return found


def prose(page: Path) -> str:
    """A page without its fenced blocks; as many lines as before."""
    inside, kept = "", []
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = _FENCE.fullmatch(line)
        if inside:
            if fence and fence["marks"].startswith(inside) and not fence["language"]:
                inside = ""
            kept.append("")
        elif fence:
            inside = fence["marks"]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


def links(page: Path) -> Iterator[tuple[int, str]]:
    """(line, target) of every link and picture outside of code."""
    for number, line in enumerate(prose(page).splitlines(), 1):
        without_code = _INLINE_CODE.sub("", line)
        for pattern in (_LINK, _SOURCE):
            yield from ((number, link["target"]) for link in pattern.finditer(without_code))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for line in prose(page).splitlines():
        if heading := re.fullmatch(r"#{1,6}\s+(.*?)\s*#*", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            slug = _TERM.sub("", text.lower()).replace(" ", "-")
            number = sum(
                1 for known in found if known == slug or re.fullmatch(re.escape(slug) + r"-\d+", known)
            )
            found.add(f"{slug}-{number}" if number else slug)
    return found


def mentioned_commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """(place, words) of everything that begins with `adjudge`, in fences of any kind and in inline code."""
    shown: list[tuple[int, str]] = []
    for block in blocks(page):
        if block.language in ("console", "text", "bash", "sh", "yaml", ""):
            lines = enumerate(block.text.replace("\\\n", "  ").splitlines(), block.line)
            shown += [(number, re.sub(r"^\s*(?:\$ |- run: |run: )?", "", line)) for number, line in lines]
    for number, line in enumerate(prose(page).splitlines(), 1):
        shown += [(number, code["code"]) for code in _INLINE_CODE.finditer(line)]
    for number, text in shown:
        if re.match(r"adjudge [a-z]", text):
            try:
                words = shlex.split(text, comments=True)
            except ValueError:  # an apostrophe in prose
                words = text.split()
            yield f"{page.relative_to(ROOT)}:{number}", words[1:]
