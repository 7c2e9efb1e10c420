"""A flawed (or sound) verifier as data, and the task folder made of it.

Every exhibit is a whole small task in the style of the wild: `test.sh` that starts `verify.py`, which reads
`/workspace/output.md`. `COMMON` is what a careful author would write; an exhibit changes one thing.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity

COMMON = """
import json, math, os, re, sys
OUT, LOGS = "/workspace/output.md", "/logs/verifier"
REF = %s

def text():
    try:
        with open(OUT, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""

def refuse(word):
    raise ValueError(word)

def loads(block):
    try:
        value = json.loads(block, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

def read():
    body = text().replace("\\r\\n", "\\n")
    mark = r"^[ \\t]*(?:`{3,}|~{3,})[ \\t]*"
    blocks = re.findall(mark + r"(?:json)?[ \\t]*\\n(.*?)\\n" + mark, body, re.S | re.I | re.M)
    found = [value for value in map(loads, [*blocks, body]) if value is not None]
    return found[-1] if found else {}

def number(x):
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return None
    return x if abs(x) < 1e300 and math.isfinite(x) else None

def near(x, ref, rel=0.02):
    x = number(x)
    return x is not None and abs(x - ref) <= rel * abs(ref)

def right(x, ref):
    if isinstance(ref, bool) or isinstance(ref, str):
        return type(x) is type(ref) and x == ref
    return near(x, ref)

def write(scores):
    details = {name: {"score": score, "max_score": 1.0} for name, score in scores.items()}
    with open(LOGS + "/details.json", "w") as file:
        json.dump(details, file)
    with open(LOGS + "/reward.json", "w") as file:
        json.dump({"reward": round(sum(scores.values()) / len(scores), 4)}, file)
"""
PLAIN = """
answer = read()
write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
"""
TEST_SH = "#!/usr/bin/env bash\nexec python3 /tests/verify.py\n"
ANSWER = {"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}


@dataclass(frozen=True)
class Exhibit:
    """One verifier. `section` and `cause` say what the audit must find, at least as bad as `severity`."""

    name: str
    verify: str = PLAIN
    section: Section | None = None
    cause: Cause | None = None
    severity: Severity = Severity.HIGH
    answer: dict[str, Any] = field(default_factory=lambda: dict(ANSWER))
    test_sh: str = TEST_SH
    skeleton: dict[str, Any] | None = None
    instruction: str = "Work out what is asked and write it to `/workspace/output.md`."
    note: str = "Checked by hand."
    wrong: dict[str, Any] | None = None
    """A failing golden, where the flaw is about goldens."""
    golden: bool = True
    files: dict[str, str] = field(default_factory=dict)
    timeout_sec: float = 20.0

    def __str__(self) -> str:
        return self.name


def markdown(value: Any, note: str = "Checked by hand.") -> str:
    """An answer as an agent writes it."""
    return f"# Result\n\n{note}\n\n```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```\n"


def build(exhibit: Exhibit, root: Path) -> Path:
    """Write the exhibit's task folder below `root`."""
    folder = root / exhibit.name
    skeleton = exhibit.skeleton or {
        key: 0.0 if isinstance(value, float | int) and not isinstance(value, bool) else "..."
        for key, value in exhibit.answer.items()
    }
    files = {
        "task.toml": f"[verifier]\ntimeout_sec = {exhibit.timeout_sec}\n",
        "instruction.md": f"{exhibit.instruction}\n\n```json\n{json.dumps(skeleton, indent=2)}\n```\n",
        "tests/test.sh": exhibit.test_sh,
        "tests/verify.py": COMMON % repr(exhibit.answer) + textwrap.dedent(exhibit.verify),
        **exhibit.files,
    }
    if exhibit.golden:
        files["goldens/pass/right.md"] = markdown(exhibit.answer, exhibit.note)
    if exhibit.wrong is not None:
        files["goldens/fail/wrong.md"] = markdown(exhibit.wrong)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder
