"""Scores /workspace/answer.json without the authoring kit; details are {"score", "reason"} for each field.

Reference values are those worked out in solution/solve.sh. A value that is out by a factor of 1000 also
becomes a tag in errors.json, which adjudge reads beside the reward.
"""

import json
import math
import re

REFERENCE = {
    "preload_kn": 110.25,
    "torque_nm": 441.0,
    "bolt_load_kn": 118.25,
    "clamp_force_kn": 78.25,
    "separation_factor": 3.4453125,
}
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
TOLERANCE = 0.005  # relative: half a percent, more than any sensible rounding
SMALLER = {"kn": ("N", "kN"), "nm": ("N·mm", "N·m")}  # a thousand of these make the unit that is asked


def read_answer(path):
    """(answer, None) or ({}, why not)."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            answer = json.load(file)
    except FileNotFoundError:
        return {}, "no output file"
    except (ValueError, RecursionError):
        return {}, "the output is not JSON"
    return (answer, None) if isinstance(answer, dict) else ({}, "the output is not a JSON object")


def number(value):
    """A finite float, or None for anything that is not a number; one in quotes is still a number."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:  # an integer of more than 308 digits
        return None
    return value if math.isfinite(value) else None


def check(field, expected):
    """(score, reason, tag or None) of one field."""
    if problem:
        return 0.0, problem, None
    if field not in answer:
        return 0.0, "missing", {"category": "missing field", "description": field, "source": "mechanical"}
    given = number(answer[field])
    if given is None:
        return 0.0, "not a number", {"category": "wrong type", "description": field, "source": "mechanical"}
    if abs(given - expected) <= TOLERANCE * abs(expected):
        return 1.0, f"{given:g} is within 0.5 % of {expected:g}", None
    unit = SMALLER.get(field.rpartition("_")[2])
    if unit and abs(given / expected / 1000 - 1) <= TOLERANCE:
        reason = f"{given:g} for {expected:g}: {unit[0]} given for {unit[1]}?"
        tag = {"category": "unit mismatch", "description": f"{field}: {reason}", "source": "mechanical"}
        return 0.0, reason, tag
    return 0.0, f"{given:g} is not within 0.5 % of {expected:g}", None


def write(name, value):
    with open("/logs/verifier/" + name, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)


answer, problem = read_answer("/workspace/answer.json")
results = {field: check(field, expected) for field, expected in REFERENCE.items()}
write(
    "details.json",
    {field: {"score": score, "reason": reason} for field, (score, reason, _) in results.items()},
)
write("errors.json", [tag for _, _, tag in results.values() if tag])
write("reward.json", {"reward": round(sum(score for score, _, _ in results.values()) / len(results), 4)})
