"""What a right answer loses and nobody could foresee: words in remarks, keys that are shown and not read."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_HERE, _MEDIUM = Section.FORMAT, Severity.MEDIUM
_CUBE = "Write a program `/workspace/cube.py` that prints the cube of the whole number it is given."
_CUBE_PY = '"""Cubes."""\n\nimport sys\n\nprint(int(sys.argv[1]) ** 3)\n'
_TAIL = "Write `/workspace/tail.sh`, which prints the last word of the line that it reads."
_TAIL_SH = '#!/usr/bin/env bash\nread -r line\necho "${line##* }"\n'
_RUN_CUBE = """
import ast, subprocess
def run(number):
    words = [sys.executable, "/workspace/cube.py", str(number)]
    return subprocess.run(words, capture_output=True, text=True, timeout=10).stdout.strip()
source = body("/workspace/cube.py")
right = all(run(n) == str(n ** 3) for n in (3, 8, 11))
"""
_RUN_TAIL = """
import subprocess
def run(line):
    words = ["bash", "/workspace/tail.sh"]
    return subprocess.run(words, input=line, capture_output=True, text=True, timeout=10).stdout.strip()
source = body("/workspace/tail.sh")
right = run("a bc def") == "def" and run("one") == "one" and run("x y") == "y"
"""
_PUMP = """
Size the pump and write `/workspace/pump.json`:

{
  "duty": {
    "flow_ls": <flow>,
    "head_m": <head>,
    "power_kw": <power>
  },
  "poles": <number>
}
"""
_PUMP_ANSWER = '{"duty": {"flow_ls": 12.5, "head_m": 31.2, "p": 5.4}, "poles": 4}\n'
_ROOMS = """
List the rooms that lack a window in `/workspace/rooms.json`:

```json
{"rooms": [{"label": "...", "area_m2": 0.0, "floor": 0}]}
```
"""
_ROOMS_ANSWER = (
    '{"rooms": [{"room": "K1", "area_m2": 12.5, "floor": -1}, {"room": "B4", "area_m2": 8.25, "floor": 2}]}\n'
)
_PAY = """
Who is owed what? Write `/workspace/pay.json`, such as

```json
{"ana": 120.0, "ben": 75.5, "cyd": 33.0}
```
"""
_LOAD = """
try:
    given = json.loads(body("/workspace/%s.json"))
except (ValueError, RecursionError):
    given = None
given = given if isinstance(given, dict) else {}
def near(x, ref):
    return type(x) in (int, float) and abs(x - ref) <= 0.01 * abs(ref)
"""
_BY_KEY = """
duty = given.get("duty") if isinstance(given.get("duty"), dict) else {}
hits = near(duty.get("flow_ls"), 12.5) + near(duty.get("head_m"), 31.2) + near(%s, 5.4)
out((hits + (given.get("poles") == 4)) / 4)
"""

FORESEEN = [
    other(
        "word-that-is-banned-untold",
        _CUBE,
        ("cube.py", _CUBE_PY),
        python=f"""{_RUN_CUBE}
banned = ["/tests", "heldout", "reference", "check.py"]
out(float(right and not any(word in source.lower() for word in banned)))
""",
        section=_HERE,
        cause=Cause.BANNED,
        severity=_MEDIUM,
    ),
    other(
        "ban-inside-other-words",
        f"{_TAIL} Do not use `eval`.",
        ("tail.sh", _TAIL_SH),
        python=f"""{_RUN_TAIL}
for word in ("eval", "python"):
    right = right and word not in source
out(float(right))
""",
        section=_HERE,
        cause=Cause.BANNED,
        severity=_MEDIUM,
    ),
    other(
        "key-of-the-author",
        _PUMP,
        ("pump.json", _PUMP_ANSWER),
        python=_LOAD % "pump" + _BY_KEY % 'duty.get("p")',
        section=_HERE,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "column-of-the-author",
        _ROOMS,
        ("rooms.json", _ROOMS_ANSWER),
        python=_LOAD % "rooms"
        + """
rows = given.get("rooms") if isinstance(given.get("rooms"), list) else []
rows = [row for row in rows if isinstance(row, dict) and "room" in row]
found = sorted((str(row["room"]), row.get("area_m2"), row.get("floor")) for row in rows)
out(float(found == [("B4", 8.25, 2), ("K1", 12.5, -1)]))
""",
        section=_HERE,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
]

FORESEEN_SOUND = [
    other(
        "key-by-either-name",
        _PUMP,
        ("pump.json", _PUMP_ANSWER),
        python=_LOAD % "pump" + _BY_KEY % 'duty["p"] if "p" in duty else duty.get("power_kw")',
    ),
    other(
        "names-are-keys",
        _PAY,
        ("pay.json", '{"ana": 120.0, "ben": 75.5, "dot": 18.75}\n'),
        python=_LOAD % "pay"
        + """
due = {"ana": 120.0, "ben": 75.5, "dot": 18.75}
out(float(set(given) == set(due) and all(near(given[name], ref) for name, ref in due.items())))
""",
    ),
]

PROGRAMS_KEPT = [
    other(
        "bans-by-the-syntax-tree",
        f"{_CUBE} Neither `eval` nor `exec` may be called.",
        ("cube.py", _CUBE_PY),
        python=f"""{_RUN_CUBE}
banned = ["eval", "exec", "reference", "io"]
try:
    names = {{node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}}
except (SyntaxError, ValueError):
    right, names = False, set()
out(float(right and not names & set(banned)))
""",
    ),
    other(
        "words-that-the-task-forbids",
        f"{_TAIL} The words reference and table must not stand in it.",
        ("tail.sh", _TAIL_SH),
        python=f"""{_RUN_TAIL}
words = re.findall("[a-z]+", source.lower())
out(float(right and not any(word in words for word in ("reference", "table"))))
""",
    ),
]
"""Sound in what they read of a program's text; in what a program may write they are no better than most."""
