"""A table whose cells are compared as text, with zeros that nobody asked for; then one that reads numbers."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_ASKED = """Three tanks were dipped, in m: north 1.25 and 2.25, south 0.5 and 1.75, west 3.1 and 3.3.
Write `/workspace/tanks.csv`, the columns `tank` and `rise`, in this order: by how much each rose.
"""
_RIGHT = "tank,rise\nnorth,1.00\nsouth,1.25\nwest,0.20\n"
_ROWS = """
        lines = body("/workspace/tanks.csv").replace("\\r", "").split("\\n")
        rows = [line.split(",") for line in lines if line.strip()]
        wanted = [["tank", "rise"], ["north", "1.00"], ["south", "1.25"], ["west", "0.20"]]
        fit = len(rows) == 4 and all(len(row) == 2 for row in rows)
        fit = fit and rows[0] == wanted[0] and [row[0] for row in rows] == [row[0] for row in wanted]
"""
_AS_NUMBERS = """
        def near(cell, other):
            plain = re.fullmatch(r"[-+]?[0-9]{1,6}([.][0-9]{1,12}([eE][-+][0-9]{1,2})?)?", cell)
            return bool(plain) and abs(float(cell) - float(other)) <= 1e-6
        out(float(bool(fit and all(near(row[1], other[1]) for row, other in zip(rows[1:], wanted[1:])))))
"""


def _tanks(name: str, tail: str, **expected: object) -> Exhibit:
    return other(name, _ASKED, ("tanks.csv", _RIGHT), python=_ROWS + tail, **expected)  # type: ignore[arg-type] # passed on


PLAIN_DECIMALS = [
    _tanks(
        "zeros-that-nobody-asked-for",
        "        out(float(fit and rows == wanted))\n",
        section=Section.FORMAT,
        cause=Cause.NUMBER_FORMAT,
        severity=Severity.LOW,
    )
]
CELLS_AS_NUMBERS = [_tanks("cells-as-numbers", _AS_NUMBERS)]
