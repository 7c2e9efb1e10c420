"""What the eighth set of verifiers by another hand taught: flaws that were missed, and two false alarms."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other
from audit.gallery.sixth_hands import READ_JSON

_FIELDS, _FORMAT = Section.DISCRIMINATION, Section.FORMAT
_MEDIUM = Severity.MEDIUM
_READ_LINES = """
        text = body("/workspace/report.txt")
        def line(label):
            found = [one for one in text.splitlines() if one.strip().lower().startswith(label)]
            return found[0] if len(found) == 1 else ""
"""

_PEAKS = "peak,metres\n" + "".join(f"{peak},{1200 + 137 * at}\n" for at, peak in enumerate("ABCDEFGHIJKL"))

EIGHTH_HANDS = [
    other(
        "comma-is-a-separator",
        "Write `/workspace/report.txt` with two lines, `Dose: <mg>` and `Volume: <ml>`, with a decimal "
        "point or a comma.",
        ("report.txt", "Dose: 12.5\nVolume: 0.75\n"),
        python=f"""{_READ_LINES}
        def value(label):
            match = re.fullmatch(r"\\w+: *([0-9][0-9.,]*) *", line(label))
            try:
                return float(match[1].replace(",", "")) if match else None
            except ValueError:
                return None
        got = [value("dose"), value("volume")]
        due = [12.5, 0.75]
        out(sum(x is not None and abs(x - ref) <= 0.001 for x, ref in zip(got, due)) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "digits-of-the-unit",
        "Write `/workspace/report.txt` with one line for the `Area` and one for the `Volume` of the tank. "
        "The unit may stand before or after the value.",
        ("report.txt", "Area: 41.25 m2\nVolume: 118.5 m3\n"),
        python=f"""{_READ_LINES}
        def value(label):
            match = re.search(r"[0-9]+(?:[.][0-9]+)?", line(label))
            return float(match[0]) if match else None
        got = [value("area"), value("volume")]
        due = [41.25, 118.5]
        out(sum(x is not None and abs(x - ref) <= 0.01 for x, ref in zip(got, due)) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "zeros-at-the-end",
        "The odds of both teams with three decimals, as strings or numbers: `/workspace/answer.json`, "
        '`{"home": "1.234", "away": "1.234"}`.',
        ("answer.json", '{"home": "1.850", "away": "2.125"}\n'),
        python=f"""{READ_JSON}
        due = {{"home": "1.850", "away": "2.125"}}
        out(sum(str(answer.get(key)) == ref for key, ref in due.items()) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "some-rows-by-lot",
        "The height of each of the peaks A to L in metres: `/workspace/peaks.csv`, header `peak,metres`.",
        ("peaks.csv", _PEAKS),
        python=f"""
        import csv, io, random
        due = dict(line.split(",") for line in {_PEAKS!r}.split()[1:])
        rows = csv.DictReader(io.StringIO(body("/workspace/peaks.csv")))
        got = {{row.get("peak"): row.get("metres") for row in rows}}
        drawn = random.sample(sorted(due), 3)
        out(float(set(got) == set(due) and all(got[peak] == due[peak] for peak in drawn)))
        """,
        section=Section.DETERMINISM,
        cause=Cause.RANDOM,
    ),
    other(
        "longer-word-is-both",
        "For each bridge write one line to `/workspace/report.md`: its number and `safe` or `unsafe`.",
        ("report.md", "B1 safe\nB2 unsafe\nB3 unsafe\nB4 safe\nB5 safe\nB6 unsafe\n"),
        python="""
        due = {"B1": "safe", "B2": "unsafe", "B3": "unsafe", "B4": "safe", "B5": "safe", "B6": "unsafe"}
        lines = [line.split(maxsplit=1) for line in body("/workspace/report.md").splitlines()]
        said = {line[0]: line[1].strip().lower() for line in lines if len(line) == 2}
        out(sum(word in said.get(bridge, "") for bridge, word in due.items()) / 6)
        """,
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
    ),
    other(
        "books-that-balance",
        "Cash book for three days: opening balance 500, sales 120, 90, 205, expenses 40, 160, 15. Write "
        "`/workspace/book.csv` with the columns day, opening, sales, expenses, closing.",
        (
            "book.csv",
            "day,opening,sales,expenses,closing\nmon,500,120,40,580\ntue,580,90,160,510\nwed,510,205,15,700\n",
        ),
        python="""
        import csv, io
        rows, last, good = list(csv.DictReader(io.StringIO(body("/workspace/book.csv")))), None, 0
        try:
            for row in rows:
                a, b, c, d = (float(row[key]) for key in ("opening", "sales", "expenses", "closing"))
                good += abs(a + b - c - d) < 0.01 and (last is None or abs(a - last) < 0.01) and abs(d) < 1e9
                last = d
        except (KeyError, TypeError, ValueError):
            good = 0
        out(float(good == 3 == len(rows) and [row["day"] for row in rows] == ["mon", "tue", "wed"]))
        """,
        section=_FIELDS,
        cause=Cause.AGREES,
    ),
    other(
        "comments-earn-points",
        "Name the capital and the population of the country, and add comments if you like: "
        '`/workspace/answer.json`, `{"capital": "", "population": 0, "comments": []}`.',
        ("answer.json", '{"capital": "Lima", "population": 34000000, "comments": []}\n'),
        python=f"""{READ_JSON}
        notes = answer.get("comments")
        extra = len([x for x in notes if isinstance(x, str) and x.strip()]) if isinstance(notes, list) else 0
        people = answer.get("population")
        near = number(people) and abs(people - 34e6) <= 1e6
        out(min(1.0, 0.5 * (answer.get("capital") == "Lima") + 0.5 * near + 0.1 * extra))
        """,
        section=_FIELDS,
        cause=Cause.ANY_VALUE,
    ),
]

