"""Texts that are data: Markdown tables, lines of names and values, a number in each line."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS, _FORMAT, _MEDIUM = Section.DISCRIMINATION, Section.FORMAT, Severity.MEDIUM

_CUP = (
    "Work out the table of the cup and write it as Markdown to `/workspace/cup.md`, best crew first:\n\n"
    "```\n| Rank | Crew | Won | Lost | Gap |\n|---|---|---|---|---|\n| 1 | Foxes | 99 | 99 | 99 |\n```\n\n"
    "Each column counts alike."
)
_CUP_DONE = (
    "| Rank | Crew | Won | Lost | Gap |\n|---|---|---|---|---|\n| 1 | Heron | 6 | 1 | 31 |\n"
    "| 2 | Otter | 5 | 2 | 17 |\n| 3 | Stoat | 4 | 4 | 9 |\n"
    "| 4 | Marten | 2 | 5 | 23 |\n| 5 | Vole | 0 | 6 | 12 |\n"
)
_READ_CUP = f"""
        NAMES = ["Rank", "Crew", "Won", "Lost", "Gap"]
        def rows_of(text):
            lines = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            good = len(rows) > 2 and rows[0] == NAMES and all(len(row) == 5 for row in rows)
            return rows[2:] if good else []
        due = rows_of({_CUP_DONE!r})
        rows = rows_of(body("/workspace/cup.md"))
"""
_LOG = (
    "Fill in the form and write it to `/workspace/form.md`, one value for each key; all of it is needed:\n\n"
    "    ## Ship\n    - name: ...\n    - flag: ...\n    ## Cargo\n    - goods: ...\n    - tonnes: ...\n"
    "    ## Berth\n    - quay: ...\n    - since: HH:MM\n\n"
    "> The *Alba Nova*, under the flag of Malta, lies at quay C4 since 06:35 with 5300 t of barley."
)
_LOG_DONE = (
    "## Ship\n- name: Alba Nova\n- flag: Malta\n## Cargo\n- goods: barley\n- tonnes: 5300\n"
    "## Berth\n- quay: C4\n- since: 06:35\n"
)
_READ_LOG = """
        DUE = {"name": "Alba Nova", "flag": "Malta", "goods": "barley", "tonnes": "5300", "quay": "C4",
               "since": "06:35"}
        given = {}
        for line in body("/workspace/form.md").splitlines():
            match = re.fullmatch(r"- ([a-z]+): *(.*?) *", line)
            if match:
                given[match[1]] = None if match[1] in given else match[2]
        right = {name: given.get(name) == value for name, value in DUE.items()}
"""
_STAYS = (
    "Forecast the nights of each month as last year's times the growth of the year before, rounded to one "
    "decimal: `/workspace/nights.txt`, January first, one number per line:\n\n    12.3\n    45.6"
)
_NIGHTS = "45.8\n44.9\n54.6\n61.5\n72.6\n83.0\n99.6\n103.4\n77.1\n65.0\n50.3\n58.0\n"
_READ_STAYS = f"""
        import math, statistics
        due = [float(line) for line in {_NIGHTS!r}.split()]
        try:
            given = [float(line) for line in body("/workspace/nights.txt").split()]
        except ValueError:
            given = []
        whole = len(given) == len(due) and all(math.isfinite(x) and 0 <= x < 1e6 for x in given)
"""
_COURSES = (
    "Give the bearing of each leg in degrees from true north (0 <= bearing < 360), within one degree, to "
    "`/workspace/legs.json`:\n\n" + '```json\n[{"leg": "x", "bearing_deg": 12.5}]\n```'
)
_LEGS = (
    '[{"leg": "a", "bearing_deg": 291.6}, {"leg": "b", "bearing_deg": 100.2}, '
    '{"leg": "c", "bearing_deg": 55.3}]\n'
)
_READ_COURSES = f"""
        import math
        due = {{row["leg"]: row["bearing_deg"] for row in json.loads({_LEGS!r})}}
        try:
            rows = json.loads(body("/workspace/legs.json"))
        except (ValueError, RecursionError):
            rows = []
        rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        given = {{str(row.get("leg")): row.get("bearing_deg") for row in rows}}
        given = {{name: x for name, x in given.items() if type(x) in (int, float) and 0 <= x < 360}}
        if len(rows) != 3:
            given = {{}}
"""
_ENDS = (
    "Write the last day of each lease to `/workspace/leases.json`. Dates may be written as `YYYY-MM-DD` or "
    'as `DD.MM.YYYY`:\n\n```json\n{"L8": "2019-12-24", "L9": "24.12.2019"}\n```'
)
_LEASES = '{"L1": "2024-02-29", "L2": "2025-01-14", "L3": "2022-05-09"}\n'
_READ_ENDS = f"""
        import datetime
        due = {_LEASES.strip()}
        try:
            given = json.loads(body("/workspace/leases.json"))
        except (ValueError, RecursionError):
            given = {{}}
        given = given if isinstance(given, dict) else {{}}
        def day(text):
            try:
                return datetime.datetime.strptime(str(text).strip(), "%Y-%m-%d").date().isoformat()
            except ValueError:
                return None
