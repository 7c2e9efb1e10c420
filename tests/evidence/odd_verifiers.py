# ruff: noqa: E501 - scripts stand here as people write them, one verifier a line
"""Verifiers in other languages and other habits: node, go, make, jq, traps, `|| true`, odd bytes.

`LACKING` are shown the right answer with something of their runtime missing, mostly without a word of it.
`WORKING` work on any machine with a shell, Python and the usual tools, and get a right and a wrong answer.
`AGENTS_FAULT` run a program of the agent's that fails with the words of a broken verifier.
"""

from __future__ import annotations

from evidence.gallery import BY_STATUS, CHECK_PY, TEST_PY, Exhibit

R = "/logs/verifier/reward.txt"
J = "/logs/verifier/reward.json"
_PY = {"tests/check.py": CHECK_PY}
_TEST = {"tests/test_outputs.py": TEST_PY}
_NODE = {
    "tests/check.js": (
        "let ok = 0;\ntry {\n  const lodash = require('no-such-lodash');\n"
        "  const a = JSON.parse(require('fs').readFileSync('/workspace/answer.json'));\n"
        "  ok = lodash.get(a, 'flow') === 4.2 ? 1 : 0;\n} catch (e) {}\n"
        "require('fs').writeFileSync('/logs/verifier/reward.txt', String(ok));\n"
    )
}
_GO = {"tests/main_test.go": 'package main\nimport "testing"\nfunc TestFlow(t *testing.T) {}\n'}
_RUBY = "require 'no_such_gem_here'\nrequire 'json'\nexit(JSON.parse(File.read('/workspace/answer.json'))['flow'] == 4.2)\n"
_BATS = '@test "flow" {\n  run jq -e ".flow == 4.2" /workspace/answer.json\n  [ "$status" -eq 0 ]\n}\n'
_MAKE = "check:\n\t@no-such-checker /workspace/answer.json\n"
_FAIL = f"|| {{ echo 0 > {R}; exit 0; }}\necho 1 > {R}\n"

