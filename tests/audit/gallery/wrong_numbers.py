"""Verifiers that cannot tell a wrong answer from a right one."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit

_HERE = Section.DISCRIMINATION
_FINDINGS = {"findings": ["P-101 seized", "V-7 leaks", "T-3 drifts", "K-9 open", "F-2 blown"]}
_SMALL = {"strain": 0.0021, "slope": 0.0009, "ratio": 0.004}
_ITEMS = """
given = answer.get("findings")
given = [x for x in given if isinstance(x, str)] if isinstance(given, list) else []
"""

WRONG_NUMBERS = [
    Exhibit(
        "two-fifths-of-tolerance",
        """
        answer = read()
        write({name: float(near(answer.get(name), ref, 0.4)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.TOLERANCE,
        severity=Severity.MEDIUM,
        answer={"settlement_mm": 18.4, "pressure_kpa": 214.7},
        skeleton={"settlement_mm": 0.0, "pressure_kpa": 0.0},
    ),
    Exhibit(
        "begins-with-the-number",
        """
        answer = read()
        write({name: float(str(answer.get(name)).startswith(str(ref))) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        severity=Severity.MEDIUM,
        answer={"settlement_mm": 18.4, "pressure_kpa": 214.7},
        skeleton={"settlement_mm": 0.0, "pressure_kpa": 0.0},
    ),
    Exhibit(
        "absolute-tolerance",
        """
        answer = read()
        ok = lambda k: number(answer.get(k)) is not None and abs(answer[k] - REF[k]) <= 0.01
        write({k: float(ok(k)) for k in REF})
        """,
        _HERE,
        Cause.ZEROS,
        answer=_SMALL,
    ),
    Exhibit(
        "one-wide-tolerance",
        """
        answer = read()
        tol = {"flow_m3s": 20.0, "head_loss_m": 0.05}
        ok = lambda k: number(answer.get(k)) is not None and abs(answer[k] - REF[k]) <= tol[k]
        write({k: float(ok(k)) for k in tol})
        """,
        _HERE,
        Cause.TOLERANCE,
    ),
    Exhibit(
        "one-finding-in-five",
        "answer = read()\n"
        + _ITEMS
        + "hits = len(set(given) & set(REF['findings']))\n"
        + "precision = hits / len(given) if given else 0.0\n"
        + "write({'findings': (precision + hits / len(REF['findings'])) / 2})\n",
        _HERE,
        Cause.FEW_ITEMS,
        answer=_FINDINGS,
    ),
    Exhibit(
        "padding-is-free",
        "answer = read()\n"
        + _ITEMS
        + "write({'findings': len(set(given) & set(REF['findings'])) / len(REF['findings'])})\n",
        _HERE,
        Cause.PADDING,
        Severity.MEDIUM,
        answer=_FINDINGS,
    ),
    Exhibit(
        "duplicates-count",
        "answer = read()\n"
        + _ITEMS
        + "write({'findings': min(1.0, sum(x in REF['findings'] for x in given) / len(REF['findings']))})\n",
        _HERE,
        Cause.REPEATS,
        answer=_FINDINGS,
    ),
    Exhibit(
        "nan-passes",
        """
        import math
        def lenient(block):
            try:
                value = json.loads(block)
            except (ValueError, RecursionError):
                return None
            return value if isinstance(value, dict) else None
        loads = lenient
        def wrong(x, ref):
            return not isinstance(x, float) or abs(x - ref) > 0.02 * abs(ref)
        answer = read()
        write({k: 0.0 if wrong(answer.get(k), REF[k]) else 1.0 for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.NOT_A_NUMBER,
    ),
    Exhibit(
        "sign-is-lost",
        """
        answer = read()
        write({k: float(number(answer.get(k)) is not None and near(abs(answer[k]), abs(v)))
               for k, v in REF.items() if k != "status"})
        """,
        _HERE,
        Cause.SIGN,
        Severity.MEDIUM,
    ),
    Exhibit(
        "unit-is-free",
        """
        answer = read()
        def ok(x, ref):
            return any(near(x, ref * 10 ** p) for p in (-3, 0, 1, 3)) if number(x) is not None else False
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.SCALE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "fields-in-any-place",
        """
        answer = read()
        given = sorted(v for v in answer.values() if number(v) is not None)
        want = sorted(v for v in REF.values() if number(v) is not None)
        write({"values": float(len(given) == len(want) and all(near(a, b) for a, b in zip(given, want)))})
        """,
        _HERE,
        Cause.SWAPPED,
        Severity.MEDIUM,
    ),
    Exhibit(
        "mean-of-what-is-there",
        """
        answer = read()
        scores = {k: float(right(answer[k], v)) for k, v in REF.items() if k in answer}
        write(scores or {"nothing": 0.0})
        """,
        _HERE,
        Cause.PARTIAL,
    ),
    Exhibit(
        "keys-are-enough",
        """
        answer = read()
        write({k: float(k in answer) for k in REF})
        """,
        _HERE,
        Cause.KEYS_ONLY,
    ),
    Exhibit(
        "any-number-will-do",
        """
        answer = read()
        write({"flow_m3s": float(number(answer.get("flow_m3s")) is not None),
               "head_loss_m": float(right(answer.get("head_loss_m"), REF["head_loss_m"])),
               "status": float(answer.get("status") == "compliant")})
        """,
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "word-inside-its-opposite",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float("compliant" in str(answer.get("status")))})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "all-options-at-once",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(str(answer.get("status")).startswith("compliant"))})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
        skeleton={"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "compliant | non_compliant"},
    ),
    Exhibit(
        "asks-and-ignores",
        """
        answer = read()
        write({k: float(right(answer.get(k), REF[k])) for k in ("flow_m3s", "status")})
        """,
        _HERE,
        Cause.UNSCORED,
        Severity.LOW,
    ),
    Exhibit(
        "empty-list-is-perfect",
        "answer = read()\n"
        + _ITEMS
        + "write({'findings': sum(x in REF['findings'] for x in given) / len(given) if given else 1.0})\n",
        _HERE,
        Cause.EMPTY,
        answer=_FINDINGS,
    ),
    Exhibit(
        "missing-field-crashes",
        """
        answer = read()
        write({k: float(right(answer[k], v)) for k, v in REF.items()})
        """,
        _HERE,
        Cause.CRASHES,
        Severity.MEDIUM,
    ),
    Exhibit(
        "half-is-near-enough",
        """
        answer = read()
        write({k: float(near(answer.get(k), REF[k], 0.6)) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.TOLERANCE,
        Severity.MEDIUM,
    ),
]