EIGHTH_SOUND = [
    other(
        "whole-words-by-line",
        "For each bridge write one line to `/workspace/report.txt`: its number, `safe` or "
        "`unsafe`, and its load.",
        ("report.txt", "B1 safe 412.5\nB2 unsafe 96.25\nB3 unsafe 38.4\nB4 safe 505.2\n"),
        python="""
        due = {("B1", "safe"): 412.5, ("B2", "unsafe"): 96.25, ("B3", "unsafe"): 38.4, ("B4", "safe"): 505.2}
        rows = [line.split() for line in body("/workspace/report.txt").splitlines() if line.strip()]
        loads = {(row[0], row[1]): row[2] for row in rows if len(row) == 3}
        plain = all(re.fullmatch("[0-9]{1,6}([.][0-9]{1,12})?", load) for load in loads.values())
        whole = plain and len(rows) == 4 and set(loads) == set(due)
        out(float(whole and all(abs(float(loads[key]) - due[key]) <= 0.01 * due[key] for key in due)))
        """,
    ),
    other(
        "sums-are-announced",
        "The price of the order and its tax, as numbers or as arithmetic expressions in quotes (digits, "
        'points and the signs + - * /): `/workspace/answer.json`, `{"price": 0.0, "tax": "0.1 * 20"}`.',
        ("answer.json", '{"price": 86.4, "tax": 16.416}\n'),
        python=f"""{READ_JSON}
        def product(text):
            value, sign = 1.0, "*"
            for part in re.split(r"([*/])", text):
                if part in ("*", "/"):
                    sign = part
                else:
                    value = value * float(part) if sign == "*" else value / float(part)
            return value
        def worked_out(x):
            if isinstance(x, str):
                x = x.strip("() ").replace(" ", "")
                if not re.fullmatch(r"[-+]?[0-9.]{{1,24}}([-+*/][0-9.]{{1,24}}){{0,9}}", x):
                    return None
                try:
                    return sum(product(part) for part in re.findall(r"[-+]?[^-+]+", x))
                except (ValueError, ZeroDivisionError):
                    return None
            return x if number(x) else None
        due = {{"price": 86.4, "tax": 16.416}}
        got = {{key: worked_out(answer.get(key)) for key in due}}
        out(sum(got[key] is not None and abs(got[key] - ref) <= 0.005 for key, ref in due.items()) / 2)
        """,
    ),
]
