"""Verifiers that read a report, count, or wrap their runner in one tool more; further languages.

As in `gallery`: each of `BROKEN` lacks something of its runtime on any machine and is shown the right answer;
each of `SOUND` works wherever the programs in `needs` are, and is shown a wrong answer.
"""

from __future__ import annotations

import json

from evidence.gallery import BY_STATUS, CHECK_PY, CODE, RIGHT, TEST_PY, UNITTEST, WRITE, Exhibit

CHECK = {"tests/check.py": CHECK_PY}
TESTS = {"tests/test_outputs.py": TEST_PY}
CASES = {"tests/test_flow.py": UNITTEST}
OR_ZERO = f"&& echo 1 > {WRITE} || echo 0 > {WRITE}"
JUNIT = (
    "import sys, xml.etree.ElementTree as tree\n"
    "try:\n    suite = tree.parse('/tmp/report.xml').getroot()\n    failed = int(suite.get('failures', 1))\n"
    "except Exception:\n    failed = 1\n"
    f"open('{WRITE}', 'w').write('0' if failed else '1')\n"
)
COUNTS = (
    "import json\n\ndef passed():\n    answer = json.load(open('/workspace/answer.json'))\n"
    "    return [answer.get('flow') == 4.2, answer.get('unit') == 'm3/s', isinstance(answer, dict)]\n\n"
)

PARSED_BY_PYTEST = """\
=================================== FAILURES ===================================
______________________________ test_allowed_names ______________________________

    def test_allowed_names():
>       tree = ast.parse(open("/workspace/solution.py").read())
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

/tests/test_outputs.py:6:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

source = 'def f(:', filename = '<unknown>', mode = 'exec'

>       return compile(source, filename, mode, flags,
                       _feature_version=feature_version)
E         File "<unknown>", line 1
E           def f(:
E                 ^
E       SyntaxError: invalid syntax

/usr/lib/python3.11/ast.py:50: SyntaxError
=========================== short test summary info ============================
FAILED ../tests/test_outputs.py::test_allowed_names -   File "<unknown>", line 1
============================== 1 failed in 0.02s ===============================
"""

