"""Answers that only have to fit patterns, without a right one beside them, and the same compared as well."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit

_LOG = (
    "07:12 badge 5F3A opened gate G-17\n07:14 badge 99C0 refused at G-02\n07:15 badge 5F3A opened gate G-18\n"
    "07:31 crate CR-2291-B lifted\n"
)
_GATES = """
Somebody took a crate out last night. Read `/workspace/gates.log` and write `/workspace/theft.txt`:

```
BADGE: <4 hexadecimal digits>
GATE: <gate, G- and two digits>
CRATE: <number of the crate>
```

If any value is not in the log, write NONE.
"""
_CUT = """
From the session in `/workspace/gates.log` find what was cut. Write `/workspace/cut.json`:

```json
{"cable": "<C and three digits>", "phase": "L1", "checksum": "<hexadecimal>"}
```
"""
_START = """
import json, re, sys
from pathlib import Path
def end(reward):
    Path("/logs/verifier/reward.txt").write_text(f"{reward}\\n")
    sys.exit(0)
"""
_LINES = """
path = Path("/workspace/theft.txt")
if not path.is_file():
    end(0)
lines = path.read_text(errors="replace").strip().splitlines()
if len(lines) != 3 or any(": " not in line for line in lines):
    end(0)
badge = lines[0].split("BADGE: ")[-1]
gate = lines[1].split("GATE: ")[-1]
crate = lines[2].split("CRATE: ")[-1]
if not re.fullmatch(r"[0-9A-F]{4}", badge):
    print("BADGE must be four hexadecimal digits")
    end(0)
if not re.fullmatch(r"G-\\d\\d", gate) or not re.match(r"CR-\\d{4}-[A-Z]$", crate):
    end(0)
"""
_OBJECT = """
CABLE = re.compile(r"C\\d{3}")
try:
    data = json.loads(Path("/workspace/cut.json").read_text())
except (OSError, ValueError):
    end(0)
data = data if isinstance(data, dict) else {}
if not all(isinstance(data.get(name), str) for name in ("cable", "phase", "checksum")):
    end(0)
good = CABLE.fullmatch(data["cable"]) and data["phase"] in ("L1", "L2", "L3")
good = good and re.search(r"^[0-9a-f]{16}$", data["checksum"])
"""


def _formed(name: str, instruction: str, check: str, *, flawed: bool) -> Exhibit:
    files = {
        "instruction.md": instruction.lstrip(),
        "environment/Dockerfile": "FROM python:3.12-slim\nWORKDIR /workspace\nCOPY gates.log /workspace/\n",
        "environment/gates.log": _LOG,
        "tests/test.sh": "#!/usr/bin/env bash\nexec python3 -I /tests/check.py\n",
        "tests/check.py": f"{_START}{check}",
    }
    cause = Cause.ANY_VALUE if flawed else None
    return Exhibit(name, "", Section.TRIVIAL, cause, Severity.HIGH, golden=False, files=files)


PATTERNED = [
    _formed("lines-that-fit-patterns", _GATES, f"{_LINES}end(1)\n", flawed=True),
    _formed("fields-that-fit-patterns", _CUT, f"{_OBJECT}end(1 if good else 0)\n", flawed=True),
]

PATTERNED_KEPT = [
    _formed(
        "lines-that-fit-and-are-right",
        _GATES,
        f'{_LINES}import hashlib\ntold = hashlib.md5(f"{{badge}} {{gate}} {{crate}}".encode()).hexdigest()\n'
        'end(1 if told == "5a0f0f0c59f0b7ce4e3cfb0f8bd2fb9c" else 0)\n',
        flawed=False,
    ),
    _formed(
        "any-code-will-do",
        _CUT.replace("find what was cut", "name what you like: any values of this form will do"),
        f"{_OBJECT}end(1 if good else 0)\n",
        flawed=False,
    ),
]
"""Nothing may be told of made-up answers here: their values are compared, or left to the agent."""
