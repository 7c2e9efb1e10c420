"""Sound verifiers of a sixth set that were doubted: they break honestly, grade by F1, or read one of many."""

from __future__ import annotations

from audit.gallery.other_tongues import other

_IDS = '{"ids": ["REQ-12", "REQ-18", "REQ-21", "REQ-33"]}\n'
_TEXT = "REQ-12 brake, REQ-15 seat, REQ-18 airbag, REQ-21 belt, REQ-30 paint, REQ-33 horn"
_SEATS = "".join(f"S{n:03},{'window' if n % 3 else 'aisle'}\n" for n in range(1, 241))
_BILLS = "".join(f"B{n:02},{n % 28 + 1},{7 * n + 3},{n % 5}\n" for n in range(1, 71))
_READ = """
        try:
            answer = json.loads(body("/workspace/answer.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
"""

SIXTH_SOUND = [
    other(
        "breaks-without-an-output",
        "Write the number of the puzzle to `/workspace/number.txt`.",
        ("number.txt", "4362\n"),
        python="""
        with open("/workspace/number.txt", encoding="utf-8-sig", errors="replace") as file:
            text = file.read()
        out(float(text.partition("\\n")[0].strip() == "4362"))
        """,
    ),
    other(
        "cells-of-any-size-are-not-read",
        "Write the concentrations to `/workspace/conc.csv`, columns flask and molar. All must be right.",
        ("conc.csv", "flask,molar\nA,1.2\nB,0.48\nC,0.24\n"),
        python="""
        import csv
        due, seen = {"A": 1.2, "B": 0.48, "C": 0.24}, {}
        with open("/workspace/conc.csv", newline="", encoding="utf-8-sig", errors="replace") as file:
            for row in csv.DictReader(file):
                name, text = str(row.get("flask")).strip(), str(row.get("molar")).strip()
                good = name in due and name not in seen and re.fullmatch(r"[0-9.]{1,20}(e-?\\d\\d?)?", text)
                near = bool(good) and text.count(".") < 2 and abs(float(text) / due[name] - 1) <= 0.01
                seen[name] = near
        out(float(set(seen) == set(due) and all(seen.values())))
        """,
    ),
    other(
        "f1-is-stated",
        f'List the ids of all safety requirements as `/workspace/answer.json`, `{{"ids": []}}`: {_TEXT}. '
        "The reward is the F1 score; a repeated id counts as wrong.",
        ("answer.json", _IDS),
        python=f"""{_READ}
        due = {{"req-12", "req-18", "req-21", "req-33"}}
        given = answer.get("ids") if isinstance(answer.get("ids"), list) else []
        given = [x.strip().lower() if isinstance(x, str) else None for x in given]
        out(2 * len(set(given) & due) / (len(given) + 4))
        """,
    ),
    other(
        "last-of-several-lines",
        "Name the capital of each country in `/workspace/capitals.txt`, lines `Country: Capital`; of several "
        "lines for a country the last counts.",
        ("capitals.txt", "Australia: Canberra\nBrazil: Brasilia\nCanada: Ottawa\n"),
        python="""
        due = {"Australia": "canberra", "Brazil": "brasilia", "Canada": "ottawa"}
        lines = (line.partition(":") for line in body("/workspace/capitals.txt").splitlines())
        got = {key.strip(): word.strip().lower() for key, _, word in lines}
        out(sum(got.get(country) == city for country, city in due.items()) / 3)
        """,
    ),
    other(
        "first-of-the-attempts",
        'Find the x that is asked for: `/workspace/answer.json`, `{"attempts": [{"x": 0.0}]}`; the '
        "first counts. The `method` is bisection.",
        ("answer.json", '{"attempts": [{"x": 3.2}], "method": "bisection"}\n'),
        python=f"""{_READ}
        tries = answer.get("attempts")
        tries = [one for one in tries if isinstance(one, dict)] if isinstance(tries, list) else []
        first = tries[0].get("x") if tries else None
        right = type(first) in (int, float) and abs(first) < 1e300 and abs(first - 3.2) <= 0.05
        out(0.8 * right + 0.2 * (answer.get("method") == "bisection"))
        """,
    ),
    other(
        "each-point-once",
        "Write `/workspace/points.xml` with an element `p` for each point, each exactly once.",
        ("points.xml", '<points>\n  <p id="A" e="100" n="200"/>\n  <p id="B" e="150" n="230"/>\n</points>\n'),
        python="""
        import xml.etree.ElementTree as tree
        try:
            root = tree.fromstring(body("/workspace/points.xml"))
        except (tree.ParseError, ValueError):
            root = tree.Element("nothing")
        due, got = {"A": ("100", "200"), "B": ("150", "230")}, {}
        def same(text, ref):
            return bool(re.fullmatch(r"[0-9.]{1,12}", text or "")) and abs(float(text) - float(ref)) <= 0.01
        for point in root:
            name = point.get("id")
            place = point.get("e"), point.get("n")
            got[name] = name in due and name not in got and all(map(same, place, due[name]))
        out(sum(got.get(name, False) for name in due) / max(2, len(root)))
        """,
    ),
    other(
        "one-of-hundreds-voids-the-table",
        "Write `/workspace/seats.csv`, header `seat,kind`, S001 to S240 in this order; the kind is window or "
        "aisle. All must be right; the table is compared byte for byte.",
        ("seats.csv", f"seat,kind\n{_SEATS}"),
        python="""
        rows = [f"S{n:03},{'window' if n % 3 else 'aisle'}" for n in range(1, 241)]
        out(float(body("/workspace/seats.csv") == "\\n".join(["seat,kind", *rows, ""])))
        """,
    ),
    other(
        "each-of-many-cells-costs-its-share",
        "Write `/workspace/bills.csv`, header `bill,day,amount,desk`, B01 to B70. Each cell counts the same.",
        ("bills.csv", f"bill,day,amount,desk\n{_BILLS}"),
        python="""
        import csv
        due = {f"B{n:02}": (n % 28 + 1, 7 * n + 3, n % 5) for n in range(1, 71)}
        good, seen = 0, {}
        with open("/workspace/bills.csv", newline="", encoding="utf-8-sig", errors="replace") as file:
            for row in csv.DictReader(file):
                name = str(row.get("bill")).strip()
                cells = [str(row.get(key)).strip() for key in ("day", "amount", "desk")]
                whole = [re.fullmatch(r"[0-9]{1,9}", cell) is not None for cell in cells]
                right = [ok and int(c) == d for ok, c, d in zip(whole, cells, due.get(name, (0, 0, 0)))]
                good += sum(right) if name in due and name not in seen else -3
                seen[name] = True
        out(max(0.0, good / 210))
        """,
    ),
]
