"""Tolerances that the task states and the verifier does not keep to, and verifiers that do."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_LOAD = """
try:
    doc = json.loads(body("/workspace/answer.json"))
except (ValueError, RecursionError):
    doc = None
doc = doc if isinstance(doc, dict) else {}
def number(x):
    ok = isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e12
    return float(x) if ok else None
"""
_RATES = """Eight assays gave decay rates. Write `/workspace/rates.csv` with the header `assay,rate`.

A rate that is off by more than 0.0005 is useless for the model, so give it to five decimals.
"""
_RATES_RIGHT = {
    "A": 0.01291,
    "B": 0.04888,
    "C": 0.12681,
    "D": 0.00263,
    "E": 0.45494,
    "F": 0.08317,
    "G": 0.03142,
    "H": 0.22219,
}
_READ_RATES = f"""
import csv, io
REF = {_RATES_RIGHT!r}
rows = [row for row in csv.reader(io.StringIO(body("/workspace/rates.csv"))) if row]
names = [row[0] for row in rows]
def value(name):
    row = next((row for row in rows if row[0] == name and names.count(name) == 1 and len(row) == 2), None)
    fit = row and re.fullmatch(r"[+-]?[0-9]{{1,6}}([.][0-9]{{1,12}})?", row[1].strip())
    return float(row[1]) if fit else None
def share(right):
    return sum(value(k) is not None and right(value(k), v) for k, v in REF.items()) / len(REF)
head = bool(rows) and rows[0] == ["assay", "rate"]
"""
_RATES_ANSWER = "assay,rate\n" + "".join(f"{k},{v:.5f}\n" for k, v in _RATES_RIGHT.items())

_GAUGE = """The survey of the rail track asks for `/workspace/answer.json`:

```json
{"gauge_mm": 0.0, "cant_mm": 0.0, "radius_m": 0.0}
```

- `gauge_mm`, `cant_mm`: half a millimetre off is fine
- `radius_m`: correct to within 2 %
"""
_GAUGE_RIGHT = '{"gauge_mm": 1436.28, "cant_mm": 87.42, "radius_m": 412.73}'


def _gauge(slack: float) -> str:
    return f"""{_LOAD}
REF = {_GAUGE_RIGHT}
TOL = {{"gauge_mm": {slack}, "cant_mm": 0.5, "radius_m": 8.25}}
fit = [number(doc.get(k)) is not None and abs(number(doc.get(k)) - v) <= TOL[k] for k, v in REF.items()]
out(sum(fit) / 3)
"""


_BOLT = """Design force of three bolts, in kN, to `/workspace/forces.txt`, one line each: `B1 = 1.234`.

A force is right if it is within 1 % or 0.2 kN, whichever is more, of the reference.
"""
_BOLT_RIGHT = "B1 = 12.314\nB2 = 48.227\nB3 = 7.905\n"
_BOLTS = """
    grep -c . /workspace/forces.txt > /dev/null 2>&1 || true
    awk -v want="B1=12.314 B2=48.227 B3=7.905" '
      BEGIN { n = split(want, parts, " ") }
      { gsub(/[ \\t\\r]/, "") }
      /^B[123]=[0-9]+([.][0-9]+)?$/ { split($0, p, "="); seen[p[1]]++; got[p[1]] = p[2] }
      END {
        for (i = 1; i <= n; i++) {
          split(parts[i], w, "="); d = got[w[1]] - w[2]; if (d < 0) d = -d
          slack = SLACK
          if (seen[w[1]] == 1 && d <= slack) good++
        }
        printf "{\\"reward\\": %.4f}\\n", good / n
      }' "$file" > /logs/verifier/reward.json
"""


def _bolts(slack: str) -> str:
    first = "    file=/workspace/forces.txt; [ -f $file ] || file=/dev/null\n"
    return first + "".join(_BOLTS.replace("SLACK", slack).splitlines(keepends=True)[2:])


_TRUSS = """Forces in three bars and a support, in kN, to `/workspace/answer.json`: an object with the keys
`a_x`, `n1`, `n2` and `n3`.

Values need not be rounded; they are accepted within 0.1 % or 0.001 kN, whichever is more.
"""
_TRUSS_RIGHT = '{"a_x": 0.0, "n1": -17.6777, "n2": 12.5, "n3": 25.0}'
_PUMPS = """Size the pumps and write `/workspace/answer.json`:

```json
{"flow_m3h": 0.0, "head_m": 0.0, "power_kw": 0.0}
```

Give %s.
"""
_PUMPS_RIGHT = '{"flow_m3h": 128.46, "head_m": 33.617, "power_kw": 15.8239}'


def _within(reference: str, test: str) -> str:
    return f"""{_LOAD}
