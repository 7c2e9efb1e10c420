"""One file that any Python from 3.8 on runs with nothing installed, and that imports in a moment."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "src" / "adjudge_kit.py"

SCENARIO = """
import json, sys, tempfile
sys.path.insert(0, sys.argv[1])
import adjudge_kit as kit
logs = tempfile.mkdtemp()
text = chr(0xFEFF) + '''Intro
```JSON
{"v": 3040, "pct": 1.32, "c": "compliant (see above)", "s": ["a", "a", "x"], "b": true, "u": "12.5 mm",
 "rec": [{"id": "b1", "m": 12.6}, {"id": "zz"}], "tab": "id,v\\\\n1,2.0", "seq": [1, 2, 4],
 "t": 298.15, "k": "1,234"}
```'''
v = kit.Verifier(kit.read_answer(text), logs=logs, rollup="geometric_mean")
v.number("v", 3.04, rel=0.02, unit="V", weight=2)
v.number("pct", 0.0132, rel=0.02, fade=4)
v.number("u", 0.0125, unit="m", convert=True)
v.number("k", 1234, thousands=True)
v.number("t", 25, abs=0.1, unit="C")
v.choice("c", "compliant", among=["compliant", "non-compliant"])
v.members("s", {"a", "b"})
v.boolean("b", True)
v.records("rec", [{"id": "B1", "m": 12.5}], key="id", rel=0.02)
v.table("tab", [{"id": 1, "v": 2}], key="id")
v.sequence("seq", [1, 2, 3])
v.not_applicable("wind", "indoors")
v.check("boom", lambda answer: 1 / 0)
try:
    v.finish("weighted_mean")
except SystemExit as stop:
    print(stop)
print([open(logs + "/" + name, encoding="utf-8").read() for name in ("details.json", "errors.json")])
pairs = [(0.1, 1.0), (0.7, 3.0), (1 / 3, 2.0)]
print(kit.roll_up(pairs), kit.roll_up(pairs, "geometric_mean"))
"""


def interpreters() -> list[str]:
    """Every Python of 3.8 or later that this machine has, this one first."""
    found = [sys.executable]
    found += [path for minor in range(8, 15) if (path := shutil.which(f"python3.{minor}"))]
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python3"))
    found += [str(path) for path in pyenv if int(path.parts[-3].split(".")[1]) >= 8]
    return [path for path in found if subprocess.run([path, "-c", ""], capture_output=True).returncode == 0]


def test_it_is_python_3_8() -> None:
    """The grammar is checked here; newer methods and arguments are caught by running it on older Pythons."""
    tree = ast.parse(KIT.read_text(encoding="utf-8"), feature_version=(3, 8))
    assert ast.get_docstring(tree)


def test_every_python_here_gives_the_same_result() -> None:
    results = {}
    for python in interpreters():
        done = subprocess.run(
            [python, "-I", "-W", "error", "-c", SCENARIO, str(KIT.parent)], capture_output=True, text=True
        )
        assert done.returncode == 0, f"{python}: {done.stderr}"
        results[python] = done.stdout
    assert "boom: ZeroDivisionError: division by zero" in results[sys.executable]
    assert set(results.values()) == {results[sys.executable]}


def test_only_the_standard_library_and_little_of_it() -> None:
    """json, re and csv are imported when an answer is read, typing and pathlib never."""
    code = (
        f"import sys; sys.path.insert(0, {str(KIT.parent)!r}); before = set(sys.modules); "
        "import adjudge_kit; after = set(sys.modules); import json; print(json.dumps(sorted(after - before)))"
    )
    listed = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(listed.stdout)) <= {"adjudge_kit", "math", "__future__"}
