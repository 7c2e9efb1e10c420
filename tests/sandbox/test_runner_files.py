"""What an agent leaves for a test runner does not steer the verifier's, unless the task asks for it."""

from __future__ import annotations

import importlib.util
import marshal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.gates import OutputFile
from adjudge.sandbox.files.admission import admit
from adjudge.sandbox.files.runner_files import BECAUSE_COLLECTED, BECAUSE_COMPILED, BECAUSE_RUNNER
from adjudge.scoring import FILE_LEFT_OUT
from support.sandbox_jobs import Verify, everyone
from support.task_folders import write_task

COPIES_AND_RUNS = "cp /tests/test_it.py /workspace && cd /workspace && python3 -m pytest test_it.py\n"
STEERS = {
    "/workspace/conftest.py": "",
    "/workspace/sub/conftest.py": "",
    "/workspace/pytest.ini": "",
    "/workspace/.pytest_cache/v/cache/lastfailed": "{}",
    "/workspace/pyproject.toml": "[project]\nname = 'x'\n[tool.pytest.ini_options]\naddopts = '--co'\n",
    "/workspace/setup.cfg": "[tool:pytest]\naddopts = --co\n",
    "/workspace/tox.ini": "[pytest]\naddopts = --co\n",
    "/workspace/.coveragerc": "[run]\nplugins = mine\n",
    "/workspace/mine/setup.cfg": "[coverage:run]\nplugins = mine\n",
}
STAYS = {
    "/workspace/answer.json": "{}",
    "/workspace/my_conftest.py": "",
    "/workspace/other/pyproject.toml": "[project]\nname = 'x'\n",
    "/workspace/test_mine.py": "",
}


def left_out(tests: Path, files: dict[str, str], asked_for: frozenset[str] = frozenset()) -> set[str]:
    placed = {path: OutputFile(text.encode()) for path, text in files.items()}
    found = admit(placed, workdir="/workspace", collect="/logs/verifier", tests=tests, asked_for=asked_for)
    return {path for path, why in found.left_out.items() if why == BECAUSE_RUNNER}


def folder(place: Path, script: str) -> Path:
    place.mkdir(exist_ok=True)
    (place / "test.sh").write_text(script)
    return place


def test_a_runners_files_are_left_out_where_a_runner_is_run(tmp_path: Path) -> None:
    assert left_out(folder(tmp_path / "a", COPIES_AND_RUNS), STEERS | STAYS) == set(STEERS)
    assert left_out(folder(tmp_path / "b", "python3 /tests/check.py"), STEERS | STAYS) == set()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "tool.pytest.ini_options.addopts = '--co'\n"),
        ("pyproject.toml", "[tool]\npytest.ini_options = {addopts = '--co'}\n"),
        ("pyproject.toml", "[tool]\n'pytest' = {'ini_options' = {'addopts' = '--co'}}\n"),
        ("pyproject.toml", "['tool' . \"p\\u0079test\".ini_options]\naddopts = '--co'\n"),
        ("pyproject.toml", "['tool' . \"p\\u0079test\"]\naddopts = ['--co']\n"),
        ("pyproject.toml", "[tool.pytest]\naddopts = ['--co']\n"),
        ("setup.cfg", "[a]\nb = 1\x0c[tool:pytest]\naddopts = --co\n"),
        ("setup.cfg", "[a]\nb = 1\r[tool:pytest]\raddopts = --co\r"),
        ("tox.ini", "[a]\nb = 1\u2028[pytest]\naddopts = --co\n"),
    ],
)
def test_settings_are_known_however_they_are_written(tmp_path: Path, name: str, text: str) -> None:
    """Each of these has pytest collect a failing test, not run it, and end with 0."""
    place = tmp_path / "agents"
    place.mkdir()
    (place / name).write_bytes(text.encode())
    (place / "test_it.py").write_text("def test_it(): assert False\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    steers = done.returncode == 0
    assert steers or name == "pyproject.toml"  # of pytest's own table only newer ones know
    tests = folder(tmp_path / "t", COPIES_AND_RUNS)
    assert left_out(tests, {f"/workspace/{name}": text}) == {f"/workspace/{name}"}


@pytest.mark.parametrize(
    "text",
    [
        "[project]\ndependencies = ['pytest', 'pytest>=7', 'pytest==7.4']\n",
        "[tool.poetry.group.dev.dependencies]\npytest = '^8'\n",
        "[tool.ruff]\nselect = ['PT']\n",
    ],
)
def test_a_file_that_only_names_pytest_stays(tmp_path: Path, text: str) -> None:
    tests = folder(tmp_path / "t", COPIES_AND_RUNS)
    assert left_out(tests, {"/workspace/pyproject.toml": text}) == set()


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        ("pytest /tests", False),
        ("cp /tests/conftest.py . && pytest", False),
        ("pip install -e . && grep -q x /workspace/conftest.py && pytest", True),
        ("pytest --confcutdir=. conftest.py", True),
        ("pytest # see my_conftest.py", False),
    ],
)
def test_what_the_tests_themselves_speak_of_stays(tmp_path: Path, script: str, kept: bool) -> None:
    found = left_out(folder(tmp_path / "t", script), {"/workspace/conftest.py": ""})
    assert (found == set()) == kept


def test_what_the_task_asks_for_stays(tmp_path: Path) -> None:
    tests = folder(tmp_path / "t", COPIES_AND_RUNS)
    assert left_out(tests, {"/workspace/conftest.py": ""}, frozenset({"conftest.py"})) == set()


