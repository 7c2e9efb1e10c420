"""References worked out from what the answer itself states, and neighbours that know their inputs."""

from __future__ import annotations

from typing import Any

from adjudge.audit import Cause, Section
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_HEATER = """A heater of 2.4 kW at 230 V is fed through 38 m of cable with 1.5 mm2 of copper (0.0178 ohm
mm2/m, there and back). Write `/workspace/drop.json`, the givens as well, so that others can follow:

```json
{"power_w": 0.0, "voltage_v": 0.0, "length_m": 0.0, "section_mm2": 0.0,
 "current_a": 0.0, "resistance_ohm": 0.0, "drop_v": 0.0, "drop_percent": 0.0}
```

The current is that at the full voltage. Within 1 %.
"""
_HEATED = (
    '{"power_w": 2400, "voltage_v": 230, "length_m": 38, "section_mm2": 1.5,\n "current_a": 10.4348, '
    '"resistance_ohm": 0.901867, "drop_v": 9.41078, "drop_percent": 4.09164}\n'
)
_READ_HEATER = """
        GIVEN = {"power_w": 2400, "voltage_v": 230, "length_m": 38, "section_mm2": 1.5}
        DUE = ("current_a", "resistance_ohm", "drop_v", "drop_percent")
        try:
            answer = json.loads(body("/workspace/drop.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        def number(name):
            x = answer.get(name)
            return x if type(x) in (int, float) and 0 < x < 1e9 else None
        def near(x, ref):
            return x is not None and abs(x - ref) <= 0.01 * abs(ref)
        own = {name: number(name) for name in GIVEN}
        def due(power_w, voltage_v, length_m, section_mm2):
            amps, ohms = power_w / voltage_v, 2 * length_m * 0.0178 / section_mm2
            return dict(zip(DUE, (amps, ohms, amps * ohms, 100 * amps * ohms / voltage_v)))
"""
_OWN = (
    _READ_HEATER
    + """
        refs = None if None in own.values() else due(**own)
        out(sum(near(number(name), refs[name]) for name in DUE) / 4 if refs else 0.0)
"""
)
_GIVEN = (
    _READ_HEATER
    + """
        refs = due(**GIVEN)
        known = all(near(own[name], ref) for name, ref in GIVEN.items())
        out(0.1 * known + 0.9 * sum(near(number(name), refs[name]) for name in DUE) / 4)
"""
)
_PAY = """Make the wage slips of week 31. Ada worked 38.5 h at 21.40 an hour, Ben 40 h at 19.75, Cem 22.25 h
at 24.10, Dua 36 h at 18.90. Of the gross pay 9.3 % go to the pension and 11 % to the tax. Write
`/workspace/slips.csv`:

    name,gross,pension,tax,net
    Ada,823.90,...

A line for each of the four, in this order, amounts to the cent.
"""
_PAID = (
    "name,gross,pension,tax,net\nAda,823.90,76.62,90.63,656.65\nBen,790.00,73.47,86.90,629.63\n"
    "Cem,536.23,49.87,58.99,427.37\nDua,680.40,63.28,74.84,542.28\n"
)
_READ_PAY = """
        import csv, io, math
        HOURS = {"Ada": (38.5, 21.40), "Ben": (40, 19.75), "Cem": (22.25, 24.10), "Dua": (36, 18.90)}
        try:
            rows = [{k: v if k == "name" else float(v) for k, v in row.items()}
                    for row in csv.DictReader(io.StringIO(body("/workspace/slips.csv")))]
        except (csv.Error, TypeError, ValueError):
            rows = []
        names = ["name", "gross", "pension", "tax", "net"]
        whole = all(list(r) == names for r in rows) and [r["name"] for r in rows] == list(HOURS)
        whole = whole and all(math.isfinite(r[n]) and r[n] > 0 for r in rows for n in names[1:])
        def slip(r):
            gross = %s
            net = gross - round(gross * 0.093, 2) - round(gross * 0.11, 2)
            yield abs(r["pension"] - gross * 0.093) < 0.0051
            yield abs(r["tax"] - gross * 0.11) < 0.0051
            yield abs(r["net"] - net) < 0.0101
            yield abs(r["gross"] - gross) < 0.0051
        marks = [mark for r in rows for mark in slip(r)] if whole else []
        out(sum(marks) / 16)
"""
_CARRIED = (
    _HEATER + "\nAn error is carried forward: later values are compared with what follows from your own.\n"
)


def _slips(name: str, gross: str, **found: Any) -> Exhibit:
    return other(name, _PAY, ("slips.csv", _PAID), python=_READ_PAY % gross, **found)


def _drop(name: str, python: str, instruction: str = _HEATER, **found: Any) -> Exhibit:
    return other(name, instruction, ("drop.json", _HEATED), python=python, **found)


_FOUND = {"section": Section.TRIVIAL, "cause": Cause.AGREES}
SETTLED = [
    _drop("givens-of-the-answer", _OWN, **_FOUND),
    _drop("givens-of-the-answer-alone", _OWN, files={"goldens/pass/drop.json": "{}\n"}, **_FOUND),
    _slips("net-pay-of-any-gross-pay", 'r["gross"]', **_FOUND),
]
NOT_SETTLED = [
    _drop("givens-of-the-task", _GIVEN),
    _slips("net-pay-of-these-hours", 'round(HOURS[r["name"]][0] * HOURS[r["name"]][1] + 1e-9, 2)'),
]
CARRIED_FORWARD = _drop("givens-carried-forward", _OWN, _CARRIED)
