"""Sound verifiers that keep to an unusual word of their task, and flawed ones beside them."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_NUMBERS = """
def number(x):
    return float(x) if type(x) in (int, float) and abs(x) < 1e12 else None

def answer(path, kind=dict):
    try:
        value = json.loads(body(path))
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, kind) else kind()
"""
_GROUPS = """Split the six loads of `/workspace/loads.csv` over the phases `red` and `blue` so that the loads
that run together are on different phases (a-b, b-c, c-d, d-e, e-f, f-a run together). Write
`/workspace/phases.json`: `{"loads": [{"load": "a", "phase": "red"}]}`, each load once. Which of the two
phases
is called red is all the same.
"""
_GROUPED = """{"loads": [
 {"load": "a", "phase": "red"}, {"load": "b", "phase": "blue"}, {"load": "c", "phase": "red"},
 {"load": "d", "phase": "blue"}, {"load": "e", "phase": "red"}, {"load": "f", "phase": "blue"}]}
"""
_READ_GROUPS = """
rows = answer("/workspace/phases.json").get("loads")
phase = {}
for row in rows if isinstance(rows, list) and len(rows) == 6 else []:
    if isinstance(row, dict) and row.get("load") in list("abcdef") and row.get("phase") in ("red", "blue"):
        phase[row["load"]] = row["phase"]
"""

CONCEDED = [
    other(
        "signs-are-not-compared",
        """Give the axial forces of the four bars of the truss in `/workspace/truss.txt` in kN as
`/workspace/bars.json`: `{"S1": 0.0, "S2": 0.0, "S3": 0.0, "S4": 0.0}`. Each is right within 1 %. As
books differ
in what they call positive, the signs do not count; only the absolute values are compared.""",
        ("bars.json", '{"S1": 41.3, "S2": -27.8, "S3": -12.6, "S4": 33.9}'),
        python=_NUMBERS
        + """
given = answer("/workspace/bars.json")
want = {"S1": 41.3, "S2": 27.8, "S3": 12.6, "S4": 33.9}
def right(k):
    x = number(given.get(k))
    return x is not None and abs(abs(x) - want[k]) <= 0.01 * want[k]
out(sum(map(right, want)) / 4)
""",
    ),
    other(
        "one-mark-with-a-remark",
        """Read the three counters in `/workspace/photo.txt` and write `/workspace/counters.json`:
`{"gas_m3": 0.0, "water_m3": 0.0, "power_kwh": 0.0, "remark": "..."}`. The remark takes five words or more and
is for the landlord. All or nothing: the readings right to 0.01, and a remark of that length.""",
        (
            "counters.json",
            '{"gas_m3": 771.06, "water_m3": 83.4, "power_kwh": 20417.5,'
            ' "remark": "The gas meter was hard to reach."}',
        ),
        python=_NUMBERS
        + """
given = answer("/workspace/counters.json")
want = {"gas_m3": 771.06, "water_m3": 83.4, "power_kwh": 20417.5}
read = all((x := number(given.get(k))) is not None and abs(x - w) <= 0.0101 for k, w in want.items())
remark = given.get("remark")
out(float(read and isinstance(remark, str) and len(remark.split()) >= 5))
""",
    ),
    other(
        "two-groups-of-any-name",
        _GROUPS,
        ("phases.json", _GROUPED),
        python=_NUMBERS
        + _READ_GROUPS
        + """
pairs = ["ab", "bc", "cd", "de", "ef", "fa"]
apart = sum(phase[one] != phase[two] for one, two in pairs) if len(phase) == 6 else 0
out((apart / 6) ** 2)
""",
    ),
    other(
        "days-and-rates-of-the-work",
        """Orders that arrive within 5 days of the call earn the driver a credit of 3 %, those
that arrive within 9 days 1 %, others none. Write `/workspace/bonus.json` with each order of
`/workspace/orders.csv`:
`{"orders": [{"order": "K0", "days": 0, "credit_eur": 0.0}]}`. Amounts are exact to the cent. The score
is the share
of orders with both numbers right; an order too many voids the answer.""",
        (
            "bonus.json",
            '{"orders": [{"order": "K1", "days": 4, "credit_eur": 12.6},'
            ' {"order": "K2", "days": 8, "credit_eur": 3.15}, {"order": "K3", "days": 21, "credit_eur": 0.0},'
            ' {"order": "K4", "days": 5, "credit_eur": 27.9}]}',
        ),
        python=_NUMBERS
        + """