LACKING = [
    Exhibit("node, error swallowed", "node /tests/check.js 2>/dev/null\n", _NODE),
    Exhibit("npm test", f"cd /tests && npm test --silent >/dev/null 2>&1 {_FAIL}", {"tests/package.json": '{"scripts": {"test": "no-such-jest"}}'}),
    Exhibit("npx", f"npx --yes --fetch-retries=0 no-such-vitest run /tests >/dev/null 2>&1 {_FAIL}"),
    Exhibit("go test", f"cd /tests && no-such-go test ./... > /dev/null 2>&1 {_FAIL}", _GO),
    Exhibit("cargo test", f"cd /tests && no-such-cargo test --quiet &> /dev/null {_FAIL}"),
    Exhibit("ruby, gem missing", f"no-such-ruby /tests/check.rb &>/dev/null {_FAIL}", {"tests/check.rb": _RUBY}),
    Exhibit("bats", f"no-such-bats /tests/flow.bats > /logs/verifier/bats.log 2>&1 {_FAIL}", {"tests/flow.bats": _BATS}),
    Exhibit("make check", f"make -s -C /tests check >/dev/null 2>&1 {_FAIL}", {"tests/Makefile": _MAKE}),
    Exhibit("make, words kept", f"make -C /tests check {_FAIL}", {"tests/Makefile": _MAKE}),
    Exhibit("Rscript", f"no-such-Rscript -e 'quit(status=0)' 2>/dev/null {_FAIL}"),
    Exhibit("perl module", f"perl -MNo::Such::JSON -e 'exit 0' 2>/dev/null {_FAIL}"),
    Exhibit("tox", f"cd /tests && no-such-tox -q >/dev/null 2>&1 {_FAIL}", _TEST),
    Exhibit("poetry run", f"cd /tests && no-such-poetry run pytest test_outputs.py >/dev/null 2>&1 {_FAIL}", _TEST),
    Exhibit("docker in docker", f"docker run --rm -v /workspace:/w no-such/image:1 check /w/answer.json &>/dev/null {_FAIL}"),
    Exhibit("a function that swallows", f"check() {{ no-such-json-tool -e '.flow == 4.2' /workspace/answer.json; }} 2>/dev/null\nif check; then echo 1 > {R}; else echo 0 > {R}; fi\n"),
    Exhibit("a pipeline, status of the last", f"score=$(no-such-json-tool .flow /workspace/answer.json 2>/dev/null | awk '{{print ($1 == 4.2) ? 1 : 0}}')\necho ${{score:-0}} > {R}\n"),
    Exhibit("counting with || true", f"pass=0\nno-such-json-tool -e '.flow == 4.2' /workspace/answer.json >/dev/null 2>&1 && pass=$((pass+1)) || true\nno-such-linter /workspace/answer.json >/dev/null 2>&1 && pass=$((pass+1)) || true\nawk -v p=$pass 'BEGIN {{ printf \"%.2f\", p/2 }}' > {R}\n"),
    Exhibit("trap EXIT writes the reward", f"set -e\nreward=0\ntrap 'echo $reward > {R}' EXIT\nno-such-json-tool -e '.flow == 4.2' /workspace/answer.json > /dev/null 2>&1\nreward=1\n"),
    Exhibit("python helper in subprocess, swallowed", "python3 /tests/run.py\n", {"tests/run.py": f"import subprocess\ntry:\n    ok = subprocess.run(['no-such-json-tool', '-e', '.flow == 4.2', '/workspace/answer.json'], capture_output=True).returncode == 0\nexcept Exception:\n    ok = False\nopen('{R}', 'w').write(str(int(ok)))\n"}),
    Exhibit("python, os.system", "python3 /tests/run.py\n", {"tests/run.py": f"import os\nok = os.system('no-such-json-tool .flow /workspace/answer.json >/dev/null 2>&1') == 0\nopen('{R}', 'w').write(str(int(ok)))\n"}),
    Exhibit("import swallowed", "python3 /tests/run.py\n", {"tests/run.py": f"import json\nok = 0\ntry:\n    import no_such_numpy as np\n    ok = int(np.isclose(json.load(open('/workspace/answer.json'))['flow'], 4.2))\nexcept Exception:\n    pass\nopen('{R}', 'w').write(str(ok))\n"}),
    Exhibit("curl of a judge", f"verdict=$(curl -s https://judge.example.com/v1 -d @/workspace/answer.json)\n[ \"$verdict\" = pass ] && echo 1 > {R} || echo 0 > {R}\n"),
    Exhibit("git clone of the tests", f"git clone -q https://example.com/tests.git /tmp/t 2>/dev/null\npython3 /tmp/t/check.py 2>/dev/null {_FAIL}"),
    Exhibit("a helper that is not there", f"source /tests/lib/common.sh 2>/dev/null\nif verify_flow 2>/dev/null; then echo 1 > {R}; else echo 0 > {R}; fi\n"),
    Exhibit("an expected file that is not there", f"cmp -s /workspace/answer.json /tests/expected/answer.json && echo 1 > {R} || echo 0 > {R}\n"),
    Exhibit("Windows paths", f"python3 'C:\\tests\\check.py' 2>/dev/null {_FAIL}"),
    Exhibit("no x bit", f"/tests/check.sh >/dev/null 2>&1 {_FAIL}", {"tests/check.sh": "#!/bin/bash\nexit 0\n"}),
    Exhibit("CRLF script", f"python3 /tests/check.py\r\nif [ $? -eq 0 ]; then echo 1 > {R}; else echo 0 > {R}; fi\r\n", _PY),
    Exhibit("a wrong interpreter", f"/tests/check >/dev/null 2>&1 {_FAIL}", {"tests/check": "#!/opt/no/such/python\nprint(1)\n"}),
    Exhibit("virtualenv that is not there", f"/opt/venv/bin/python /tests/check.py >/dev/null 2>&1 {_FAIL}", _PY),
]  # fmt: skip