REF = {reference}
got = {{k: number(doc.get(k)) for k in REF}}
out(sum(got[k] is not None and {test} for k, v in REF.items()) / len(REF))
"""


UNKEPT = [
    other(
        "zero-must-be-exact",
        _TRUSS,
        ("answer.json", _TRUSS_RIGHT),
        python=_within(_TRUSS_RIGHT, "math.isclose(got[k], v, rel_tol=1e-3)").replace(
            "\ntry", "\nimport math\ntry", 1
        ),
        section=_FIELDS,
        cause=Cause.NARROW,
        severity=Severity.MEDIUM,
    ),
    other(
        "three-figures-are-too-few",
        _PUMPS % "all values to three significant figures",
        ("answer.json", _PUMPS_RIGHT),
        python=_within(_PUMPS_RIGHT, "abs(got[k] - v) <= 0.0005 * v"),
        section=Section.FORMAT,
        cause=Cause.NARROW,
        severity=Severity.MEDIUM,
    ),
    other(
        "rounded-to-cents-before-the-comparison",
        _RATES,
        ("rates.csv", _RATES_ANSWER),
        python=_READ_RATES + "out(head * share(lambda x, ref: round(x, 2) == round(ref, 2)))\n",
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
    other(
        "two-figures-are-compared",
        _RATES,
        ("rates.csv", _RATES_ANSWER),
        python=_READ_RATES + 'out(head * share(lambda x, ref: f"{x:.1e}" == f"{ref:.1e}"))\n',
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
    other(
        "tolerance-of-the-largest-in-one-record",
        _RATES,
        ("rates.csv", _RATES_ANSWER),
        python=_READ_RATES
        + "out(head * share(lambda x, ref: abs(x - ref) <= (0.01 if 0.08 < ref < 0.1 else 0.0005)))\n",
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
    other(
        "half-a-millimetre-is-refused",
        _GAUGE,
        ("answer.json", _GAUGE_RIGHT),
        python=_gauge(0.05),
        section=_FIELDS,
        cause=Cause.NARROW,
        severity=Severity.MEDIUM,
    ),
    other(
        "the-smaller-of-two-margins",
        _BOLT,
        ("forces.txt", _BOLT_RIGHT),
        script=_bolts("(0.01 * w[2] < 0.2) ? 0.005 * w[2] : 0.02"),
        section=_FIELDS,
        cause=Cause.NARROW,
        severity=Severity.MEDIUM,
    ),
]

KEPT = [
    other(
        "zero-within-what-is-granted",
        _TRUSS,
        ("answer.json", _TRUSS_RIGHT),
        python=_within(_TRUSS_RIGHT, "abs(got[k] - v) <= max(1e-3 * abs(v), 1e-3)"),
    ),
    other(
        "three-figures-are-enough",
        _PUMPS % "all values to three significant figures",
        ("answer.json", _PUMPS_RIGHT),
        python=_within(_PUMPS_RIGHT, "abs(got[k] - v) <= 0.005 * v"),
    ),
    other(
        "as-many-figures-as-it-says",
        _PUMPS % "the values unrounded, with all their decimals",
        ("answer.json", _PUMPS_RIGHT),
        python=_within(_PUMPS_RIGHT, "abs(got[k] - v) <= 0.0005 * v"),
    ),
    other(
        "rates-as-near-as-they-must-be",
        _RATES,
        ("rates.csv", _RATES_ANSWER),
        python=_READ_RATES + "out(head * share(lambda x, ref: abs(x - ref) <= 0.0005))\n",
    ),
    other(
        "half-a-millimetre-is-granted",
        _GAUGE,
        ("answer.json", _GAUGE_RIGHT),
        python=_gauge(0.5),
    ),
    other(
        "the-larger-of-two-margins",
        _BOLT,
        ("forces.txt", _BOLT_RIGHT),
        script=_bolts("(0.01 * w[2] > 0.2) ? 0.01 * w[2] : 0.2"),
    ),
    other(
        "a-sensor-s-accuracy-is-no-grant",
        """The scale is accurate to ± 0.5 g. Weigh in what the log says, to the cent of a gram, and write

```json
{"tare_g": 0.0, "gross_g": 0.0, "net_g": 0.0}
```

to `/workspace/answer.json`. Flag nothing, even if two readings differ by more than 2 g.
""",
        ("answer.json", '{"tare_g": 12.48, "gross_g": 96.31, "net_g": 83.83}'),
        python=_LOAD
        + """
REF = {"tare_g": 12.48, "gross_g": 96.31, "net_g": 83.83}
out(sum(number(doc.get(k)) is not None and abs(number(doc.get(k)) - v) <= 0.006 for k, v in REF.items()) / 3)
""",
    ),
]