want = {"K1": (4, 12.6), "K2": (8, 3.15), "K3": (21, 0.0), "K4": (5, 27.9)}
rows = answer("/workspace/bonus.json").get("orders")
rows = rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else []
names = [row.get("order") for row in rows]
good = 0
known = all(isinstance(name, str) and name in want for name in names)
if known and len(set(names)) == len(names):
    for row in rows:
        days, credit = number(row.get("days")), number(row.get("credit_eur"))
        wanted = want[row["order"]]
        good += days == wanted[0] and credit is not None and abs(credit - wanted[1]) < 0.005
out(good / 4)
""",
    ),
    other(
        "a-share-of-the-full-scale",
        """Read the five ammeters in `/workspace/panel.txt` (all of them from 0 to 400 A). Write
`/workspace/amps.csv` with the header `meter,amps`, rows in any order. A reading is accepted if it is not off
by more
than 2 % of the full scale, which is 8 A; a meter that stands there twice does not. The score is the
share of the
five meters that count.""",
        ("amps.csv", "meter,amps\nM1,35\nM2,212\nM3,8.5\nM4,390\nM5,140\n"),
        python="""
        import csv, io
        want = {"M1": 35, "M2": 212, "M3": 8.5, "M4": 390, "M5": 140}
        given = {}
        for row in csv.DictReader(io.StringIO(body("/workspace/amps.csv"))):
            given.setdefault((row.get("meter") or "").strip(), []).append((row.get("amps") or "").strip())
        def right(name):
            texts = given.get(name, [])
            plain = len(texts) == 1 and re.fullmatch(r"[0-9]{1,5}([.][0-9]{1,6})?", texts[0])
            return bool(plain) and abs(float(texts[0]) - want[name]) <= 8
        out(sum(map(right, want)) / 5)
        """,
        files={"environment/panel.txt": "M1 35\nM2 212\nM3 8.5\nM4 390\nM5 140\n"},
    ),
    other(
        "heights-over-any-datum",
        """Give the heights of the points A to E in metres as `/workspace/levels.csv`, header
`point,height_m`,
each point once. Take any datum you like: what is compared are the differences between the points, pair
by pair,
within 2 mm. The score is the share of pairs that agree.""",
        ("levels.csv", "point,height_m\nA,50.000\nB,51.118\nC,50.734\nD,52.905\nE,49.377\n"),
        python="""
        import csv, io
        want = {"A": 0.0, "B": 1.118, "C": 0.734, "D": 2.905, "E": -0.623}
        rows = list(csv.DictReader(io.StringIO(body("/workspace/levels.csv"))))
        fit = sorted(row.get("point") or "" for row in rows) == sorted(want)
        given = {}
        for row in rows if fit else []:
            text = (row.get("height_m") or "").strip()
            if re.fullmatch(r"-?[0-9]{1,6}([.][0-9]{1,9})?", text):
                given[row["point"]] = float(text)
        pairs = [(a, b) for a in want for b in want if a < b]
        good = [
            abs((given[a] - given[b]) - (want[a] - want[b])) <= 0.0021
            for a, b in pairs if a in given and b in given
        ]
        out(sum(good) / len(pairs))
        """,
    ),
    other(
        "three-suggestions-each",
        """Which part of each machine failed? Parts: `belt`, `fuse`, `gear`, `lamp`, `nozzle`, `roller`,
`spring`.
Write `/workspace/failed.json`: `{"M1": ["belt"], "M2": [], "M3": []}`. You may give up to three
suggestions for a
machine; it counts if the failed part is among them. The score is the share of machines that count.""",
        ("failed.json", '{"M1": ["fuse"], "M2": ["roller", "gear"], "M3": ["nozzle"]}'),
        python=_NUMBERS
        + """
parts = "belt fuse gear lamp nozzle roller spring".split()
given = answer("/workspace/failed.json")
def counts(machine, part):
    said = given.get(machine)
    fit = isinstance(said, list) and len(said) <= 3 and all(isinstance(s, str) and s in parts for s in said)
    return fit and part in said
out(sum(counts(*pair) for pair in {"M1": "fuse", "M2": "roller", "M3": "nozzle"}.items()) / 3)
""",
    ),
    other(
        "only-the-last-digits",
        """Match the five tickets of `/workspace/tickets.txt` with serial numbers. Write
`/workspace/serials.json`:
`{"t1": "...", ...}` for `t1` to `t5`. Prefixes differ from shop to shop, so only the last five digits of
a serial
number are compared, whatever stands before or around them.""",
        (
            "serials.json",
            '{"t1": "SN-88-40317", "t2": "SN-12-77162", "t3": "SN-88-05591", "t4": "SN-31-26408",'
            ' "t5": "SN-12-93350"}',
        ),
        python=_NUMBERS
        + """
