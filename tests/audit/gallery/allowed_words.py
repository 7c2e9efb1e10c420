"""Verifiers that lose what their own task allows in words, and neighbours that keep to what it says."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FORMAT = Section.FORMAT
_LOAD = """
import csv, io
from datetime import datetime
try:
    doc = json.loads(body("/workspace/answer.json"))
except (ValueError, RecursionError):
    doc = None
doc = doc if isinstance(doc, dict) else {}
def number(x):
    ok = isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e12
    return float(x) if ok else None
"""


def _lost(
    name: str, instruction: str, answer: tuple[str, str], python: str, cause: Cause = Cause.SPELLING
) -> Exhibit:
    return other(
        name,
        instruction,
        answer,
        python=_LOAD + python,
        section=_FORMAT,
        cause=cause,
        severity=Severity.MEDIUM,
    )


_COSTS = """Write `/workspace/costs.csv`, cells separated by semicolons, with the header `site;cost`, for
Arles, Brest, Dijon and Nancy. %s Costs are compared to the cent.
"""
_COSTS_ANSWER = ("costs.csv", "site;cost\nArles;1204500.00\nBrest;845.10\nDijon;23980.75\nNancy;3110000.40\n")
_READ_COSTS = """
REF = {"Arles": 120450000, "Brest": 84510, "Dijon": 2398075, "Nancy": 311000040}
rows = [row for row in csv.reader(io.StringIO(body("/workspace/costs.csv")), delimiter=";") if row]
names = [row[0] for row in rows]
def cents(text):
    fit = re.fullmatch(PATTERN, text.strip())
    return round(float(text.replace(",", "")) * 100) if fit else None
got = {row[0]: cents(row[1]) for row in rows if len(row) == 2 and names.count(row[0]) == 1}
fit = bool(rows) and rows[0] == ["site", "cost"] and len(rows) == 5
out(fit * sum(got.get(k) == v for k, v in REF.items()) / 4)
"""
_ONE_COMMA = r'r"[+-]?([0-9]{1,3},[0-9]{3}|[0-9]{1,9})([.][0-9]{1,4})?"'
_NO_COMMA = r'r"[+-]?[0-9]{1,9}([.][0-9]{1,4})?"'
_COMMAS = r'r"[+-]?([0-9]{1,3}(,[0-9]{3}){1,3}|[0-9]{1,9})([.][0-9]{1,4})?"'

_YIELDS = """Work out the losses of the plant and write `/workspace/answer.json`:

```json
{"idle_share": 0.0, "scrap_share": 0.0, "energy_share": 0.0, "cost_keur": 0.0}
```

%s
"""
_YIELDS_ANSWER = (
    "answer.json",
    '{"idle_share": 0.1825, "scrap_share": 0.0072, "energy_share": 0.0435, "cost_keur": 48.2}',
)
_SHARES = """
REF = {"idle_share": 0.1825, "scrap_share": 0.0072, "energy_share": 0.0435}
def share(x):
    if isinstance(x, str):
        match = re.fullmatch(r"\\s*([0-9]{1,6}([.][0-9]{1,12})?)\\s*%%\\s*", x)
        value = float(match[1]) if match else None
        return None if value is None else %s
    return number(x)
def near(x, ref):
    return x is not None and abs(x - ref) <= 0.01 * ref
fit = [near(share(doc.get(k)), v) for k, v in REF.items()] + [near(number(doc.get("cost_keur")), 48.2)]
out(sum(fit) / 4)
"""
_EITHER_SHARE = (
    'Shares are numbers (fractions of one, such as 0.05) or texts in percent with the sign (`"5%"`).'
)

_PLOT = """Trace the outline of the plot and write `/workspace/answer.json`:

```json
{"ring": [[0, 0]], "area_m2": 0.0}
```

