"""Sound verifiers in the styles of the wild, written to be broken: tables, points, records, text, tests."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

_JSON = """
import json, math, re, sys

def load():
    try:
        with open("/workspace/answer.json", encoding="utf-8-sig") as file:
            data = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}

def finish(reward, details):
    with open("/logs/verifier/details.json", "w") as file:
        json.dump(details, file)
    with open("/logs/verifier/reward.json", "w") as file:
        json.dump({"reward": round(reward, 4)}, file)
"""


@dataclass(frozen=True)
class Base:
    """One sound verifier with its right answer, as the whole content of the output."""

    name: str
    verify: str
    answer: str
    shown: str
    """The example in the instruction."""
    output: str = "answer.json"
    asks: str = "Work it out."

    def build(self, root: Path, source: str | None = None) -> Path:
        """Write the task, with another source for its verifier if one is given."""
        folder = root / self.name
        suffix = Path(self.output).suffix
        label = {".json": "json", ".csv": "csv"}.get(suffix, "")
        shown = f"```{label}\n{self.shown}\n```"
        files = {
            "task.toml": "[verifier]\ntimeout_sec = 20.0\n",
            "instruction.md": f"{self.asks} Write `/workspace/{self.output}`:\n\n{shown}\n",
            "tests/test.sh": "#!/usr/bin/env bash\nexec python3 -E -s -B /tests/verify.py\n",
            "tests/verify.py": self.source if source is None else source,
            f"goldens/pass/right{suffix}": self.answer,
        }
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return folder

    @property
    def source(self) -> str:
        """The verifier as it stands in its file."""
        return textwrap.dedent(self.verify).lstrip()


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


TABLE = Base(
    "table",
    _JSON
    + """
REFERENCE = {"span_m": 7.5, "moment_knm": 151.9, "shear_kn": -81.0, "steel_grade": "S355"}

def number(x):
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return None
    return float(x) if math.isfinite(x) else None

def near(x, ref, rel_tol=0.02):
    value = number(x)
    return value is not None and abs(value - ref) <= rel_tol * abs(ref)

def same_text(x, ref):
    if not isinstance(x, str):
        return False
    return x.strip().lower() == ref.lower()

def check(name, ref):
    given = answer.get(name)
    return float(same_text(given, ref) if isinstance(ref, str) else near(given, ref))

answer = load()
scores = {name: check(name, ref) for name, ref in REFERENCE.items()}
finish(sum(scores.values()) / len(scores), scores)
""",
    _json({"span_m": 7.5, "moment_knm": 151.9, "shear_kn": -81.0, "steel_grade": "S355"}),
    _json({"span_m": 0.0, "moment_knm": 0.0, "shear_kn": 0.0, "steel_grade": "..."}).strip(),
)

POINTS = Base(
    "points",
    _JSON
    + """
TOL_VOLTAGE = 0.05
TOL_CURRENT = 0.5

def value(x):
    try:
        number = float(x)
    except (TypeError, ValueError):
        return math.nan
    return number if not isinstance(x, bool) and math.isfinite(number) else math.nan

def close(x, ref, tol):
    return abs(value(x) - ref) <= tol

answer = load()
details = {}
points = 0
if close(answer.get("drop_v"), 4.71, TOL_VOLTAGE):
    points += 4
    details["drop_v"] = 1.0
if close(answer.get("current_a"), 31.8, TOL_CURRENT):
    points += 3
    details["current_a"] = 1.0
if answer.get("verdict") == "compliant":
    points += 2
    details["verdict"] = 1.0
if answer.get("three_phase") is True:
    points += 1
finish(points / 10, details)
""",
    _json({"drop_v": 4.71, "current_a": 31.8, "verdict": "compliant", "three_phase": True}),
    _json(
        {
            "drop_v": 0.0,
            "current_a": 0.0,
            "verdict": "compliant | non-compliant",
            "three_phase": "true or false",
        }
    ).strip(),
)

RECORDS = Base(
    "records",
    _JSON
    + """
LOADS = [
    {"tag": "P-101", "power_kw": 11.0, "duty": "standby"},
    {"tag": "P-102", "power_kw": 22.0, "duty": "running"},
    {"tag": "K-301", "power_kw": 75.0, "duty": "running"},
    {"tag": "E-205", "power_kw": 4.0, "duty": "standby"},
]

def near(x, ref, rel=0.03):
    if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x):
        return False
    return abs(x - ref) <= rel * ref

def is_like(row, want):
    return all([near(row.get("power_kw"), want["power_kw"]), row.get("duty") == want["duty"]])

given = load().get("loads")
given = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
hits = 0
details = {}
for want in LOADS:
    row = next((row for row in given if row.get("tag") == want["tag"]), {})
    details[want["tag"]] = float(is_like(row, want))
    hits += details[want["tag"]]
finish(2 * hits / (len(given) + len(LOADS)), details)
""",
    _json(
        {
            "loads": [
                {"tag": "P-101", "power_kw": 11.0, "duty": "standby"},
                {"tag": "P-102", "power_kw": 22.0, "duty": "running"},
                {"tag": "K-301", "power_kw": 75.0, "duty": "running"},
                {"tag": "E-205", "power_kw": 4.0, "duty": "standby"},
            ]
        }
    ),
    _json({"loads": [{"tag": "...", "power_kw": 0.0, "duty": "running | standby"}]}).strip(),
)

SEQUENCE = Base(
    "sequence",
    _JSON
    + """
