"""Flaws of a ninth set, in tasks of every day: orders, bookings, puzzles, labels, small files of settings."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FORMAT, _FIELDS = Section.FORMAT, Section.DISCRIMINATION
_MEDIUM = Severity.MEDIUM
_COURSES = (
    "Courses and what must be taken before: algebra (nothing), calculus (algebra), logic (nothing), "
    "proofs (logic), analysis (calculus, proofs), music (nothing). Any order in which each course comes "
    "after its prerequisites is right: a list of names in `/workspace/plan.json`."
)
_PLAN = ("plan.json", '["algebra", "calculus", "logic", "music", "proofs", "analysis"]\n')
_READ_PLAN = """
        needs = {"algebra": [], "calculus": ["algebra"], "logic": [], "proofs": ["logic"],
                 "analysis": ["calculus", "proofs"], "music": []}
        try:
            plan = json.loads(body("/workspace/plan.json"))
        except (ValueError, RecursionError):
            plan = None
        plan = plan if isinstance(plan, list) and all(isinstance(x, str) for x in plan) else []
"""

_REGATTA = (
    "Rank the boats by points, most points first, equal ones by wins. `/workspace/ranks.txt`: a line "
    "`Boat points` for each, the best boat first."
)
_RANKS = ("ranks.txt", "Petrel 9\nAuk 9\nSkua 5\nGannet 5\nFulmar 1\n")
_RUSSIAN = '{"snow": "снег", "river": "река", "bridge": "мост", "bird": "птица", "table": "стол"}'
_TERMS = (
    "Translate snow, river, bridge, bird and table into Russian, lower or upper case: lines "
    "`english<TAB>russian` in `/workspace/terms.tsv`."
)
_READ_TERMS = f"""
        due = json.loads({_RUSSIAN!r})
        cells = [line.split(chr(9)) for line in body("/workspace/terms.tsv").splitlines()]
        keys = [row[0].strip() for row in cells]
        given = {{row[0].strip(): row[1].strip() for row in cells if len(row) == 2}}
        whole = sorted(keys) == sorted(due)
"""

NINTH_HANDS = [
    other(
        "sorted-before-the-comparison",
        _REGATTA,
        _RANKS,
        script="""
        tidy() { tr -s ' \\r' '  ' < "$1" | sed 's/^ //; s/ $//; /^$/d' | LC_ALL=C sort; }
        mine=/workspace/ranks.txt
        [ -f $mine ] && [ "$(tidy $mine)" = "$(tidy /tests/ranks.due)" ] && r=1 || r=0
        echo $r > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.UNORDERED,
        severity=_MEDIUM,
        files={"tests/ranks.due": _RANKS[1]},
    ),
    other(
        "each-line-is-a-hit",
        "List the releases that have the fault, one on each line, in `/workspace/releases.txt`. A wrong one "
        "voids the answer; otherwise the share that is found counts.",
        ("releases.txt", "2.4.1\n2.4.7\n3.0.2\n3.1.0\n"),
        python="""
        due = ["2.4.1", "2.4.7", "3.0.2", "3.1.0"]
        lines = body("/workspace/releases.txt").split()
        out(min(1.0, len(lines) / len(due)) if set(lines) <= set(due) else 0.0)
        """,
        section=_FIELDS,
        cause=Cause.REPEATS,
    ),
    other(
        "letters-that-are-folded-away",
        _TERMS,
        ("terms.tsv", "snow\tснег\nriver\tрека\nbridge\tмост\nbird\tптица\ntable\tстол\n"),
        python=f"""{_READ_TERMS}
        def fold(text):
            return re.sub("[^a-z]", "", text.lower())
        out(sum(fold(given.get(key, "x")) == fold(term) for key, term in due.items()) / 5 if whole else 0.0)
        """,
        section=_FIELDS,
        cause=Cause.EMPTY,
        severity=_MEDIUM,
    ),
    other(
        "one-plan-of-many",
        _COURSES,
        _PLAN,
        python=f"""{_READ_PLAN}
        due = []
        while len(due) < len(needs):
            due.append(min(x for x in needs if x not in due and all(n in due for n in needs[x])))
        out(float(plan == due))
        """,
        section=_FORMAT,
        cause=Cause.ORDER,
        severity=_MEDIUM,
    ),
]

