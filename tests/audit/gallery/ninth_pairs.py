"""Flaws of a ninth set, each beside a sound verifier of the same task."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _FORMAT = Section.DISCRIMINATION, Section.FORMAT
_MEDIUM = Severity.MEDIUM


def _read(name: str, kind: str) -> str:
    return f"""
        try:
            answer = json.loads(body("/workspace/{name}"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, {kind}) else {kind}()
"""


_MAIL = [f"m{n:02}" for n in range(1, 17)]
_LABELS = {name: "spam" if name in ("m04", "m11") else "ham" for name in _MAIL}
_MAILS = (
    "Label the mails m01 to m16 as `ham` or `spam`: `/workspace/mails.json`, an object of labels. "
    "Three quarters of right labels are enough."
)
_BOTH = _MAILS.replace("Three quarters of right labels are enough.", "All mails of a kind must be found.")
_SQUARE = (
    "Fill the square so that each row and each column holds 1 to 4 once (0 is empty), and write all of it to "
    "`/workspace/square.json`:\n\n[[1, 0, 0, 4], [0, 4, 1, 0], [2, 0, 4, 0], [0, 3, 0, 1]]"
)
_FILLED = "[[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]\n"
_FULL = """
        rows = answer if len(answer) == 4 and all(isinstance(r, list) and len(r) == 4 for r in answer) else []
        plain = bool(rows) and all(type(x) is int for r in rows for x in r)
        full = plain and all(sorted(line) == [1, 2, 3, 4] for line in [*rows, *map(list, zip(*rows))])
"""
_SEATS = (
    "Seat the guests as the letter says: `/workspace/seats.csv` with the columns row, guest, paid, two "
    "guests in each row. Amounts have two decimals."
)
_SEATED = (
    "row,guest,paid\n1,2041,30.00\n1,5057,30.00\n2,7013,45.50\n2,3088,45.50\n3,9066,12.25\n3,2034,12.25\n"
)
_READ_SEATS = """
        import csv, io
        try:
            rows = list(csv.reader(io.StringIO(body("/workspace/seats.csv").strip())))[1:]
        except csv.Error:
            rows = []
        rows = [[cell.strip() for cell in row] for row in rows if row]
        due = [["1", "2041", "30.00"], ["1", "5057", "30.00"], ["2", "7013", "45.50"],
               ["2", "3088", "45.50"], ["3", "9066", "12.25"], ["3", "2034", "12.25"]]
        whole = len(rows) == len(due) and all(len(row) == 3 for row in rows)
"""
_BILL = (
    "Write the bill to `/workspace/bill.md`, a line `Name: amount` for Rent, Heating and Total, with two "
    "decimals. Commas for the thousands (`1,250.00`) are fine."
)
_BILLED = "Rent: 18400.00\nHeating: 2310.75\nTotal: 20710.75\n"
_READ_BILL = """
        due = {"Rent": 18400.0, "Heating": 2310.75, "Total": 20710.75}
        text = body("/workspace/bill.md")
        def lines(name):
            return re.findall(rf"^{name}: *(.*?)[ \\t\\r]*$", text, re.M)
        def amount(written):
            return float(written) if re.fullmatch(r"[0-9]+[.][0-9][0-9]", written) else None
"""
_MEANS = (
    "Write `/workspace/means.json` with the numbers mean and spread, and decimals: to how many decimals you "
    "rounded, at least two."
)
_READ_MEANS = (
    _read("means.json", "dict")
    + """
        def number(x):
            return type(x) in (int, float) and abs(x) < 1e300
        places = answer.get("decimals")
        places = places if type(places) is int and places < 12 else 12
        due = {"mean": 41.6375, "spread": 7.21875}
"""
)
_STAFF = "People: Ann Lee earns 41, Bo Day 55, Cy Orr 38, and dept holds who works where. "
_QUERY = (
    f"{_STAFF}Tables staff(name, pay) and dept(name, head). Write `/workspace/query.sql`: the names and pay "
    "of staff with more than 40, highest first. Views may come before the last select."
)
_SELECT = "select name, pay from staff where pay > 40 order by pay desc;\n"
_DATABASE = """
        import sqlite3
        db = sqlite3.connect(":memory:")
        db.executescript("create table staff(name, pay); create table dept(name, head);"
                         "insert into staff values ('Ann Lee', 41), ('Bo Day', 55), ('Cy Orr', 38);"
                         "insert into dept values ('Tools', 'Bo Day');")
        def due():
            return db.execute("select name, pay from staff where 40 < pay order by pay desc").fetchall()
        def given():
            rows = None
            for part in body("/workspace/query.sql").split(";"):
                if part.strip():
                    cursor = db.execute(part)
                    rows = cursor.fetchall() if cursor.description else None
            return rows
"""
_CONF = (
    "Write `/workspace/site.yaml`: site.name is north, site.pumps.count is 3, site.pumps.kind is screw, "
    "site.owner is Ott, "
    "alarm.level is 2. Block style; how far lines are indented is up to you."
)
_YAML = "site:\n  name: north\n  pumps:\n    count: 3\n    kind: screw\n  owner: Ott\nalarm:\n  level: 2\n"
_PATHS = """
        due = {"site.name": "north", "site.pumps.count": "3", "site.pumps.kind": "screw", "alarm.level": "2",
               "site.owner": "Ott"}
        found, above = {}, []
        for line in body("/workspace/site.yaml").splitlines():
            key, colon, value = line.partition(":")
            if not colon or key.lstrip().startswith("#"):
                continue
            wide = len(key) - len(key.lstrip())
"""
_SCORED = """
            value = value.strip().strip("'" + '"')
            if value:
                path = ".".join([*(name for _, name in above), key.strip()])
                found[path] = None if path in found else value
            else:
                above.append((wide, key.strip()))
        out(sum(found.get(key) == value for key, value in due.items()) / 5)
"""


def _mails(name: str, instruction: str, score: str, **flaw: object) -> Exhibit:
    golden = "{" + ", ".join(f'"{key}": "{label}"' for key, label in _LABELS.items()) + "}\n"
    python = f"""{_read("mails.json", "dict")}
        due = {_LABELS!r}
        whole = set(answer) == set(due)
        hits = [key for key in due if whole and answer[key] == due[key]]
        out({score})
        """
    return other(name, instruction, ("mails.json", golden), python=python, **flaw)  # type: ignore[arg-type]


NINTH_PAIRS = [
    _mails(
        "one-label-is-enough",
        _MAILS,
        "float(len(hits) >= 12)",
        section=Section.TRIVIAL,
        cause=Cause.GUESSED,
    ),
    other(
        "another-square",
        _SQUARE,
        ("square.json", _FILLED),
        python=f"{_read('square.json', 'list')}{_FULL}        out(float(full))\n",
        section=_FIELDS,
        cause=Cause.ANY_VALUE,
    ),
    other(
        "guests-in-other-rows",
        _SEATS,
        ("seats.csv", _SEATED),
        python=f"""{_READ_SEATS}
        known = {{guest for _, guest, _ in due}}
        out(float(whole and sorted(row[1] for row in rows) == sorted(known)
                  and [(row[0], row[2]) for row in rows] == [(a, c) for a, _, c in due]))
        """,
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=_MEDIUM,
    ),
    other(
        "commas-that-were-fine",
        _BILL,
        ("bill.md", _BILLED),
        python=f"""{_READ_BILL}
        out(sum(len(lines(name)) == 1 and amount(lines(name)[0]) == ref for name, ref in due.items()) / 3)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "as-rough-as-it-says",
        _MEANS,
        ("means.json", '{"mean": 41.638, "spread": 7.219, "decimals": 3}\n'),
        python=f"""{_READ_MEANS}
        def same(x, ref):
            return number(x) and round(x, places) == round(ref, places)
        out(sum(same(answer.get(key), ref) for key, ref in due.items()) / 2)
        """,
        section=Section.EXPLOITS,
        cause=Cause.CLAIMED,
    ),
    other(
        "emptied-before-it-is-asked",
        _QUERY,
        ("query.sql", _SELECT),
        python=f"""{_DATABASE}
        try:
            rows = given()
            out(float(rows is not None and rows == due()))
        except sqlite3.Error:
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.WRITES_DATA,
    ),
    other(
        "two-blanks-a-level",
        _CONF,
        ("site.yaml", _YAML),
        python=f"{_PATHS}            above = above[: wide // 2]\n{_SCORED}",
        section=_FORMAT,
        cause=Cause.LAYOUT,
        severity=_MEDIUM,
    ),
]

NINTH_NEIGHBOURS = [
    _mails(
        "both-labels-are-needed",
        _BOTH,
        "min(sum(due[k] == one for k in hits) / list(due.values()).count(one) for one in set(due.values()))",
    ),
    other(
        "this-square",
        _SQUARE,
        ("square.json", _FILLED),
        python=f"""{_read("square.json", "list")}{_FULL}
        given = [[1, 0, 0, 4], [0, 4, 1, 0], [2, 0, 4, 0], [0, 3, 0, 1]]
        out(float(full and all(g in (0, x) for r, line in zip(rows, given) for x, g in zip(r, line))))
        """,
    ),
    other(
        "guests-in-their-rows",
        _SEATS,
        ("seats.csv", _SEATED),
        python=f"{_READ_SEATS}        out(float(whole and sorted(rows) == sorted(due)))\n",
    ),
    other(
        "commas-are-read",
        _BILL,
        ("bill.md", _BILLED),
        python=f"""{_READ_BILL}
        def plain(written):
            grouped = re.fullmatch(r"[0-9]{{1,3}}(,[0-9]{{3}})+[.][0-9][0-9]", written)
            return written.replace(",", "") if grouped else written
        out(sum(len(lines(n)) == 1 and amount(plain(lines(n)[0])) == ref for n, ref in due.items()) / 3)
        """,
    ),
    other(
        "asked-before-it-is-emptied",
        _QUERY,
        ("query.sql", _SELECT),
        python=f"""{_DATABASE}
        rows = due()
        try:
            out(float(given() == rows))
        except sqlite3.Error:
            out(0.0)
        """,
    ),
    other(
        "any-width-a-level",
        _CONF,
        ("site.yaml", _YAML),
        python=f"{_PATHS}            above = [one for one in above if one[0] < wide]\n{_SCORED}",
    ),
]
