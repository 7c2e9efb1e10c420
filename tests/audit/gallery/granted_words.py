"""Tolerances in other words than "within": "agree to the cent", "a deviation of", `abs(x - ref) <= 0.01`."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_BILL = '{"net_eur": 1284.35, "tax_eur": 244.03, "discount_eur": 38.53, "due_eur": 1489.85}'
_BILL_TASK = (
    "Work out the bill and write `/workspace/bill.json`, an object with net_eur, tax_eur, discount_eur and "
    "due_eur. Amounts must agree to the cent."
)
_DOSE = '{"clearance": 4.812, "volume": 36.47, "half_life": 5.253, "peak": 18.94}'
_DOSE_TASK = (
    "Write `/workspace/dose.json` with clearance, volume, half_life and peak as numbers. The grader allows a "
    "deviation of 2 %."
)
_READ = """
try:
    doc = json.loads(body(PATH))
except (ValueError, RecursionError):
    doc = None
doc = doc if isinstance(doc, dict) else {}
REF = RIGHT
def number(x):
    return float(x) if type(x) in (int, float) and abs(x) < 1e12 else None
got = {k: number(doc.get(k)) for k in REF}
out(sum(got[k] is not None and abs(got[k] - v) <= SLACK for k, v in REF.items()) / len(REF))
"""


def _case(name: str, said: str, right: str, slack: str, *, cause: Cause | None = None) -> Exhibit:
    file = said.split("/workspace/")[1].split("`", maxsplit=1)[0]
    python = _READ.replace("PATH", f'"/workspace/{file}"').replace("RIGHT", right).replace("SLACK", slack)
    section = None if cause is None else _FIELDS
    return other(
        name,
        said,
        (file, right),
        python=python,
        section=section,
        cause=cause,
        severity=Severity.MEDIUM,
    )


OTHER_GRANTS = [
    _case("euros-where-cents-are-asked", _BILL_TASK, _BILL, "1.0", cause=Cause.TOLERANCE),
    _case("a-quarter-where-two-percent-are-allowed", _DOSE_TASK, _DOSE, "0.25 * v", cause=Cause.TOLERANCE),
    _case("narrower-than-the-grader-says", _DOSE_TASK, _DOSE, "0.002 * v", cause=Cause.NARROW),
]
GRANTS_KEPT = [
    _case("cents-as-asked", _BILL_TASK, _BILL, "0.0051"),
    _case("two-percent-as-allowed", _DOSE_TASK, _DOSE, "0.02 * v"),
]
