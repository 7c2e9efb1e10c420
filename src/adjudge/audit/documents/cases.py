"""What an instruction shows of the cases that a rule or a program is tried on, and what is due for each.

A block of lines, a row of a table, or a word between backticks is valid if what is said before it, or beside
it, says so and does not deny it. An input stands beside its output in a row, before an arrow, or in a block
of its own. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)`([^`\n]{1,120})`(?!`)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_GOOD = re.compile(
    r"\b(?:valid|match(?:es|ed|ing)?|accept\w*|allowed|right|legal|correct|good|pass(?:es)?|ok(?:ay)?|yes|true)\b"
    r"|✓|✔|✅",
    re.I,
)
_BAD = re.compile(
    r"\b(?:not|in(?:valid|correct)|no|none|never|reject\w*|refus\w*|wrong|malformed|illegal|bad|fail(?:s|ed)?"
    r"|false|forbidden|doesn't|don't|mustn't|unlike)\b|✗|✘|❌",
    re.I,
)
_CLAUSE = re.compile(r"(?<=[.;:!?])\s+|,?\s+\bbut\b\s+|,?\s+\bwhile\b\s+|,?\s+\bwhereas\b\s+", re.I)
_ARROW = re.compile(r"\s*(?:-+>|=+>|→|↦|⇒)\s*")
_REMARK = re.compile(r"\s{2,}|\t|\s+[#|;]\s*")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_IN, _OUT = (
    re.compile(r"\b(?:in(?:put)?|stdin|given|call)\b", re.I),
    re.compile(r"\b(?:out(?:put)?|stdout|result|expected|prints?|returns?|gives)\b", re.I),
)
_PROMPT = re.compile(r"\s*[$>]\s+(?P<line>\S.*)")
_LITERAL = re.compile(r"[\"'](?P<text>.*)[\"']")
_MOST = 80


class Cases(Struct, frozen=True):
    """The lines of each block, and those cases that are called valid."""

    blocks: list[list[str]]
    valid: list[str]


def cases_shown(instruction: str) -> Cases:
    """The cases of an instruction; a block that nothing is said of is neither valid nor not."""
    blocks: list[list[str]] = []
    valid: list[str] = []
    good: bool | None = None
    inside: list[str] = []
    column: int | None = None
    for line, quoted in [*_lines(instruction), ("", False)]:
        if quoted:
            inside.append(line)
            continue
        if inside:
            lines = [text.strip() for text in inside if text.strip()]
            blocks += [lines] if lines else []
            valid += [case for text in lines if (case := _told(text, good)) is not None]
            inside = []
        if line.lstrip().startswith("|"):
            column = _column(line) if column is None else column
            valid += _of_row(line, column)
            continue
        column = None
        for clause in _CLAUSE.split(line):
            bare = _CODE.sub(" ", clause)
            said = _mood(bare)
            good = good if said is None else said
            listed = said is not None or _ITEM.match(line) is not None
            valid += _CODE.findall(clause) if good and listed else []
    return Cases(blocks[:_MOST], list(dict.fromkeys(valid))[:_MOST])


def pairs_shown(instruction: str) -> list[tuple[str, str]]:
    """(input, output) of each example that shows both."""
    found: dict[str, str] = {}
    for given, due in [*_in_rows(instruction), *_in_arrows(instruction), *_in_blocks(instruction)]:
        if given and due and given != due:
            found.setdefault(_bare(given), _bare(due))
    return list(found.items())[:_MOST]


def _lines(instruction: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands in a block: fenced, or indented behind an empty line."""
    fenced, indented, empty = False, False, True
    for line in instruction.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            empty = False
            continue
        deep = line.startswith(("    ", "\t"))
        indented = not fenced and deep and (indented or empty) and _ITEM.match(line) is None
        yield line, fenced or indented
        empty = not line.strip()


def _mood(text: str) -> bool | None:
    """Do these words call something valid, deny it, or say nothing of it?"""
    if _BAD.search(text):
        return False
    return True if _GOOD.search(text) else None


