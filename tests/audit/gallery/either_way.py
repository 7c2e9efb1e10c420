"""Pairs that are allowed in either order and pairs that are not; sections that are answered several times."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_CLASHES = "pipe_1,pipe_2,gap_mm\n12,31,40\n8,15,120\n27,9,65\n44,18,15\n52,50,85\n"
_CLASH_TASK = (
    "List the pipes that come nearer to each other than 150 mm in `/workspace/clashes.csv`, with the columns "
    "pipe_1, pipe_2 and gap_mm. "
)
_EITHER = "The two pipes of a row may stand in either order, and so may the rows."
_UPSTREAM = "`pipe_1` is the upstream one. Rows may stand in any order."
_READ_CLASHES = """
def rows(text):
    lines = [line.strip().split(",") for line in text.splitlines() if line.strip()]
    good = lines[:1] == [["pipe_1", "pipe_2", "gap_mm"]] and all(len(line) == 3 for line in lines)
    good = good and all(cell.strip().isdecimal() and len(cell) < 9 for line in lines[1:] for cell in line)
    return [tuple(int(cell) for cell in line) for line in lines[1:]] if good else []
def either(row):
    return (*sorted(row[:2]), row[2])
"""
_MARK = """
want, got = [FORM for row in rows(DUE)], [FORM for row in rows(body("/workspace/clashes.csv"))]
hits = len(set(want) & set(got))
out(hits / max(len(want), len(got)))
"""


def _clashes(form: str) -> str:
    return _READ_CLASHES + _MARK.replace("FORM", form).replace("DUE", repr(_CLASHES))


_LETTER = """## Point 1

The deposit of EUR 1,450 is due back by clause 6.2.

## Point 2

Notice takes 4 months, so the tenancy ends on 2026-08-31.

## Point 3

The painting costs EUR 780 and is borne by the landlord.
"""
_LETTER_TASK = (
    "Answer the three points of the letter in `/workspace/reply.md`, each below a heading `## Point N`: the "
    "deposit as `EUR n`, the end of the tenancy as `YYYY-MM-DD`, the cost of painting as `EUR n`."
)
_READ_LETTER = """
parts = re.split(r"(?m)^##[ ]*Point[ ]+([1-3])[ ]*$", body("/workspace/reply.md").replace("\\r", ""))
found = {}
for number, text in zip(parts[1::2], parts[2::2]):
    found.setdefault(number, []).append(text)
DUE = {"1": r"EUR ([0-9][0-9,]*)", "2": r"([0-9]{4}-[0-9]{2}-[0-9]{2})", "3": r"EUR ([0-9][0-9,]*)"}
REF = {"1": ["1,450"], "2": ["2026-08-31"], "3": ["780"]}
"""

EITHER_WAY = [
    other(
        "upstream-pipe-in-either-place",
        _CLASH_TASK + _UPSTREAM,
        ("clashes.csv", _CLASHES),
        python=_clashes("either(row)"),
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "any-section-of-a-number",
        _LETTER_TASK,
        ("reply.md", _LETTER),
        python=f"""{_READ_LETTER}
out(sum(REF[n] in [re.findall(p, t) for t in found.get(n, [])] for n, p in DUE.items()) / 3)
""",
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
]

ONE_WAY = [
    other(
        "pipes-in-either-place",
        _CLASH_TASK + _EITHER,
        ("clashes.csv", _CLASHES),
        python=_clashes("either(row)"),
    ),
    other(
        "two-sections-of-a-number-are-none",
        _LETTER_TASK,
        ("reply.md", _LETTER),
        python=f"""{_READ_LETTER}
out(sum([REF[n]] == [re.findall(p, t) for t in found.get(n, [])] for n, p in DUE.items()) / 3)
""",
    ),
]
