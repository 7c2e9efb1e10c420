"""Lists of records as public collections score them: sound ones that are strict, and one that is lenient."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import ANSWER, PLAIN, Exhibit

_BAYS = [
    {"bay": 4, "expected": "steel", "found": "timber"},
    {"bay": 9, "expected": "timber", "found": "steel"},
    {"bay": 15, "expected": "brick", "found": "steel"},
    {"bay": 21, "expected": "steel", "found": "brick"},
]
_LABELS = {
    "pier_1": [],
    "pier_2": ["crack", "rust"],
    "pier_3": ["spall"],
    "pier_4": [],
    "pier_5": ["rust"],
    "pier_6": ["crack", "spall"],
    "pier_7": ["crack"],
}
_OUTAGES = [
    {"start_h": 1.5, "end_h": 10.875},
    {"start_h": 22.4, "end_h": 27.7},
    {"start_h": 40.25, "end_h": 43.5},
    {"start_h": 61.0, "end_h": 70.75},
]
_LAYERS = [
    {"top_m": top, "name": f"Layer {n}"} for n, top in enumerate((0.0, 38.5, 71.0, 95.5, 131.0, 160.5))
]
_MATERIALS = "steel | timber | brick"
_CREWS = [{"shift": n, "crew": crew} for n, crew in enumerate("ABCADBCD", 1)]

STRICT = [
    Exhibit(
        "malformed-records-are-left-out",
        """
        KINDS = ("steel", "timber", "brick")
        given = read().get("errors")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        fit = lambda x: type(x.get("bay")) is int and 1 <= x["bay"] <= 24
        sure = [x for x in given if fit(x) and all(x.get(k) in KINDS for k in ("expected", "found"))]
        hits = sum(any(x == want for x in sure) for want in REF["errors"])
        write({"errors": 2 * hits / max(1, len(sure) + len(REF["errors"]))})
        """,
        answer={"errors": _BAYS},
        skeleton={"errors": [{"bay": 0, "expected": _MATERIALS, "found": _MATERIALS}]},
        instruction="Which of the bays 1 to 24 were built of something else? Materials are `steel`, "
        "`timber` and `brick`. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "labels-for-each-part",
        """
        answer = read()
        fit = set(answer) == set(REF) and all(
            isinstance(v, list) and all(x in ("crack", "rust", "spall", "leak") for x in v)
            for v in answer.values()
        )
        given = [(k, x) for k in answer for x in answer[k]] if fit else []
        wanted = [(k, x) for k in REF for x in REF[k]]
        hits = len(set(given) & set(wanted))
        write({"labels": 2 * hits / (len(given) + len(wanted))})
        """,
        answer=_LABELS,
        skeleton={"pier_1": ["crack | rust | spall | leak"]},
    ),
    Exhibit(
        "intervals-that-overlap",
        """
        given = read().get("outages")
        fit = isinstance(given, list) and len(given) <= 20 and all(
            isinstance(x, dict) and None not in (number(x.get("start_h")), number(x.get("end_h")))
            and 0 <= x["start_h"] < x["end_h"] <= 72 for x in given
        )
        spans = [(x["start_h"], x["end_h"]) for x in given] if fit else []
        hits, left = 0, list(spans)
        for want in REF["outages"]:
            a, b = want["start_h"], want["end_h"]
            share = lambda s: max(0.0, min(b, s[1]) - max(a, s[0])) / (max(b, s[1]) - min(a, s[0]))
            best = max(left, key=share, default=None)
            if best is not None and share(best) >= 0.5:
                hits, left = hits + 1, [s for s in left if s is not best]
        write({"outages": 2 * hits / (len(spans) + len(REF["outages"]))})
        """,
        answer={"outages": _OUTAGES},
        skeleton={"outages": [{"start_h": 4.2, "end_h": 5.1}]},
        instruction="List the outages within the 72 hours, in hours from the start. "
        "Write `/workspace/output.md`.",
    ),
    Exhibit(
        "boundaries-in-order",
        """
        given = read().get("layers")
        fit = isinstance(given, list) and 5 <= len(given) <= 7 and all(
            isinstance(x, dict) and number(x.get("top_m")) is not None and 0 <= x["top_m"] <= 180
            and isinstance(x.get("name"), str) and len(x["name"]) >= 3 for x in given
        )
        tops = [x["top_m"] for x in given] if fit else []
        fit = fit and tops == sorted(set(tops)) and tops[0] <= 4
        hits = sum(any(abs(t - want["top_m"]) <= 4 for t in tops) for want in REF["layers"]) if fit else 0
        write({"layers": 2 * hits / (len(tops) + len(REF["layers"]))})
        """,
        answer={"layers": _LAYERS},
        skeleton={"layers": [{"top_m": 0.0, "name": "..."}]},
        instruction="Find the 5 to 7 layers within 180 m, from the top down, within 4 m; the first is at "
        "most 3 m deep. Names are for people and not compared. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "each-number-once",
        """
        given = read().get("shifts")
        fit = isinstance(given, list) and all(
            isinstance(x, dict) and type(x.get("shift")) is int for x in given
        )
        fit = fit and sorted(x["shift"] for x in given) == list(range(1, 9))
        fit = fit and all(isinstance(x.get("crew"), str) and x["crew"] in "ABCD" for x in given)
        crews = {x["shift"]: x["crew"] for x in given} if fit else {}
        write({"shifts": sum(crews.get(x["shift"]) == x["crew"] for x in REF["shifts"]) / 8})
        """,
        answer={"shifts": _CREWS},
        skeleton={"shifts": [{"shift": 1, "crew": "A | B | C | D"}]},
    ),
]

LENIENT = [
    Exhibit(
        "six-of-eight-suffice",
        """
        given = read().get("picks")
        fit = isinstance(given, list) and len(given) == 8 and all(
            isinstance(x, dict) and type(x.get("no")) is int and isinstance(x.get("use"), str) for x in given
        )
        uses = {x["no"]: x["use"] for x in given} if fit else {}
        write({"picks": float(sum(uses.get(x["no"]) == x["use"] for x in REF["picks"]) >= 6)})
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
        answer={
            "picks": [
                {"no": no, "use": use}
                for no, use in zip(
                    (4, 5, 7, 11, 12, 16, 17, 22),
                    ("keep", "keep", "keep", "keep", "skip", "spare", "keep", "skip"),
                    strict=True,
                )
            ]
        },
        skeleton={"picks": [{"no": 0, "use": "keep | skip | spare"}]},
    ),
    Exhibit(
        "five-of-six-suffice",
        """
        given = read().get("steps")
        fit = isinstance(given, list) and len(given) == 6 and all(
            isinstance(x, dict) and type(x.get("step")) is int for x in given
        )
        done = {x["step"]: x.get("by") for x in given} if fit else {}
        write({"steps": float(sum(done.get(x["step"]) == x["by"] for x in REF["steps"]) >= 5)})
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
        answer={"steps": [{"step": n, "by": by} for n, by in enumerate("ABACBC", 1)]},
        skeleton={"steps": [{"step": 1, "by": "A | B | C"}]},
    ),
    Exhibit(
        "all-of-them-listed",
        """
        given = read().get("worn")
        fit = isinstance(given, list) and all(type(x) is int and 1 <= x <= 14 for x in given)
        given = set(given) if fit else set()
        write({"worn": 2 * len(given & set(REF["worn"])) / (len(given) + len(REF["worn"]))})
        """,
        section=Section.TRIVIAL,
        cause=Cause.HEDGED,
        severity=Severity.MEDIUM,  # precision and recall leave as much of it
        answer={"worn": [2, 3, 4, 5, 7, 8, 10, 11, 13, 14]},
        skeleton={"worn": [0]},
        instruction="Which of the teeth 1..14 are worn? Write `/workspace/output.md`.",
    ),
    Exhibit(
        "two-rewards",
        PLAIN
        + """
with open(LOGS + "/reward.json") as file:
    passed = json.load(file)["reward"] >= 1
with open(LOGS + "/reward.txt", "w") as file:
    file.write(str(int(passed)))
""",
        section=Section.GOLDENS,
        cause=Cause.TWO_REWARDS,
        severity=Severity.LOW,
        wrong={**ANSWER, "flow_m3s": 1.0},
    ),
    Exhibit(
        "only-the-middle-counts",
        """
        span = read()
        start, end = number(span.get("start_s")), number(span.get("end_s"))
        fit = start is not None and end is not None and start < end
        write({"middle": float(fit and abs(start + end - REF["start_s"] - REF["end_s"]) <= 1)})
        """,
        section=Section.DISCRIMINATION,
        cause=Cause.CANCELS,
        severity=Severity.MEDIUM,
        answer={"start_s": 1.5, "end_s": 8.25},
    ),
]