def _told(line: str, good: bool | None) -> str | None:
    """The case of a line of a block, if it is valid: by the word behind it, else by what stands above."""
    case, *remark = _REMARK.split(line, maxsplit=1)
    own = _mood(remark[0]) if remark else None
    return case if (good if own is None else own) else None


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _column(line: str) -> int:
    """The column of a header that is called valid where another is not; -1 if there is none."""
    moods = [_mood(cell) for cell in _cells(line)]
    return moods.index(True) if moods.count(True) == 1 and False in moods else -1


def _of_row(line: str, column: int) -> list[str]:
    """The cell of the valid column; else the first one, where a word beside it says that it is valid."""
    cells = _cells(line)
    bare = [cell.strip("` ") for cell in cells]
    if 0 <= column < len(cells):
        return [bare[column]] if bare[column] and not _RULE.fullmatch(line) else []
    moods = [_mood(cell) if len(cell.split()) < 4 and "`" not in cell else None for cell in cells[1:]]
    return [bare[0]] if True in moods and False not in moods else []


def _in_rows(instruction: str) -> Iterator[tuple[str, str]]:
    """The rows of a table whose columns are called input and output."""
    columns: tuple[int, int] | None = None
    for line in instruction.splitlines():
        if not line.lstrip().startswith("|"):
            columns = None
            continue
        cells = _cells(line)
        if columns is None:
            ins = [n for n, cell in enumerate(cells) if _IN.search(cell)]
            outs = [n for n, cell in enumerate(cells) if _OUT.search(cell)]
            columns = (ins[0], outs[0]) if ins and outs and ins[0] != outs[0] else (-1, -1)
        elif columns[0] >= 0 and not _RULE.fullmatch(line) and max(columns) < len(cells):
            yield cells[columns[0]], cells[columns[1]]


def _in_arrows(instruction: str) -> Iterator[tuple[str, str]]:
    for line, quoted in _lines(instruction):
        parts = _ARROW.split(_ITEM.sub("", line.strip()))
        plain = quoted or all(_CODE.search(part) for part in parts)
        if len(parts) == 2 and all(parts) and plain:
            codes = [_CODE.findall(part) for part in parts]
            given, due = (code[-1 if n == 0 else 0] if code else parts[n] for n, code in enumerate(codes))
            yield given, due


def _in_blocks(instruction: str) -> Iterator[tuple[str, str]]:
    """A block that is called an input before one that is called an output; a session of a shell."""
    kept: str | None = None
    for name, block in _named_blocks(instruction):
        lines = block.splitlines()
        prompts = [n for n, line in enumerate(lines) if _PROMPT.match(line)]
        for place, end in zip(prompts, [*prompts[1:], len(lines)][: len(prompts)], strict=True):
            match = _PROMPT.match(lines[place])
            words = match["line"].split() if match is not None else []
            at = next((n for n, word in enumerate(words) if "." in word or "/" in word), 0)
            yield " ".join(words[at + 1 :]), "\n".join(lines[place + 1 : end])
        if prompts:
            continue
        if kept is not None and _OUT.search(name):
            yield kept, block
            kept = None
        elif _IN.search(name):
            kept = block


def _named_blocks(instruction: str) -> Iterator[tuple[str, str]]:
    """Each block with the words of the last line before it."""
    before, inside = "", []
    for line, quoted in [*_lines(instruction), ("", False)]:
        if quoted:
            inside.append(line)
            continue
        if inside:
            deep = min((len(x) - len(x.lstrip()) for x in inside if x.strip()), default=0)
            yield before[-60:], "\n".join(x[deep:] for x in inside).strip("\n")
            inside, before = [], ""
        before = line if line.strip() else before


def _bare(text: str) -> str:
    """Without backticks or quotation marks around it."""
    text = text.strip().strip("`").strip()
    match = _LITERAL.fullmatch(text)
    return match["text"] if match is not None else text