BROKEN = [
    Exhibit(
        "pytest tells at length that a test is not Python",
        "cat /tests/said.txt; echo 0 > " + WRITE,
        {"tests/said.txt": PARSED_BY_PYTEST.replace("<unknown>", "/tests/test_outputs.py")},
    ),
    Exhibit(
        "JUnit XML that was never written",
        "pytest /tests/test_outputs.py --junitxml=/tmp/report.xml > /dev/null 2>&1\npython3 /tests/report.py",
        {**TESTS, "tests/report.py": JUNIT},
    ),
    Exhibit(
        "ctrf.json that jq reads",
        "python3 -m pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py 2> /dev/null\n"
        f"jq -r '.results.summary | .passed / .tests' /logs/verifier/ctrf.json > {WRITE} 2> /dev/null || echo 0 > {WRITE}",
        TESTS,
    ),
    Exhibit(
        "passes counted by grep",
        "pytest -rA /tests/test_outputs.py > /tmp/log 2>&1\npassed=$(grep -c ^PASSED /tmp/log)\n"
        f'awk -v n="$passed" \'BEGIN {{ printf "%.2f", n / 1 }}\' > {WRITE}',
        TESTS,
    ),
    Exhibit(
        "passes divided by bc",
        "passed=$(python3 -m pytest -q /tests/test_outputs.py 2>/dev/null | grep -oE '[0-9]+ passed' | cut -d' ' -f1)\n"
        f'echo "scale=2; ${{passed:-0}} / 1" | bc > {WRITE}',
        TESTS,
        needs="bc",
    ),
    Exhibit(
        "coverage threshold",
        "cd /tests && coverage run -m pytest test_outputs.py && coverage report --fail-under=80" + BY_STATUS,
        TESTS,
    ),
    Exhibit("tox", "cd /tests && tox -q -e py3" + BY_STATUS, {**TESTS, "tests/tox.ini": "[testenv]\n"}),
    Exhibit("nox, silent", "nox -f /tests/noxfile.py >/dev/null 2>&1" + BY_STATUS, {"tests/noxfile.py": ""}),
    Exhibit("hatch", "cd /tests && hatch run test:check 2>/dev/null" + BY_STATUS, TESTS),
    Exhibit("pdm run", f"cd /tests && pdm run pytest test_outputs.py {OR_ZERO}", TESTS),
    Exhibit("pipenv", f"PIPENV_PIPFILE=/tests/Pipfile pipenv run pytest -q /tests {OR_ZERO}", TESTS),
    Exhibit(
        "go test",
        "cd /tests && go2000 test ./... 2>&1 | tee /tmp/log\ngrep -q '^ok' /tmp/log" + BY_STATUS,
        {"tests/flow_test.go": "package flow\n", "tests/go.mod": "module flow\n"},
    ),
    Exhibit(
        "cargo test through a variable",
        'RUN="cargo2000 test --quiet"\n$RUN --manifest-path /tests/Cargo.toml' + BY_STATUS,
        {"tests/Cargo.toml": '[package]\nname = "flow"\n'},
    ),
    Exhibit(
        "rspec through bundler",
        f"cd /tests && bundle2000 exec rspec --format json > /tmp/rspec.json 2>/dev/null\npython3 -c \"import json; print(int(json.load(open('/tmp/rspec.json'))['summary']['failure_count'] == 0))\" > {WRITE} 2>/dev/null || echo 0 > {WRITE}",
        {"tests/flow_spec.rb": "describe\n"},
    ),
    Exhibit(
        "bats", f"bats_of_nobody --tap /tests/flow.bats | grep -q '^ok' {OR_ZERO}", {"tests/flow.bats": ""}
    ),
    Exhibit(
        "JUnit's jar that is not there",
        "java -jar /opt/junit/junit-platform-console-standalone.jar --scan-classpath 2>/dev/null" + BY_STATUS,
        needs="java",
    ),
    Exhibit("phpunit", "php2000 /tests/vendor/bin/phpunit /tests" + BY_STATUS, {"tests/FlowTest.php": ""}),
    Exhibit("Julia", "julia2000 --project=/tests /tests/runtests.jl" + BY_STATUS, {"tests/runtests.jl": ""}),
    Exhibit(
        "R, and the last line counts",
        f'score=$(Rscript_of_nobody /tests/check.R 2>/dev/null | tail -n 1)\necho "${{score:-0}}" > {WRITE}',
        {"tests/check.R": "cat(1)\n"},
    ),
    Exhibit(
        "subshells and a pipe to the reward",
        f"( cd /tests && ( set -e; pytest -q test_outputs.py >/dev/null 2>&1; echo 1 ) || echo 0 ) > {WRITE}",
        TESTS,
    ),
    Exhibit(
        "while read over a list of tests",
        'score=0\nwhile read -r name; do\n  if pytest "/tests/$name" >/dev/null 2>&1; then score=1; fi\ndone < /tests/list.txt\n'
        f"echo $score > {WRITE}",
        {**TESTS, "tests/list.txt": "test_outputs.py\n"},
    ),
    Exhibit(
        "the runner by its whole path",
        f"PY=/opt/miniconda3/envs/testbed/bin/python\n$PY -m pytest /tests/test_outputs.py >/dev/null 2>&1 {OR_ZERO}",
        TESTS,
    ),
    Exhibit(
        "Python that starts pytest in itself",
        "python3 /tests/run.py",
        {
            **TESTS,
            "tests/run.py": "try:\n    import pytest\n    code = pytest.main(['-q', '/tests/test_outputs.py'])\nexcept BaseException:\n    code = 1\n"
            f"open('{WRITE}', 'w').write(str(int(code == 0)))\n",
        },
    ),
    Exhibit(
        "importlib by name",
        "python3 /tests/check.py 2>/dev/null" + BY_STATUS,
        {
            "tests/check.py": "import importlib\nsympy = importlib.import_module('sympy_of_nobody')\n"
            + CHECK_PY
        },
    ),
    Exhibit(
        "weights that are not there",
        "python3 /tests/check.py",
        {
            "tests/check.py": COUNTS + "try:\n    weights = json.load(open('/tests/weights.json'))\n"
            "    reward = sum(w for w, ok in zip(weights, passed()) if ok)\nexcept Exception:\n    reward = 0.0\n"
            f"open('{WRITE}', 'w').write(str(reward))\n"
        },
    ),
    Exhibit(
        "a virtual environment that cannot be made",
        f"cd /tmp && virtualenv_of_nobody v >/dev/null 2>&1 && . v/bin/activate && python /tests/check.py {OR_ZERO}",
        CHECK,
    ),
]