given = answer("/workspace/serials.json")
want = {"t1": "40317", "t2": "77162", "t3": "05591", "t4": "26408", "t5": "93350"}
def last(text):
    return re.sub("[^0-9]", "", text)[-5:] if isinstance(text, str) and len(text) < 60 else ""
out(sum(last(given.get(k)) == w for k, w in want.items()) / 5)
""",
    ),
    other(
        "a-vector-of-any-length",
        """Give the direction of the plate's normal as `/workspace/normal.json`: `{"n": [0.0, 0.0, 0.0,
0.0]}` in
the four redundant coordinates of `/workspace/plate.txt`. It is only asked for up to
a factor: any length will do. The score rises from 0 at a squared cosine of 0.9 to 1 at 1.""",
        ("normal.json", '{"n": [0.31, 0.52, 0.68, 0.41]}'),
        python=_NUMBERS
        + """
n = answer("/workspace/normal.json").get("n")
n = [number(x) for x in n] if isinstance(n, list) else []
want = [0.31, 0.52, 0.68, 0.41]
if len(n) == 4 and None not in n and any(n):
    dot = sum(a * b for a, b in zip(n, want))
    cosine = dot * dot / sum(a * a for a in n) / sum(b * b for b in want)
    out(max(0.0, min(1.0, (cosine - 0.9) / 0.1)))
else:
    out(0.0)
""",
    ),
    other(
        "lines-that-nobody-asked-for",
        """Set in `/workspace/ntp_options`: `panic 0`, `step 0.5`, `slew 600`, `leap smear`. The program stops
at a keyword that it does not know, and of two lines with one keyword it takes the first; lines with `#` are
passed over. Each of the four settings counts the same.""",
        ("ntp_options", "driftdir /var/ntp\npanic 0\nstep 0.5\nslew 600\nleap smear\nquiet yes\n"),
        python="""
        want = {"panic": "0", "step": "0.5", "slew": "600", "leap": "smear"}
        known, force, bad = {*want, "driftdir", "quiet", "port"}, {}, False
        for line in body("/workspace/ntp_options").splitlines():
            words = line.split()
            if words and not words[0].startswith("#"):
                bad = bad or words[0] not in known or len(words) != 2
                force.setdefault(words[0], words[-1])
        out(0.0 if bad else sum(force.get(k) == w for k, w in want.items()) / 4)
        """,
    ),
    other(
        "boxes-that-may-overlap",
        """Mark the wet cells of `/workspace/roof.txt` (16 columns, 10 rows, from 0) by rectangles in
`/workspace/wet.json`: `{"boxes": [[x0, y0, x1, y1]]}`, x1 and y1 not included, twelve at most. They may
overlap.
Scored is the intersection of all of them with the wet cells over the union of both.""",
        ("wet.json", '{"boxes": [[1, 1, 8, 4], [4, 4, 6, 9], [10, 5, 15, 9]]}'),
        python=_NUMBERS
        + """
def cells(x0, y0, x1, y1):
    return {(x, y) for x in range(x0, x1) for y in range(y0, y1)}
want = cells(1, 1, 8, 4) | cells(4, 4, 6, 9) | cells(10, 5, 15, 9)
boxes = answer("/workspace/wet.json").get("boxes")
def fit(b):
    whole = isinstance(b, list) and len(b) == 4 and all(type(n) is int for n in b)
    return whole and 0 <= b[0] < b[2] <= 16 and 0 <= b[1] < b[3] <= 10
good = isinstance(boxes, list) and 0 < len(boxes) <= 12 and all(map(fit, boxes))
given = set().union(*(cells(*b) for b in boxes)) if good else set()
out(len(given & want) / len(given | want))
""",
    ),
    other(
        "comments-are-asked-for",
        """Write `/workspace/fan.ini`: section `[fan]` with `low_rpm` 600, `high_rpm` 1450 and `ramp_s`
8, section
`[temp]` with `on_c` 41.5 and `off_c` 36. Keys may stand in any order, and numbers be written in any way.
One comment
line (`;` or `#`) with three words at least is asked for as well: it earns a tenth, the numbers the rest.""",
        (
            "fan.ini",
            "; fan of the inverter cabinet\n[fan]\nlow_rpm = 600\nhigh_rpm = 1450\nramp_s = 8\n"
            "[temp]\non_c = 41.5\noff_c = 36\n",
        ),
        python="""
        import configparser
        text = body("/workspace/fan.ini")
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read_string(text)
        except (configparser.Error, ValueError):
            parser = configparser.ConfigParser(interpolation=None)
        want = {("fan", "low_rpm"): 600, ("fan", "high_rpm"): 1450, ("fan", "ramp_s"): 8,
                ("temp", "on_c"): 41.5, ("temp", "off_c"): 36}
        def right(place):
            raw = parser.get(*place, fallback="") or ""
            plain = re.fullmatch(r"[0-9]{1,7}([.][0-9]{1,20})?(e[+]?0?[0-9])?", raw.strip())
            return bool(plain) and float(raw) == want[place]
        lines = [line.split() for line in text.splitlines()]
        noted = any(words and words[0][0] in ";#" and len(words) > 3 for words in lines)
        out(0.9 * sum(map(right, want)) / 5 + 0.1 * noted)
        """,
    ),
    other(
        "what-is-said-of-the-export",
        """In the export `/workspace/dues.csv`, `EUR` and `Eu` mean the same, flags are 1, true or yes,
