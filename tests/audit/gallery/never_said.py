"""Names, and an order, that a verifier wants and its task never says; then sound verifiers beside them.

What is said in other words, in the inputs or by the example can be known, and what nobody looks for needs
not be said.
"""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_REPORT = """Boiler B2 tripped three times last week. The log of its burner:

| day | trips | flame signal (mA) | draught (Pa) |
|---|---|---|---|
| Mon | 0 | 14 | -12 |
| Tue | 2 | 6 | -31 |
| Wed | 1 | 7 | -29 |

Write `/workspace/report.md`: what happened under a heading of its own, with the number of trips, the likely
cause under another one with the draught of the worst day, and a section on what to do next, with at least two
items in a list. Use `##` for headings.
"""
_REPORT_RIGHT = """## What happened

The burner tripped 3 times, twice on Tuesday.

## Likely cause

A draught of -31 Pa lifts the flame off the burner.

## {last}

- Set the damper back to -12 Pa.
- Watch the flame signal for a week.
"""
_REPORT_CHECK = """
        text = body("/workspace/report.md")
        parts = dict(re.findall(r"^## +(.+?) *\\n(.*?)(?=^## |\\Z)", text, re.S | re.M))
        def part(words):
            return next((parts[name] for name in parts if re.search(words, name, re.I)), "")
        def says(words, text):
            found = [float(word) for word in re.findall(r"(?<![\\w.])-?\\d+(?:\\.\\d+)?(?![\\w.])", text)]
            return found == [words]
        first, second = part("happened"), part("cause")
        third = part({heading})
        items = [line for line in third.splitlines() if re.match(r"[-*] +\\S+( +\\S+){{3}}", line)]
        fit = says(3, first) and re.search(r"\\btripped 3 times\\b|\\b3 trips\\b", first)
        fit = fit and says(-31, second) and re.search(r"draught of -31 Pa", second)
        out(float(bool(fit) and len(items) >= 2 and len(text) < 2000))
"""
_SPANS = """Two beams carry the roof. Reactions and moments follow from the loads in `/workspace/loads.csv`.
Write `/workspace/beams.json`, an object with `reaction_kn`, `moment_knm`{more} for the beam with the
larger load: simply supported, 6 m, uniform load.
"""
_LOADS = "beam,load_kn_per_m\nnorth,4.5\nsouth,6.2\n"
_BEAM = {"reaction_kn": 18.6, "moment_knm": 27.9}
_BEAM_CHECK = """
        try:
            given = json.loads(body("/workspace/beams.json"))
        except (ValueError, RecursionError):
            given = None
        wanted = {wanted!r}
        given = given if isinstance(given, dict) else {{}}
        def fits(key, ref):
            value = given.get(key)
            if isinstance(ref, str):
                return value == ref
            plain = isinstance(value, (int, float)) and not isinstance(value, bool)
            return plain and abs(value - ref) <= 0.005 * ref
        out(float(all(fits(key, ref) for key, ref in wanted.items())))
"""
_FANS = "fan,rpm,limit\nwest-2,1480,1450\nroof,940,980\neast-1,2210,2200\nhall,1500,1450\nlift,700,900\n"
_FANS_ASKED = """The fans are in `/workspace/fans.csv`. Which run faster than their limit? Write
`/workspace/fast.json`, a list of objects with `fan` and `excess_rpm`.
"""
_FAST = [
    {"fan": "east-1", "excess_rpm": 10},
    {"fan": "hall", "excess_rpm": 50},
    {"fan": "west-2", "excess_rpm": 30},
]
_FANS_CHECK = f"""
        wanted = {_FAST!r}
        try:
            given = json.loads(body("/workspace/fast.json"))
        except (ValueError, RecursionError):
            given = None
        plain = isinstance(given, list) and all(
            isinstance(row, dict) and set(row) == set(wanted[0]) and isinstance(row["fan"], str)
            and type(row["excess_rpm"]) in (int, float) for row in given
        )
        out(float(plain and TEST))
"""


def _fans(name: str, test: str, **expected: object) -> Exhibit:
    check = _FANS_CHECK.replace("TEST", test)
    files = {"environment/fans.csv": _FANS}
    return other(name, _FANS_ASKED, ("fast.json", json.dumps(_FAST)), python=check, files=files, **expected)  # type: ignore[arg-type] # passed on


def _report(name: str, last: str, heading: str, **expected: object) -> Exhibit:
    check = _REPORT_CHECK.format(heading=repr(heading))
    answer = ("report.md", _REPORT_RIGHT.format(last=last))
    return other(name, _REPORT, answer, python=check, **expected)  # type: ignore[arg-type] # passed on


def _beam(
    name: str, more: str, besides: dict[str, str], wanted: dict[str, object], **expected: object
) -> Exhibit:
    return other(
        name,
        _SPANS.format(more=more),
        ("beams.json", json.dumps({**_BEAM, **besides})),
        python=_BEAM_CHECK.format(wanted=wanted),
        files={"environment/loads.csv": _LOADS},
        **expected,  # type: ignore[arg-type] # passed on
    )


NEVER_SAID = [
    _report(
        "a-heading-that-nobody-names",
        "Remedial measures",
        "^Remedial measures$",
        section=Section.FORMAT,
        cause=Cause.UNSAID,
        severity=Severity.MEDIUM,
    ),
    _beam(
        "a-key-that-nobody-names",
        "",
        {"verdict": "ok"},
        {**_BEAM, "verdict": "ok"},
        section=Section.FORMAT,
        cause=Cause.UNSAID,
        severity=Severity.MEDIUM,
    ),
    _fans(
        "an-order-that-nobody-names",
        "given == wanted",
        section=Section.FORMAT,
        cause=Cause.ORDER,
        severity=Severity.MEDIUM,
    ),
]
NEVER_SAID_SOUND = [
    _fans("records-in-any-order", 'sorted(given, key=lambda row: row["fan"]) == wanted'),
    _report("a-heading-in-any-words", "Next steps and measures", "next|do"),
    _beam("a-key-of-the-answers-own", "", {"verdict": "ok"}, {**_BEAM}),
    _beam("a-key-of-the-inputs", " and which `beam`", {"beam": "south"}, {**_BEAM, "beam": "south"}),
]
