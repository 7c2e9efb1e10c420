"""Scores /workspace/answer.yaml without the authoring kit; details are flat numbers, field: score.

Reference values are those worked out in solution/solve.sh. The instruction asks for a flat mapping of plain
numbers, so a reader of `key: value` lines is enough; the standard library has none for YAML. It knows the
spellings of a number that YAML allows. A value that is none becomes a tag in errors.json, which says why.
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
NUMBER = re.compile(r"(!!(?:float|int) +)?([+-]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)")


def read_answer(path):
    """(the mapping as text -> float, what could not be read). No file is an empty answer."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read().strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}, ["there is no file that is UTF-8 text"]
    text = re.sub(r"\A(?:(?:%|#)[^\n]*\n|\s)*---(?=\s|\Z)|^\.\.\.\s*\Z", "", text, flags=re.MULTILINE).strip()
    if text.startswith("{"):  # the same mapping in YAML's flow style, which JSON is too
        text = "\n".join(part.strip() for part in text.partition("}")[0].strip("{} ").split(","))
    margin = len(text) - len(text.lstrip(" "))
    answer, problems = {}, []
    for line in text.splitlines():
        key, colon, value = line[margin:].partition(":")
        value = re.split(r"\s#", " " + value)[0].strip().strip("'\"")
        number = NUMBER.fullmatch(value)
        if colon and not key[:1].isspace() and not key.startswith("#"):
            if number:
                answer[key.strip().strip("'\"")] = float(number.group(2).replace("_", ""))
            else:
                problems.append(f"{key.strip()[:40]}: not a plain number: {value[:40]!r}")
    return answer, problems


def score(field, answer):
    """1.0 within the tolerance, else 0.0; a missing or infinite value is never within it."""
    value, tolerance = REFERENCE[field]
    given = answer.get(field, math.nan)
    return 1.0 if abs(given - value) <= tolerance else 0.0


def write(name, value):
    with open("/logs/verifier/" + name, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)


answer, problems = read_answer("/workspace/answer.yaml")
details = {field: score(field, answer) for field in REFERENCE}
write("details.json", details)
write(
    "errors.json",
    [{"category": "parsing error", "description": said, "source": "mechanical"} for said in problems],
)
write("reward.json", {"reward": round(sum(details.values()) / len(details), 4)})
