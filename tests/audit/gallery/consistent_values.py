"""Answers that agree with themselves, leave out what is hard, or only begin as the right one does."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_MEDIUM = Severity.MEDIUM

_BRINE = (
    "Tanks 1 to 4 are filled with 420, 655, 910 and 1240 kg of brine with 3.5 % of salt by mass. Write "
    "`/workspace/brine.csv` with the columns tank, water_kg, salt_kg, total_kg, to three decimals."
)
_BRINED = (
    "tank,water_kg,salt_kg,total_kg\n1,405.3,14.7,420.0\n2,632.075,22.925,655.0\n3,878.15,31.85,910.0\n"
    "4,1196.6,43.4,1240.0\n"
)
_READ_BRINE = """
        import csv, io, math
        try:
            rows = [{k: float(v) for k, v in row.items()}
                    for row in csv.DictReader(io.StringIO(body("/workspace/brine.csv")))]
        except (csv.Error, TypeError, ValueError):
            rows = []
        names = {"tank", "water_kg", "salt_kg", "total_kg"}
        whole = [r.get("tank") for r in rows if set(r) == names] == [1, 2, 3, 4] and len(rows) == 4
        whole = whole and all(math.isfinite(x) and 0 < x < 1e9 for r in rows for x in r.values())
        def near(x, ref):
            return abs(x - ref) <= 0.002 * ref
        def mixed(r):
            total = r["total_kg"]
            return (near(r["salt_kg"], 0.035 * total) + near(r["water_kg"] + r["salt_kg"], total)) / 2
