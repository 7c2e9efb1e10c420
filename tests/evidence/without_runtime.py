"""Verifiers that lack something of their runtime on any machine; each is shown the right answer."""

from __future__ import annotations

from evidence.gallery import BY_STATUS, CHECK_PY, TEST_PY, UVX, WRITE, Exhibit, with_test

BROKEN = [
    Exhibit("pytest module", *with_test("python3 -m pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit("pytest program", *with_test("pytest -q /tests/test_outputs.py" + BY_STATUS)),
    Exhibit("usual preamble", *with_test(UVX + BY_STATUS)),
    Exhibit(
        "usual preamble, silent",
        *with_test(
            "apt-get update -qq >/dev/null 2>&1\ncurl -LsSf https://astral.sh/uv/install.sh 2>/dev/null | sh >/dev/null 2>&1\n"
            "source $HOME/.local/bin/env 2>/dev/null\nuvx -w pytest pytest /tests/test_outputs.py >/dev/null 2>&1"
            + BY_STATUS
        ),
    ),
    Exhibit("uv run", *with_test("uv run --with pytest==8.4.1 pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit(
        "pip install, then pytest",
        *with_test(
            "pip install pytest==8.4.1 --quiet\npython3 -m pytest /tests/test_outputs.py -rA" + BY_STATUS
        ),
    ),
    Exhibit(
        "errors to nowhere",
        *with_test("python3 -m pytest /tests/test_outputs.py > /dev/null 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "errors to nowhere, in a condition",
        *with_test(
            f"if python3 -m pytest -q /tests/test_outputs.py &>/dev/null; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi"
        ),
    ),
    Exhibit(
        "errors to a file",
        *with_test("python3 -m pytest /tests/test_outputs.py > /tmp/log 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "errors to a log beside the reward",
        *with_test("python3 -m pytest /tests/test_outputs.py > /logs/verifier/test.log 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "or true, then the report is read",
        *with_test(
            "pytest --junitxml=/tmp/report.xml /tests/test_outputs.py 2>/dev/null || true\n"
            f"if grep -q 'failures=\"0\"' /tmp/report.xml 2>/dev/null; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi"
        ),
    ),
    Exhibit("through tee", *with_test("python3 -m pytest /tests/test_outputs.py | tee /tmp/log" + BY_STATUS)),
    Exhibit(
        "through tee with pipefail",
        *with_test(
            "set -o pipefail\npython3 -m pytest /tests/test_outputs.py 2>&1 | tee /tmp/log" + BY_STATUS
        ),
    ),
    Exhibit(
        "output in a variable",
        *with_test(
            'OUT=$(python3 -m pytest -q /tests/test_outputs.py 2>&1)\nif echo "$OUT" | grep -q passed; then\n'
            f"echo 1 > {WRITE}\nelse\necho 0 > {WRITE}\nfi"
        ),
    ),
    Exhibit(
        "trap that writes 0",
        *with_test(
            f"trap '[ -f {WRITE} ] || echo 0.0 > {WRITE}' EXIT\nset -euo pipefail\npython3 -m pytest /tests/test_outputs.py\n"
            f"echo 1.0 > {WRITE}"
        ),
    ),
    Exhibit(
        "trap that writes 0 and ends well",
        *with_test(
            f"trap 'echo 0 > {WRITE}; exit 0' ERR\nset -E\nuvx pytest /tests/test_outputs.py\necho 1 > {WRITE}"
        ),
    ),
    Exhibit(
        "zero first",
        *with_test(
            f"echo 0 > {WRITE}\nset -e\npytest /tests/test_outputs.py >/dev/null 2>&1\necho 1 > {WRITE}"
        ),
    ),
    Exhibit(
        "exit $code",
        *with_test(
            "python3 -m pytest /tests/test_outputs.py\ncode=$?\n"
            + f"[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code"
        ),
    ),
    Exhibit("timeout around it", *with_test("timeout 60 pytest /tests/test_outputs.py" + BY_STATUS)),
    Exhibit(
        "timeout around it, silent",
        *with_test("timeout 60 pytest /tests/test_outputs.py >/dev/null 2>&1" + BY_STATUS),
    ),
    Exhibit(
        "env around it",
        *with_test("env PYTHONPATH=/tests python3 -m pytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "sh -c",
        *with_test("sh -c 'pytest /tests/test_outputs.py' 2>/dev/null" + BY_STATUS),
    ),
    Exhibit(
        "a function",
        *with_test("run_tests() {\n  pytest /tests/test_outputs.py 2>/dev/null\n}\nrun_tests" + BY_STATUS),
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
        "plugin is not there", *with_test("python3 -m unittest --ctrf x /tests/test_outputs.py" + BY_STATUS)
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
        *with_test(". $HOME/.local/bin/env\nuv tool run pytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "virtual environment of the image",
        *with_test("source /opt/venv/bin/activate\npytest /tests/test_outputs.py" + BY_STATUS),
    ),
    Exhibit(
        "a Python of the image",
        *with_test("/opt/venv/bin/python -m pytest /tests/test_outputs.py 2>/dev/null" + BY_STATUS),
    ),
    Exhibit(
        "asks for its runner and gives up",
        *with_test(
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
        *with_test(
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
