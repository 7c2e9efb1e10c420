"""Verifiers around the runners of other languages and tools, and in further shapes of shell.

As in `gallery`: each of `BROKEN` lacks something of its runtime on any machine and is shown the right answer;
each of `SOUND` works wherever the programs in `needs` are, and is shown a wrong answer.
"""

from __future__ import annotations

from evidence.gallery import BY_STATUS, CHECK_PY, CODE, RIGHT, TEST_PY, WRITE, Exhibit

ZERO_OR_ONE = f"if [ $? -eq 0 ]; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi"
CHECK = {"tests/check.py": CHECK_PY}
NODE_TEST = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "const answer = JSON.parse(require('node:fs').readFileSync('/workspace/answer.json'));\n"
    "test('flow', () => assert.strictEqual(answer.flow, 4.2));\n"
)
PACKAGE = '{"name": "checks", "scripts": {"test": "mocha-of-nobody --exit check.test.js"}}'
FAKE_PYTEST = (
    "import sys\n"
    "print('usage: pytest [options] [file_or_dir] [file_or_dir] [...]', file=sys.stderr)\n"
    "print('pytest: error: unrecognized arguments: --ctrf', file=sys.stderr)\nsys.exit(4)\n"
)

BROKEN = [
    Exhibit("jest through npx", "cd /tests && npx jest --ci" + BY_STATUS, {"tests/check.test.js": NODE_TEST}),
    Exhibit(
        "jest through npx, silent",
        "cd /tests && npx --yes jest-of-nobody --ci >/dev/null 2>&1" + BY_STATUS,
        {"tests/check.test.js": NODE_TEST},
    ),
    Exhibit(
        "npm test in a condition",
        f"if ! OUT=$(timeout 300 npm --prefix /tests test 2>&1); then echo 0 > {WRITE}; else echo 1 > {WRITE}; fi",
        {"tests/package.json": PACKAGE, "tests/check.test.js": NODE_TEST},
    ),
    Exhibit(
        "vitest of the image",
        "cd /tests\n./node_modules/.bin/vitest run 2>/dev/null" + BY_STATUS,
        {"tests/package.json": PACKAGE},
    ),
    Exhibit(
        "node with a library",
        "node /tests/check.js" + BY_STATUS,
        {"tests/check.js": "const chai = require('chai-of-nobody');\n"},
    ),
    Exhibit(
        "node with a library, error caught",
        "node /tests/check.js",
        {
            "tests/check.js": "const fs = require('fs');\nlet reward = 0;\ntry {\n  const Ajv = require('ajv-of-nobody');\n  reward = 1;\n"
            f"}} catch (error) {{\n  reward = 0;\n}}\nfs.writeFileSync('{WRITE}', String(reward));\n"
        },
    ),
    Exhibit(
        "node started a program, error caught",
        "node /tests/check.js",
        {
            "tests/check.js": "const { spawnSync } = require('child_process');\nconst fs = require('fs');\n"
            "const tool = ['dia', 'gram'].join('');\nconst done = spawnSync(tool, ['/workspace/answer.json']);\n"
            f"fs.writeFileSync('{WRITE}', done.status === 0 ? '1' : '0');\n"
        },
    ),
    Exhibit("gotestsum", "cd /tests && gotestsum --format testname ./..." + BY_STATUS),
    Exhibit("cargo nextest", "cd /tests && cargo nextest run --offline 2>&1 | tail -5" + BY_STATUS),
    Exhibit(
        "meson and ctest",
        "meson setup /tmp/build /tests && ctest2000 --test-dir /tmp/build --output-on-failure" + BY_STATUS,
    ),
    Exhibit(
        "a test in C++ with a library",
        "g++ -std=c++17 /tests/check.cpp -o /tmp/check && /tmp/check" + BY_STATUS,
        {"tests/check.cpp": "#include <gtest_of_nobody/gtest.h>\nint main() { return 0; }\n"},
    ),
    Exhibit(
        "a test in C that does not link",
        "cc /tests/check.c -lcheck_of_nobody -o /tmp/check 2>/tmp/build.log && /tmp/check" + BY_STATUS,
        {"tests/check.c": "int main(void) { return 0; }\n"},
    ),
    Exhibit("maven", "mvn-of-nobody -q -B -f /tests/pom.xml test > /logs/verifier/mvn.log 2>&1" + BY_STATUS),
    Exhibit("gradle wrapper", "cd /tests && ./gradlew test --offline" + BY_STATUS),
    Exhibit("bats", "bats --tap /tests/check.bats | tee /logs/verifier/tap.txt" + BY_STATUS),
    Exhibit(
        "testthat",
        "Rscript -e 'library(testthat.of.nobody); test_dir(\"/tests\", stop_on_failure = TRUE)'" + BY_STATUS,
    ),
    Exhibit("rspec", "cd /tests && bundle exec rspec-of-nobody --format json > /tmp/rspec.json" + BY_STATUS),
    Exhibit("behave", "python3 -m behave --no-color /tests/features" + BY_STATUS),
    Exhibit("tox", "tox -c /tests/tox.ini -e py3 -- /tests/test_outputs.py" + BY_STATUS),
    Exhibit("nox", "python3 -m nox -f /tests/noxfile.py -s verify > /tmp/nox.log 2>&1" + BY_STATUS),
    Exhibit(
        "poetry run",
        "cd /tests && poetry run pytest -q test_outputs.py 2>/dev/null" + BY_STATUS,
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "conda run",
        "conda run -n testbed --no-capture-output python -m pytest /tests/test_outputs.py" + BY_STATUS,
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "conda activate",
        "source /opt/miniconda3/bin/activate >/dev/null 2>&1\nconda activate testbed >/dev/null 2>&1\n"
        "pytest -q /tests/test_outputs.py >/dev/null 2>&1" + BY_STATUS,
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "uv run --script",
        "uv run --script /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": '# /// script\n# requires-python = ">=3.11"\n# dependencies = ["pydantic-of-nobody"]\n# ///\n'
            "import pydantic_of_nobody\n" + CHECK_PY
        },
    ),
    Exhibit(
        "pytest without the plugin",
        f"cd /tests && python3 -m pytest --ctrf /logs/verifier/ctrf.json test_outputs.py -rA || true\n"
        f"if [ -s /logs/verifier/ctrf.json ]; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi",
        {"tests/pytest.py": FAKE_PYTEST, "tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "tee, then the log is read",
        "python3 -m pytest -q /tests/test_outputs.py 2>&1 | tee /tmp/pytest.log >/dev/null\n"
        f"PASSED=$(grep -c PASSED /tmp/pytest.log)\nif [ $PASSED -ge 1 ]; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi",
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "a helper that is sourced",
        "source /tests/lib.sh\nif run_checks; then reward 1; else reward 0; fi",
        {
            "tests/lib.sh": f'reward() {{ echo "$1" > {WRITE}; }}\nrun_checks() {{ yq2000 -e .flow /workspace/answer.json >/dev/null 2>&1; }}\n'
        },
    ),
    Exhibit(
        "here-document",
        "python3 - <<'PY' >/dev/null 2>&1\nimport shapely_of_nobody\nimport json\n"
        "assert json.load(open('/workspace/answer.json'))['flow'] == 4.2\nPY" + BY_STATUS,
    ),
    Exhibit(
        "a script that a here-document writes",
        "cat > /tmp/verify.py <<'EOF'\nimport json, jsonschema_of_nobody\nprint(1.0)\nEOF\n"
        f"python3 /tmp/verify.py > {WRITE} 2>/dev/null || echo 0.0 > {WRITE}",
    ),
    Exhibit(
        "timeout around a shell",
        "timeout -k 5 600 bash -c 'cd /tests && python3 -m pytest -q test_outputs.py' > /tmp/log 2>&1"
        + BY_STATUS,
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "the status is kept",
        f"status=0\npytest /tests/test_outputs.py &> /tmp/out.txt || status=$?\n"
        f"trap 'echo done' EXIT\ncase $status in 0) echo 1 > {WRITE} ;; *) echo 0 > {WRITE} ;; esac",
        {"tests/test_outputs.py": TEST_PY},
    ),
    Exhibit(
        "a trap and a function",
        f"fail() {{ echo 0 > {WRITE}; exit 0; }}\ntrap fail ERR\ncompare2000 -metric AE /tests/a /workspace/answer.json 2>/dev/null\necho 1 > {WRITE}",
        {"tests/a": RIGHT},
    ),
    Exhibit(
        "a loop over cases",
        'passed=0\nfor t in /tests/cases/*.sh; do bash "$t" >/dev/null 2>&1 && passed=$((passed+1)); done\n'
        f"[ $passed -eq 1 ] && echo 1 > {WRITE} || echo 0 > {WRITE}",
        {"tests/cases/a.sh": "xq2000 /workspace/answer.json | grep -q 4.2\n"},
    ),
    Exhibit(
        "make check",
        "make -s -C /tests check >/dev/null 2>&1" + BY_STATUS,
        {"tests/Makefile": "check: flow\nflow:\n\t@json-lint-of-nobody /workspace/answer.json\n"},
    ),
    Exhibit(
        "Perl with a module",
        "perl /tests/check.pl" + BY_STATUS,
        {"tests/check.pl": "use strict; use JSON::OfNobody; exit 0;\n"},
    ),
    Exhibit(
        "Perl with a module, error caught",
        "perl /tests/check.pl",
        {
            "tests/check.pl": "use strict;\nmy $ok = 0;\neval {\n  require JSON::OfNobody;\n  open(my $in, '<', '/workspace/answer.json');\n"
            "  $ok = JSON::OfNobody::decode(join('', <$in>))->{flow} == 4.2 ? 1 : 0;\n  1;\n};\n"
            f"open(my $out, '>', '{WRITE}'); print $out $ok;\n"
        },
    ),
    Exhibit(
        "a program for another user", "sudo -u grader_of_nobody python3 /tests/check.py" + BY_STATUS, CHECK
    ),
    Exhibit(
        "a program as another user", "su - grader_of_nobody -c 'python3 /tests/check.py'" + BY_STATUS, CHECK
    ),
    Exhibit("a screen", "xvfb-run-of-nobody -a python3 /tests/check.py 2>/dev/null" + BY_STATUS, CHECK),
    Exhibit("docker inside", "docker compose -f /tests/compose.yaml run --rm checker" + BY_STATUS),
    Exhibit("deno", "deno test --allow-read /tests/check.ts" + BY_STATUS, {"tests/check.ts": "// checks\n"}),
    Exhibit("dotnet", "dotnet test /tests/Checks.csproj --nologo -v q" + BY_STATUS),
    Exhibit("julia", "julia --project=/tests -e 'using Pkg; Pkg.test()'" + BY_STATUS),
    Exhibit("phpunit", "php /tests/vendor/bin/phpunit /tests/FlowTest.php" + BY_STATUS),
]