The ring is closed. %s
"""
_PLOT_ANSWER = (
    "answer.json",
    '{"ring": [[0, 0], [40, 0], [40, 25], [15, 30], [0, 25], [0, 0]], "area_m2": 1062.5}',
)
_RING = """
REF = [[0, 0], [40, 0], [40, 25], [15, 30], [0, 25]]
ring = doc.get("ring")
shape = isinstance(ring, list) and len(ring) == 6 and ring[0] == ring[-1] and all(
    isinstance(p, list) and len(p) == 2 and None not in map(number, p) for p in ring)
core = [[number(p[0]), number(p[1])] for p in ring[:-1]] if shape else []
turns = [core[k:] + core[:k] for k in range(len(core))]
turns += [turn[::-1] for turn in turns] if BOTH else []
area = number(doc.get("area_m2"))
out(0.7 * ((REF in turns) if TURNED else core == REF) + 0.3 * (area is not None and abs(area - 1062.5) < 1))
"""

_PICKS = """When does each van arrive? Write `/workspace/answer.json`: `north`, `south`, `harbour`, ISO 8601
date-times.
%s
"""
_PICKS_ANSWER = (
    "answer.json",
    '{"north": "2026-03-04T17:20:00+01:00", "south": "2026-03-04T19:05:00+02:00",'
    ' "harbour": "2026-03-05T00:40:00+01:00"}',
)
_INSTANTS = """
REF = {"north": "2026-03-04T17:20:00+01:00", "south": "2026-03-04T19:05:00+02:00",
       "harbour": "2026-03-05T00:40:00+01:00"}
def when(x):
    try:
        read = datetime.fromisoformat(x) if isinstance(x, str) else None
    except ValueError:
        return None
    return read if read is not None and read.tzinfo is not None else None
def same(x, ref):
    return x is not None and HOW
out(sum(same(when(doc.get(k)), when(v)) for k, v in REF.items()) / 3)
"""
_WALL = "x.replace(tzinfo=None) == ref.replace(tzinfo=None)"

_SHIFTS = """Write the duty roster to `/workspace/roster.csv`, cells separated by commas: the header
`nurse,day,starts`, one row for each nurse. %s
"""
_SHIFTS_ANSWER = ("roster.csv", "nurse,day,starts\nAda,Mon,06:00\nBea,Wed,14:30\nCem,Sat,22:00\n")
_ROSTER = """
REF = {"Ada": ("Mon", 360), "Bea": ("Wed", 870), "Cem": ("Sat", 1320)}
rows = [row for row in csv.reader(io.StringIO(body("/workspace/roster.csv"))) if row]
names = [row[0] for row in rows]
def minutes(text):
    match = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])SECONDS", text.strip())
    return 60 * int(match[1]) + int(match[2]) if match else None
def day(text):
    text = text.strip()
    return text if text in DAYS[0] else DAYS[0][DAYS[1].index(text)] if text in DAYS[1] else None
got = {row[0]: (day(row[1]), minutes(row[2])) for row in rows if len(row) == 3 and names.count(row[0]) == 1}
fit = bool(rows) and rows[0] == ["nurse", "day", "starts"] and len(rows) == 4
out(fit * sum((k in got) * (0.5 * (got[k][0] == v[0]) + 0.5 * (got[k][1] == v[1])) if k in got else 0
              for k, v in REF.items()) / 3)
"""
_SHORT_DAYS = 'DAYS = ["Mon Tue Wed Thu Fri Sat Sun".split(), []]\n'
_BOTH_DAYS = (
    'DAYS = ["Mon Tue Wed Thu Fri Sat Sun".split(), '
    '"Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()]\n'
)

_NOTE = """Write a report to `/workspace/output.md` and the figures in a fenced block of JSON behind it%s:

```json
{"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "..."}
```
"""

ALLOWED_AND_LOST = [
    _lost(
        "one-separator-for-thousands",
        _COSTS % "Commas between thousands are welcome.",
        _COSTS_ANSWER,
        _READ_COSTS.replace("PATTERN", _ONE_COMMA),
    ),
    _lost(
        "small-percentages-read-as-fractions",
        _YIELDS % _EITHER_SHARE,
        _YIELDS_ANSWER,
        _SHARES % "(value / 100 if value > 1 else value)",
    ),
    _lost(
        "rings-in-one-direction",
        _PLOT % "It may begin at any corner and run in either direction.",
        _PLOT_ANSWER,
        _RING.replace("BOTH", "False").replace("TURNED", "True"),
        Cause.ORDER,
    ),
    _lost(
        "clocks-on-the-wall",
        _PICKS % "Any offset from UTC will do.",
        _PICKS_ANSWER,
        _INSTANTS.replace("HOW", _WALL),
    ),
    _lost(
        "days-cut-to-three-letters",
        _SHIFTS % "Days in full or abbreviated (Mon), times as HH:MM or HH:MM:SS.",
        _SHIFTS_ANSWER,
        _SHORT_DAYS + _ROSTER.replace("SECONDS", "(:00)?"),
    ),
    _lost(
        "no-seconds-are-read",
        _SHIFTS % "Days as three letters; times with or without seconds.",
        _SHIFTS_ANSWER,
        _SHORT_DAYS + _ROSTER.replace("SECONDS", ""),
    ),
    Exhibit(
        "labelled-fences-only",
        """
found = [v for v in map(loads, re.findall(r"^`{3}json\\n(.*?)\\n`{3}$", text(), re.S | re.M)) if v]
answer = found[-1] if found else {}
write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
""",
        _FORMAT,
        Cause.FENCE,
        Severity.MEDIUM,
        files={"instruction.md": _NOTE % " (the fence may be labelled or not)"},
    ),
]

ALLOWED_AND_KEPT = [
    other(
        "separators-are-ruled-out",
        _COSTS % "No thousands separators.",
        _COSTS_ANSWER,
        python=_LOAD + _READ_COSTS.replace("PATTERN", _NO_COMMA),
    ),
    other(
        "separators-of-any-number",
        _COSTS % "Commas between thousands are welcome.",
        _COSTS_ANSWER,
        python=_LOAD + _READ_COSTS.replace("PATTERN", _COMMAS),
    ),
    other(
        "shares-as-fractions-only",
        _YIELDS % "Shares are fractions of one, not percent: 0.05 for 5 %.",
        _YIELDS_ANSWER,
        python=_LOAD + (_SHARES % "None"),
    ),
    other(
        "shares-in-either-way",
        _YIELDS % _EITHER_SHARE,
        _YIELDS_ANSWER,
        python=_LOAD + (_SHARES % "value / 100"),
    ),
    other(
        "rings-in-the-direction-that-is-asked-for",
        _PLOT % "It begins at any corner and runs counter-clockwise.",
        _PLOT_ANSWER,
        python=_LOAD + _RING.replace("BOTH", "False").replace("TURNED", "True"),
    ),
    other(
        "rings-in-both-directions",
        _PLOT % "It may begin at any corner and run in either direction.",
        _PLOT_ANSWER,
        python=_LOAD + _RING.replace("BOTH", "True").replace("TURNED", "True"),
    ),
    other(
        "instants-with-any-offset",
        _PICKS % "Any offset from UTC will do.",
        _PICKS_ANSWER,
        python=_LOAD + _INSTANTS.replace("HOW", "x == ref"),
    ),
    other(
        "local-times-with-the-local-offset",
        _PICKS % "Give local time with the local offset.",
        _PICKS_ANSWER,
        python=_LOAD + _INSTANTS.replace("HOW", "x == ref and x.utcoffset() == ref.utcoffset()"),
    ),
    other(
        "days-and-times-in-either-way",
        _SHIFTS % "Days in full or abbreviated (Mon), times as HH:MM or HH:MM:SS.",
        _SHIFTS_ANSWER,
        python=_LOAD + _BOTH_DAYS + _ROSTER.replace("SECONDS", "(:00)?"),
    ),
]
