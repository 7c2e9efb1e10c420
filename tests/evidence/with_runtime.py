"""Verifiers that work here; each is shown a wrong answer."""

from __future__ import annotations

from evidence.gallery import (
    BY_STATUS,
    CHECK_PY,
    CODE,
    IMPORT_TEST,
    RIGHT,
    SOLUTION_TEST,
    UNITTEST,
    WRITE,
    Exhibit,
)

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
