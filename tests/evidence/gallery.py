"""What verifiers of the gallery are made of: answers, tests, and the usual ways to write a reward.

Verifiers as benchmarks write them hang in `without_runtime`, `with_runtime`, `runners` and `reports`. Every
one of `BROKEN` lacks something of its runtime and is shown the right answer. Every one of `SOUND` works here
and is shown a wrong answer. The programs and modules that are missing are missing on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RIGHT = '{"flow": 4.2}'
WRONG = '{"flow": 7.0}'
TEST_PY = """
import json

def test_flow():
    assert json.load(open("/workspace/answer.json"))["flow"] == 4.2
"""
CHECK_PY = """
import json, sys
answer = json.load(open("/workspace/answer.json"))
sys.exit(0 if answer["flow"] == 4.2 else 1)
"""
BY_STATUS = """
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
WRITE = "/logs/verifier/reward.txt"


@dataclass(frozen=True)
class Exhibit:
    """One verifier: its `test.sh`, its other files, and the answer it is shown."""

    name: str
    script: str
    files: dict[str, str] = field(default_factory=dict)
    answer: str | None = None
    instruction: str | None = None
    toml: str = ""
    needs: str | None = None
    """A program without which there is nothing to see."""


def with_test(script: str) -> tuple[str, dict[str, str]]:
    return script, {"tests/test_outputs.py": TEST_PY}


UNITTEST = """
import json, unittest

class Flow(unittest.TestCase):
    def setUp(self):
        self.answer = json.load(open("/workspace/answer.json"))

    def test_flow(self):
        self.assertEqual(self.answer["flow"], 4.2)

    def test_unit(self):
        self.assertEqual(self.answer["unit"], "m3/s")

if __name__ == "__main__":
    unittest.main()
"""
SOLUTION_TEST = """
import subprocess, unittest

class Program(unittest.TestCase):
    def test_it(self):
        done = subprocess.run(["python3", "/workspace/solution.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), "4.2")

if __name__ == "__main__":
    unittest.main()
"""
IMPORT_TEST = """
import sys, unittest
sys.path.insert(0, "/workspace")

class Module(unittest.TestCase):
    def test_it(self):
        import solution
        self.assertEqual(solution.flow(), 4.2)

if __name__ == "__main__":
    unittest.main()
"""
CODE = "Write a program to `/workspace/solution.py`.\n"
UVX = """#!/bin/bash
apt-get update
apt-get install -y curl

curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh

source $HOME/.local/bin/env

if [ "$PWD" = "/" ]; then
    echo "Error: No working directory set."
    exit 1
fi

uvx \\
  -p 3.13 \\
  -w pytest==8.4.1 \\
  -w pytest-json-ctrf==0.3.5 \\
  pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py -rA
"""