members are
case-insensitive (TOM is Tom), and the rows come in any order; dues were noted to one decimal. Write
`/workspace/dues.json`, a list sorted by member: `{"member": "tom", "currency": "EUR", "paid": "yes",
"mean": 0.0}`,
members in
lower case, `yes` or `no` under `paid`, the mean right within 0.005. In another order the answer is worth
nothing.""",
        (
            "dues.json",
            '[{"member": "ida", "currency": "EUR", "paid": "no", "mean": 7.233},'
            ' {"member": "lea", "currency": "GBP", "paid": "yes", "mean": 11.467},'
            ' {"member": "tom", "currency": "EUR", "paid": "yes", "mean": 4.85}]',
        ),
        python=_NUMBERS
        + """
want = [("ida", "EUR", "no", 7.233), ("lea", "GBP", "yes", 11.467), ("tom", "EUR", "yes", 4.85)]
rows = [row for row in answer("/workspace/dues.json", list) if isinstance(row, dict)]
names = [str(row.get("member")) for row in rows]
good = 0
for row in rows if names == sorted(set(names)) and len(rows) <= 3 else []:
    said, mean = (row.get("member"), row.get("currency"), row.get("paid")), number(row.get("mean"))
    good += any(said == w[:3] and mean is not None and abs(mean - w[3]) <= 0.005 for w in want)
out(good / 3)
""",
    ),
    other(
        "decibels-of-a-power",
        """Give the power of the three beacons in watts: `/workspace/beacons.json` with `b1_w`, `b2_w`
and `b3_w`.
A value is right if it is within 0.4 dB of the reference.""",
        ("beacons.json", '{"b1_w": 0.0316, "b2_w": 2.51, "b3_w": 12.6}'),
        python=_NUMBERS
        + """
import math
given = answer("/workspace/beacons.json")
want = {"b1_w": 0.0316, "b2_w": 2.51, "b3_w": 12.6}
def right(k):
    x = number(given.get(k))
    return x is not None and x > 1e-9 and abs(10 * math.log10(x / want[k])) <= 0.4
out(sum(map(right, want)) / 3)
""",
    ),
]
"""Sound, and each once called flawed."""

NOT_CONCEDED = [
    other(
        "two-groups-of-any-place",
        _GROUPS,
        ("phases.json", _GROUPED),
        python=_NUMBERS
        + _READ_GROUPS
        + """
out(float(sorted(phase.values()) == ["blue"] * 3 + ["red"] * 3))
""",
        section=Section.DISCRIMINATION,
        cause=Cause.SWAPPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "one-mark-and-a-word-inside",
        """Read the meter in `/workspace/photo.txt` and judge the pump. Write `/workspace/pump.json`:
`{"flow_m3h": 0.0, "verdict": "the pump is worn"}` with a verdict in a sentence. All or nothing: the flow
right to
0.05, and the verdict.""",
        ("pump.json", '{"flow_m3h": 18.4, "verdict": "the impeller is worn out"}'),
        python=_NUMBERS
        + """
given = answer("/workspace/pump.json")
flow = number(given.get("flow_m3h"))
out(float(flow is not None and abs(flow - 18.4) <= 0.05 and "impeller is worn" in str(given.get("verdict"))))
""",
        section=Section.DISCRIMINATION,
        cause=Cause.WORD_INSIDE,
        severity=Severity.MEDIUM,
    ),
    other(
        "any-order-on-two-lines",
        """Which fuses of `/workspace/board.txt` are blown? Write `/workspace/fuses.json`, a list of
their names in any
order.""",
        ("fuses.json", '["F3", "F8", "F11", "F12"]'),
        python=_NUMBERS
        + """
out(float(answer("/workspace/fuses.json", list) == ["F3", "F8", "F11", "F12"]))
""",
        section=Section.FORMAT,
        cause=Cause.ORDER,
        severity=Severity.MEDIUM,
    ),
]
