"""Flaws seen in a public collection of reviews and calculations, and sound verifiers of the same kinds.

Words that are looked for anywhere in an answer, inputs within the tolerance of a result, choices that pay,
records that are forgiven or void everything, statements that nobody reads.
"""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import ANSWER, Exhibit

_FIELDS, _TRIVIAL = Section.DISCRIMINATION, Section.TRIVIAL
_SHEETS = [
    {"sheet": "PUMP-11", "revision": "Rev D", "status": "current"},
    {"sheet": "PIPE-07", "revision": "Rev B", "status": "current"},
    {"sheet": "WELL-02", "revision": "Rev F", "status": "superseded"},
    {"sheet": "TANK-30", "revision": "Rev A", "status": "current"},
]
_LEDGER = {
    "site": "SITE-04",
    "basis": "BASIS-12",
    "run": "RUN-0077",
    "report": "REPORT-31",
    "memo": "MEMO-08",
}
_REVIEW = {"sheets": _SHEETS, "ledger": _LEDGER, "margin_m": 0.85}
_SHOWN = {
    "sheets": [{"sheet": "...", "revision": "...", "status": "..."}],
    "ledger": dict.fromkeys(_LEDGER, "..."),
    "margin_m": 0.0,
}
_ASKED = "Review the sheets and write `/workspace/output.md`, with every sheet and what it rests on."
_BY_NAME = """
answer = read()
rows = answer.get("sheets") if isinstance(answer.get("sheets"), list) else []
rows = [row for row in rows if isinstance(row, dict)]
ledger = answer.get("ledger") if isinstance(answer.get("ledger"), dict) else {}
hits = sum(want in rows for want in REF["sheets"])
scores = {"sheets": hits / max(len(rows), len(REF["sheets"]))}
scores["ledger"] = sum(ledger.get(key) == ref for key, ref in REF["ledger"].items()) / len(REF["ledger"])
scores["margin_m"] = float(near(answer.get("margin_m"), REF["margin_m"]))
"""
_FAULT = {"impedance_ohm": 4.826, "current_ka": 1.4476, "ratio": 9.6}
_GIVEN = (
    "A source of 11 kV has a resistance of 0.5 ohm and a reactance of 4.8 ohm. Work out the impedance, the "
    "current and their ratio, and write them to `/workspace/output.md`."
)
_FOUND = [
    {"room": 4, "field": "people", "correct": 3.33},
    {"room": 6, "field": "vent_w", "correct": 17527.01},
    {"room": 9, "field": "wall_w", "correct": 1600.0},
]
_FAULTS = (
    "Find the errors of the schedule and write them to `/workspace/output.md`.\n\n"
    "Valid field names: `people`, `vent_w`, `wall_w`, `light_w`, `total_w`."
)
_MATCHED = """
given = read().get("errors")
given = given if isinstance(given, list) else []
wanted = {(want["room"], want["field"]): want["correct"] for want in REF["errors"]}
hits, extra, seen = 0, 0, set()
for one in given:
    key = (one.get("room"), one.get("field")) if isinstance(one, dict) else ()
    key = key if all(isinstance(part, (int, str)) for part in key) else ()
    if key in wanted and key not in seen and near(one.get("correct"), wanted[key]):
        hits += 1
        seen.add(key)
    else:
        extra += 1
"""
_MEMO = "Include a statement that the source pack is synthetic. Do not claim approval of any authority. "


def _review(name: str, change: str, cause: Cause, severity: Severity = Severity.MEDIUM) -> Exhibit:
    verify = f"{_BY_NAME}{change}\nwrite(scores)\n"
    return Exhibit(
        name, verify, _FIELDS, cause, severity, answer=_REVIEW, skeleton=_SHOWN, instruction=_ASKED
    )


def _errors(name: str, end: str, cause: Cause | None) -> Exhibit:
    return Exhibit(
        name,
        f"{_MATCHED}{end}",
        _FIELDS if cause else None,
        cause,
        Severity.LOW,
        answer={"errors": _FOUND},
        skeleton={"errors": [{"room": 0, "field": "...", "correct": 0.0}]},
        instruction=_FAULTS,
    )