"""
_BUDGET = (
    "Write the yearly totals to `/workspace/budget.txt`, one line per item and a last line `Total`, with "
    "two decimals. Thousands separators are optional: `Rent: 12,400.50` and `Rent: 12400.50` are "
    "equally good.\n\n"
    "    Rent: 12400.50\n    Total: 12710.50"
)
_TOTALS = "Salaries: 127301.00\nTravel: 4826.45\nSoftware: 8815.25\nTotal: 140942.70\n"
_READ_BUDGET = f"""
        due = [line.split(": ") for line in {_TOTALS!r}.splitlines()]
        def parts(line):
            match = re.fullmatch(r" *([A-Za-z]+) *: *([-0-9.,]+) *", line)
            return [match[1], match[2]] if match else [line, ""]
        given = [parts(line) for line in body("/workspace/budget.txt").splitlines() if line.strip()]
"""
_FENCE = (
    "A fence encloses the trees as tightly as possible. List its posts in the order in which it is built, "
    "counter-clockwise, beginning with the lowest: `/workspace/fence.csv` with the header `x,y`."
)
_POSTS = "x,y\n9,1\n14,4\n15,7\n11,11\n6,13\n3,12\n1,7\n2,3\n4,2\n"
_READ_FENCE = f"""
        import csv, io
        def points(text):
            try:
                rows = list(csv.reader(io.StringIO(text.strip())))
                return [(float(x), float(y)) for x, y in rows[1:]]
            except (ValueError, csv.Error):
                return []
        due, given = points({_POSTS!r}), points(body("/workspace/fence.csv"))
"""
_SHEETS = (
    "For each trip give the **smallest** box of latitudes and longitudes that holds all its stops, to two "
    "decimals, as `/workspace/boxes.yaml`:\n\n```\npampas:\n  south: -39.5\n  north: -31.25\n```"
)
_BOXES = "alps:\n  south: 46.5\n  north: 47.27\nandes:\n  south: -17.78\n  north: -13.52\n"
_READ_SHEETS = """
        stops = {"alps": [47.27, 46.5, 46.95], "andes": [-13.52, -16.4, -17.78]}
        boxes, current = {}, None
        for line in body("/workspace/boxes.yaml").splitlines():
            head = re.fullmatch(r"(\\w+):\\s*", line)
            side = re.fullmatch(r"\\s+(south|north):\\s*([-+]?\\d{1,3}(?:\\.\\d+)?)\\s*", line)
            if head:
                current = boxes.setdefault(head[1], {})
            elif side and current is not None:
                current.setdefault(side[1], float(side[2]))
        def box(name):
            return boxes.get(name, {}).get("south", 99.0), boxes.get(name, {}).get("north", -99.0)
"""
_SPELT = (
    "Restore the capital letters of these words; change nothing but the case of letters: "
    "`/workspace/words.json`, an object from the number to the words.\n\n"
    "1 im großen und ganzen\n2 das gute daran\n3 der rhein"
)
_WORDS = '{"1": "im Großen und Ganzen", "2": "das Gute daran", "3": "der Rhein"}\n'
_READ_WORDS = f"""
        due = {_WORDS.strip()}
        try:
            given = json.loads(body("/workspace/words.json"))
        except (ValueError, RecursionError):
            given = {{}}
        given = given if isinstance(given, dict) else {{}}
