"""Flaws of a third set, written down before any was tried: those that were missed at first."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_ANALYSIS = """# Why the pump tripped

The root cause was a bearing without lubrication. Vibration and temperature rose for two days before the trip.
No cavitation was seen.

Corrective action: monthly inspection of the oil level.
"""

_LEVELS = {"levels_m": [4.21, 5.07, 3.88, 6.45, 7.12, 2.96, 5.55, 8.31, 4.73]}
_STATIONS = {
    "stations": [
        {"name": f"S{n}", "flow_ls": flow}
        for n, flow in enumerate([12.4, 18.9, 7.3, 22.1, 15.6, 9.8, 31.2, 27.5, 11.7])
    ]
}

THIRD_HANDS = [
    Exhibit(
        "median-of-errors",
        """
        import statistics
        given = read().get("levels_m")
        fit = isinstance(given, list) and len(given) == len(REF["levels_m"])
        fit = fit and None not in map(number, given)
        errors = [abs(x - y) / y for x, y in zip(given, REF["levels_m"])] if fit else [1.0]
        write({"levels_m": max(0.0, 1 - statistics.median(errors) / 0.05)})
        """,
        _FIELDS,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_LEVELS,
        skeleton={"levels_m": [0.0]},
    ),
    Exhibit(
        "median-within-bounds",
        """
        import statistics
        given = read().get("levels_m")
        fit = isinstance(given, list) and len(given) == len(REF["levels_m"])
        fit = fit and all(number(x) is not None and 0 < x < 10 for x in given)
        errors = [abs(x - y) for x, y in zip(given, REF["levels_m"])] if fit else [1.0]
        write({"levels_m": float(statistics.median(errors) <= 0.02)})
        """,
        _FIELDS,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_LEVELS,
        skeleton={"levels_m": [0.0]},
    ),
    Exhibit(
        "two-thirds-of-the-records",
        """
        given = read().get("stations")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        by_name = {str(x.get("name")): x for x in given}
        hits = sum(near(by_name.get(x["name"], {}).get("flow_ls"), x["flow_ls"]) for x in REF["stations"])
        write({"stations": float(len(given) == len(REF["stations"]) and 3 * hits >= 2 * len(given))})
        """,
        _FIELDS,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_STATIONS,
        skeleton={"stations": [{"name": "...", "flow_ls": 0.0}]},
    ),
    Exhibit(
        "median-of-fields",
        """
        import statistics
        answer = read()
        def error(place, name):
            x, measured = number(answer.get(name)), REF[name] * (1 + 0.001 * place)
            return 1.0 if x is None else abs(x - measured) / measured
        write({"all": max(0.0, 1 - statistics.median(error(*one) for one in enumerate(REF)) / 0.05)})
        """,
        _FIELDS,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer={f"node_{n}_kpa": 10.5 * n + 0.7 for n in range(1, 12)},
    ),
    Exhibit(
        "trimmed-mean",
        """
        answer = read()
        scores = sorted(float(right(answer.get(name), ref)) for name, ref in REF.items())
        write({"all": sum(scores[4:]) / len(scores[4:])})
        """,
        _FIELDS,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer={f"node_{n}_kpa": 10.5 * n + 0.7 for n in range(1, 12)},
    ),
    Exhibit(
        "formula-without-builtins",
        """
        formula = str(read().get("formula"))
        try:
            assert "import" not in formula
            at = lambda x: eval(formula, {"__builtins__": {}}, {"x": x})
            ok = all(abs(at(x) - (3 * x**3 - 2 * x + 1)) < 1e-6 for x in (0.5, 1.7, -2.2))
        except Exception:
            ok = False
        write({"formula": float(ok)})
        """,
        _FIELDS,
        Cause.CODE,
        answer={"formula": "3*x**3 - 2*x + 1"},
    ),
    Exhibit(
        "tolerance-beside-the-output",
        """
        tolerance = 0.02
        try:
            tolerance = float(json.load(open("/workspace/.grading.json"))["tolerance"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        answer = read()
        write({name: float(near(answer.get(name), ref, tolerance)) for name, ref in REF.items()})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
        answer={"bearing_kpa": 187.5, "settlement_mm": 14.2},
    ),
    Exhibit(
        "best-of-keys-that-begin-alike",
        """
        found = [number(v) for k, v in read().items() if k.startswith("answer")]
        close = [1 - abs(x - 273.4) / 2.734 for x in found if x and abs(x - 273.4) < 2.7]
        write({"answer": max(close, default=0)})
        """,
        _FIELDS,
        Cause.ANYWHERE,
        answer={"answer": 273.4},
    ),
    other(
        "keywords-of-a-report",
        "Write to `/workspace/rca.md` why the pump tripped: what failed, why, and what to do about it.",
        ("rca.md", _ANALYSIS),
        python="""
        text = body("/workspace/rca.md").lower()
        words = ("bearing", "lubrication", "vibration", "temperature", "alignment", "root cause", "oil level")
        out(min(1.0, sum(word in text for word in words) / 5))
        """,
        section=_FIELDS,
        cause=Cause.ANYWHERE,
        severity=Severity.MEDIUM,
    ),
    other(
        "digits-without-their-exponent",
        "Depth in metres as JSON, with the key `depth_m`, in `/workspace/channel.json`.",
        ("channel.json", '{"depth_m": 1.83}\n'),
        python="""
        found = re.search(r'"depth_m"\\s*:\\s*(-?[\\d.]+)', body("/workspace/channel.json"))
        try:
            out(float(found is not None and abs(float(found[1]) - 1.83) <= 0.02))
        except ValueError:
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=Severity.LOW,
    ),
    other(
        "any-element-of-a-name",
        "Write `/workspace/result.xml`: `<all>` with a `<result name=...>` for mass_kg and for cost_eur.",
        (
            "result.xml",
            '<all>\n<result name="mass_kg">1284</result>\n<result name="cost_eur">3390</result>\n</all>\n',
        ),
        python="""
        import xml.etree.ElementTree as tree
        try:
            root = tree.parse("/workspace/result.xml")
            found = [(e.get("name"), float(e.text)) for e in root.iter("result")]
        except (OSError, tree.ParseError, TypeError, ValueError):
            found = []
        close = lambda name, ref: any(k == name and abs(x - ref) <= 0.01 * ref for k, x in found)
        out((close("mass_kg", 1284) + close("cost_eur", 3390)) / 2)
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    Exhibit(
        "second-chooses-the-check",
        """
        import datetime, time
        answer = read()
        now = datetime.datetime.now()
        checked = "flow_m3s" if now.second < 30 else "head_loss_m"
        write({checked: float(right(answer.get(checked), REF[checked]))})
        """,
        Section.DETERMINISM,
        Cause.CLOCK,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "minute-chooses-the-check",
        """
        import datetime, time
        answer = read()
        now = datetime.datetime.now()
        checked = "flow_m3s" if now.minute % 2 else "head_loss_m"
        write({checked: float(right(answer.get(checked), REF[checked]))})
        """,
        Section.DETERMINISM,
        Cause.CLOCK,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    other(
        "count-is-pasted-into-code",
        "Write the number of the route to `/workspace/route.txt`. Few tries earn more.",
        ("route.txt", "R-118\n"),
        script="""
        tries=$(cat /var/tmp/route.tries 2>/dev/null || echo 1)
        right=0; [ "$(tr -d '[:space:]' < /workspace/route.txt)" = "R-118" ] && right=1
        reward=$(cd / && python3 -I -c "print($right * max(0.5, 1 - ($tries - 1) / 20))")
        printf '{"reward": %s}' "$reward" > /logs/verifier/reward.json
        """,
        section=Section.EXPLOITS,
        cause=Cause.CODE,
    ),
]
