"""Sound verifiers, each with a habit that invites a false alarm."""

from __future__ import annotations

from audit.gallery.exhibit import PLAIN, Exhibit

_RECORDS = {
    "pumps": [{"tag": f"P-{n}", "flow_m3h": 10.5 * n, "ok": n % 2 == 0} for n in range(1, 6)],
    "count": 5,
}

SOUND = [
    Exhibit(
        "out-of-range-voids-the-list",
        """
        given = read().get("valves")
        fit = isinstance(given, list) and all(type(x) is int and 1 <= x <= 40 for x in given)
        fit = fit and len(set(given)) == len(given) > 0
        hits = len(set(given) & set(REF["valves"])) if fit else 0
        write({"valves": 2 * hits / (len(given) + len(REF["valves"])) if fit else 0.0})
        """,
        answer={"valves": [3, 7, 14, 21, 28, 35]},
        skeleton={"valves": [0]},
        instruction="Which valves, 1 to 40, each once? Others void the answer. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "out-of-range-voids-the-answer",
        """
        answer = read()
        cop = number(answer.get("cop"))
        possible = cop is not None and 1 < cop < 8
        write({k: float(possible and right(answer.get(k), ref)) for k, ref in REF.items()})
        """,
        answer={"cop": 3.579, "heat_kw": 24.3, "power_kw": 6.79, "source_kw": 17.51, "flow_ls": 1.16},
        instruction="An impossible COP (1 or less, 8 or more) voids all. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "unknown-option-voids-the-answer",
        """
        answer = read()
        known = answer.get("grade") in ("S235", "S275", "S355", "S420")
        write({k: float(known and right(answer.get(k), ref)) for k, ref in REF.items()})
        """,
        answer={"grade": "S275", "load_kn": 958.1, "slenderness": 107.88, "area_cm2": 53.8, "length_m": 5.2},
        skeleton={
            "grade": "S235 | S275 | S355 | S420",
            **dict.fromkeys(("load_kn", "slenderness", "area_cm2", "length_m"), 0.0),
        },
    ),
    Exhibit(
        "another-length-voids-the-answer",
        """
        answer = read()
        given = answer.get("reactions_kn")
        fit = isinstance(given, list) and len(given) == 5 and None not in map(number, given)
        hits = sum(map(near, given, REF["reactions_kn"])) if fit else 0
        moment = float(fit and near(answer.get("moment_knm"), REF["moment_knm"]))
        write({"reactions_kn": hits / 5, "moment_knm": moment})
        """,
        answer={"reactions_kn": [12.4, 33.1, 28.7, 33.1, 12.4], "moment_knm": 41.6},
        skeleton={"reactions_kn": [0.0], "moment_knm": 0.0},
        instruction="Five reactions from left to right, else nothing counts. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "two-thirds-are-stated",
        """
        given = read().get("levels_m")
        fit = isinstance(given, list) and len(given) == len(REF["levels_m"])
        hits = sum(map(near, given, REF["levels_m"])) if fit else 0
        write({"levels_m": float(3 * hits >= 2 * len(REF["levels_m"]))})
        """,
        answer={"levels_m": [4.21, 5.07, 3.88, 6.45, 7.12, 2.96, 5.55, 8.31, 4.73]},
        skeleton={"levels_m": [0.0]},
        instruction="Nine levels. The answer passes if two thirds of them are right. Write "
        "`/workspace/output.md`.",
    ),
    Exhibit(
        "four-of-five-are-stated",
        """
        answer = read()
        share = sum(right(answer.get(k), v) for k, v in REF.items()) / len(REF)
        write({"pass": float(share >= 0.8)})
        """,
        answer={"a_m": 3.2, "b_m": 7.7, "c_m": 12.9, "d_m": 21.4, "e_m": 30.6},
        instruction="At least 80 % of the values must be correct. Write them to `/workspace/output.md`.",
    ),
    Exhibit(
        "each-level-its-share",
        """
        given = read().get("levels_m")
        fit = isinstance(given, list) and len(given) == len(REF["levels_m"])
        write({"levels_m": sum(map(near, given, REF["levels_m"])) / len(given) if fit else 0.0})
        """,
        answer={"levels_m": [4.21, 5.07, 3.88, 6.45, 7.12, 2.96, 5.55, 8.31, 4.73]},
        skeleton={"levels_m": [0.0]},
    ),
    Exhibit("plain"),
    Exhibit(
        "notes-are-ignored",
        """
        answer = read()
        write({k: float(right(answer.get(k), v)) for k, v in REF.items() if k not in ("notes", "confidence")})
        """,
        answer={"flow_m3s": 12.54, "ok": True, "n": 0, "confidence": 0.9, "notes": "Taken from the chart."},
    ),
    Exhibit(
        "bounds-are-meant",
        """
        answer = read()
        ok = lambda k, low, high: number(answer.get(k)) is not None and low <= answer[k] <= high
        write({"safety_factor": float(ok("safety_factor", 1.5, 1e9)),
               "utilisation": float(ok("utilisation", 0.0, 1.0)),
               "mass_kg": float(right(answer.get("mass_kg"), REF["mass_kg"]))})
        """,
        answer={"safety_factor": 2.25, "utilisation": 0.62, "mass_kg": 418.0},
    ),
    Exhibit(
        "zeros-are-right",
        """
        answer = read()
        write({"defects": float(answer.get("defects") == 0), "leak": float(answer.get("leak") == 0),
               "mass_kg": float(right(answer.get("mass_kg"), REF["mass_kg"]))})
        """,
        answer={"defects": 0, "leak": 0.0, "mass_kg": 418.0},
    ),
    Exhibit(
        "order-of-magnitude",
        """
        answer = read()
        x = number(answer.get("energy_j"))
        write({"energy_j": float(x is not None and x > 0 and abs(math.log10(x / REF["energy_j"])) <= 0.3),
               "carrier": float(answer.get("carrier") == "methane")})
        """,
        answer={"energy_j": 4.2e15, "carrier": "methane"},
        instruction="The energy to the order of magnitude, and its carrier. Write `/workspace/output.md`.",
    ),
    Exhibit(
        "all-or-nothing-truth",
        """
        answer = read()
        scores = {k: float(answer.get(k) is v) for k, v in REF.items()}
        write({"all": min(scores.values())})
        """,
        answer={"stable": True, "compliant": False, "needs_review": False},
        skeleton={"stable": "true or false", "compliant": "true or false", "needs_review": "true or false"},
    ),
    Exhibit(
        "records-by-precision-and-recall",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        hits = 0
        for want in REF["pumps"]:
            match = next((x for x in given if x.get("tag") == want["tag"]), None)
            match = match or {}
            hits += near(match.get("flow_m3h"), want["flow_m3h"]) and match.get("ok") is want["ok"]
        score = 2 * hits / (len(given) + len(REF["pumps"]))
        write({"pumps": score, "count": float(answer.get("count") == 5)})
        """,
        answer=_RECORDS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0, "ok": "..."}], "count": 0},
    ),
    Exhibit(
        "nothing-to-go-by",
        PLAIN,
        golden=False,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "geometric-mean",
        """
        answer = read()
        scores = [1.0 if right(answer.get(k), v) else 0.05 for k, v in REF.items()]
        total = math.prod(scores) ** (1 / len(scores))
        write({"all": 0.0 if total < 0.1 else total})
        """,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271, "power_kw": 402.0},
    ),
    Exhibit(
        "all-or-nothing",
        """
        answer = read()
        write({"all": float(all(right(answer.get(k), v) for k, v in REF.items()))})
        """,
    ),
    Exhibit(
        "negative-marking",
        """
        answer = read()
        def points(k):
            if answer.get(k) is None:
                return 0.0
            return 1.0 if right(answer.get(k), REF[k]) else -0.5
        write({"points": max(0.0, sum(map(points, REF)) / len(REF))})
        """,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271, "power_kw": 402.0, "status": "compliant"},
    ),
    Exhibit(
        "unittest-output",
        """
        import unittest
        answer = read()
        class Checks(unittest.TestCase):
            def test_flow(self):
                self.assertTrue(right(answer.get("flow_m3s"), REF["flow_m3s"]))
            def test_loss(self):
                self.assertTrue(right(answer.get("head_loss_m"), REF["head_loss_m"]))
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(Checks).run(result)
        for case, trace in result.failures:
            print("FAIL:", case, trace, file=sys.stderr)
        write({"tests": 1.0 - len(result.failures) / 2})
        """,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "bonus-for-notes",
        """
        answer = read()
        hits = sum(right(answer.get(k), v) for k, v in REF.items() if k != "method") / 2
        write({"all": hits if hits < 1 else 0.9 + 0.1 * float(answer.get("method") == "Darcy-Weisbach")})
        """,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271, "method": "Darcy-Weisbach"},
    ),
    Exhibit(
        "graded-by-distance",
        """
        answer = read()
        def credit(k):
            x = number(answer.get(k))
            return 0.0 if x is None else max(0.0, 1 - abs(x - REF[k]) / (0.1 * abs(REF[k])))
        write({k: credit(k) for k in REF})
        """,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "units-in-text",
        r"""
        answer = read()
        def value(x):
            found = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(m3/s|m)\s*", str(x))
            return float(found[1]) if found else None
        write({k: float(near(value(answer.get(k)), float(REF[k].split()[0]))) for k in REF})
        """,
        answer={"flow": "12.54 m3/s", "head_loss": "3.271 m"},
        skeleton={"flow": "0 m3/s", "head_loss": "0 m"},
    ),
    Exhibit(
        "ranking-with-order",
        """
        answer = read()
        given = answer.get("ranking")
        write({"ranking": float(given == REF["ranking"])})
        """,
        answer={"ranking": ["K-9", "P-101", "V-7", "T-3"]},
        skeleton={"ranking": ["..."]},
    ),
    Exhibit(
        "texts-in-a-listed-folder",
        """
        print(sorted(os.listdir("/workspace")), os.path.exists("/workspace/notes.json"))
        plans = read().get("plans")
        plans = plans if isinstance(plans, list) else []
        plans = [x for x in plans if isinstance(x, dict) and type(x.get("id")) is str]
        given = {x["id"]: x.get("program") for x in plans}
        refs = {x["id"]: x["program"] for x in REF["plans"]}
        write({name: float(given == refs and len(plans) == len(refs)) for name in refs})
        """,
        answer={
            "plans": [
                {"id": "p1", "program": ["[Find] <bed> (1)", "[Sit] <bed> (1)", "[Sleep]"]},
                {"id": "p2", "program": ["[Walk] <chair> (1)", "[Grab] <lamp> (2)", "[StandUp]"]},
            ]
        },
    ),
    Exhibit(
        "set-of-words",
        """
        answer = read()
        given = answer.get("causes")
        given = [x.strip().lower() for x in given if isinstance(x, str)] if isinstance(given, list) else []
        hits = len(set(given) & set(REF["causes"]))
        write({"causes": 2 * hits / (len(given) + len(REF["causes"])) if given else 0.0})
        """,
        answer={"causes": ["cavitation", "misalignment", "worn seal"]},
        skeleton={"causes": ["..."]},
    ),
    Exhibit(
        "threshold-pass",
        """
        answer = read()
        share = sum(right(answer.get(k), v) for k, v in REF.items()) / len(REF)
        write({"pass": float(share >= 0.99)})
        """,
        answer={"a_m": 3.2, "b_m": 7.7, "c_m": 12.9, "d_m": 21.4},
    ),
    Exhibit(
        "weights-differ",
        """
        answer = read()
        weights = {"flow_m3s": 0.7, "head_loss_m": 0.25, "status": 0.05}
        write({"sum": sum(w for k, w in weights.items() if right(answer.get(k), REF[k]))})
        """,
    ),
    Exhibit(
        "nested-groups",
        """
        answer = read()
        group = lambda g: answer.get(g) if isinstance(answer.get(g), dict) else {}
        pairs = [(g, k, v) for g, fields in REF.items() for k, v in fields.items()]
        write({f"{g}.{k}": float(right(group(g).get(k), v)) for g, k, v in pairs})
        """,
        answer={"pump": {"flow": 12.54, "head": 33.1}, "motor": {"power": 5.5, "poles": 4}},
        skeleton={"pump": {"flow": 0.0, "head": 0.0}, "motor": {"power": 0.0, "poles": 0}},
    ),
    Exhibit(
        "reward-txt-only",
        """
        answer = read()
        hits = sum(right(answer.get(k), v) for k, v in REF.items()) / len(REF)
        for name in ("reward.json", "reward.txt"):
            if os.path.exists(LOGS + "/" + name):
                os.unlink(LOGS + "/" + name)
        with open(LOGS + "/reward.txt", "w") as file:
            file.write(f"{hits:.4f}")
        """,
    ),
    Exhibit(
        "isolated-start",
        PLAIN,
        test_sh="exec python3 -I -B /tests/verify.py\n",
    ),
    Exhibit(
        "checks-in-a-temporary-folder",
        """
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "answer.md")
            with open(copy, "w") as file:
                file.write(text())
            OUT = copy
            answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
    ),
    Exhibit(
        "reference-in-a-file",
        """
        with open("/tests/reference.json") as file:
            REF = json.load(file)
        answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        files={"tests/reference.json": '{"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}'},
    ),
    Exhibit(
        "several-right-words",
        """
        answer = read()
        status = str(answer.get("status")).strip().lower()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(status in ("compliant", "complies", "ok"))})
        """,
        answer={"flow_m3s": 12.54, "status": "compliant"},
    ),
    Exhibit(
        "whole-numbers",
        """
        answer = read()
        write({k: float(type(answer.get(k)) in (int, float) and answer.get(k) == v) for k, v in REF.items()})
        """,
        answer={"bays": 7, "columns": 32, "storeys": 5},
    ),
    Exhibit(
        "whole-turns-are-the-same",
        """
        answer = read()
        bearing, length = number(answer.get("bearing_deg")), answer.get("length_m")
        close = bearing is not None and abs((bearing - REF["bearing_deg"] + 180) % 360 - 180) <= 1.5
        write({"bearing_deg": float(close), "length_m": float(right(length, REF["length_m"]))})
        """,
        answer={"bearing_deg": 217.4, "length_m": 184.31},
    ),
    Exhibit(
        "equal-items",
        """
        rows = read().get("corners")
        fit = isinstance(rows, list) and len(rows) == len(REF["corners"])
        fit = fit and all(isinstance(r, list) and len(r) == 2 and None not in map(number, r) for r in rows)
        write({"corners": float(fit and all(math.dist(a, b) < 0.1 for a, b in zip(rows, REF["corners"])))})
        """,
        answer={"corners": [[0, 0], [0, 24], [18, 30], [31, 12]]},
        skeleton={"corners": [[0, 0]]},
    ),
]
