"""Scores /workspace/answer.yaml without the authoring kit; details are flat numbers, field: score.

Reference values are those worked out in solution/solve.sh. The instruction asks for a flat mapping of plain
numbers, so a reader of `key: value` lines is enough; the standard library has none for YAML.
"""

import json
import math
import re

REFERENCE = {  # field: (value, tolerance)
    "required_kvar": (266.773, 0.5),
    "steps": (11, 0),
    "installed_kvar": (275, 0),
    "corrected_power_factor": (0.95540, 0.0005),
    "current_before_a": (841.97, 1.0),
    "current_after_a": (634.52, 1.0),
}
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_answer(path):
    """The mapping as text -> float; a value that is no number is left out. No file is an empty answer."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read().strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    if text.startswith("{"):  # the same mapping in YAML's flow style, which JSON is too
        text = "\n".join(part.strip() for part in text.strip("{}").split(","))
    answer = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        value = value.split(" #")[0].strip().strip("'\"")
        if colon and not line[:1].isspace() and NUMBER.fullmatch(value):
            answer[key.strip().strip("'\"")] = float(value)
    return answer


def score(field, answer):
    """1.0 within the tolerance, else 0.0; a missing or infinite value is never within it."""
    value, tolerance = REFERENCE[field]
    given = answer.get(field, math.nan)
    return 1.0 if abs(given - value) <= tolerance else 0.0


def write(name, value):
    with open("/logs/verifier/" + name, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)


answer = read_answer("/workspace/answer.yaml")
details = {field: score(field, answer) for field in REFERENCE}
write("details.json", details)
write("reward.json", {"reward": round(sum(details.values()) / len(details), 4)})
