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

THIRD_HANDS = [
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
]
