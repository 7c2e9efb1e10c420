"""Nothing an agent leaves in its folder writes the reward, reads the tests, or runs inside the verifier."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome
from support.sandbox_jobs import SMALL, Verify, everyone, python

FORGE = "open('/logs/verifier/reward.json', 'w').write('{\"reward\": 1.0}')\n"


def placed(sandbox: Sandbox, script: str, files: dict[str, OutputFile], **fields: str) -> SandboxOutcome:
    with tempfile.TemporaryDirectory() as place:
        tests = Path(place)
        tests.chmod(0o755)
        (tests / "test.sh").write_text(script)
        (tests / "expected.json").write_text("the answer")
        (tests / "expected.json").chmod(0o644)
        job = SandboxJob(
            ("bash", "/tests/test.sh"), tests, files, fields.get("workdir", "/workspace"), limits=SMALL
        )
        return sandbox.run(job)


@everyone
def test_a_workspace_above_the_artifacts_cannot_bring_any(verify: Verify) -> None:
    files = {
        "/logs/answer.json": "{}",
        "/logs/verifier/reward.json": '{"reward": 1}',
        "/logs/verifier/sub/x": "",
    }
    outcome = verify("ls -A /logs/verifier", files=files, workdir="/logs")
    assert (outcome.stdout, outcome.artifacts) == (b"", {})
    assert set(outcome.left_out) == {"/logs/verifier/reward.json", "/logs/verifier/sub/x"}


@everyone
def test_the_home_is_the_verifiers_alone(verify: Verify) -> None:
    """Nothing in it but what the verifier puts there, wherever the answer lies."""
    for answer in ("/home/verifier/out.json", "/home/x/out.json", "/root/out.json"):
        workdir = answer.rpartition("/")[0]
        custom = f"{workdir}/.local/lib/python3.11/site-packages/usercustomize.py"
        outcome = verify(
            "ls -A $HOME; echo $HOME; python3 -c 1; touch $HOME/mine",
            files={answer: "{}", custom: FORGE},
            workdir=workdir,
        )
        assert (outcome.stdout, outcome.artifacts) == (b"/run/verifier\n", {})


def test_a_link_to_the_tests_does_not_resolve(sandbox: Sandbox) -> None:
    links = {
        "extra.json": "/tests/expected.json",
        "up": "..",
        "proc": "/proc/self/root/tests/expected.json",
        "reward": "/logs/verifier/reward.json",
        "own": "answer.json",
    }
    files = {f"/workspace/{name}": OutputFile(b"", 0o777, target) for name, target in links.items()}
    files["/workspace/answer.json"] = OutputFile(b"mine")
    script = "cat extra.json up/tests/expected.json proc own; echo forged > reward; cat /logs/verifier/*"
    outcome = placed(sandbox, script, files)
    assert outcome.stdout == b"mine"
    assert outcome.artifacts == {}
    assert len(outcome.left_out) == 4


def test_what_a_verifier_writes_and_reads_back_is_its_own(sandbox: Sandbox) -> None:
    """A link to a text of the system, which cannot be written, held the words that the verifier looks for."""
    files = {"/workspace/result.log": OutputFile(b"", 0o777, "/etc/passwd")}
    outcome = placed(sandbox, "echo failed > result.log; cat result.log", files)
    assert (outcome.stdout, list(outcome.left_out)) == (b"failed\n", ["/workspace/result.log"])


SHADOWS = (
    *("json.py", "os.py", "re.py", "pathlib.py", "random/__init__.py", "sub/csv.py", "codecs.py"),
    *("tkinter.py", "lib2to3.py", "distutils.py", "ensurepip.py"),  # Debian's Python lacks some of these
    *("sitecustomize.py", "usercustomize.py", "pytest.py", "_pytest/__init__.py", "adjudge_kit.py"),
)


@everyone
@pytest.mark.parametrize("flags", ["", "-E", "-S", "-s", "-B -E -S"])
def test_no_module_of_the_workspace_runs_in_place_of_another(verify: Verify, flags: str) -> None:
    """However Python is started there; and each is named."""
    script = f"""
