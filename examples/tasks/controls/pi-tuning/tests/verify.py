"""Scores /workspace/controller.toml without the authoring kit: all six values right is 1, else 0. No details.

Reference values are those worked out in solution/solve.sh. Any TOML is read where Python has a reader for it
(3.11 and later), tables with one key per line on older ones. What is wrong stands in errors.json.
"""

import json
import re

try:
    import tomllib
except ImportError:
    tomllib = None

REFERENCE = {  # table.key: (value, relative tolerance)
    "process.gain": (0.7, 0.002),
    "process.time_constant_s": (135.0, 0.002),
    "process.dead_time_s": (50.0, 0.002),
    "controller.kc": (1.928571, 0.002),
    "controller.ti_s": (135.0, 0.002),
}
ACTION = "reverse"
NUMBER = re.compile(r"[+-]?[0-9][0-9_]*(\.[0-9_]+)?([eE][+-]?[0-9]+)?")


def read_answer(path):
    """(table.key -> value, a number or text; why nothing could be read). No file is an empty answer."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (FileNotFoundError, UnicodeDecodeError):
        return {}, "there is no file that is UTF-8 text"
    if tomllib is None:
        return read_lines(text), None
    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        return {}, f"not TOML: {error}"
    pairs = [(name, table) for name, table in tables.items() if isinstance(table, dict)]
    return {f"{name}.{key}": value for name, table in pairs for key, value in table.items()}, None


def read_lines(text):
    """What a reader without tomllib makes of tables with one key per line."""
    table, answer = "", {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            table = line.strip("[] ") + "."
        key, equals, value = line.partition("=")
        if equals:
            answer[table + key.strip()] = value.strip().strip("'\"")
    return answer


def right(answer, key):
    """Is it a plain number near the reference? A bool is none, and NaN is near nothing."""
    value, tolerance = REFERENCE[key]
    given = answer.get(key)
    if tomllib is None and isinstance(given, str) and NUMBER.fullmatch(given):
        given = float(given.replace("_", ""))
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return False
    return abs(given) < 1e300 and abs(given - value) <= tolerance * value


def tag(category, description):
    return {"category": category, "description": description, "source": "mechanical"}


answer, problem = read_answer("/workspace/controller.toml")
wrong = [key for key in REFERENCE if not right(answer, key)]
if str(answer.get("controller.action")).strip().lower() != ACTION:
    wrong.append("controller.action")
tags = [tag("parsing error", problem)] if problem else [tag("wrong setting", key) for key in wrong]
passed = not wrong
with open("/logs/verifier/errors.json", "w", encoding="utf-8") as file:
    json.dump(tags, file)
with open("/logs/verifier/reward.json", "w", encoding="utf-8") as file:
    json.dump({"reward": 1.0 if passed else 0.0}, file)
