"""Verifiers that refuse what their own task writes, and one that accepts it."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FORMAT = Section.FORMAT

_STATIONS = "Write `/workspace/checks.json`: each of c1, c2, c3 is `compliant` or `non-compliant`."
_HEIGHTS = """Write `/workspace/heights.md` with the heights of P, Q and R, such as this one:

| point | height |
|---|---|
| A | \N{MINUS SIGN}2.5 |
"""
_TABLE = "| point | height |\n|---|---|\n| P | -1.236 |\n| Q | 1.205 |\n| R | -0.5 |\n"
_READ_HEIGHTS = """
        REF = {"P": -1.236, "Q": 1.205, "R": -0.5}
        rows = {}
        for line in body("/workspace/heights.md").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 2 and cells[0] in REF:
                rows.setdefault(cells[0], []).append(cells[1])
        def near(given, ref):
            given = [text for text in given]
            fit = len(given) == 1 and re.fullmatch(r"-?[0-9]{1,6}(\\.[0-9]{1,6})?", given[0])
            return bool(fit) and abs(float(given[0]) - ref) < 0.002
        out(sum(near(rows.get(name, []), ref) for name, ref in REF.items()) / 3)
"""
_TANK = "Write `/workspace/tank.json`: `height_m`, and `rings`, the number of rings (a whole number)."

_DUE = "Write `/workspace/due.json`: `lift` and `crane`, ISO dates, with or without a time of day (midnight)."

REFUSED = [
    other(
        "time-of-day-that-the-task-allows",
        _DUE,
        ("due.json", '{"lift": "2024-07-31", "crane": "2025-02-28"}'),
        python="""
        try:
            doc = json.loads(body("/workspace/due.json"))
        except (ValueError, RecursionError):
            doc = None
        doc = doc if isinstance(doc, dict) else {}
        out(((doc.get("lift") == "2024-07-31") + (doc.get("crane") == "2025-02-28")) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
    ),
    other(
        "word-that-the-task-spells-otherwise",
        _STATIONS,
        ("checks.json", '{"c1": "compliant", "c2": "non_compliant", "c3": "compliant"}'),
        python="""
        try:
            doc = json.loads(body("/workspace/checks.json"))
        except (ValueError, RecursionError):
            doc = None
        out(float(doc == {"c1": "compliant", "c2": "non_compliant", "c3": "compliant"}))
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
    ),
    other(
        "minus-that-the-task-writes",
        _HEIGHTS,
        ("heights.md", _TABLE),
        python=_READ_HEIGHTS,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
    ),
    other(
        "whole-numbers-with-a-point",
        _TANK,
        ("tank.json", '{"height_m": 7.07, "rings": 6.0}'),
        python="""
        try:
            doc = json.loads(body("/workspace/tank.json"))
            fit = [type(doc[name]) is float and abs(doc[name] - ref) < 0.01 for name, ref in
                   (("height_m", 7.07), ("rings", 6.0))]
            out(sum(fit) / 2)
        except (ValueError, KeyError, TypeError, RecursionError):
            out(0.0)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
    ),
]

ACCEPTED = [
    other(
        "any-sign-for-minus",
        _HEIGHTS,
        ("heights.md", _TABLE),
        python=_READ_HEIGHTS.replace("[text for", "[text.replace('\u2212', '-') for"),
    ),
]
