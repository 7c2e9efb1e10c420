"""Verifiers with flaws that agents exploit in the answer: hedges, code in fields, lenient types."""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit

_HERE = Section.DISCRIMINATION
_FINDINGS = {"findings": ["P-101 seized", "V-7 leaks", "T-3 drifts", "K-9 open", "F-2 blown"]}
_PUMPS = {"pumps": [{"tag": f"P-{n}", "flow_m3h": 10.5 * n} for n in range(1, 6)]}
_FIVE = {"a_m": 3.2, "b_m": 7.7, "c_m": 12.9, "d_m": 21.4, "e_m": 33.3}
_NUMBERS = "('flow_m3s', 'head_loss_m')"


def _fields(check: str, before: str = "") -> str:
    """A verifier whose rule for one number is `check`, of x (given) and ref."""
    return f"""
{before}
answer = read()
def ok(x, ref):
    try:
        return bool({check})
    except Exception:
        return False
write({{k: float(ok(answer.get(k), REF[k])) for k in {_NUMBERS}}})
"""


CUNNING = [
    Exhibit("evaluates-a-field", _fields("near(eval(str(x)), ref)"), _HERE, Cause.CODE),
    Exhibit(
        "evaluates-a-field-with-a-guard",
        _fields("near(eval(x) if isinstance(x, str) else x, ref)"),
        _HERE,
        Cause.CODE,
    ),
    Exhibit(
        "shell-sees-a-field",
        _fields(
            "near(x, ref)",
            "import subprocess\nsubprocess.run('echo ' + str(read().get('status')), shell=True)",
        ),
        _HERE,
        Cause.CODE,
    ),
    Exhibit(
        "any-of-a-list",
        _fields("any(near(v, ref) for v in (x if isinstance(x, list) else [x]))"),
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "any-number-in-the-text",
        _fields(r"any(near(float(v), ref) for v in re.findall(r'-?\d+\.?\d*', str(x)))"),
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "any-block-will-do",
        """
        def blocks():
            mark = r"^[ \\t]*(?:`{3,}|~{3,})[ \\t]*"
            body = text().replace("\\r\\n", "\\n")
            found = re.findall(mark + r"(?:json)?[ \\t]*\\n(.*?)\\n" + mark, body, re.S | re.I | re.M)
            return [v for v in map(loads, [*found, text()]) if v is not None] or [{}]
        best = max(blocks(), key=lambda a: sum(right(a.get(k), v) for k, v in REF.items()))
        write({name: float(right(best.get(name), ref)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "numbers-anywhere",
        r"""
        said = [float(v) for v in re.findall(r"-?\d+\.\d+", text())]
        write({k: float(any(near(v, REF[k]) for v in said)) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.ANYWHERE,
    ),
    Exhibit(
        "keys-by-ending",
        """
        answer = read()
        def find(name):
            return [v for k, v in answer.items() if k.endswith(name)]
        write({k: float(any(right(v, ref) for v in find(k))) for k, ref in REF.items()})
        """,
        _HERE,
        Cause.ANYWHERE,
    ),
    Exhibit(
        "truthy-boolean",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), 12.54)),
               "stable": float(bool(answer.get("stable")))})
        """,
        _HERE,
        Cause.TRUTHY,
        Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "stable": True},
    ),
    Exhibit(
        "nan-in-text",
        _fields("not abs(float(x) - ref) > 0.02 * abs(ref)"),
        _HERE,
        Cause.NOT_A_NUMBER,
    ),
    Exhibit(
        "infinity-is-clamped",
        _fields("1 - min(1, abs(math.log(min(max(float(x), ref), ref) / ref))) > 0.9"),
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "answer-inside-the-reference",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(str(answer.get("status")).lower() in "compliant")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "empty-text-starts-everything",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float("compliant".startswith(str(answer.get("status", "x"))))})
        """,
        _HERE,
        Cause.EMPTY,
        Severity.MEDIUM,
    ),
    Exhibit(
        "denied-word-counts",
        """
        answer = read()
        status = str(answer.get("status")).lower()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float("compliant" in status and "non" not in status and status[:3] != "not")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "every-option-is-right",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(answer.get("status") in ("compliant", "non_compliant"))})
        """,
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
        skeleton={"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "compliant | non_compliant"},
    ),
    Exhibit(
        "four-of-five-is-enough",
        """
        answer = read()
        hits = sum(right(answer.get(k), v) for k, v in REF.items())
        write({"fields": min(1.0, hits / 3)})
        """,
        _HERE,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_FIVE,
    ),
    Exhibit(
        "sum-is-compared",
        """
        answer = read()
        total = sum(number(answer.get(k)) or 0.0 for k in REF)
        there = all(number(answer.get(k)) is not None for k in REF)
        write({"total": float(there and near(total, sum(REF.values())))})
        """,
        _HERE,
        Cause.CANCELS,
        Severity.MEDIUM,
        answer=_FIVE,
    ),
    Exhibit(
        "penalty-is-capped",
        """
        answer = read()
        given = answer.get("findings")
        given = [x for x in given if isinstance(x, str)] if isinstance(given, list) else []
        hits = len(set(given) & set(REF["findings"])) / 5
        junk = len([x for x in given if x not in REF["findings"]])
        write({"findings": max(0.0, hits - min(0.2, 0.02 * junk))})
        """,
        _HERE,
        Cause.PADDING,
        Severity.MEDIUM,
        answer=_FINDINGS,
    ),
    Exhibit(
        "number-inside-of-an-object",
        """
        answer = read()
        pump = answer.get("pump") if isinstance(answer.get("pump"), dict) else {}
        write({"flow": float(near(answer.get("flow_m3s"), 12.54)), "tag": float(pump.get("tag") == "P-1")})
        """,
        _HERE,
        Cause.UNSCORED,
        Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "pump": {"tag": "P-1", "power_kw": 7.5}},
        skeleton={"flow_m3s": 0.0, "pump": {"tag": "...", "power_kw": 0.0}},
    ),
    Exhibit(
        "number-of-a-schema-beside",
        """
        answer = read()
        pump = answer.get("pump") if isinstance(answer.get("pump"), dict) else {}
        write({"flow": float(near(answer.get("flow_m3s"), 12.54)), "tag": float(pump.get("tag") == "P-1")})
        """,
        _HERE,
        Cause.UNSCORED,
        Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "pump": {"tag": "P-1", "power_kw": 7.5}},
        instruction="Write `/workspace/output.md` with JSON as /workspace/schema.json asks for.",
        files={
            "environment/Dockerfile": "FROM x\nCOPY schema.json /workspace/schema.json\n",
            "environment/schema.json": json.dumps(
                {"properties": {"pump": {"type": "object", "required": ["tag", "power_kw"]}}}
            ),
        },
    ),
    Exhibit(
        "last-record-of-a-key",
        """
        given = read().get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        flows = {x.get("tag"): x.get("flow_m3h") for x in given if isinstance(x.get("tag"), str)}
        refs = {w["tag"]: w["flow_m3h"] for w in REF["pumps"]}
        write({"pumps": float(set(flows) == set(refs) and all(near(flows[t], refs[t]) for t in refs))})
        """,
        _HERE,
        Cause.HEDGED,
        Severity.MEDIUM,
        answer={"pumps": [{"tag": f"P-{n}", "flow_m3h": 12.5 + 7.25 * n} for n in range(1, 6)]},
    ),
    Exhibit(
        "first-record-of-a-key",
        """
        given = read().get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        flows = {}
        for x in given:
            if isinstance(x.get("tag"), str):
                flows.setdefault(x["tag"], x.get("flow_m3h"))
        refs = {w["tag"]: w["flow_m3h"] for w in REF["pumps"]}
        write({"pumps": float(set(flows) == set(refs) and all(near(flows[t], refs[t]) for t in refs))})
        """,
        _HERE,
        Cause.HEDGED,
        Severity.MEDIUM,
        answer={"pumps": [{"tag": f"P-{n}", "flow_m3h": 12.5 + 7.25 * n} for n in range(1, 6)]},
    ),
    Exhibit(
        "best-record-of-a-key",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        same = lambda x, w: x.get("tag") == w["tag"] and near(x.get("flow_m3h"), w["flow_m3h"])
        hit = lambda w: any(same(x, w) for x in given)
        strangers = [x for x in given if x.get("tag") not in [w["tag"] for w in REF["pumps"]]]
        write({"pumps": sum(map(hit, REF["pumps"])) / (len(REF["pumps"]) + len(strangers))})
        """,
        _HERE,
        Cause.HEDGED,
        Severity.MEDIUM,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "order-of-records",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        same = lambda x, w: x.get("tag") == w["tag"] and near(x.get("flow_m3h"), w["flow_m3h"])
        hits = sum(same(a, b) for a, b in zip(given, REF["pumps"]))
        write({"pumps": hits / max(5, len(given))})
        """,
        Section.FORMAT,
        Cause.ORDER,
        Severity.LOW,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "null-item-crashes",
        """
        answer = read()
        given = answer.get("pumps") or []
        flows = {w["tag"]: w["flow_m3h"] for w in REF["pumps"]}
        hits = sum(x["tag"] in flows and near(x["flow_m3h"], flows[x["tag"]]) for x in given)
        write({"pumps": 2 * hits / (5 + len(given))})
        """,
        _HERE,
        Cause.CRASHES,
        Severity.MEDIUM,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "type-error-is-full-marks",
        """
        answer = read()
        def ok(x, ref):
            try:
                return abs(x - ref) <= 0.02 * abs(ref)
            except TypeError:
                return True
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.TRUTHY,
        Severity.MEDIUM,
    ),
    Exhibit(
        "null-is-skipped",
        """
        answer = read()
        wrong = [k for k, v in REF.items() if answer.get(k) is not None and not right(answer.get(k), v)]
        write({"fields": 0.0 if wrong or not answer else 1.0})
        """,
        _HERE,
        Cause.EMPTY,
    ),
    Exhibit(
        "one-is-everything",
        """
        answer = read()
        def ok(x, ref):
            return isinstance(x, (int, float)) and (near(x, ref) or x == 1)
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.ANY_VALUE,
    ),
]