python3 {flags} -c 'import json, os, re, pathlib, random, codecs'
python3 {flags} -m json.tool < answer.json
python3 {flags} - <<'END'
import json, re, random
END
(cd sub && python3 {flags} -c 'import csv')
PYTHONPATH=/workspace python3 {flags} -c 'import json'
PYTHONPATH=. python3 {flags} -c 'import random'
python3 {flags} -m pytest --version
python3 {flags} -c 'import adjudge_kit'
for module in tkinter lib2to3 distutils ensurepip; do python3 {flags} -c "import $module"; done
ls -A /logs/verifier
"""
    files = {f"/workspace/{name}": FORGE for name in SHADOWS} | {"/workspace/answer.json": "{}"}
    outcome = verify(script, files=files)
    assert outcome.artifacts == {}, outcome.stderr
    assert list(outcome.shadowing) == sorted(f"/workspace/{name}" for name in SHADOWS)


@everyone
def test_a_module_of_the_tests_wins_over_one_of_the_workspace(verify: Verify) -> None:
    """Also if it is a folder without an `__init__.py`, which in Python comes after any module."""
    outcome = verify(
        "mkdir /tmp/v /tmp/v/checks; echo 'W = \"tests\"' | tee /tmp/v/helpers.py > /tmp/v/checks/one.py\n"
        "export PYTHONPATH=/workspace:/tmp/v\n"
        "python3 -c 'import helpers, checks.one; print(helpers.W, checks.one.W)'",
        files={"/workspace/helpers.py": "W = 'agent'", "/workspace/checks.py": FORGE},
    )
    assert outcome.stdout == b"tests tests\n"


COPYING = {
    "package": {"helper/__init__.py": FORGE},
    "package and module": {"helper/__init__.py": FORGE, "helper.py": FORGE},
    "program's name": {"check.py/__main__.py": FORGE},
    "module's name": {"helper.py/__init__.py": FORGE, "helper/__init__.py": FORGE},
}


@pytest.mark.parametrize("name", COPYING)
def test_what_the_verifier_copies_beside_the_agents_files_is_what_runs(sandbox: Sandbox, name: str) -> None:
    """Python takes a package before a module of its name, and a copy ends up inside a folder of its name."""
    with tempfile.TemporaryDirectory() as place:
        tests = Path(place)
        tests.chmod(0o755)
        (tests / "check.py").write_text("import helper\nprint(helper.WHOSE)\n")
        (tests / "helper.py").write_text("WHOSE = 'the verifier'\n")
        (tests / "test.sh").write_text("cp /tests/*.py /workspace/; cd /workspace; python3 check.py\n")
        files = {f"/workspace/{path}": OutputFile(text.encode()) for path, text in COPYING[name].items()}
        outcome = sandbox.run(SandboxJob(("bash", "/tests/test.sh"), tests, files, "/workspace"))
    assert (outcome.stdout, outcome.artifacts) == (b"the verifier\n", {}), outcome.stderr


@everyone
def test_a_test_may_import_the_agents_module_on_purpose(verify: Verify) -> None:
    """From the current folder, from a path that it adds, from a package, and next to a script."""
    outcome = verify(
        "python3 -c 'import solution; print(solution.X)'\n"
        "cd /; PYTHONPATH=/workspace python3 -c 'import solution; print(solution.X)'\n"
        + python("import sys; sys.path.insert(0, '/workspace'); import pkg.json; print(pkg.json.X)")
        + "python3 /workspace/script.py\n"
        "cd /workspace; ADJUDGE_WORKSPACE_MODULES=statistics python3 -c 'import statistics as s; print(s.X)'",
        files={
            "/workspace/solution.py": "X = 1",
            "/workspace/pkg/__init__.py": "",
            "/workspace/pkg/json.py": "X = 2",
            "/workspace/script.py": "import neighbour; print(neighbour.X)",
            "/workspace/neighbour.py": "X = 3",
            "/workspace/statistics.py": "X = 4",
        },
    )
    assert outcome.stdout.split() == [b"1", b"1", b"2", b"3", b"4"]


@everyone
def test_a_distribution_in_the_workspace_announces_no_plug_in(verify: Verify) -> None:
    """A test runner would load what it announces; that a distribution is there may be asked."""
    files = {
        "/workspace/evil-1.0.dist-info/METADATA": "Name: evil\nVersion: 1.0\n",
        "/workspace/evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "/workspace/fine-2.0.dist-info/METADATA": "Name: fine\nVersion: 2.0\n",
        "/workspace/fine-2.0.dist-info/entry_points.txt": "[console_scripts]\nfine = fine:main\n",
    }
    script = python(
        "import importlib.metadata as m\n"
        "print(m.version('fine'), [p.value for p in m.entry_points(group='pytest11')])"
    )
    assert verify(script, files=files).stdout == b"2.0 []\n"
