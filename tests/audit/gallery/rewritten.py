"""Verifiers that run tests of the workspace, or ask for scripts that they never run; and sound neighbours."""

from __future__ import annotations

from textwrap import dedent

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.invented import unanswered

_PROGRAM = "def mean(values):\n    return sum(values) / (len(values) + 1)\n"
_MEND = "The check in CHECK fails. Mend the program, and write it to `/workspace/PROGRAM`.\n"
_UNITTEST = """
import unittest
from mean import mean

class TestMean(unittest.TestCase):
    def test_two(self):
        self.assertEqual(mean([2, 4]), 3)

    def test_one(self):
        self.assertEqual(mean([7]), 7)

if __name__ == "__main__":
    unittest.main()
"""
_BASH = '[ "$(bash /workspace/mean.sh 2 4)" = 3 ] && [ "$(bash /workspace/mean.sh 7)" = 7 ]\n'
_PEAK = """
Find the time at which the level in `/workspace/levels.csv` is highest. Write `/workspace/peak.py`, which
finds it, and save what it printed to `/workspace/peak.txt`, as one number.
"""


def _mending(name: str, program: str, test: tuple[str, str], script: str, *, flawed: bool) -> Exhibit:
    files = {
        "instruction.md": _MEND.replace("PROGRAM", program).replace("CHECK", test[0].partition(".")[0]),
        "environment/Dockerfile": "FROM debian\nCOPY work /workspace\n",
        f"environment/work/{program}": _PROGRAM if program.endswith("py") else "echo 1\n",
        f"environment/work/{test[0]}": test[1],
        "tests/test.sh": f"#!/usr/bin/env bash\ncd /workspace\n{dedent(script)}",
        "task.toml": f'[output]\npath = "/workspace/{program}"\n',
        f"tests/kept/{test[0]}": test[1],
    }
    cause = Cause.SIDE_FILE if flawed else None
    return Exhibit(name, "", Section.EXPLOITS, cause, Severity.HIGH, golden=False, files=files)


_REWARD = "echo $((1 - (code > 0))) > /logs/verifier/reward.txt\n"
REWRITTEN = [
    _mending(
        "runs-the-tests-of-the-workspace",
        "mean.py",
        ("test_mean.py", _UNITTEST),
        f"python3 -m unittest -q test_mean; code=$?\n{_REWARD}",
        flawed=True,
    ),
    _mending(
        "runs-the-check-that-lies-there",
        "mean.sh",
        ("check_mean.sh", _BASH),
        f"bash /workspace/check_mean.sh; code=$?\n{_REWARD}",
        flawed=True,
    ),
    unanswered(
        "a-script-that-only-has-to-be-there",
        _PEAK,
        """
        found = Path("/workspace/peak.py")
        try:
            given = Path("/workspace/peak.txt").read_text().strip()
        except OSError:
            end(0)
        import hashlib
        right = hashlib.sha1(b"peak " + given.encode()).hexdigest() == "0" * 40
        end(int(right and found.exists() and "csv" in found.read_text()))
        """,
        Cause.HOLLOW,
        Severity.MEDIUM,
    ),
]
OF_ITS_OWN = [
    _mending(
        "runs-tests-of-its-own",
        "mean.py",
        ("test_mean.py", _UNITTEST),
        f"cp /tests/kept/test_mean.py /workspace/\npython3 -m unittest -q test_mean; code=$?\n{_REWARD}",
        flawed=False,
    ),
]
KEPT = [
    unanswered(
        "a-script-that-is-run",
        _PEAK,
        """
        import subprocess
        found = Path("/workspace/peak.py")
        if not found.exists():
            end(0)
        ran = subprocess.run([sys.executable, str(found)], capture_output=True, text=True, timeout=5)
        given = ran.stdout.strip()
        import hashlib
        end(int(hashlib.sha1(b"peak " + given.encode()).hexdigest() == "0" * 40))
        """,
    ),
]