SOUND = [
    Exhibit(
        "JUnit XML that the verifier wrote itself",
        "python3 /tests/run.py\npython3 /tests/report.py",
        {
            "tests/run.py": "import json\nok = json.load(open('/workspace/answer.json'))['flow'] == 4.2\n"
            "open('/tmp/report.xml', 'w').write('<testsuite tests=\"1\" failures=\"%d\"/>' % (not ok))\n",
            "tests/report.py": JUNIT,
        },
    ),
    Exhibit(
        "unittest's words counted by grep",
        "python3 -m unittest -v /tests/test_flow.py > /tmp/log 2>&1\npassed=$(grep -c '\\.\\.\\. ok' /tmp/log)\n"
        f'awk -v n="$passed" \'BEGIN {{ printf "%.2f", n / 2 }}\' > {WRITE}',
        CASES,
    ),
    Exhibit(
        "unittest's words, bc",
        "failed=$(python3 -m unittest /tests/test_flow.py 2>&1 | grep -oE 'failures=[0-9]+' | cut -d= -f2)\n"
        f'echo "scale=2; (2 - ${{failed:-0}}) / 2" | bc > {WRITE}',
        CASES,
        needs="bc",
    ),
    Exhibit(
        "jq says false",
        f"jq -e '.flow == 4.2' /workspace/answer.json > /dev/null {OR_ZERO}",
        needs="jq",
    ),
    Exhibit(
        "jq meets another type", f"jq -e '.flow.value == 4.2' /workspace/answer.json {OR_ZERO}", needs="jq"
    ),
    Exhibit(
        "awk compares columns",
        f"awk -F'[:}}]' '$2 + 0 == 4.2 {{ ok = 1 }} END {{ exit !ok }}' /workspace/answer.json {OR_ZERO}",
    ),
    Exhibit(
        "cmp of a report that the agent's program did not write",
        f"python3 /workspace/solution.py > /dev/null\ncmp -s /workspace/report.csv /tests/report.csv {OR_ZERO}",
        {"tests/report.csv": "1\n"},
        "print('done')\n",
        CODE,
    ),
    Exhibit(
        "a loop over cases with a timeout each",
        "score=0\nfor case in 1 2 3; do\n  got=$(timeout 10 python3 /workspace/solution.py $case 2>/dev/null) || true\n"
        '  [ "$got" = "$((case * case))" ] && score=$((score + 1))\ndone\n'
        f"awk -v n=$score 'BEGIN {{ print n / 3 }}' > {WRITE}",
        {},
        "import sys\nprint(int(sys.argv[1]) + 1)\n",
        CODE,
    ),
    Exhibit(
        "the agent's program is told to use a library that is not there",
        "python3 /workspace/solution.py > /tmp/out 2>/tmp/err\ngrep -q 4.2 /tmp/out" + BY_STATUS,
        {},
        "import numpy_of_nobody\n",
        CODE,
    ),
    Exhibit(
        "the agent's makefile has no such target",
        f"make -C /workspace check > /tmp/log 2>&1 {OR_ZERO}",
        {},
        "all:\n\ttrue\n",
        "Write `/workspace/Makefile` with a target `check`.\n",
        needs="make",
    ),
    Exhibit(
        "the agent's C program fails its test",
        f'gcc -o /tmp/prog /workspace/main.c && [ "$(/tmp/prog)" = 4.2 ] {OR_ZERO}',
        {},
        '#include <stdio.h>\nint main(void) { puts("7.0"); return 0; }\n',
        "Write `/workspace/main.c`.\n",
        needs="gcc",
    ),
    Exhibit(
        "the agent's C program includes what nobody has",
        f"gcc -o /tmp/prog /workspace/main.c 2>&1 && /tmp/prog {OR_ZERO}",
        {},
        "#include <flow_of_nobody.h>\nint main(void) { return 0; }\n",
        "Write `/workspace/main.c`.\n",
        needs="gcc",
    ),
    Exhibit(
        "prove",
        "prove /tests/flow.t" + BY_STATUS,
        {
            "tests/flow.t": "use Test::More tests => 1;\nlocal $/; open my $f, '<', '/workspace/answer.json' or die;\n"
            "like(<$f>, qr/4\\.2/, 'flow');\n"
        },
        needs="prove",
    ),
    Exhibit(
        "Java with an exception of its own",
        "cd /tmp && cp /tests/Check.java . && javac Check.java && java Check" + BY_STATUS,
        {
            "tests/Check.java": "import java.nio.file.*;\npublic class Check {\n  public static void main(String[] a) throws Exception {\n"
            '    String text = new String(Files.readAllBytes(Paths.get("/workspace/answer.json")));\n'
            '    if (!text.contains("4.2")) throw new IllegalStateException("flow is wrong: " + text);\n  }\n}\n'
        },
        needs="javac",
    ),
    Exhibit(
        "errors in the agent's JSON are printed",
        f"python3 -m json.tool /workspace/answer.json > /tmp/pretty {OR_ZERO}",
        answer="{flow: 4.2}",
    ),
    Exhibit(
        "a trap that tells the line",
        f"trap 'echo \"failed at line $LINENO\" >&2; echo 0 > {WRITE}' ERR\nset -E\npython3 /tests/check.py\n[ -f {WRITE} ] || echo 1 > {WRITE}",
        CHECK,
    ),
    Exhibit(
        "several checks, the last one counts",
        f"grep -q unit /workspace/answer.json; grep -q flow /workspace/answer.json; grep -q '4\\.2' /workspace/answer.json {OR_ZERO}",
    ),
    Exhibit(
        "a log in the folder of the reward",
        "exec > /logs/verifier/test-stdout.txt 2>&1\nset -x\npython3 /tests/test_flow.py" + BY_STATUS,
        CASES,
    ),
    Exhibit(
        "the agent's script is sourced",
        f'set +e\nsource /workspace/solve.sh\n[ "$FLOW" = 4.2 ] {OR_ZERO}',
        {},
        "FLOW=$(compute_flow_of_nobody)\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "the agent's script, with little around it",
        f"nice -n 5 timeout 20 env -i PATH=$PATH bash /workspace/solve.sh > /tmp/out 2>&1; grep -q 4.2 /tmp/out {OR_ZERO}",
        {},
        "echo 7.0\n",
        "Write a script to `/workspace/solve.sh`.\n",
    ),
    Exhibit(
        "the agent's program has a typo and pytest tells of it at length",
        "cat /tests/said.txt; echo 0 > " + WRITE,
        {"tests/said.txt": PARSED_BY_PYTEST},
        "def f(:\n",
        CODE,
    ),
    Exhibit(
        "the agent's program is copied, has a typo, and ctrf.json tells of it",
        "cp /tests/ctrf.json /logs/verifier/ctrf.json; echo 0 > " + WRITE,
        {
            "tests/ctrf.json": json.dumps(
                PARSED_BY_PYTEST.replace("<unknown>", "/tmp/tmp1/solution.py").replace("ast.parse", "run")
            )
        },
        "def f(:\n",
        CODE,
    ),
    Exhibit(
        "weights",
        "python3 /tests/check.py",
        {
            "tests/check.py": COUNTS + "weights = json.load(open('/tests/weights.json'))\n"
            f"open('{WRITE}', 'w').write(str(sum(w for w, ok in zip(weights, passed()) if ok)))\n",
            "tests/weights.json": "[0.5, 0.3, 0.2]",
        },
    ),
    Exhibit(
        "doctest",
        "python3 -m doctest /tests/flow.md" + BY_STATUS,
        {"tests/flow.md": ">>> import json\n>>> json.load(open('/workspace/answer.json'))['flow']\n4.2\n"},
    ),
    Exhibit(
        "a database that the agent was to make",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import sqlite3\ndb = sqlite3.connect('file:/workspace/flow.db?mode=ro', uri=True)\n"
            "assert db.execute('select flow from flows').fetchone() == (4.2,)\n"
        },
    ),
    Exhibit(
        "a warning about what is not there, and a fallback",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import warnings\ntry:\n    import orjson_of_nobody as json\nexcept ImportError:\n"
            "    warnings.warn('orjson_of_nobody is not installed; using json')\n" + CHECK_PY
        },
    ),
    Exhibit(
        "diff with the reference, told in full",
        "diff -u /tests/expected.json /workspace/answer.json | tee /logs/verifier/diff.txt\n"
        f"[ -s /logs/verifier/diff.txt ] && echo 0 > {WRITE} || echo 1 > {WRITE}",
        {"tests/expected.json": RIGHT},
    ),
]
