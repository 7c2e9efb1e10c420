"""A puzzle that is given in part: an answer that solves another one is wrong, however well it is solved.

Rows, columns and boxes of a grid are as right with 3 and 5 exchanged throughout. What the task gives is not:
where the instruction shows a grid of the answer's own size with gaps in it, and all else in it is as in the
right answer, an exchange of two given symbols must cost everything.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain, pairwise
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import answer_of
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

Grid = list[list[str]]

_GAPS = frozenset(".,_*?-#0xX")
_LEAST = 3
_MOST = 40
_LISTS = re.compile(r"\[\s*\[.*?\]\s*\]", re.S)


def check_puzzle(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Exchange the two most frequent given symbols in the whole answer."""
    bench = wrongs.bench
    text = (answer_of(bench.task, wrongs.right.files) or b"").decode("utf-8-sig", "replace")
    given = given_symbols(bench.task.instruction, text)
    if len(given) < 2:
        return
    one, other = given[:2]
    exchanged = text.translate(str.maketrans(one + other, other + one))
    what = f"{one} and {other} exchanged throughout, which the task gives"
    probe = bench.answer("discrimination/given-exchanged", what, exchanged.encode(), files=wrongs.right.files)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    kept = 0.0 if seen.broke else seen.reward / wrongs.base
    wrongs.lost.append(1 - min(1.0, kept))
    if kept < 0.95 - EPS:
        return
    result.findings.append(
        bench.finding(
            Severity.HIGH,
            Section.DISCRIMINATION,
            f"{what}: keeps the credit",
            cause=Cause.ANY_VALUE,
            seen=f"The right answer earns {wrongs.base:g}; this one, which solves another puzzle, "
            f"{seen.reward:g}.",
            advice="Compare what the task gives with the answer, cell by cell, before its own rules.",
            probe=probe,
            before=wrongs.base,
        )
    )


def given_symbols(instruction: str, answer: str) -> list[str]:
    """The symbols that the task gives in a grid with gaps, the most frequent first; none without a grid."""
    solved = next(iter(_grids(answer)), None)
    for grid in _grids(instruction) if solved is not None else []:
        if solved is None or [len(row) for row in grid] != [len(row) for row in solved]:
            continue
        cells = list(zip(chain(*grid), chain(*solved), strict=True))
        gaps = {a for a, b in cells if a != b}
        if len(gaps) == 1 and gaps <= _GAPS | {"null"}:
            given = Counter(a for a, b in cells if a == b)
            return [symbol for symbol, _ in given.most_common() if symbol not in gaps]
    return []


def _grids(text: str) -> list[Grid]:
    """Every grid in a text: lists of lists, or lines one below the other with as many symbols each."""
    return [*_listed(text), *_drawn(text)]


def _listed(text: str) -> list[Grid]:
    found = []
    for match in _LISTS.findall(text)[:10]:
        try:
            rows: Any = json.loads(match)
        except (ValueError, RecursionError):
            continue
        if all(isinstance(row, list) for row in rows):
            grid = [["null" if cell is None else str(cell) for cell in row] for row in rows]
            found += [grid] if _is_grid(grid) else []
    return found


def _drawn(text: str) -> list[Grid]:
    rows = [_symbols(line) for line in text.splitlines()]
    breaks = [-1, *(at for at, (a, b) in enumerate(pairwise(rows)) if len(a) != len(b)), len(rows) - 1]
    blocks = [rows[start + 1 : end + 1] for start, end in pairwise(breaks)]
    return [block for block in blocks if _is_grid(block)]


def _symbols(line: str) -> list[str]:
    """The cells of a line, if each is a single symbol; else nothing."""
    bare = re.sub(r"[|+]", " ", line).strip()
    parts = bare.split()
    if len(parts) > 1 and all(len(part) == 1 for part in parts):
        return parts
    return list(bare) if len(parts) == 1 and len(bare) <= _MOST else []


def _is_grid(rows: Grid) -> bool:
    """Of a useful size, all rows as long, and each cell one symbol."""
    even = _LEAST <= len(rows) <= _MOST and len({len(row) for row in rows}) == 1 and len(rows[0]) >= _LEAST
    return even and all(len(cell) == 1 or cell == "null" for row in rows for cell in row)