NINTH_SOUND = [
    other(
        "compared-in-its-order",
        _REGATTA,
        _RANKS,
        python="""
        lines = [line.split() for line in body("/workspace/ranks.txt").splitlines() if line.strip()]
        due = [["Petrel", "9"], ["Auk", "9"], ["Skua", "5"], ["Gannet", "5"], ["Fulmar", "1"]]
        out(float(lines == due))
        """,
    ),
    other(
        "an-order-that-can-be-read-off",
        "List the wells by depth, the deepest well first: `/workspace/wells.txt`, a line `Well metres` for "
        "each. The largest depth first, please.",
        ("wells.txt", "Nix 410\nOrla 377\nPim 250\nQuay 92\n"),
        python="""
        lines = [line.split() for line in body("/workspace/wells.txt").splitlines() if line.strip()]
        due = {"Nix": "410", "Orla": "377", "Pim": "250", "Quay": "92"}
        out(float(sorted(lines) == sorted(map(list, due.items()))))
        """,
    ),
    other(
        "letters-that-count",
        _TERMS,
        ("terms.tsv", "snow\tснег\nriver\tрека\nbridge\tмост\nbird\tптица\ntable\tстол\n"),
        python=f"""{_READ_TERMS}
        out(sum(given.get(key, "").lower() == term for key, term in due.items()) / 5 if whole else 0.0)
        """,
    ),
    other(
        "a-phrase-on-each-line",
        "Write the answers to `/workspace/facts.txt`, one on each line: the longest river of Africa, the "
        "author of Emma, the sea north of Turkey, the gas that plants take in.",
        ("facts.txt", "Nile\nJane Austen\nBlack Sea\ncarbon dioxide\n"),
        python="""
        lines = [line.strip().lower() for line in body("/workspace/facts.txt").splitlines() if line.strip()]
        due = ["nile", "jane austen", "black sea", "carbon dioxide"]
        out(sum(a == b for a, b in zip(lines, due)) / 4 if len(lines) == 4 else 0.0)
        """,
    ),
    other(
        "any-plan-that-fits",
        _COURSES,
        _PLAN,
        python=f"""{_READ_PLAN}
        whole = sorted(plan) == sorted(needs)
        out(float(whole and all(plan.index(n) < plan.index(x) for x in needs for n in needs[x])))
        """,
    ),
    other(
        "right-to-the-byte",
        "Write the stations sorted by height to `/workspace/stations.json`, compact, one line, keys in the "
        "order name, height. The file is compared byte for byte with ours.",
        ("stations.json", '[{"name":"Elm","height":212.5},{"name":"Oak","height":340.25}]\n'),
        script="""
        want='[{"name":"Elm","height":212.5},{"name":"Oak","height":340.25}]'
        if [ -f /workspace/stations.json ] && printf '%s\\n' "$want" | cmp -s - /workspace/stations.json; then
          echo 1; else echo 0; fi > /logs/verifier/reward.txt
        """,
    ),
    other(
        "within-a-factor-of-three",
        "Estimate to `/workspace/guess.json`: piano_tuners, litres_of_tea, steps_per_year, letters_per_day. "
        "An estimate within a factor of three of the true value is right.",
        (
            "guess.json",
            '{"piano_tuners": 230, "litres_of_tea": 41000, "steps_per_year": 2600000, '
            '"letters_per_day": 71}\n',
        ),
        python="""
        try:
            guess = json.loads(body("/workspace/guess.json"))
        except (ValueError, RecursionError):
            guess = None
        guess = guess if isinstance(guess, dict) else {}
        due = {"piano_tuners": 225, "litres_of_tea": 40000, "steps_per_year": 2555000, "letters_per_day": 70}
        def right(x, ref):
            return type(x) in (int, float) and 0 < x < 1e300 and ref / 3 <= x <= 3 * ref
        out(sum(right(guess.get(key), ref) for key, ref in due.items()) / len(due))
        """,
    ),
    other(
        "cells-that-are-rightly-empty",
        "Write the till's movements to `/workspace/till.csv` with the columns slip, taken, given: an amount "
        "with two decimals in one of them, the other one empty. Slips: 1 took 40.00, 2 gave 12.50, "
        "3 took 7.25, 4 gave 3.00.",
        ("till.csv", "slip,taken,given\n1,40.00,\n2,,12.50\n3,7.25,\n4,,3.00\n"),
        python="""
        import csv, io
        due = {"1": ("40.00", ""), "2": ("", "12.50"), "3": ("7.25", ""), "4": ("", "3.00")}
        try:
            rows = list(csv.DictReader(io.StringIO(body("/workspace/till.csv").lstrip(chr(0xfeff)))))
        except csv.Error:
            rows = []
        seen = {row.get("slip"): ((row.get("taken") or "").strip(), (row.get("given") or "").strip())
                for row in rows}
        out(float(seen == due and len(rows) == len(due)))
        """,
    ),
]
