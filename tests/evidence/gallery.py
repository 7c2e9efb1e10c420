"""Verifiers as benchmarks write them: some that cannot work here, and some that can.

Every one of `BROKEN` lacks something of its runtime and is shown the right answer. Every one of `SOUND` works
here and is shown a wrong answer. The programs and modules that are missing are missing on any machine.
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


def _with_test(script: str) -> tuple[str, dict[str, str]]:
    return script, {"tests/test_outputs.py": TEST_PY}


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

BROKEN = [
    Exhibit("pytest module", *_with_test("python3 -m pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit("pytest program", *_with_test("pytest -q /tests/test_outputs.py" + BY_STATUS)),
    Exhibit("usual preamble", *_with_test(UVX + BY_STATUS)),
    Exhibit(
        "usual preamble, silent",
        *_with_test(
            "apt-get update -qq >/dev/null 2>&1\ncurl -LsSf https://astral.sh/uv/install.sh 2>/dev/null | sh >/dev/null 2>&1\n"
            "source $HOME/.local/bin/env 2>/dev/null\nuvx -w pytest pytest /tests/test_outputs.py >/dev/null 2>&1"
            + BY_STATUS
        ),
    ),
    Exhibit("uv run", *_with_test("uv run --with pytest==8.4.1 pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit(
        "pip install, then pytest",
        *_with_test(
            "pip install pytest==8.4.1 --quiet\npython3 -m pytest /tests/test_outputs.py -rA" + BY_STATUS
        ),
    ),
    Exhibit(
        "errors to nowhere",
        *_with_test("python3 -m pytest /tests/test_outputs.py > /dev/null 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "errors to nowhere, in a condition",
        *_with_test(
            f"if python3 -m pytest -q /tests/test_outputs.py &>/dev/null; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi"
        ),
    ),
    Exhibit(
        "errors to a file",
        *_with_test("python3 -m pytest /tests/test_outputs.py > /tmp/log 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "errors to a log beside the reward",
        *_with_test("python3 -m pytest /tests/test_outputs.py > /logs/verifier/test.log 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "or true, then the report is read",
        *_with_test(
            "pytest --junitxml=/tmp/report.xml /tests/test_outputs.py 2>/dev/null || true\n"
            f"if grep -q 'failures=\"0\"' /tmp/report.xml 2>/dev/null; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi"
        ),
    ),
    Exhibit(
        "through tee", *_with_test("python3 -m pytest /tests/test_outputs.py | tee /tmp/log" + BY_STATUS)
    ),
    Exhibit(
        "through tee with pipefail",
        *_with_test(
            "set -o pipefail\npython3 -m pytest /tests/test_outputs.py 2>&1 | tee /tmp/log" + BY_STATUS
        ),
    ),
    Exhibit(
        "output in a variable",
        *_with_test(
            'OUT=$(python3 -m pytest -q /tests/test_outputs.py 2>&1)\nif echo "$OUT" | grep -q passed; then\n'
            f"echo 1 > {WRITE}\nelse\necho 0 > {WRITE}\nfi"
        ),
    ),
    Exhibit(
        "trap that writes 0",
        *_with_test(
            f"trap '[ -f {WRITE} ] || echo 0.0 > {WRITE}' EXIT\nset -euo pipefail\npython3 -m pytest /tests/test_outputs.py\n"
            f"echo 1.0 > {WRITE}"
        ),
    ),
    Exhibit(
        "trap that writes 0 and ends well",
        *_with_test(
            f"trap 'echo 0 > {WRITE}; exit 0' ERR\nset -E\nuvx pytest /tests/test_outputs.py\necho 1 > {WRITE}"
        ),
    ),
    Exhibit(
        "zero first",
        *_with_test(
            f"echo 0 > {WRITE}\nset -e\npytest /tests/test_outputs.py >/dev/null 2>&1\necho 1 > {WRITE}"
        ),
    ),
    Exhibit(
        "exit $code",
        *_with_test(
            "python3 -m pytest /tests/test_outputs.py\ncode=$?\n"
            + f"[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code"
        ),
    ),
    Exhibit("timeout around it", *_with_test("timeout 60 pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit(
        "timeout around it, silent",
        *_with_test("timeout 60 pytest /tests/test_outputs.py >/dev/null 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "env around it",
        *_with_test("env PYTHONPATH=/tests python3 -m pytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "sh -c",
        *_with_test("sh -c 'pytest /tests/test_outputs.py' 2>/dev/null" + BY_STATUS),
    ),
    Exhibit(
        "a function",
        *_with_test("run_tests() {\n  pytest /tests/test_outputs.py 2>/dev/null\n}\nrun_tests" + BY_STATUS),
    ),
    Exhibit("wrong interpreter", "python2.7 /tests/check.py" + BY_STATUS, {"tests/check.py": CHECK_PY}),
    Exhibit(
        "another interpreter, silent",
        "python3.99 /tests/check.py 2>/dev/null" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit("script is not there", "python3 /tests/verify.py" + BY_STATUS),
    Exhibit("script is not there, silent", "python3 /tests/verify.py 2>/dev/null" + BY_STATUS),
    Exhibit("not executable", "/tests/check.sh" + BY_STATUS, {"tests/check.sh": "#!/bin/bash\nexit 0\n"}),
    Exhibit(
        "not executable, silent",
        "/tests/check.sh 2>/dev/null" + BY_STATUS,
        {"tests/check.sh": "#!/bin/bash\nexit 0\n"},
    ),
    Exhibit(
        "tool for JSON",
        f'flow=$(jq2000 -r .flow /workspace/answer.json)\n[ "$flow" = 4.2 ] && echo 1 > {WRITE} || echo 0 > {WRITE}',
    ),
    Exhibit(
        "tool for JSON, silent",
        f'flow=$(jq2000 -r .flow /workspace/answer.json 2>/dev/null)\nif [ "$flow" = 4.2 ]; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi',
    ),
    Exhibit(
        "another language", "denojs run /tests/check.js" + BY_STATUS, {"tests/check.js": "process.exit(0)"}
    ),
    Exhibit(
        "compiler",
        f"tcc2000 -o /tmp/check /tests/check.c && /tmp/check /workspace/answer.json && echo 1 > {WRITE} || echo 0 > {WRITE}",
        {"tests/check.c": "int main(){return 0;}"},
    ),
    Exhibit(
        "module",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "import numpy_of_nobody as np\n" + CHECK_PY},
    ),
    Exhibit(
        "module, silent",
        "python3 /tests/check.py 2>/dev/null" + BY_STATUS,
        {"tests/check.py": "import numpy_of_nobody as np\n" + CHECK_PY},
    ),
    Exhibit(
        "module, error caught",
        "python3 /tests/check.py",
        {
            "tests/check.py": "import json\n\ndef write(reward):\n    open('/logs/verifier/reward.json', 'w').write(json.dumps({'reward': reward}))\n\n"
            "try:\n    import numpy_of_nobody as np\nexcept ImportError:\n    write(0.0)\n    raise SystemExit(0)\n"
            "write(float(json.load(open('/workspace/answer.json'))['flow'] == 4.2))\n"
        },
    ),
    Exhibit(
        "module in main, every error caught",
        "python3 /tests/check.py",
        {
            "tests/check.py": "import json\n\ndef main():\n    import numpy_of_nobody as np\n    return 1.0\n\ntry:\n    reward = main()\n"
            "except Exception:\n    reward = 0.0\nopen('/logs/verifier/reward.json', 'w').write(json.dumps({'reward': reward}))\n"
        },
    ),
    Exhibit(
        "module of a helper",
        "cd /tests && python3 check.py 2>/dev/null" + BY_STATUS,
        {"tests/check.py": "import helper\n" + CHECK_PY, "tests/helper.py": "import scipy_of_nobody\n"},
    ),
    Exhibit(
        "partial credit",
        "score=0\npython3 /tests/a.py 2>/dev/null && score=$((score + 1))\npython3 /tests/b.py 2>/dev/null && score=$((score + 1))\n"
        f"echo \"scale=2; $score / 2\" | python3 -c 'print({{0: 0.0, 1: 0.5, 2: 1.0}}['$score'])' > {WRITE}",
        {"tests/a.py": CHECK_PY, "tests/b.py": "import pandas_of_nobody\n" + CHECK_PY},
    ),
    Exhibit(
        "program started from Python",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "import subprocess\nsubprocess.run(['node2000', '/tests/x.js'], check=True)\n"},
    ),
    Exhibit(
        "program started from Python, error caught",
        "python3 /tests/check.py",
        {
            "tests/check.py": "import subprocess\n\ndef check():\n    return subprocess.run(['node2000', '/tests/x.js'], capture_output=True).returncode == 0\n\n"
            "try:\n    ok = check()\nexcept Exception as error:\n    ok = False\n"
            f"open('{WRITE}', 'w').write('1' if ok else '0')\n",
            "tests/x.js": "",
        },
    ),
    Exhibit(
        "reference data is not there",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import json\nassert json.load(open('/workspace/answer.json')) == json.load(open('/tests/expected.json'))\n"
        },
    ),
    Exhibit(
        "reference data is not there, shell",
        "diff -q /tests/expected.json /workspace/answer.json" + BY_STATUS,
    ),
    Exhibit(
        "reference data is not there, silent",
        "cmp -s /tests/expected.json /workspace/answer.json" + BY_STATUS,
    ),
    Exhibit("a folder of the image", "cd /app/project && python3 -m unittest discover -s tests" + BY_STATUS),
    Exhibit(
        "a network service",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import urllib.request\nurllib.request.urlopen('https://example.com/reference.json')\n"
        },
    ),
    Exhibit(
        "plugin is not there", *_with_test("python3 -m unittest --ctrf x /tests/test_outputs.py" + BY_STATUS)
    ),
    Exhibit(
        "windows line ends",
        "cd /tests\r\npython3 check.py\r\nif [ $? -eq 0 ]; then\r\necho 1 > /logs/verifier/reward.txt\r\nfi\r\n",
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "variable is not set",
        f'echo 0 > {WRITE}\nset -u\ncurl2 -H "Authorization: $GRADER_TOKEN" https://grader.example\necho 1 > {WRITE}',
    ),
    Exhibit(
        "newer Python wanted",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "import json\ntype Number = int | float | of nobody\n"},
    ),
    Exhibit(
        "installs, then ends",
        f"set -e\ntrap '[ -s {WRITE} ] || echo 0 > {WRITE}' EXIT\napt-get update\npython3 /tests/check.py && echo 1 > {WRITE}",
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a list of tests from Python",
        "python3 /tests/run.py",
        {
            "tests/run.py": "import subprocess, sys\n\ndef main():\n    done = subprocess.run([sys.executable, '-m', 'pytest', '/tests/test_outputs.py'], capture_output=True)\n"
            f"    open('{WRITE}', 'w').write('1' if done.returncode == 0 else '0')\n\nmain()\n",
            "tests/test_outputs.py": TEST_PY,
        },
    ),
    Exhibit(
        "nothing to run",
        "python3 -m unittest discover -s /tests -p 'check_*.py'\n"
        + f"if [ $? -eq 0 ]; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi",
    ),
    Exhibit(
        "environment of uv",
        *_with_test(". $HOME/.local/bin/env\nuv tool run pytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "virtual environment of the image",
        *_with_test("source /opt/venv/bin/activate\npytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "a Python of the image",
        *_with_test("/opt/venv/bin/python -m pytest /tests/test_outputs.py 2>/dev/null" + BY_STATUS),
    ),
    Exhibit(
        "asks for its runner and gives up",
        *_with_test(
            f"if ! command -v pytest >/dev/null 2>&1; then echo 0 > {WRITE}; exit 0; fi\npytest /tests/test_outputs.py"
            + BY_STATUS
        ),
    ),
    Exhibit(
        "asks for a module and gives up",
        f"python3 -c 'import numpy_of_nobody' 2>/dev/null || {{ echo 0 > {WRITE}; exit 0; }}\npython3 /tests/check.py"
        + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a virtual environment of its own, silent",
        *_with_test(
            "python3 -m venv /tmp/v >/dev/null 2>&1\n/tmp/v/bin/pip install pytest >/dev/null 2>&1\n/tmp/v/bin/pytest /tests/test_outputs.py >/dev/null 2>&1"
            + BY_STATUS
        ),
    ),
    Exhibit(
        "a pipeline",
        f"cat /workspace/answer.json | jq2000 -r .flow 2>/dev/null | grep -q 4.2 && echo 1 > {WRITE} || echo 0 > {WRITE}",
    ),
    Exhibit(
        "a command line from Python",
        "python3 /tests/run.py",
        {
            "tests/run.py": f"import subprocess\ncode = subprocess.call('pytest -q /tests/test_outputs.py > /dev/null 2>&1', shell=True)\nopen('{WRITE}', 'w').write(str(int(code == 0)))\n",
            "tests/test_outputs.py": TEST_PY,
        },
    ),
    Exhibit(
        "data of the image",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "open('/workspace/input.csv')\n",
            "environment/input.csv": "1,2",
            "environment/Dockerfile": "FROM python:3.12\nRUN ./make-it > /workspace/input.csv\n",
        },
    ),
]

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

SOUND = [
    Exhibit("script with exit 1", "python3 /tests/check.py" + BY_STATUS, {"tests/check.py": CHECK_PY}),
    Exhibit("unittest", "python3 /tests/test_flow.py" + BY_STATUS, {"tests/test_flow.py": UNITTEST}),
    Exhibit(
        "unittest with exit $code",
        "python3 -m unittest /tests/test_flow.py; code=$?\n"
        + f"[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code",
        {"tests/test_flow.py": UNITTEST},
    ),
    Exhibit(
        "assertion",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "import json\nassert json.load(open('/workspace/answer.json'))['flow'] == 4.2\n"},
    ),
    Exhibit(
        "a key that the answer lacks",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import json\nassert json.load(open('/workspace/answer.json'))['flow_m3s'] == 4.2\n"
        },
    ),
    Exhibit(
        "an answer of another type",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import json\nassert round(json.load(open('/workspace/answer.json'))['flow']['value'], 1) == 4.2\n"
        },
    ),
    Exhibit(
        "plain shell",
        f"if grep -q '4\\.2' /workspace/answer.json; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi",
    ),
    Exhibit(
        "diff against a reference",
        "diff /tests/expected.json /workspace/answer.json" + BY_STATUS,
        {"tests/expected.json": RIGHT},
    ),
    Exhibit(
        "set -e and a trap",
        f"trap '[ -f {WRITE} ] || echo 0 > {WRITE}' EXIT\nset -euo pipefail\npython3 /tests/check.py\necho 1 > {WRITE}",
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a second file that the agent did not write",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "open('/workspace/notes.txt').read()\n"},
    ),
    Exhibit(
        "cat of a file that the agent did not write",
        f"cat /workspace/summary.md | grep -q flow && echo 1 > {WRITE} || echo 0 > {WRITE}",
    ),
    Exhibit(
        "a module with a fallback",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "try:\n    import numpy_of_nobody as np\nexcept ImportError:\n    np = None\n"
            + CHECK_PY
        },
    ),
    Exhibit(
        "a module that one helper uses",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "def plot(values):\n    import matplotlib_of_nobody\n\n" + CHECK_PY},
    ),
    Exhibit(
        "a program with a fallback",
        "cores=$(nproc2000 2>/dev/null || echo 1)\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a program that is asked for",
        "if command -v fancydiff >/dev/null 2>&1; then fancydiff /tests /workspace; fi\npython3 /tests/check.py"
        + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a version that is asked for",
        "if ! uv2000 --version >/dev/null 2>&1; then echo 'no uv, fine'; fi\npython3 /tests/check.py"
        + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "an install that is not needed",
        "pip install --quiet requests 2>/dev/null || true\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "an apt-get that is not needed",
        "apt-get update -qq\napt-get install -y -qq bc\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "unittest after a failed install",
        "apt-get update\npip install pytest\npython3 /tests/test_flow.py" + BY_STATUS,
        {"tests/test_flow.py": UNITTEST},
    ),
    Exhibit(
        "words in the answer",
        f"cat /workspace/answer.json\ngrep -q 4.2 /workspace/answer.json && echo 1 > {WRITE} || echo 0 > {WRITE}",
        answer='"/tests/test.sh: line 3: pytest: command not found"',
    ),
    Exhibit(
        "words in the answer, on stderr",
        f"cat /workspace/answer.json >&2\necho 0 > {WRITE}",
        answer='{\n"note":\n"ModuleNotFoundError: No module named \'numpy\'"\n}\n',
    ),
    Exhibit(
        "the agent's program lacks a module",
        "python3 /tests/test_it.py" + BY_STATUS,
        {"tests/test_it.py": SOLUTION_TEST},
        "import module_of_nobody\nprint(4.2)\n",
        CODE,
    ),
    Exhibit(
        "the agent's program lacks a file",
        "python3 /workspace/solution.py > /tmp/out" + BY_STATUS,
        {},
        "open('/data/input.csv')\n",
        CODE,
    ),
    Exhibit(
        "the agent's program has a typo",
        "python3 /tests/test_it.py" + BY_STATUS,
        {"tests/test_it.py": IMPORT_TEST},
        "def flow(:\n",
        CODE,
    ),
    Exhibit(
        "the agent's module is imported and lacks a name",
        "python3 /tests/test_it.py" + BY_STATUS,
        {"tests/test_it.py": IMPORT_TEST},
        "def flow():\n    return undefined_name\n",
        CODE,
    ),
    Exhibit(
        "the agent's script lacks a program",
        f"bash /workspace/solve.sh > /tmp/out; grep -q 4.2 /tmp/out && echo 1 > {WRITE} || echo 0 > {WRITE}",
        {},
        "frobnicate --all\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "the agent's script says what shells say",
        f"bash /workspace/solve.sh; echo 0 > {WRITE}",
        {},
        "echo '/tests/test.sh: line 1: pytest: command not found' >&2\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "the agent's program exits with 127",
        "bash /workspace/solve.sh; code=$?\n" + f"echo 0 > {WRITE}; exit $code",
        {},
        "frobnicate\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "the agent's server is not there",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:8000/flow', timeout=2)\n"
        },
        "x = 1\n",
        CODE,
    ),
    Exhibit(
        "a program that the agent was to make",
        "flowtool --version" + BY_STATUS,
        {},
        "x = 1\n",
        "Write `/workspace/solution.py`, and install it as the command `flowtool`.\n",
    ),
    Exhibit(
        "a module that the agent was to write",
        "cd /workspace && python3 -c 'from flowlib import flow; assert flow() == 4.2'" + BY_STATUS,
        {},
        "x = 1\n",
        "Write `/workspace/solution.py` and a package `flowlib/` beside it.\n",
    ),
    Exhibit(
        "partial credit",
        f"score=0\ngrep -q flow /workspace/answer.json && score=0.5\necho $score > {WRITE}",
        answer='{"speed": 1}',
    ),
    Exhibit(
        "details",
        "python3 /tests/check.py",
        {
            "tests/check.py": "import json\nopen('/logs/verifier/reward.json','w').write(json.dumps({'reward': 0.0}))\nopen('/logs/verifier/details.json','w').write(json.dumps({'flow': {'score': 0, 'max_score': 1}}))\nraise SystemExit(1)\n"
        },
    ),
    Exhibit(
        "an error that is caught and told",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import json, traceback\ntry:\n    assert json.load(open('/workspace/answer.json'))['flow'] == 4.2\nexcept Exception:\n    traceback.print_exc()\n    raise SystemExit(1)\n"
        },
    ),
    Exhibit(
        "colour that the terminal lacks",
        "tput setaf 1\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a folder that may be missing",
        "rm -r /workspace/build\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "a reference that may be missing",
        "[ -f /tests/extra.json ] && cat /tests/extra.json\npython3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": CHECK_PY},
    ),
    Exhibit(
        "the agent's program does not compile",
        f"cc -o /tmp/prog /workspace/main.c 2>/tmp/log; /tmp/prog && echo 1 > {WRITE} || echo 0 > {WRITE}",
        {},
        "int main( {",
        "Write `/workspace/main.c`.\n",
    ),
    Exhibit(
        "the agent's program writes no file",
        "python3 /workspace/solution.py --output /tmp/out.json\npython3 /tests/compare.py /tmp/out.json"
        + BY_STATUS,
        {"tests/compare.py": "import sys\nopen(sys.argv[1])\n"},
        "pass\n",
        CODE,
    ),
    Exhibit(
        "the agent's program is executed in the verifier",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "exec(open('/workspace/solution.py').read())\n"},
        "import module_of_nobody\n",
        CODE,
    ),
    Exhibit(
        "the agent's program has a typo and is compiled in the verifier",
        "python3 /tests/check.py" + BY_STATUS,
        {"tests/check.py": "import ast\nast.parse(open('/workspace/solution.py').read())\n"},
        "def f(:\n",
        CODE,
    ),
    Exhibit(
        "the agent's program crashes and its status is passed on",
        f"bash /workspace/solve.sh; code=$?; echo 0 > {WRITE}; exit $code",
        {},
        "kill -SEGV $$\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "ends early without an answer to look at",
        f"if ! grep -q flow /workspace/answer.json; then echo 0 > {WRITE}; exit 0; fi\necho 1 > {WRITE}",
        answer="[]",
    ),
]
