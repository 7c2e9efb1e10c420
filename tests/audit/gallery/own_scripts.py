"""Answers with a script of their own beside them, numbered lists, and what stands beside a reward."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS, _GOLDENS, _MEDIUM = Section.DISCRIMINATION, Section.GOLDENS, Severity.MEDIUM
_FOLDER = '[output]\npath = "/workspace/"\n\n[verifier]\ntimeout_sec = 20.0\n'
_OF_HARBOR = 'version = "1.0"\n\n[agent]\ntimeout_sec = 60.0\n\n[output]\npath = "/workspace/length.txt"\n'
_TILES = (
    "Write `/workspace/tiles.py`, which works out how many tiles of 30 by 30 cm a floor of 4.2 by 5.1 m "
    "takes, and writes the number to `/workspace/tiles.txt`. Run it."
)
_TILES_PY = "with open('/workspace/tiles.txt', 'w') as file:\n    file.write(f'{14 * 17}\\n')\n"
_SHIFT = (
    "Write `/workspace/shift.sh`, which picks the crew of the night shift from the roster, and writes it to "
    "`/workspace/shift.json`: the `crew` in the order of the alphabet, and the `hours` of the shift. Run it."
)
_SHIFT_SH = """#!/usr/bin/env bash
cat > /workspace/shift.json <<'END'
{"crew": ["Abel", "Borg", "Chen", "Dahl"], "hours": 9.5}
END
"""
_SHIFT_FILES = {
    "task.toml": _FOLDER,
    "goldens/pass/right/shift.json": '{"crew": ["Abel", "Borg", "Chen", "Dahl"], "hours": 9.5}\n',
}
_START_TILES = """
import subprocess
ran = subprocess.run([sys.executable, "/workspace/tiles.py"], capture_output=True, timeout=10)
text = body("/workspace/tiles.txt")
"""
_START_SHIFT = """
import subprocess
ran = subprocess.run(["bash", "/workspace/shift.sh"], capture_output=True, timeout=10)
try:
    plan = json.loads(body("/workspace/shift.json"))
except (ValueError, RecursionError):
    plan = None
plan = plan if isinstance(plan, dict) else {}
crew = plan.get("crew") if isinstance(plan.get("crew"), list) else []
hours = plan.get("hours")
good = type(hours) in (int, float) and abs(hours - 9.5) < 0.01
"""
_QUIZ = """
From the tour, answer in `/workspace/answers.txt`, one line for each question, numbered like the questions:

1. Which stone is the tower made of?
2. Who cast the great bell?
3. On which river stands the mill?
4. Which saint is in the east window?
"""
_QUIZ_ANSWER = "1. Portland stone\n2. Rudhall\n3. Severn\n4. Saint Cuthbert\n"
_QUIZ_REF = '["portland stone", "rudhall", "severn", "saint cuthbert"]'
_NUMBERED = f"""
want = {_QUIZ_REF}
def told(number):
    rows = re.findall(rf"(?m)^\\s*{{number}}[.)]\\s*(.*?)\\s*$", body("/workspace/answers.txt"))
    return rows[0].lower() if len(rows) == 1 else ""
out(sum(told(n) == ref for n, ref in enumerate(want, 1)) / 4)
"""
_LENGTH = "Write the length of the beam in m to `/workspace/length.txt`."
_LENGTH_CHECK = """
try:
    length = float(body("/workspace/length.txt"))
except ValueError:
    length = 0.0
good = abs(length - 4.75) <= 0.01
os.makedirs("/logs/verifier", exist_ok=True)
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": float(good), %s}, file)
"""

OWN_SCRIPTS = [
    other(
        "script-that-writes-it-again",
        _TILES,
        ("right/tiles.txt", "238\n"),
        python=f"{_START_TILES}\nout(float(ran.returncode == 0 and '238' in text))\n",
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
        severity=_MEDIUM,
        files={"task.toml": _FOLDER, "goldens/pass/right/tiles.py": _TILES_PY},
    ),
    other(
        "shell-that-writes-it-again",
        _SHIFT,
        ("right/shift.sh", _SHIFT_SH),
        python=f"""{_START_SHIFT}
hits = sum(one in ("Abel", "Borg", "Chen", "Dahl") for one in crew)
out(0.8 * min(1.0, hits / 4) + 0.2 * good)
""",
        section=_FIELDS,
        cause=Cause.REPEATS,
        files=_SHIFT_FILES,
    ),
    other(
        "script-that-is-only-looked-at",
        "Write the number of tiles, 14 by 17, to `/workspace/tiles.txt`, by a script `/workspace/tiles.py`.",
        ("right/tiles.py", _TILES_PY),
        python="""
        script, told = body("/workspace/tiles.py"), body("/workspace/tiles.txt").strip()
        out(0.5 * ("open" in script or "print" in script) + 0.5 * (told == "238"))
        """,
        section=Section.TRIVIAL,
        cause=Cause.HOLLOW,
        severity=_MEDIUM,
        files={"goldens/pass/right/tiles.txt": "238\n"},
    ),
    other(
        "numbered-lines-anywhere",
        _QUIZ,
        ("answers.txt", _QUIZ_ANSWER),
        python=f"""
        want, text = {_QUIZ_REF}, body("/workspace/answers.txt").lower()
        out(sum(ref in text for ref in want) / 4)
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    other(
        "words-beside-the-reward",
        _LENGTH,
        ("length.txt", "4.75\n"),
        python=_LENGTH_CHECK % '"status": "scored", "lines": len(body("/workspace/length.txt"))',
        section=_GOLDENS,
        cause=Cause.OTHER_VALUES,
        severity=_MEDIUM,
        files={"task.toml": _OF_HARBOR},
    ),
    other(
        "checks-beside-the-reward",
        _LENGTH,
        ("length.txt", "4.75\n"),
        python=_LENGTH_CHECK % '"checks": {"length": float(good)}, "failed": []',
        section=_GOLDENS,
        cause=Cause.OTHER_VALUES,
        severity=_MEDIUM,
        files={"task.toml": _OF_HARBOR},
    ),
]

OWN_SCRIPTS_SOUND = [
    other("one-line-for-each-question", _QUIZ, ("answers.txt", _QUIZ_ANSWER), python=_NUMBERED),
    other(
        "numbers-beside-the-reward",
        _LENGTH,
        ("length.txt", "4.75\n"),
        python=_LENGTH_CHECK % '"checks": 1, "passed": int(good)',
        files={"task.toml": _OF_HARBOR},
    ),
]

WRITTEN_ANEW = other(
    "script-that-writes-it-anew",
    _SHIFT,
    ("right/shift.sh", _SHIFT_SH),
    python=f"""
if os.path.exists("/workspace/shift.json"):
    os.remove("/workspace/shift.json")
{_START_SHIFT}
out(0.8 * (crew == ["Abel", "Borg", "Chen", "Dahl"]) + 0.2 * good)
""",
    files=_SHIFT_FILES,
)
"""Sound, and its answer is what the script writes: no change to the file is ever seen."""
