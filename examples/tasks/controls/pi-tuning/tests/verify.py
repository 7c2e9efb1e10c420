"""Scores /workspace/controller.toml without the authoring kit: all six values right is 1, else 0. No details.

Reference values are those worked out in solution/solve.sh. Only Python 3.11 has a TOML reader and this runs
on older ones too; the instruction asks for two tables with one key a line, so that is what is read.
"""

import json
import re

REFERENCE = {  # table.key: (value, relative tolerance)
    "process.gain": (0.7, 0.002),
    "process.time_constant_s": (135.0, 0.002),
    "process.dead_time_s": (50.0, 0.002),
    "controller.kc": (1.928571, 0.002),
    "controller.ti_s": (135.0, 0.002),
}
ACTION = "reverse"
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def read_answer(path):
    """table.key -> text of the value, quotes removed. No file is an empty answer."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = file.read().splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    table, answer = "", {}
    for line in lines:
        line = line.split("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            table = line.strip("[] ") + "."
        key, equals, value = line.partition("=")
        if equals:
            answer[table + key.strip()] = value.strip().strip("'\"")
    return answer


def right(answer, key):
    value, tolerance = REFERENCE[key]
    text = answer.get(key, "")
    return NUMBER.fullmatch(text) is not None and abs(float(text) - value) <= tolerance * value


answer = read_answer("/workspace/controller.toml")
passed = all(right(answer, key) for key in REFERENCE) and answer.get("controller.action") == ACTION
with open("/logs/verifier/reward.json", "w", encoding="utf-8") as file:
    json.dump({"reward": 1.0 if passed else 0.0}, file)
