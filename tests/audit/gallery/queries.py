"""Answers that are SQL, each scored by its rows: flawed verifiers, then a sound one."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_ASKED = (
    "Write to `/workspace/sites.sql` a query on `work(site, hours, done)` that gives each site and its sum "
    "of hours that are done."
)
_RIGHT = "select site, sum(hours) as hours from work\nwhere done = 1\ngroup by site\n"
_DATA = """
        import sqlite3
        db = sqlite3.connect(":memory:")
        db.execute("create table work(site text, hours real, done int)")
        rows = [("N", 4, 1), ("S", 3, 1), ("N", 2, 1), ("S", 9, 0), ("W", 8, 1), ("E", 1, 1), ("E", 1.5, 1)]
        db.executemany("insert into work values(?, ?, ?)", rows)
        DUE = [("E", 2.5), ("N", 6.0), ("S", 3.0), ("W", 8.0)]
"""
_GOT = """
        try:
            got = db.execute(body("/workspace/sites.sql")).fetchall()
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            got = []
"""
_DUE_AFTERWARDS = """
        due = db.execute("select site, sum(hours) from work where done = 1 group by site").fetchall()
        out(float(got == due))
"""


def _query(name: str, tail: str, **expected: object) -> Exhibit:
    return other(name, _ASKED, ("sites.sql", _RIGHT), python=_DATA + tail, **expected)  # type: ignore[arg-type] # passed on


QUERIES = [
    _query(
        "tables-that-a-query-empties",
        f"{_GOT}{_DUE_AFTERWARDS}",
        section=Section.DISCRIMINATION,
        cause=Cause.WRITES_DATA,
    ),
    _query(
        "any-of-the-rows",
        f"""{_GOT}
        out(float(bool(got) and all(row in DUE for row in got)))
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.FEW_ITEMS,
        severity=Severity.MEDIUM,
    ),
    _query(
        "more-than-the-rows",
        f"""{_GOT}
        out(float(all(row in got for row in DUE)))
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.PADDING,
        severity=Severity.MEDIUM,
    ),
    _query(
        "no-rows-are-fine",
        f"""{_GOT}
        out(float(all(a == b for a, b in zip(sorted(got, key=str), DUE))))
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.EMPTY,
    ),
]

QUERIES_SOUND = [
    _query(
        "rows-compared-as-a-whole",
        f"""
        reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
        db.set_authorizer(lambda what, *_: sqlite3.SQLITE_OK if what in reading else sqlite3.SQLITE_DENY)
        {_GOT}
        out(float(sorted(got, key=str) == DUE))
        """,
    ),
]