"""
_STOCK = (
    "A store began the month with 320 drums and 75 pallets. 7 lorries brought 20 drums and 3 pallets each; 5 "
    "orders of 19 drums and 6 pallets left it. Write `/workspace/stock.json`: drums and pallets, each an "
    "object with received, issued and closing, such as "
    '`{"drums": {"received": 0, "issued": 0, "closing": 0}, '
    '"pallets": {"received": 0, "issued": 0, "closing": 0}}`.'
)
_STOCKED = (
    '{"drums": {"received": 140, "issued": 95, "closing": 365},\n'
    ' "pallets": {"received": 21, "issued": 30, "closing": 66}}\n'
)
_READ_STOCK = """
        try:
            answer = json.loads(body("/workspace/stock.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        def counted(thing, name):
            one = answer.get(thing)
            x = one.get(name) if isinstance(one, dict) else None
            return x if type(x) is int and 0 < x < 10**9 else None
"""
_SURVEY = (
    "Write `/workspace/survey.json` for the bridge: deck with area_m2 and cracks, piers with height_m and "
    "tilt_mm, bearings with moved_mm and worn. "
)
_SURVEYED = (
    '{"deck": {"area_m2": 812.5, "cracks": 14}, "piers": {"height_m": 9.35, "tilt_mm": 4},\n'
    ' "bearings": {"moved_mm": 31.5, "worn": 3}}\n'
)
_READ_SURVEY = """
        try:
            answer = json.loads(body("/workspace/survey.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        due = {"deck": {"area_m2": 812.5, "cracks": 14}, "piers": {"height_m": 9.35, "tilt_mm": 4},
               "bearings": {"moved_mm": 31.5, "worn": 3}}
        def share(name):
            given = answer.get(name) if isinstance(answer.get(name), dict) else {}
            values = [(given.get(key), ref) for key, ref in due[name].items()]
            near = [type(x) in (int, float) and abs(x - ref) <= 0.01 * ref for x, ref in values]
            return sum(near) / len(near)
"""
_MINUTES = (
    "Write the minutes to `/workspace/minutes.md`, with the headings `## Budget`, `## Staff` and `## Roof`: "
    "below each one line `Decision:` with `adopted`, `rejected` or `postponed` and the votes for it, as in "
    "`Decision: adopted, 3 votes`."
)
_MINUTED = (
    "# Minutes\n\n## Budget\n\nDecision: adopted, 11 votes\n\n## Staff\n\nDecision: postponed, 8 votes\n\n"
    "## Roof\n\nDecision: rejected, 13 votes\n"
)
_READ_MINUTES = """
        due = {"Budget": ("adopted", "11"), "Staff": ("postponed", "8"), "Roof": ("rejected", "13")}
        parts = re.split(r"(?m)^## *(\\w+) *$", body("/workspace/minutes.md").replace("\\r", ""))
        found = dict(zip(parts[1::2], parts[2::2])) if len(parts[1::2]) == len(set(parts[1::2])) else {}
        found = found if body("/workspace/minutes.md").count("Decision") == len(found) else {}
        def right(name):
            lines = re.findall(r"(?m)^Decision: *(\\w+), (\\d+) votes *$", found.get(name, ""))
            return lines == [due[name]]
"""
_DRUGS = (
    "Give the full ATC code of each medicine to `/workspace/atc.json`, an object with enalapril, metformin, "
    "warfarin and amoxicillin. Case does not matter."
)
_CODED = '{"enalapril": "C09AA02", "metformin": "A10BA02", "warfarin": "B01AA03", "amoxicillin": "J01CA04"}\n'
_READ_DRUGS = """
        try:
            answer = json.loads(body("/workspace/atc.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        due = {"enalapril": "C09AA02", "metformin": "A10BA02",
               "warfarin": "B01AA03", "amoxicillin": "J01CA04"}
        def given(name):
            code = answer.get(name)
            code = code.strip().upper() if isinstance(code, str) else ""
            return code if re.fullmatch(r"[A-Z][0-9]{2}[A-Z0-9]{0,6}", code) else "?"
"""
_PARTS = "List the spare parts that are needed, one part number per line, in `/workspace/parts.txt`."
_NEEDED = "PX-4410-B\nPX-4417-A\nRV-0302-C\nSQ-1180-A\nTT-7205-D\n"
_READ_PARTS = f"""
        due = {_NEEDED.split()!r}
        got = [line.strip() for line in body("/workspace/parts.txt").splitlines() if line.strip()]
"""
_VISITS = (
    "Write `/workspace/visits.csv` with the columns site, visit: a day for each of Ash, Elm and Oak "
    "on which it is inspected, DD/MM/YYYY. Ash was opened on 03/02/2026 and closes on 27/02/2026, Elm on "
    "04/05/2026 and 29/05/2026, Oak on 01/09/2026 and 24/09/2026; an inspection is after the one and before "
    "the other, and as soon as ten days have gone by since the opening."
)
_VISITED = "site,visit\nAsh,13/02/2026\nElm,14/05/2026\nOak,11/09/2026\n"
_READ_VISITS = """
        import csv, io
        from datetime import datetime
        open_ = {"Ash": ("03/02/2026", "27/02/2026"), "Elm": ("04/05/2026", "29/05/2026"),
                 "Oak": ("01/09/2026", "24/09/2026")}
        try:
            rows = list(csv.reader(io.StringIO(body("/workspace/visits.csv").strip())))
        except csv.Error:
            rows = []
        def day(text):
            try:
                whole = re.fullmatch(r"\\d\\d/\\d\\d/\\d{4}", text)
                return datetime.strptime(text, "%d/%m/%Y") if whole else None
            except ValueError:
                return None
        rows = [r for r in rows[1:] if len(r) == 2] if rows[:1] == [["site", "visit"]] else []
        given = dict(rows) if len(rows) == 3 == len({r[0] for r in rows}) else {}
        given = {site: text.strip() for site, text in given.items() if day(text.strip())}
"""
_SHIFTS = (
    "Write `/workspace/shifts.json`: when ann, bob and cyd begin to work, as `07:15 AM`, an object of these "
    "three."
)
_ROSTER = '{"ann": "07:15 AM", "bob": "03:40 PM", "cyd": "11:05 PM"}\n'
_READ_SHIFTS = """
        try:
            answer = json.loads(body("/workspace/shifts.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        due = {"ann": "07:15 AM", "bob": "03:40 PM", "cyd": "11:05 PM"}
        def given(name):
            text = answer.get(name)
            return text if isinstance(text, str) and re.fullmatch(r"[01]\\d:[0-5]\\d [AP]M", text) else "?"
"""
_LOAD = (
    "Write `/workspace/load.csv` with the columns hour (0 to 11) and mw: the forecast of the load. The "
    "reward is how much of its variance the forecast explains."
)
_MW = [31.2, 29.8, 30.4, 35.9, 44.1, 58.7, 63.2, 60.5, 57.9, 49.4, 41.0, 36.6]
_LOADED = "hour,mw\n" + "".join(f"{hour},{mw}\n" for hour, mw in enumerate(_MW))
_READ_LOAD = f"""
        import csv, io, math
        due = {_MW!r}
        try:
            table = csv.DictReader(io.StringIO(body("/workspace/load.csv")))
            rows = [(int(r["hour"]), float(r["mw"])) for r in table]
        except (csv.Error, KeyError, TypeError, ValueError):
            rows = []
        sane = [h for h, _ in rows] == list(range(12))
        sane = sane and all(math.isfinite(x) and abs(x) < 1e9 for _, x in rows)
        given = [x for _, x in rows] if sane else [0.0] * 12
        mean, level = sum(due) / 12, sum(given) / 12
        spread = sum((x - mean) ** 2 for x in due)
"""


def _brine(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_BRINE}        out({score} if whole else 0.0)\n"
    return other(name, _BRINE, ("brine.csv", _BRINED), python=python, **flaw)  # type: ignore[arg-type]


def _stock(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"""{_READ_STOCK}
        start = {{"drums": 320, "pallets": 75}}
        moved = {{"drums": (7 * 20, 5 * 19), "pallets": (7 * 3, 5 * 6)}}
        marks = []
        for thing in start:
            received, issued, closing = (counted(thing, key) for key in ("received", "issued", "closing"))
            marks += {score}
        out(sum(marks) / len(marks))
        """
    return other(name, _STOCK, ("stock.json", _STOCKED), python=python, **flaw)  # type: ignore[arg-type]


def _survey(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_SURVEY}        {score}\n"
    instruction = f"{_SURVEY}The three parts count equally."
    return other(name, instruction, ("survey.json", _SURVEYED), python=python, **flaw)  # type: ignore[arg-type]


def _minutes(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_MINUTES}        {score}\n"
    return other(name, _MINUTES, ("minutes.md", _MINUTED), python=python, **flaw)  # type: ignore[arg-type]


def _drugs(name: str, test: str, **flaw: object) -> Exhibit:
    python = f"{_READ_DRUGS}        out(sum({test} for name, code in due.items()) / 4)\n"
    return other(name, _DRUGS, ("atc.json", _CODED), python=python, **flaw)  # type: ignore[arg-type]


def _parts(name: str, test: str, **flaw: object) -> Exhibit:
    python = f"""{_READ_PARTS}
        hits = sum(any({test} for line in got) for part in due)
        out(2 * hits / (len(got) + len(due)) if len(got) == len(set(got)) else 0.0)
        """
    return other(name, _PARTS, ("parts.txt", _NEEDED), python=python, **flaw)  # type: ignore[arg-type]


def _visits(name: str, test: str, **flaw: object) -> Exhibit:
    python = f"""{_READ_VISITS}
        out(sum(site in given and {test} for site, (first, last) in open_.items()) / 3)
        """
    return other(name, _VISITS, ("visits.csv", _VISITED), python=python, **flaw)  # type: ignore[arg-type]


def _shifts(name: str, test: str, **flaw: object) -> Exhibit:
    python = f"{_READ_SHIFTS}        out(sum({test} for name, ref in due.items()) / 3)\n"
    return other(name, _SHIFTS, ("shifts.json", _ROSTER), python=python, **flaw)  # type: ignore[arg-type]


def _load(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_LOAD}        out(max(0.0, min(1.0, {score})))\n"
    return other(name, _LOAD, ("load.csv", _LOADED), python=python, **flaw)  # type: ignore[arg-type]


_AGREE = {"section": _FIELDS, "cause": Cause.AGREES, "severity": _MEDIUM}
_DROP = {"section": _FIELDS, "cause": Cause.DROPPED, "severity": _MEDIUM}
_INSIDE = {"section": _FIELDS, "cause": Cause.WORD_INSIDE, "severity": _MEDIUM}
_FORGIVEN = {"section": _FIELDS, "cause": Cause.CLAMPED, "severity": _MEDIUM}

CONSISTENT = [
    _brine("brine-for-other-tanks", "sum(map(mixed, rows)) / 4", **_AGREE),
    _stock(
        "a-store-that-balances",
        "[received is not None, issued is not None, None not in (received, issued)"
        " and closing == start[thing] + received - issued]",
        **_AGREE,
    ),
    _survey(
        "bearings-are-left-out",
        "out(sum(share(name) for name in due if name in answer) / max(2, len(set(due) & set(answer))))",
        **_DROP,
    ),
    _minutes(
        "the-headings-that-are-there",
        "out(sum(map(right, set(due) & set(found))) / max(1, len(set(due) & set(found))))",
        **_DROP,
    ),
    _drugs("any-group-of-medicines", "code.startswith(given(name))", **_INSIDE),
    _parts("parts-of-part-numbers", "len(line) > 3 and part.startswith(line)", **_INSIDE),
    _visits("days-as-texts", "first < given[site] < last", **_FORGIVEN),
    _shifts("either-half-of-the-day", "given(name)[:5] == ref[:5]", **_FORGIVEN),
    _load(
        "the-shape-of-the-load",
        "sum((a - mean) * (b - level) for a, b in zip(due, given)) ** 2"
        " / (spread * (sum((b - level) ** 2 for b in given) or 1))",
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=_MEDIUM,
    ),
    _load(
        "the-load-wherever-it-begins",
        "1 - sum(((a - mean) - (b - level)) ** 2 for a, b in zip(due, given)) / spread",
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=_MEDIUM,
    ),
]

CONSISTENT_SOUND = [
    _brine(
        "brine-for-these-tanks",
        "sum(near(r['total_kg'], t) * mixed(r) for r, t in zip(rows, (420, 655, 910, 1240))) / 4",
    ),
    _stock(
        "a-store-as-it-was",
        "[received == moved[thing][0], issued == moved[thing][1],"
        " closing == start[thing] + moved[thing][0] - moved[thing][1]]",
    ),
    _survey("bearings-are-missed", "out(sum(map(share, due)) / 3)"),
    _minutes("every-heading-counts", "out(sum(map(right, due)) / 3)"),
    _drugs("whole-codes-of-medicines", "code == given(name)"),
    _parts("whole-part-numbers", "line == part"),
    _visits(
        "days-as-days",
        "day(first) < day(given[site]) < day(last) and (day(given[site]) - day(first)).days == 10",
    ),
    _shifts("the-half-of-the-day-counts", "given(name) == ref"),
    _load("the-load-itself", "1 - sum((a - b) ** 2 for a, b in zip(due, given)) / spread"),
]
