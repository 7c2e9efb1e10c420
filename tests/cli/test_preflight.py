"""On a fresh machine what cannot pass is said first, nothing is recorded wrong, and what was told works."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.contracts import Outcome
from adjudge.ledger import open_ledger
from evidence.gallery import BY_STATUS, TEST_PY, UVX
from support.command_line import Done, run_adjudge
from support.task_folders import write_task
from support.wheel_index import write_index

SCRIPTS = (
    UVX.replace("pytest-json-ctrf==0.3.5", "pytest-json-ctrf"),
    "uv run --with pytest==8.4.1 pytest /tests/test_outputs.py >/dev/null 2>&1",
    "pip install -q pytest==8.4.1\npytest /tests/test_outputs.py",
)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a user with a cache of their own and an index that has the packages."""
    index = write_index(tmp_path / "index")
    with tempfile.TemporaryDirectory(prefix="adjudge-test-cache-", dir="/tmp") as cache:
        Path(cache).chmod(0o755)
        yield {
            "XDG_CACHE_HOME": cache,
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(index),
        }


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """Twelve tasks that need pytest, and for each a right and a wrong answer."""
    for number in range(12):
        test = TEST_PY.replace("4.2", f"{number}.5")
        script = SCRIPTS[number % 3] + BY_STATUS
        write_task(tmp_path / "tasks" / f"t{number:02}", script=script, files={"tests/test_outputs.py": test})
        for agent, flow in (("good", f"{number}.5"), ("bad", "99")):
            folder = tmp_path / "outputs" / agent / "1" / f"t{number:02}"
            folder.mkdir(parents=True)
            (folder / "answer.json").write_text(f'{{"flow": {flow}}}')
    return tmp_path


def run(folder: Path, environment: dict[str, str], *more: str) -> Done:
    place = ("--tasks", folder / "tasks", "--ledger", folder / "ledger.db")
    return run_adjudge("run", folder / "outputs", "-e", "pilot", *place, *more, **environment)


def outcomes(folder: Path) -> dict[str, set[str]]:
    with open_ledger(str(folder / "ledger.db"), create=False) as book:
        columns = book.columns()
    found: dict[str, set[str]] = {}
    for agent, outcome in zip(columns.agent.codes, columns.outcome.codes, strict=True):
        found.setdefault(columns.agent.categories[agent], set()).add(columns.outcome.categories[outcome])
    return found


def test_twelve_tasks_score_right_after_what_preflight_told(benchmark: Path, fresh: dict[str, str]) -> None:
    first = run(benchmark, fresh)
    assert "may not pass here" in first.stderr
    assert "Add --prepare" in first.stderr
    assert outcomes(benchmark) == {"good": {Outcome.SUSPECTED}, "bad": {Outcome.SUSPECTED}}
    second = run(benchmark, fresh, "--prepare")
    assert "may not pass here" not in second.stderr
    assert outcomes(benchmark) == {"good": {Outcome.SCORED}, "bad": {Outcome.WRONG}}


def test_what_was_tried_already_is_not_advised(
    benchmark: Path, fresh: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    nowhere = {**fresh, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "empty")}
    done = run(benchmark, nowhere, "--prepare", "--strict-preflight")
    assert done.code == 1
    assert "not prepared: " in done.stderr
    assert "Add --prepare" not in done.stderr
    assert "--sandbox container --image IMAGE, or --rootfs FOLDER" in " ".join(done.stderr.split())


def test_strict_preflight_scores_nothing(benchmark: Path, fresh: dict[str, str]) -> None:
    done = run(benchmark, fresh, "--strict-preflight")
    assert done.code == 1
    assert "nothing was scored" in done.stderr
    assert not (benchmark / "ledger.db").exists()


def test_no_preflight_says_nothing(benchmark: Path, fresh: dict[str, str]) -> None:
    assert "pass here" not in run(benchmark, fresh, "--no-preflight").stderr


def test_check_shows_the_same_without_running_anything(benchmark: Path, fresh: dict[str, str]) -> None:
    done = run_adjudge("check", benchmark / "tasks", "--json", **fresh)
    assert "may not pass here: missing program 'uvx'" in done.stdout
    assert "--prepare" in done.stdout


def test_check_with_a_control_names_a_verifier_that_fails_its_own_right_answer(tmp_path: Path) -> None:
    script = "python3 -c 'import os; os.execvp(chr(120) * 9, [chr(120)])' 2>/dev/null" + BY_STATUS
    golden = {"goldens/pass/answer.json": '{"flow": 4.2}'}
    write_task(tmp_path / "tasks" / "broken", script=script, files=dict(golden))
    assert "cannot pass" not in run_adjudge("check", tmp_path / "tasks").stdout
    done = run_adjudge("check", tmp_path / "tasks", "--control", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "cannot pass here" in " ".join(done.stdout.split())
    assert done.code == 3