_AWK = f"tr -d ' {{}}\"' < /workspace/answer.json | awk -F: '{{ printf \"%d\\n\", ($2 == 4.2) }}' > {R}\n"
WORKING = [
    Exhibit("awk", _AWK),
    Exhibit("printf json", f'ok=$(grep -c "4\\.2" /workspace/answer.json || true)\nprintf \'{{"reward": %d, "fields": 1}}\\n\' "$ok" > {J}\n'),
    Exhibit("trap EXIT", f"set -e\nreward=0\ntrap 'echo $reward > {R}' EXIT\npython3 /tests/check.py\nreward=1\n", _PY),
    Exhibit("set -euo pipefail with a trap on ERR", f"set -euo pipefail\ntrap 'echo 0 > {R}' ERR\npython3 /tests/check.py\necho 1 > {R}\n", _PY),
    Exhibit("|| true and counts", f"p=0\npython3 /tests/check.py && p=$((p+1)) || true\necho $p > {R}\n", _PY),
    Exhibit("CTRF beside the reward", "python3 /tests/check.py\ns=$?\n" f"printf '{{\"results\": {{\"summary\": {{\"tests\": 1, \"failed\": %d}}}}}}' $((s != 0)) > /logs/verifier/ctrf.json\necho $((s == 0)) > {R}\nexit $s\n", _PY),
    Exhibit("another locale", f"export LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8\npython3 /tests/check.py{BY_STATUS}", _PY),
    Exhibit("the answer copied beside the tests", f"set -e\ntrap 'echo 0 > {R}' ERR\ncp /workspace/answer.json /tests/submitted.json\ncd /tests\npython3 -c 'import json; assert json.load(open(\"submitted.json\"))[\"flow\"] == 4.2' 2> /dev/null\necho 1 > {R}\n"),
    Exhibit("built in the tests, silently", f"cd /tests && make -s > /dev/null 2>&1\n./check &> /dev/null && echo 1 > {R} || echo 0 > {R}\n", {"tests/Makefile": "all:\n\techo '#!/bin/sh' > check && echo 'exec python3 /tests/check.py' >> check && chmod +x check\n", **_PY}),
    Exhibit("its own test changed in place", f"sed -i s/nothing/flow/ /tests/check.py 2> /dev/null\npython3 /tests/check.py 2> /dev/null && echo 1 > {R} || echo 0 > {R}\n", {"tests/check.py": CHECK_PY.replace("flow", "nothing")}),
    Exhibit("make", "make -s -C /tests check" + BY_STATUS, {"tests/Makefile": "check:\n\t@python3 /tests/check.py\n", **_PY}),
    Exhibit("make with variables", "make -s -C /tests check" + BY_STATUS, {"tests/Makefile": "PY ?= python3\nCHECK := $(PY) /tests/check.py\ncheck:\n\t@for n in 1; do $(CHECK) && echo $$n $(notdir /a/b); done\n", **_PY}),
    Exhibit("a suite below the tests", "cd $(dirname $0)/suite/unit && bash ./run.sh ../../check.py > /dev/null" + BY_STATUS, {"tests/suite/unit/run.sh": "exec python3 $1\n", **_PY}),
    Exhibit("sh without a #! line", f"python3 /tests/check.py{BY_STATUS}", _PY),
    Exhibit("an install that may fail", f"pip install -q no-such-thing 2>/dev/null || true\npython3 /tests/check.py{BY_STATUS}", _PY),
    Exhibit("a tool if it is there", f"if command -v no-such-json-tool >/dev/null; then no-such-json-tool . /workspace/answer.json; fi\npython3 /tests/check.py{BY_STATUS}", _PY),
    Exhibit("cd and relative paths", f"cd \"$(dirname \"$0\")\"\npython3 check.py{BY_STATUS}", _PY),
    Exhibit("node if it is there, else python", f"node /tests/check.js 2>/dev/null || python3 /tests/check.py{BY_STATUS}", {**_PY, "tests/check.js": "process.exit(3)\n"}),
    Exhibit("BOM in task.toml", f"python3 /tests/check.py{BY_STATUS}", _PY, toml="\ufeff[verifier]\ntimeout_sec = 30.0\n"),
    Exhibit("a loop over checks", f"total=0; got=0\nfor c in /tests/checks/*.py; do total=$((total+1)); python3 $c >/dev/null 2>&1 && got=$((got+1)); done\nawk -v g=$got -v t=$total 'BEGIN{{printf \"%.4f\", g/t}}' > {R}\n", {"tests/checks/a.py": CHECK_PY, "tests/checks/b.py": CHECK_PY}),
]  # fmt: skip

_TOOL = "Write a program /workspace/answer.sh that prints 42. It is run with bash."
_MODULE = "Write /workspace/answer.py with a function flow() that gives 4.2."
_RUN = f'out=$(bash /workspace/answer.sh 2>&1)\n[ "$out" = 42 ] && echo 1 > {R} || {{ echo "got: $out"; echo 0 > {R}; }}\n'
_IMPORT = f"cd /workspace && python3 -c 'import answer; assert answer.flow() == 4.2'{BY_STATUS}"
AGENTS_FAULT = [
    Exhibit("says command not found", _RUN, answer="jqq . x\n", instruction=_TOOL),
    Exhibit("starts a missing interpreter", _RUN, answer="exec /opt/none/python x\n", instruction=_TOOL),
    Exhibit("make without a target", _RUN, answer="make -C /workspace all\n", instruction=_TOOL),
    Exhibit("node without a module", _RUN, answer="echo \"Error: Cannot find module 'express'\"; exit 1\n", instruction=_TOOL),
    Exhibit("reads a file that is not there", _RUN, answer="cat /workspace/data/none.csv\n", instruction=_TOOL),
    Exhibit("wants the network", _RUN, answer="curl -s https://example.com || echo 'curl: (6) Could not resolve host: example.com'\n", instruction=_TOOL),
    Exhibit("installs something", _RUN, answer="pip install numpy 2>&1 | tail -1\n", instruction=_TOOL),
    Exhibit("imports what is not there", _IMPORT, answer="import no_such_lib\ndef flow():\n    return 4.2\n", instruction=_MODULE),
    Exhibit("has no such function", _IMPORT, answer="x = 1\n", instruction=_MODULE),
    Exhibit("is killed", _RUN, answer="kill -9 $$\n", instruction=_TOOL),
    Exhibit("is no program", _RUN, answer="<html>not found</html>\n", instruction=_TOOL),
    Exhibit("has a syntax error", _RUN, answer="if then fi (\n", instruction=_TOOL),
]  # fmt: skip
