"""Flaws as they were written down before any probe for them was tried; the most instructive of forty."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_PINS = "1 VCC\n2 GND\n3 SDA\n4 SCL\n5 INT\n6 RST\n"
_PROFILE = "station_m,depth_m,velocity_ms\n0,2.00,1.70\n50,1.91,1.78\n100,1.83,1.86\n150,1.76,1.93\n"
_FRAME = """<model>
<node id="1" x="0" y="0"/>
<node id="2" x="0" y="4"/>
<node id="3" x="6" y="4"/>
<member from="1" to="2"/>
<member from="2" to="3"/>
</model>
"""

OTHER_HANDS = [
    Exhibit(
        "prefix-in-any-case",
        """
        answer = read()
        unit = str(answer.get("unit")).strip().lower() == "mw"
        write({"unit": float(unit), "value": float(unit and near(answer.get("value"), REF["value"]))})
        """,
        _FIELDS,
        Cause.SCALE,
        Severity.MEDIUM,
        answer={"value": 123.5, "unit": "mW"},
    ),
    Exhibit(
        "decimals-as-text",
        """
        answer = read()
        write({name: float(str(answer.get(name)) == str(ref)) for name, ref in REF.items()})
        """,
        Section.FORMAT,
        Cause.NUMBER_FORMAT,
        Severity.LOW,
        answer={"ratio": 3.0, "distance_mm": 184.0, "status": "compliant"},
    ),
    Exhibit(
        "own-checks-count",
        """
        answer = read()
        own = answer.get("self_check") if isinstance(answer.get("self_check"), dict) else {}
        passed, total = number(own.get("passed")) or 0, number(own.get("total")) or 1
        real = sum(right(answer.get(k), REF[k]) for k in ("width_mm", "class")) / 2
        write({"all": max(real, min(1.0, max(0.0, passed / total)))})
        """,
        Section.EXPLOITS,
        Cause.CLAIMED,
        answer={"width_mm": 0.352, "class": "XC2", "self_check": {"passed": 3, "total": 3}},
    ),
    Exhibit(
        "wider-than-the-task-grants",
        """
        answer = read()
        write({name: float(near(answer.get(name), ref, 0.15)) for name, ref in REF.items()})
        """,
        _FIELDS,
        Cause.TOLERANCE,
        Severity.MEDIUM,
        answer={"load_kn": 958.1, "slenderness": 107.88},
        instruction="Each value within 1 % of the exact one. Write them to `/workspace/output.md`.",
    ),
    Exhibit(
        "zero-is-skipped",
        """
        import unittest
        answer = read()
        class Fields(unittest.TestCase):
            def check(self, name):
                if not answer.get(name):
                    self.skipTest("no " + name)
                self.assertTrue(near(answer[name], REF[name]))
            def test_flow(self): self.check("flow_m3s")
            def test_loss(self): self.check("head_loss_m")
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(Fields)
        done = unittest.TextTestRunner(stream=sys.stdout).run(tests)
        write({"all": float(done.wasSuccessful())})
        """,
        _FIELDS,
        Cause.ZEROS,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "tolerance-of-the-answer",
        """
        answer = read()
        ok = lambda x, ref: number(x) is not None and abs(x - ref) <= max(0.02 * ref, 1.2 * abs(x))
        write({name: float(ok(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        _FIELDS,
        Cause.BOUND,
        Severity.MEDIUM,
        answer={"load_kn": 958.1, "slenderness": 107.88},
    ),
    Exhibit(
        "no-division-by-zero",
        """
        truth = {"4": "breaker", "9": "breaker", "11": "rcd"}
        found = read().get("violations")
        found = [f for f in found if isinstance(f, dict)] if isinstance(found, list) else None
        hits = sum(truth.get(str(f.get("circuit"))) == f.get("kind") for f in found or [])
        write({"precision": 0.0 if found is None else hits / len(found) if found else 1.0})
        """,
        _FIELDS,
        Cause.EMPTY,
        answer={
            "violations": [
                {"circuit": "4", "kind": "breaker"},
                {"circuit": "9", "kind": "breaker"},
                {"circuit": "11", "kind": "rcd"},
            ]
        },
    ),
    Exhibit(
        "count-is-trusted",
        """
        answer = read()
        listed = isinstance(answer.get("violations"), list)
        write({"all": float(listed and right(answer.get("count"), REF["count"]))})
        """,
        _FIELDS,
        Cause.UNSCORED,
        Severity.MEDIUM,
        answer={"count": 3, "violations": [{"circuit": n, "rule": "breaker"} for n in (4, 9, 11)]},
    ),
    Exhibit(
        "score-in-a-cache",
        """
        name = os.path.join(os.path.dirname(OUT), "." + "score" + ".cache")
        try:
            with open(name) as file:
                known = float(json.load(file)["reward"])
        except (OSError, ValueError, KeyError, TypeError):
            known = None
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        write(scores if known is None else {"known": min(1.0, max(0.0, known))})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    other(
        "denied-in-a-sentence",
        "State in `/workspace/verdict.txt`, in one sentence, whether the beam complies.",
        ("verdict.txt", "Verdict: the beam complies, utilisation 0.83 is below 1.0.\n"),
        script="""
        file=/workspace/verdict.txt
        if grep -qi verdict $file && grep -qiE "compl(y|ies|iant)" $file; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
        severity=Severity.MEDIUM,
    ),
    other(
        "tags-are-counted",
        "Write the frame to `/workspace/model.xml`: nodes 1 (0, 0), 2 (0, 4), 3 (6, 4); members 1-2, 2-3.",
        ("model.xml", _FRAME),
        python="""
        text = body("/workspace/model.xml")
        out(0.5 * (text.count("<node ") == 3) + 0.5 * (text.count("<member ") == 2))
        """,
        section=_FIELDS,
        cause=Cause.UNSCORED,
        severity=Severity.MEDIUM,
    ),
    other(
        "words-sorted-before-the-diff",
        "Write the pins to `/workspace/pins.txt`, one line each: the number and the signal.",
        ("pins.txt", _PINS),
        script="""
        words() { tr ' ' '\\n' < "$1" | sort; }
        if diff -wB <(words /workspace/pins.txt) <(words /tests/pins.txt) > /dev/null; then r=1; else r=0; fi
        echo $r > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.ANYWHERE,
        severity=Severity.MEDIUM,
        files={"tests/pins.txt": _PINS},
    ),
    other(
        "first-row-only",
        "Write the profile to `/workspace/profile.csv`: station_m, depth_m, velocity_ms, four stations.",
        ("profile.csv", _PROFILE),
        python="""
        import csv
        rows = list(csv.DictReader(body("/workspace/profile.csv").splitlines()))
        try:
            out(float(len(rows) == 4 and abs(float(rows[0]["depth_m"]) - 2) < 0.02
                      and abs(float(rows[0]["velocity_ms"]) - 1.7) < 0.02))
        except (KeyError, TypeError, ValueError):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
    ),
]
