"""Answers that bring their own terms, come with more than was asked for, or list every name of the inputs.

Each flaw was missed by the audit when it was written down. Sound verifiers of the same kinds come last.
"""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS, _TRIVIAL = Section.DISCRIMINATION, Section.EXPLOITS, Section.TRIVIAL
_TWO = {"flow_m3s": 12.54, "head_loss_m": 3.271}
_FOUR = {**_TWO, "status": "compliant", "speed_rpm": 1480.0}

_PUMPS = "tag,kw,hours\n" + "".join(f"P-{n},{n * 1.5},{n * 37 % 50}\n" for n in range(101, 121))
_WORN = ["P-103", "P-107", "P-112", "P-118"]
_ASKED = (
    "The pumps are in `/workspace/pumps.csv`. Write the tags of those that are worn to "
    "`/workspace/worn.json`, a JSON list."
)
_READ_WORN = f"""
        worn = set({_WORN!r})
        known = {{f"P-{{n}}" for n in range(101, 121)}}
        try:
            given = json.loads(body("/workspace/worn.json"))
            fit = isinstance(given, list) and all(isinstance(tag, str) for tag in given)
            fit = fit and set(given) <= known and len(set(given)) == len(given)
        except (ValueError, RecursionError):
            fit = False
        given = set(given) if fit else set()
"""


_FEW_PUMPS = "tag,kw\n" + "".join(f"P-{n},{n}\n" for n in (103, 107, 109, 112, 118))


def _worn(name: str, tail: str, **expected: object) -> Exhibit:
    answer = ("worn.json", json.dumps(_WORN))
    files = {"environment/pumps.csv": _PUMPS}
    return other(name, _ASKED, answer, python=_READ_WORN + tail, files=files, **expected)  # type: ignore[arg-type] # passed on


OWN_TERMS = [
    _worn("all-pumps-are-worn", "        out(float(worn <= given))\n", section=_TRIVIAL, cause=Cause.HEDGED),
    other(
        "all-pumps-are-worn-by-record",
        "The pumps are in `/workspace/pumps.csv`. Write those that are worn to `/workspace/worn.json`, a "
        'list of `{"tag": "...", "hours": 0}`.',
        ("worn.json", json.dumps([{"tag": tag, "hours": 40} for tag in _WORN])),
        python=f"""
        try:
            given = {{row["tag"] for row in json.loads(body("/workspace/worn.json"))}}
            fit = given <= {{f"P-{{n}}" for n in range(101, 121)}}
        except (ValueError, KeyError, TypeError, RecursionError):
            fit = False
        out(float(fit and set({_WORN!r}) <= given))
        """,
        section=_TRIVIAL,
        cause=Cause.HEDGED,
        files={"environment/pumps.csv": _PUMPS},
    ),
    other(
        "words-of-the-inputs",
        "Read `/workspace/visit.log` and write a report on the likely cause to `/workspace/report.md`.",
        (
            "report.md",
            "# Report\n\nThe cause is cavitation at the suction side, which has worn the impeller.\n",
        ),
        python="""
        text = body("/workspace/report.md").lower()
        hits = sum(word in text for word in ("cavitation", "suction", "impeller"))
        out(float(hits == 3 and len(text.split()) < 400))
        """,
        section=_TRIVIAL,
        cause=Cause.NOTHING,
        files={
            "environment/visit.log": "Noise like gravel: cavitation? Impeller and suction side looked at.\n"
        },
    ),
    Exhibit(
        "its-own-tolerance",
        """
        answer = read()
        tolerance = number(answer.get("tolerance")) or 0.02
        write({key: float(near(answer.get(key), ref, tolerance)) for key, ref in REF.items()})
        """,
        _EXPLOITS,
        Cause.CLAIMED,
        answer=_TWO,
    ),
    Exhibit(
        "its-own-uncertainty",
        """
        answer = read()
        flow, off = number(answer.get("flow_m3s")), number(answer.get("uncertainty_m3s")) or 0
        close = flow is not None and abs(flow - REF["flow_m3s"]) <= max(off, 0.1)
        write({"flow": float(close), "head": float(near(answer.get("head_loss_m"), REF["head_loss_m"]))})
        """,
        _EXPLOITS,
        Cause.CLAIMED,
        answer={**_TWO, "uncertainty_m3s": 0.12},
    ),
    Exhibit(
        "its-own-weights",
        """
        answer = read()
        given = answer.get("weights")
        given = given if isinstance(given, dict) else {}
        weights = {key: abs(1.0 if number(given.get(key)) is None else given[key]) for key in REF}
        total = sum(weights.values())
        hits = sum(weight * near(answer.get(key), REF[key]) for key, weight in weights.items())
        write({"all": hits / total if total else 0.0})
        """,
        _EXPLOITS,
        Cause.CLAIMED,
        answer={**_TWO, "speed_rpm": 1480.0},
    ),
    Exhibit(
        "its-own-reference",
        """
        answer = read()
        refs = {key: number(answer.get("expected_" + key)) or ref for key, ref in REF.items()}
        write({key: float(near(answer.get(key), ref)) for key, ref in refs.items()})
        """,
        _EXPLOITS,
        Cause.CLAIMED,
        answer=_TWO,
    ),
    Exhibit(
        "its-own-unit",
        """
        answer = read()
        flow = answer.get("flow")
        flow = flow if isinstance(flow, dict) else {}
        close = near(flow.get("value"), 12.54) and isinstance(flow.get("unit"), str)
        write({"flow": float(close), "head": float(near(answer.get("head_loss_m"), 3.271))})
        """,
        _FIELDS,
        Cause.SCALE,
        Severity.MEDIUM,
        answer={"flow": {"value": 12.54, "unit": "m3/s"}, "head_loss_m": 3.271},
    ),
    Exhibit(
        "a-bonus-makes-up-for-it",
        """
        answer = read()
        score = sum(right(answer.get(key), ref) for key, ref in REF.items())
        score += bool(answer.get("summary")) + bool(answer.get("assumptions"))
        write({"all": min(1.0, score / 4)})
        """,
        _EXPLOITS,
        Cause.CLAMPED,
        answer=_FOUR,
    ),
]