def test_links_by_such_a_name_are_no_way_around(tmp_path: Path) -> None:
    files = {
        "/workspace/conftest.py": OutputFile(b"", 0o777, "real.py"),
        "/workspace/pyproject.toml": OutputFile(b"", 0o777, "other.toml"),
        "/workspace/__pycache__": OutputFile(b"", 0o777, "cache"),
        "/workspace/real.py": OutputFile(b""),
        "/workspace/other.toml": OutputFile(b"[tool.pytest.ini_options]"),
    }
    found = admit(
        files, workdir="/workspace", collect="/logs/verifier", tests=folder(tmp_path / "t", COPIES_AND_RUNS)
    )
    assert set(found.files) == {"/workspace/real.py", "/workspace/other.toml"}


RUN_BY_THEMSELVES = {
    "/workspace/__init__.py": "import os",
    "/workspace/tests/__init__.py": "import os",
    "/workspace/test_mine.py": "",
    "/workspace/sub/mine_test.py": "",
    "/workspace/sub/test_it.py": "",
}
NOT_RUN = {
    "/workspace/answer.json": "{}",
    "/workspace/mine.py": "",
    "/workspace/pkg/__init__.py": "import os",
    "/workspace/sub/tests/__init__.py": "# mine\n\n",
}


@pytest.mark.parametrize("runner", ["python3 -m pytest", "python3 -m unittest", "pytest /workspace"])
def test_of_an_answer_that_is_data_a_runner_runs_nothing(tmp_path: Path, runner: str) -> None:
    tests = folder(tmp_path / "t", f"cp /tests/test_it.py /workspace; cd /workspace; {runner}")
    (tests / "test_it.py").write_text("")
    files = {path: OutputFile(text.encode()) for path, text in (RUN_BY_THEMSELVES | NOT_RUN).items()}

    def found(**more: object) -> set[str]:
        arguments: dict[str, Any] = {"workdir": "/workspace", "collect": "/logs/verifier", "tests": tests}
        admission = admit(files, **arguments | more)
        return {path for path, why in admission.left_out.items() if why == BECAUSE_COLLECTED}

    assert found(answer_is_data=True) == set(RUN_BY_THEMSELVES)
    assert found() == set()
    assert found(answer_is_data=True, asked_for={"__init__.py", "test_it.py"}) == {
        "/workspace/test_mine.py",
        "/workspace/sub/mine_test.py",
    }
    (tests / "test.sh").write_text("python3 /tests/check.py")
    assert found(answer_is_data=True) == set()


COLLECTS = """#!/bin/bash
cp /tests/test_it.py /workspace/; cd /workspace
echo '{"reward": 0.0}' > /logs/verifier/reward.json
python3 -m unittest && echo '{"reward": 1.0}' > /logs/verifier/reward.json
true
"""
WRONG = "import unittest\nclass It(unittest.TestCase):\n    def test_it(self): self.fail()\n"


@pytest.mark.parametrize("name", ["test_mine.py", "__init__.py", "sub/test_it.py"])
def test_an_agents_tests_do_not_pass_for_the_verifiers(tmp_path: Path, name: str) -> None:
    """A runner that collects what it finds would import this, and end with 0."""
    output = tmp_path / "output"
    (output / "sub").mkdir(parents=True)
    (output / "answer.json").write_text("{}")
    (output / "sub/__init__.py").write_text("")
    (output / name).write_text("import os\nos._exit(0)\n")
    task = write_task(tmp_path / "task", script=COLLECTS, files={"tests/test_it.py": WRONG})
    result = adjudge.score(adjudge.load_task(task), output)
    tags = {tag.category: tag.description or "" for tag in result.error_taxonomy or []}
    assert result.reward == 0.0
    assert "and the task asks for data" in tags[FILE_LEFT_OUT]


@everyone
def test_compiled_code_of_the_agent_does_not_stand_in_for_the_verifiers(verify: Verify) -> None:
    """Without a check of the source, Python takes whatever lies in `__pycache__` for it."""
    forged = marshal.dumps(compile("print('forged')", "helpers.py", "exec"))
    compiled = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + forged
    name = f"/workspace/__pycache__/helpers.{importlib.util.cache_from_source('x').split('.')[-2]}.pyc"
    outcome = verify(
        "echo 'print(\"own\")' > /workspace/helpers.py; ls -A /workspace; python3 -c 'import helpers'",
        files={name: compiled.decode("latin-1"), "/workspace/answer.json": "{}"},
    )
    assert outcome.stdout == b"answer.json\nhelpers.py\nown\n"
    assert outcome.left_out == {name: BECAUSE_COMPILED}


def test_it_is_on_the_record_and_the_verifier_decides(tmp_path: Path) -> None:
    """From a folder of an agent to the tag; the agent's own module is imported as always."""
    script = (
        "#!/bin/bash\n# runs pytest in the workspace\ncd /workspace\n"
        "ls conf*.py && forged=1 || forged=0\n"
        "python3 -c 'import solution; print(solution.X)' > /tmp/x\n"
        'echo "{\\"reward\\": $(cat /tmp/x)}" > /logs/verifier/reward.json\n'
        '[ $forged = 0 ] || echo "{\\"reward\\": 1.0}" > /logs/verifier/reward.json\n'
    )
    output = tmp_path / "output"
    output.mkdir()
    (output / "solution.py").write_text("X = 0.25")
    (output / "conftest.py").write_text("")
    said = "Write `/workspace/solution.py`.\n"
    for number, (more, reward) in enumerate([("", 0.25), ("Bring a `conftest.py` too.\n", 1.0)]):
        task = write_task(tmp_path / f"task{number}", script=script, instruction=said + more)
        result = adjudge.score(adjudge.load_task(task), output)
        tags = {tag.category: tag.description or "" for tag in result.error_taxonomy or []}
        assert result.reward == reward
        assert (FILE_LEFT_OUT in tags) == (reward == 0.25)
        if reward == 0.25:
            assert "conftest.py, because it would steer" in tags[FILE_LEFT_OUT]