AGENTS_SCRIPT = "Write a script to `/workspace/solve.sh`.\n"
TAP = 'n=0; failed=0\nok() { n=$((n+1)); if eval "$2"; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=$((failed+1)); fi; }\n'

SOUND = [
    Exhibit(
        "node --test",
        "node --test /tests/check.test.js; code=$?\n"
        + f"[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code",
        {"tests/check.test.js": NODE_TEST},
        needs="node",
    ),
    Exhibit(
        "node with an assertion",
        "node /tests/check.js" + BY_STATUS,
        {
            "tests/check.js": "require('assert').deepStrictEqual(JSON.parse(require('fs').readFileSync('/workspace/answer.json')), {flow: 4.2});\n"
        },
        needs="node",
    ),
    Exhibit(
        "node with a library that it can do without",
        "node /tests/check.js" + BY_STATUS,
        {
            "tests/check.js": "let colour = (text) => text;\ntry { colour = require('chalk-of-nobody').red; } catch (error) { colour = (text) => text; }\n"
            "const answer = JSON.parse(require('fs').readFileSync('/workspace/answer.json'));\n"
            "if (answer.flow !== 4.2) { console.log(colour('wrong')); process.exit(1); }\n"
        },
        needs="node",
    ),
    Exhibit(
        "C++ with assert, status passed on",
        f"g++ /tests/check.cpp -o /tmp/check || exit 1\n/tmp/check; code=$?\n[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code",
        {
            "tests/check.cpp": '#include <cassert>\n#include <fstream>\n#include <iterator>\n#include <string>\nint main() { std::ifstream in("/workspace/answer.json");\n'
            'std::string text((std::istreambuf_iterator<char>(in)), {}); assert(text.find("4.2") != std::string::npos); }\n'
        },
        needs="g++",
    ),
    Exhibit(
        "C that needs a function of the agent's",
        "cc -I/workspace /tests/check.c /workspace/flow.c -o /tmp/check && /tmp/check" + BY_STATUS,
        {"tests/check.c": "double flow(void);\nint main(void) { return flow() == 4.2 ? 0 : 1; }\n"},
        "double speed(void) { return 1; }\n",
        "Write a function `flow` to `/workspace/flow.c`.\n",
        needs="cc",
    ),
    Exhibit(
        "C that needs a header of the agent's",
        "cc -I/workspace /tests/check.c -o /tmp/check && /tmp/check" + BY_STATUS,
        {"tests/check.c": '#include "flow.h"\nint main(void) { return 0; }\n'},
        "double speed(void) { return 1; }\n",
        "Write `/workspace/flow.c` and its header `flow.h`.\n",
        needs="cc",
    ),
    Exhibit(
        "Perl and Test::More",
        "perl /tests/check.t" + BY_STATUS,
        {
            "tests/check.t": "use strict; use Test::More tests => 1;\nopen(my $in, '<', '/workspace/answer.json'); my $text = join('', <$in>);\nlike($text, qr/4\\.2/, 'flow');\n"
        },
        needs="perl",
    ),
    Exhibit(
        "Perl with a module that it can do without",
        "perl /tests/check.pl" + BY_STATUS,
        {
            "tests/check.pl": "use strict;\nmy $fast = eval { require JSON::OfNobody; 1 };\n"
            "open(my $in, '<', '/workspace/answer.json'); my $text = join('', <$in>);\nexit($text =~ /4\\.2/ ? 0 : 1);\n"
        },
        needs="perl",
    ),
    Exhibit(
        "make check",
        "make -C /tests check" + BY_STATUS,
        {"tests/Makefile": "check:\n\t@grep -q '4\\.2' /workspace/answer.json\n"},
        needs="make",
    ),
    Exhibit("TAP", TAP + "ok flow 'grep -q 4.2 /workspace/answer.json'\n[ $failed -eq 0 ]\n" + ZERO_OR_ONE),
    Exhibit(
        "tee without pipefail, then the log is read",
        "python3 /tests/check.py 2>&1 | tee /tmp/log\n"
        f"if grep -q all-good /tmp/log; then echo 1 > {WRITE}; else echo 0 > {WRITE}; fi",
        {
            "tests/check.py": "import json\nassert json.load(open('/workspace/answer.json'))['flow'] == 4.2, 'flow'\nprint('all-good')\n"
        },
    ),
    Exhibit(
        "here-document",
        "python3 - <<'PY'\nimport json\nassert json.load(open('/workspace/answer.json'))['flow'] == 4.2\nPY"
        + BY_STATUS,
    ),
    Exhibit(
        "helpers that are sourced",
        ". /tests/lib.sh\nexpect flow 4.2\nfinish",
        {
            "tests/lib.sh": 'bad=0\nexpect() { grep -q "\\"$1\\": $2" /workspace/answer.json || bad=$((bad+1)); }\n'
            f"finish() {{ [ $bad -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}; exit $bad; }}\n"
        },
    ),
    Exhibit(
        "a trap that writes what was counted",
        f"score=0\ntrap 'echo $score > {WRITE}' EXIT\nset -e\ngrep -q 4.2 /workspace/answer.json\nscore=1",
    ),
    Exhibit(
        "timeout around the agent's program",
        f"timeout 1 bash /workspace/solve.sh > /tmp/out; code=$?\necho 0 > {WRITE}; exit $code",
        {},
        "sleep 20\n",
        AGENTS_SCRIPT,
    ),
    Exhibit(
        "the agent's script may not be executed",
        f"/workspace/solve.sh > /tmp/out 2>&1; code=$?\ncat /tmp/out\n[ $code -eq 0 ] && echo 1 > {WRITE} || echo 0 > {WRITE}\nexit $code",
        {},
        "echo 4.2\n",
        AGENTS_SCRIPT,
    ),
    Exhibit(
        "files that the agent may have made",
        f"ls -l /workspace/out/*.png\nfind /workspace/plots -name '*.svg' | wc -l\ngrep -q 4.2 /workspace/answer.json\n{ZERO_OR_ONE}",
    ),
    Exhibit(
        "a log of the agent's is searched",
        f"if grep -E 'command not found|No such file or directory' /workspace/answer.json; then echo 0 > {WRITE}; else echo 1 > {WRITE}; fi",
        answer='"bash: line 3: frobnicate: command not found"',
    ),
    Exhibit(
        "the agent's server does not answer",
        "for i in 1 2; do python3 -c \"import socket; socket.create_connection(('localhost', 8080), 1)\" && break; done"
        + BY_STATUS,
        {},
        "x = 1\n",
        CODE,
    ),
    Exhibit(
        "a table that the agent's database lacks",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import sqlite3\nsqlite3.connect('/workspace/flow.db').execute('select flow from results')\n"
        },
        "",
        "Write a database to `/workspace/flow.db`.\n",
    ),
    Exhibit(
        "a file of the agent's that node wants",
        "node /workspace/index.js" + BY_STATUS,
        {},
        "require('./lib/flow.js')\n",
        "Write `/workspace/index.js`.\n",
        needs="node",
    ),
    Exhibit(
        "the agent's program does not know an option",
        "python3 /workspace/solution.py --report /tmp/out.json" + BY_STATUS,
        {},
        "import argparse\nargparse.ArgumentParser(prog='solution.py').parse_args()\n",
        CODE,
    ),
    Exhibit(
        "the agent's program runs out of memory",
        "python3 /tests/check.py" + BY_STATUS,
        {
            "tests/check.py": "import subprocess, sys\ndone = subprocess.run([sys.executable, '/workspace/solution.py'], capture_output=True, text=True)\nprint(done.stderr)\nsys.exit(done.returncode)\n"
        },
        "raise MemoryError('Cannot allocate memory')\n",
        CODE,
    ),
    Exhibit(
        "quoted words of a test's own",
        "python3 /tests/test_it.py" + BY_STATUS,
        {
            "tests/test_it.py": "import json, unittest\n\nclass Flow(unittest.TestCase):\n    def test_it(self):\n"
            "        self.assertIn('command not found', json.load(open('/workspace/answer.json')), 'the answer must quote: pytest: command not found')\n\n"
            "unittest.main()\n"
        },
    ),
]