COLLECTED = [
    _review(
        "revisions-of-any-sheet",
        """
told = json.dumps(rows).lower()
scores["sheets"] = sum(w["sheet"].lower() in told and w["revision"].lower() in told
                       for w in REF["sheets"]) / max(len(rows), len(REF["sheets"]))
        """,
        Cause.SWAPPED,
    ),
    _review(
        "names-anywhere-in-a-ledger",
        """
told = json.dumps(ledger).lower()
scores["ledger"] = sum(ref.lower() in told for ref in REF["ledger"].values()) / len(REF["ledger"])
        """,
        Cause.SWAPPED,
    ),
    _review(
        "status-of-a-sheet-is-not-read",
        """
plain = [{k: row.get(k) for k in ("sheet", "revision")} for row in rows]
hits = sum({k: w[k] for k in ("sheet", "revision")} in plain for w in REF["sheets"])
scores["sheets"] = hits / max(len(rows), len(REF["sheets"]))
        """,
        Cause.UNSCORED,
        Severity.LOW,
    ),
    Exhibit(
        "input-passes-for-the-result",
        """
        answer = read()
        write({name: float(near(answer.get(name), ref, 0.05)) for name, ref in REF.items()})
        """,
        _FIELDS,
        Cause.TOLERANCE,
        Severity.MEDIUM,
        answer=_FAULT,
        instruction=_GIVEN,
    ),
    Exhibit(
        "verdict-alone-pays",
        section=_FIELDS,
        cause=Cause.GUESSED,
        severity=Severity.LOW,
        answer={"drop_v": 3.04, "drop_pct": 0.76, "complies": True},
    ),
    Exhibit(
        "options-pay-by-themselves",
        section=_TRIVIAL,
        cause=Cause.GUESSED,
        severity=Severity.LOW,
        answer={"load_kw": 41.7, "pump": "pass", "pipe": "pass", "tank": "fail"},
        skeleton={"load_kw": 0.0, **dict.fromkeys(("pump", "pipe", "tank"), "pass | fail")},
    ),
    _errors(
        "consequences-are-forgiven",
        """
for one in given:
    if isinstance(one, dict) and one.get("field") == "total_w":
        extra -= one.get("room") in [4, 6, 9]
write({"errors": max(0.0, 2 * hits / (2 * hits + extra + len(wanted) - hits))})
        """,
        Cause.PADDING,
    ),
    _errors(
        "null-voids-the-list",
        """
whole = all(isinstance(one, dict) for one in given)
write({"errors": max(0.0, hits / len(wanted) - 0.05 * extra) if whole else 0.0})
        """,
        Cause.CRASHES,
    ),
    Exhibit(
        "junk-beside-the-only-item",
        """
        given = read().get("conflicts")
        given = given if isinstance(given, list) else []
        write({"conflicts": float(any(one == REF["conflicts"][0] for one in given))})
        """,
        _FIELDS,
        Cause.PADDING,
        Severity.MEDIUM,
        answer={"conflicts": [{"sheet": "E8.1", "found": "Type 3R", "asked": "Type 1"}]},
    ),
    Exhibit(
        "statement-is-not-read",
        section=_FIELDS,
        cause=Cause.UNSCORED,
        severity=Severity.LOW,
        instruction=f"{_MEMO}Write a memo with the values to `/workspace/output.md`.",
        note="This source pack is synthetic.",
    ),
]

COLLECTED_SOUND = [
    Exhibit(
        "sheets-by-name",
        f"{_BY_NAME}write(scores)\n",
        answer=_REVIEW,
        skeleton=_SHOWN,
        instruction=_ASKED,
    ),
    Exhibit(
        "input-is-told-from-the-result",
        """
        answer = read()
        write({name: float(near(answer.get(name), ref, 0.003)) for name, ref in REF.items()})
        """,
        answer=_FAULT,
        instruction=_GIVEN,
    ),
    _errors(
        "errors-by-precision-and-recall",
        "\nwrite({'errors': 2 * hits / max(1, len(given) + len(wanted))})\n",
        None,
    ),
    Exhibit(
        "only-item-and-no-other",
        """
        given = read().get("conflicts")
        write({"conflicts": float(given == REF["conflicts"])})
        """,
        answer={"conflicts": [{"sheet": "E8.1", "found": "Type 3R", "asked": "Type 1"}]},
    ),
    Exhibit(
        "statement-is-read",
        """
        answer = read()
        told = text().split("```")[0].lower()
        said = float("synthetic" in told and "claims" not in told)
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        write({name: score * said for name, score in scores.items()})
        """,
        answer=dict(ANSWER),
        instruction=f"{_MEMO}Write a memo with the values to `/workspace/output.md`.",
        note="This source pack is synthetic.",
    ),
]