ORDER = ["isolate", "vent", "drain", "purge", "open"]
HOURS = [0.5, 1.5, 2.0, 6.0, 7.5]

def same_times(given):
    if not isinstance(given, list) or len(given) != len(HOURS):
        return False
    try:
        return all(abs(x - ref) <= 0.1 for x, ref in zip(given, HOURS))
    except TypeError:
        return False

answer = load()
order = answer.get("sequence")
scores = [float(order == ORDER), float(same_times(answer.get("hours")))]
finish(sum(scores) / len(scores), {"sequence": scores[0], "hours": scores[1]})
""",
    _json({"sequence": ["isolate", "vent", "drain", "purge", "open"], "hours": [0.5, 1.5, 2.0, 6.0, 7.5]}),
    _json({"sequence": ["..."], "hours": [0.0]}).strip(),
)

SHEET = Base(
    "sheet",
    """
import csv, json, math

EXPECTED = {"A1": 12.4, "A2": 18.9, "B1": 7.3, "B2": -3.6}

def rows():
    try:
        with open("/workspace/levels.csv", encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file.read().splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error):
        return []

def near(text, ref, tol=0.05):
    try:
        x = float(text)
    except (TypeError, ValueError):
        return 0.0
    return float(math.isfinite(x) and abs(x - ref) <= tol)

given = rows()
hits = 0.0
for point, level in EXPECTED.items():
    match = [row for row in given if row.get("point") == point]
    hits += near(match[0].get("level_m"), level) if match else 0.0
reward = 2 * hits / (len(given) + len(EXPECTED))
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": round(reward, 4)}, file)
""",
    "point,level_m\nA1,12.4\nA2,18.9\nB1,7.3\nB2,-3.6\n",
    "point,level_m\n...,0.0",
    output="levels.csv",
)

LINES = Base(
    "lines",
    r"""
import json, re

REF = {"flow_l_s": (144.0, 0.02), "head_m": (32.5, 0.02)}

def found(name, text):
    for line in text.splitlines():
        key, colon, rest = line.partition(":")
        if colon and key.strip().lower() == name:
            number = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*", rest)
            return float(number[1]) if number else None
    return None

try:
    with open("/workspace/result.txt", encoding="utf-8-sig") as file:
        text = file.read()
except (OSError, UnicodeDecodeError):
    text = ""
scores = []
for name, (ref, rel) in REF.items():
    x = found(name, text)
    scores.append(float(x is not None and abs(x - ref) <= rel * ref))
pump = re.search(r"^pump: *(\w+) *$", text, re.M)
scores.append(float(pump is not None and pump[1].lower() == "centrifugal"))
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": round(sum(scores) / len(scores), 4)}, file)
""",
    "flow_l_s: 144.0\nhead_m: 32.5\npump: centrifugal\n",
    "flow_l_s: 0\nhead_m: 0\npump: type",
    output="result.txt",
)

TESTS = Base(
    "tests",
    _JSON
    + """
answer = load()

def test_area():
    assert type(answer["area_mm2"]) in (int, float)
    assert math.isclose(answer["area_mm2"], 1570.8, rel_tol=0.01)

def test_bars():
    assert type(answer["bars"]) is int and answer["bars"] == 5

def test_diameter():
    assert answer["diameter_mm"] in (20, 20.0) and not isinstance(answer["diameter_mm"], bool)

def test_exposure():
    assert answer["exposure"].strip().upper() == "XC3"

def passes(test):
    try:
        test()
    except (AssertionError, KeyError, TypeError, AttributeError):
        return False
    return True

results = [passes(test) for test in (test_area, test_bars, test_diameter, test_exposure)]
finish(float(all(results)), {"passed": results.count(True)})
""",
    _json({"area_mm2": 1570.8, "bars": 5, "diameter_mm": 20, "exposure": "XC3"}),
    _json({"area_mm2": 0.0, "bars": 0, "diameter_mm": 0, "exposure": "..."}).strip(),
)

GRADED = Base(
    "graded",
    _JSON
    + """
EXPECTED = {"pipe.diameter_mm": 250.0, "pipe.velocity_m_s": 2.04,
            "pump.power_kw": 37.0, "pump.efficiency": 0.78}
WEIGHTS = {"pipe.diameter_mm": 0.2, "pipe.velocity_m_s": 0.3, "pump.power_kw": 0.3, "pump.efficiency": 0.2}

def at(answer, path):
    for key in path.split("."):
        answer = answer.get(key) if isinstance(answer, dict) else None
    return answer

def credit(x, ref, rel=0.01):
    if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x):
        return 0.0
    if abs(x - ref) <= rel * abs(ref):
        return 1.0
    return 0.5 if abs(x - ref) <= 3 * rel * abs(ref) else 0.0

answer = load()
details = {name: credit(at(answer, name), ref) for name, ref in EXPECTED.items()}
finish(sum(WEIGHTS[name] * score for name, score in details.items()), details)
""",
    _json(
        {"pipe": {"diameter_mm": 250.0, "velocity_m_s": 2.04}, "pump": {"power_kw": 37.0, "efficiency": 0.78}}
    ),
    _json(
        {"pipe": {"diameter_mm": 0.0, "velocity_m_s": 0.0}, "pump": {"power_kw": 0.0, "efficiency": 0.0}}
    ).strip(),
)

BASES = [TABLE, POINTS, RECORDS, SEQUENCE, SHEET, LINES, TESTS, GRADED]
