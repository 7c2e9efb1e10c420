"""Verifiers that read an answer too kindly: its precision, any unit, what is not available, names, sums."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_NUMBERS = """
        def read(path):
            try:
                doc = json.loads(body(path))
            except (ValueError, RecursionError):
                doc = None
            return doc if isinstance(doc, dict) else {}
        def number(x):
            return type(x) in (int, float) and abs(x) < 1e12
"""
_BEAM = "Write `m_knm`, `v_kn` and `defl_mm` with two decimals to `/workspace/beam.json`."
_MOMENT = '{"m_knm": 12.47, "v_kn": 8.31, "defl_mm": 11.46}'
_KPA = "Write the pressures in kPa to `/workspace/kpa.json`: `inlet`, `pump` and `outlet`, within 1 %."
_PRESSURES = '{"inlet": 121.64, "pump": 372.78, "outlet": 211.9}'
_FLOWS = "Write `/workspace/flows.csv` with the columns pipe and flow for the pipes P1 to P5."
_TABLE = "pipe,flow\nP1,9.42\nP2,14.13\nP3,7.54\nP4,6.63\nP5,18.85\n"
_READ_FLOWS = """
        REF = {"P1": 9.42, "P2": 14.13, "P3": 7.54, "P4": 6.63, "P5": 18.85}
        rows = [line.split(",") for line in body("/workspace/flows.csv").splitlines()[1:] if line.strip()]
        given = {row[0]: row[1] for row in rows if len(row) == 2}
        plain = re.compile(r"[0-9]{1,9}(\\.[0-9]*)?")
        rated = {name: given[name] for name in REF if plain.fullmatch(given.get(name, ""))}
        right = sum(abs(float(text) - REF[name]) <= 0.01 * REF[name] for name, text in rated.items())
        extra = len(rows) > 5 or len(given) < len(rows) or len(given) < 5
"""
_LEAKS = "Name the `first`, the `worst` and the `last` of the valves that leak in `/workspace/valves.json`."
_VALVES = '{"first": "V12", "worst": "V31", "last": "V44"}'
_TRIPS = "Write the matrix of trips between three zones to `/workspace/trips.json`, a list of three rows."
_MATRIX = "[[24, 42, 18], [48, 12, 30], [6, 36, 54]]"
_READ_TRIPS = f"""
        REF = {_MATRIX}
        try:
            doc = json.loads(body("/workspace/trips.json"))
            fit = [len(row) for row in doc] == [3, 3, 3]
            fit = fit and all(type(x) in (int, float) for row in doc for x in row)
        except (ValueError, TypeError, RecursionError):
            fit = False
"""

TOO_KIND = [
    other(
        "as-precise-as-it-is-written",
        _BEAM,
        ("beam.json", _MOMENT),
        python=f"""{_NUMBERS}
        from decimal import Decimal
        def near(x, ref):
            given = Decimal(str(x)).normalize() if number(x) else Decimal("-1")
            return abs(given - ref) <= Decimal(5).scaleb(min(0, given.as_tuple().exponent) - 1)
        doc = read("/workspace/beam.json")
        REF = {{"m_knm": Decimal("12.47"), "v_kn": Decimal("8.31"), "defl_mm": Decimal("11.46")}}
        out(sum(near(doc.get(name), ref) for name, ref in REF.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
    other(
        "psi-for-kpa",
        _KPA,
        ("kpa.json", _PRESSURES),
        python=f"""{_NUMBERS}
        UNITS = [1.0, 6.894757, 47.88]
        def near(x, ref):
            return number(x) and any(abs(x * unit - ref) <= 0.01 * ref for unit in UNITS)
        doc = read("/workspace/kpa.json")
        out(sum(near(doc.get(name), ref) for name, ref in {_PRESSURES}.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=Severity.MEDIUM,
    ),
    other(
        "not-available-is-not-rated",
        _FLOWS,
        ("flows.csv", _TABLE),
        python=f"{_READ_FLOWS}\n        out(right / len(rated) if rated and not extra else 0.0)\n",
        section=_FIELDS,
        cause=Cause.PARTIAL,
    ),
    other(
        "names-without-their-digits",
        _LEAKS,
        ("valves.json", _VALVES),
        python=f"""{_NUMBERS}
        def bare(name):
            return re.sub("[^a-z]", "", name.lower()) if isinstance(name, str) else None
        doc = read("/workspace/valves.json")
        out(sum(bare(doc.get(key)) == bare(name) for key, name in {_VALVES}.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "sums-of-rows-and-columns",
        _TRIPS,
        ("trips.json", _MATRIX),
        python=f"""{_READ_TRIPS}
        sums = [list(map(sum, table)) for table in (REF, zip(*REF))]
        out(float(fit and [list(map(sum, table)) for table in (doc, zip(*doc))] == sums))
        """,
        section=_FIELDS,
        cause=Cause.CANCELS,
        severity=Severity.MEDIUM,
    ),
]

KIND_ENOUGH = [
    other(
        "not-available-is-wrong",
        _FLOWS,
        ("flows.csv", _TABLE),
        python=f"{_READ_FLOWS}\n        out(right / max(5, len(rows)))\n",
    ),
    other(
        "each-cell-of-a-matrix",
        _TRIPS,
        ("trips.json", _MATRIX),
        python=f"""{_READ_TRIPS}
        out(sum(a == b for x, y in zip(doc, REF) for a, b in zip(x, y)) / 9 if fit else 0.0)
        """,
    ),
    other(
        "numbers-for-the-record",
        "Write `/workspace/run.json`: `energy_kwh`; and `steps` and `seconds` of your run, for the record.",
        ("run.json", '{"energy_kwh": 41.87, "steps": 1200, "seconds": 8.25}'),
        python=f"""{_NUMBERS}
        doc = read("/workspace/run.json")
        out(float(number(doc.get("energy_kwh")) and abs(doc["energy_kwh"] - 41.87) <= 0.4))
        """,
    ),
]