MOST_ARE_WORN = other(
    "most-pumps-are-worn",
    _ASKED,
    ("worn.json", json.dumps(_WORN)),
    python=_READ_WORN + "        out(2 * len(worn & given) / (len(worn) + len(given)) if given else 0.0)\n",
    files={"environment/pumps.csv": _FEW_PUMPS},
)
"""Four of five: whoever lists all of them earns 0.89, and is right to."""

_TREE = {
    "part": "pump",
    "count": 1,
    "parts": [
        {
            "part": "rotor",
            "count": 1,
            "parts": [{"part": "blade", "count": 7, "parts": []}, {"part": "nut", "count": 1, "parts": []}],
        },
        {"part": "casing", "count": 2, "parts": []},
    ],
}

WITHOUT_TERMS = [
    MOST_ARE_WORN,
    other(
        "branches-of-a-tree",
        'Write the bill of material to `/workspace/bill.json`, nested: `{"part": "...", "count": 1, '
        '"parts": []}`.',
        ("bill.json", json.dumps(_TREE)),
        python="""
        DUE = {("/pump", 1), ("/pump/rotor", 1), ("/pump/rotor/blade", 7), ("/pump/rotor/nut", 1)}
        DUE.add(("/pump/casing", 2))
        def flat(node, above="", depth=0):
            fit = isinstance(node, dict) and isinstance(node.get("parts"), list) and depth < 20
            if not fit or not isinstance(node.get("part"), str) or type(node.get("count")) is not int:
                raise ValueError
            yield f"{above}/{node['part']}", node["count"]
            for child in node["parts"]:
                yield from flat(child, f"{above}/{node['part']}", depth + 1)
        try:
            given = list(flat(json.loads(body("/workspace/bill.json"))))
        except (ValueError, RecursionError):
            given = []
        out(2 * len(DUE & set(given)) / (len(given) + len(DUE)))
        """,
    ),
    other(
        "a-path-of-your-own",
        'Write the settings to `/workspace/log.json`: `{"keep_days": 0, "path": "..."}`. Logs are kept for '
        "45 days, below /var/log.",
        ("log.json", '{"keep_days": 45, "path": "/var/log/plant"}'),
        python="""
        try:
            given = json.loads(body("/workspace/log.json"))
            days, path = given.get("keep_days"), given.get("path")
        except (ValueError, AttributeError, RecursionError):
            days = path = None
        below = isinstance(path, str) and re.fullmatch(r"/var/log/[\\w/-]{1,60}", path) is not None
        out(((type(days) is int and days == 45) + below) / 2)
        """,
    ),
    _worn(
        "worn-by-precision-and-recall",
        "        out(2 * len(worn & given) / (len(worn) + len(given)) if given else 0.0)\n",
    ),
    Exhibit(
        "a-tolerance-is-asked-for",
        """
        answer = read()
        write({key: float(near(answer.get(key), ref)) for key, ref in REF.items()})
        """,
        answer={"bore_mm": 40.02, "tolerance_mm": 0.025, "weight_kg": 3.4},
    ),
    Exhibit(
        "an-uncertainty-within-bounds",
        """
        answer = read()
        flow, off = number(answer.get("flow_m3s")), number(answer.get("uncertainty_m3s"))
        sure = off is not None and near(off, REF["uncertainty_m3s"], 0.1)
        close = sure and flow is not None and abs(flow - REF["flow_m3s"]) <= 2 * off
        write({"flow": float(close), "head": float(near(answer.get("head_loss_m"), REF["head_loss_m"]))})
        """,
        answer={**_TWO, "uncertainty_m3s": 0.12},
    ),
    Exhibit(
        "the-unit-is-given",
        """
        answer = read()
        flow = answer.get("flow")
        flow = flow if isinstance(flow, dict) else {}
        close = near(flow.get("value"), 12.54) and isinstance(flow.get("unit"), str)
        write({"flow": float(close), "head": float(near(answer.get("head_loss_m"), 3.271))})
        """,
        answer={"flow": {"value": 12.54, "unit": "m3/s"}, "head_loss_m": 3.271},
        skeleton={"flow": {"value": 0.0, "unit": "m3/s"}, "head_loss_m": 0.0},
    ),
]