"""

LAID_OUT = [
    other(
        "columns-each-on-its-own",
        _CUP,
        ("cup.md", _CUP_DONE),
        python=f"""{_READ_CUP}
        out(sum(sorted(r[n] for r in rows) == sorted(r[n] for r in due) for n in range(5)) / 5)
        """,
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=_MEDIUM,
    ),
    other(
        "form-that-is-worth-more-than-one",
        _LOG,
        ("form.md", _LOG_DONE),
        python=f"""{_READ_LOG}
        out(min(1.0, sum(right.values()) * 0.25) if set(given) <= set(DUE) else 0.0)
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=_MEDIUM,
    ),
    other(
        "correlation-has-no-scale",
        _STAYS,
        ("nights.txt", _NIGHTS),
        python=f"""{_READ_STAYS}
        same = not whole or len(set(given)) == 1
        out(0.0 if same else float(statistics.correlation(given, due) >= 0.9995))
        """,
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=_MEDIUM,
    ),
    other(
        "opposite-bearing-has-the-same-sine",
        _COURSES,
        ("legs.json", _LEGS),
        python=f"""{_READ_COURSES}
        def near(a, b):
            return abs(math.sin(math.radians(a - b))) <= math.sin(math.radians(1))
        out(sum(name in given and near(given[name], x) for name, x in due.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.SIGN,
        severity=_MEDIUM,
    ),
    other(
        "one-of-two-layouts-of-dates",
        _ENDS,
        ("leases.json", _LEASES),
        python=f"{_READ_ENDS}        out(sum(day(given.get(n)) == x for n, x in due.items()) / 3)\n",
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "separators-that-were-optional",
        _BUDGET,
        ("budget.txt", _TOTALS),
        python=f"{_READ_BUDGET}        out(float(given == due))\n",
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "posts-in-any-order",
        _FENCE,
        ("fence.csv", _POSTS),
        python=f"{_READ_FENCE}        out(float(sorted(given) == sorted(due)))\n",
        section=_FIELDS,
        cause=Cause.UNORDERED,
        severity=_MEDIUM,
    ),
    other(
        "any-box-that-is-large-enough",
        _SHEETS,
        ("boxes.yaml", _BOXES),
        python=f"""{_READ_SHEETS}
        def right(name, sides):
            low, high = box(name)
            return -90 <= low <= high <= 90 and all(low - 0.005 <= s <= high + 0.005 for s in sides)
        out(sum(right(name, sides) for name, sides in stops.items()) / 2)
        """,
        section=_FIELDS,
        cause=Cause.BOUND,
        severity=_MEDIUM,
    ),
    other(
        "capitals-that-are-the-task",
        _SPELT,
        ("words.json", _WORDS),
        python=f"""{_READ_WORDS}
        out(sum(str(given.get(n)).lower() == x.lower() for n, x in due.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=_MEDIUM,
    ),
]
LAID_OUT_SOUND = [
    other(
        "cells-in-their-rows",
        _CUP,
        ("cup.md", _CUP_DONE),
        python=f"""{_READ_CUP}
        same = len(rows) == len(due)
        out(sum(a == b for x, y in zip(rows, due) for a, b in zip(x, y)) / 25 if same else 0.0)
        """,
    ),
    other(
        "form-by-its-keys",
        _LOG,
        ("form.md", _LOG_DONE),
        python=f"{_READ_LOG}        out(sum(right.values()) / 6 if set(given) <= set(DUE) else 0.0)\n",
    ),
    other(
        "each-number-of-a-list",
        _STAYS,
        ("nights.txt", _NIGHTS),
        python=f"""{_READ_STAYS}
        out(sum(abs(a - b) <= 0.06 for a, b in zip(given, due)) / 12 if whole else 0.0)
        """,
    ),
    other(
        "smaller-angle-between-bearings",
        _COURSES,
        ("legs.json", _LEGS),
        python=f"""{_READ_COURSES}
        def near(a, b):
            apart = abs(a - b) % 360
            return min(apart, 360 - apart) <= 1
        out(sum(name in given and near(given[name], x) for name, x in due.items()) / 3)
        """,
    ),
    other(
        "both-layouts-of-dates",
        _ENDS,
        ("leases.json", _LEASES),
        python=f"""{_READ_ENDS}
        def either(text):
            turned = re.sub(r"^(\\d\\d)\\.(\\d\\d)\\.(\\d{{4}})$", r"\\3-\\2-\\1", str(text).strip())
            return day(turned)
        out(sum(either(given.get(n)) == x for n, x in due.items()) / 3)
        """,
    ),
    other(
        "separators-either-way",
        _BUDGET,
        ("budget.txt", _TOTALS),
        python=f"""{_READ_BUDGET}
        def amount(text):
            plain = re.fullmatch(r"-?(?:\\d+|\\d{{1,3}}(?:,\\d{{3}})*)\\.\\d\\d", text)
            return text.replace(",", "") if plain else None
        out(float([[n, amount(x)] for n, x in given] == due))
        """,
    ),
    other(
        "posts-as-they-are-built",
        _FENCE,
        ("fence.csv", _POSTS),
        python=f"{_READ_FENCE}        out(float(given == due))\n",
    ),
    other(
        "smallest-box",
        _SHEETS,
        ("boxes.yaml", _BOXES),
        python=f"""{_READ_SHEETS}
        def right(name, sides):
            low, high = box(name)
            return abs(low - min(sides)) <= 0.006 and abs(high - max(sides)) <= 0.006
        out(sum(right(name, sides) for name, sides in stops.items()) / 2)
        """,
    ),
    other(
        "capitals-that-count",
        _SPELT,
        ("words.json", _WORDS),
        python=f"{_READ_WORDS}        out(sum(given.get(n) == x for n, x in due.items()) / 3)\n",
    ),
]
