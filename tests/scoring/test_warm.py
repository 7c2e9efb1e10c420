"""Cold or warm: a task earns warm runs by a check, loses them by a difference, and the record says which."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adjudge.contracts import Task
from adjudge.gates import output_of_bytes
from adjudge.sandbox import Sandbox, SandboxJob, choose_sandbox, frozen_tests, only_cold
from adjudge.scoring import Scored, score_output, score_trial
from adjudge.scoring import warm as choice
from adjudge.tasks import load_task
from support.task_folders import write_task

FILTERS = "open('/proc/self/status').read().partition('Seccomp_filters:')[2].split()[0]"
"""The one thing in which a warm trial is known to differ: it has two filters of system calls, not one."""
SOUND = """
import json
answer = open("/workspace/answer.json").read()
right = "4.2" in answer
"""
WRITE = """
json.dump({"reward": float(right)}, open("/logs/verifier/reward.json", "w"))
"""
TELLS_IF_ASKED = f"if 'tell' in answer: open('/logs/verifier/seen', 'w').write({FILTERS})"
ALWAYS_TELLS = f"open('/logs/verifier/seen', 'w').write({FILTERS})"
PRINTS = f"print('filters', {FILTERS})"
RANDOM = "import os; open('/logs/verifier/seen', 'wb').write(os.urandom(8))"
PRINTS_RANDOM = "import os; print('run', os.urandom(8).hex()); print('always the same')"
GOLDENS = {"goldens/pass/a.json": '{"flow": 4.2}', "goldens/fail/b.json": '{"flow": 7}'}
START = "exec python3 -B /tests/v.py"


@pytest.fixture(autouse=True)
def soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ADJUDGE_WARM_CHECKED", "0")
    monkeypatch.setattr(choice, "START_AFTER", 0)
    monkeypatch.setattr(choice, "CHECK_AFTER", 2)
    monkeypatch.setattr(choice, "SLOWEST_SEC", 600.0)  # a busy machine is not what is tested here


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox("bubblewrap", warm=True)


def task_of(
    folder: Path, code: str = "", *, start: str = START, goldens: bool = True, toml: str = ""
) -> Task:
    files: dict[str, str | bytes] = {"tests/v.py": f"{SOUND}{code}\n{WRITE}", **(GOLDENS if goldens else {})}
    return load_task(write_task(folder / "task", script=start, files=files, toml=toml))


def scored(task: Task, sandbox: Sandbox, answer: str = '{"flow": 4.2}') -> Scored:
    return score_output(task, output_of_bytes(task, answer.encode()), sandbox)


def ways(task: Task, sandbox: Sandbox, times: int = 4) -> list[str | None]:
    return [scored(task, sandbox).run.way for _ in range(times)]


def refusal() -> str:
    [known] = choice._known.values()
    assert known.refused is not None
    return known.refused


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    choice._known.clear()


def test_a_task_is_warm_once_it_was_checked(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path)
    assert ways(task, sandbox) == ["cold", "warm", "warm", "warm"]
    right, wrong = scored(task, sandbox), scored(task, sandbox, '{"flow": 1}')
    assert (right.result.reward, wrong.result.reward) == (1.0, 0.0)
    assert right.result == scored(task, only_cold(sandbox)).result


def test_another_process_need_not_check_again(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path)
    ways(task, sandbox, 2)
    choice._known.clear()
    assert ways(task, sandbox, 2) == ["warm", "warm"]


def test_where_many_are_to_come_the_first_is_warm_if_that_is_known(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that knowledge one is run cold first: it tells whether the verifier is quick enough."""
    monkeypatch.setattr(choice, "START_AFTER", 4)
    task = task_of(tmp_path)

    def ways_if_expected() -> list[str]:
        with frozen_tests(task) as tests:
            files = output_of_bytes(task, b'{"flow": 4.2}').files
            job = SandboxJob(("bash", "/tests/test.sh"), tests, files, "/workspace", task.limits)
            return [choice.run_either_way(task, job, sandbox, expected=100).way for _ in range(3)]

    assert ways_if_expected() == ["cold", "warm", "warm"]
    choice._known.clear()
    assert ways_if_expected() == ["warm", "warm", "warm"]


def test_whoever_wants_every_trial_cold_gets_that(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path)
    assert ways(task, only_cold(sandbox)) == ["cold"] * 4
    assert ways(task, choose_sandbox("bubblewrap")) == ["cold"] * 4
    record = score_trial(task, b'{"flow": 4.2}', sandbox=sandbox, cold=True)
    assert record.run.way == "cold"
    assert choice._known == {}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (ALWAYS_TELLS, "a warm run differs in the artifact seen"),
        (RANDOM, "two cold runs differ in the artifact seen"),
        (PRINTS, "a warm run differs in stdout"),
        ("import sys; sys.exit(int('2' == " + FILTERS + "))", "a warm run differs in the exit code: 0 and 1"),
    ],
)
def test_a_difference_in_the_check_keeps_a_task_cold(
    tmp_path: Path, sandbox: Sandbox, code: str, reason: str
) -> None:
    assert ways(task_of(tmp_path, code), sandbox) == ["cold"] * 4
    assert reason in refusal()


def test_words_that_differ_from_run_to_run_are_no_difference(tmp_path: Path, sandbox: Sandbox) -> None:
    assert ways(task_of(tmp_path, PRINTS_RANDOM), sandbox) == ["cold", "warm", "warm", "warm"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"goldens": False}, "no golden"),
        ({"start": "python3 /tests/v.py; echo done"}, "does more than start Python"),
        ({"start": "python3 /tests/v.py\nexit 0"}, "does something after Python"),
    ],
)
def test_what_cannot_be_shown_to_be_the_same_stays_cold(
    tmp_path: Path, sandbox: Sandbox, changes: dict[str, object], reason: str
) -> None:
    assert ways(task_of(tmp_path, **changes), sandbox) == ["cold"] * 4  # type: ignore[arg-type] # by name
    assert reason in refusal()


def test_a_difference_later_on_ends_warm_runs_of_the_task(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(tmp_path, TELLS_IF_ASKED)
    ways(task, sandbox, 2)
    monkeypatch.setenv("ADJUDGE_WARM_CHECKED", "1")
    assert ways(task, sandbox, 1) == ["warm, and cold as a check: the same"]
    told = scored(task, sandbox, '"tell"')
    assert told.artifacts["seen"] == b"1"  # the cold run's
    assert told.run.way == (
        "cold: a warm and a cold run of one trial differed in the artifact seen; "
        "trials of this task are not run warm any more"
    )
    assert ways(task, sandbox, 2) == ["cold", "cold"]
    choice._known.clear()  # nor in another process
    assert ways(task, sandbox, 3) == ["cold", "cold", "cold"]


def test_a_trial_that_is_ended_is_run_cold(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path, "import os\nif 'end' in answer: os.kill(os.getpid(), 11)")
    ways(task, sandbox, 2)
    ended = scored(task, sandbox, '"end"')
    assert (ended.run.way, ended.run.exit_code) == ("cold: a warm run of it did not end by itself", -11)
    assert ways(task, sandbox, 1) == ["warm"]


def test_no_output_gets_a_second_chance_twice(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path, f"import os\nif 'end' in answer and {FILTERS} == '2': os.kill(os.getpid(), 9)")
    ways(task, sandbox, 2)
    assert scored(task, sandbox, '"end"').run.way == "cold: a warm run of it did not end by itself"
    assert "a cold run ended well after a warm one did not" in refusal()
    assert ways(task, sandbox, 2) == ["cold", "cold"]


def test_a_verifier_that_runs_the_agents_program_is_never_warm(tmp_path: Path, sandbox: Sandbox) -> None:
    """The program could end a warm run whose questions it does not like, and be asked others."""
    task = task_of(tmp_path, toml="[verifier]\nruns_output = true\n")
    assert ways(task, sandbox) == ["cold"] * 4
    assert choice._known == {}


@pytest.mark.parametrize("how", ["another's", "writable", "for another task", "a link"])
def test_an_answer_that_somebody_else_could_have_written_is_none(
    tmp_path: Path, sandbox: Sandbox, how: str
) -> None:
    task = task_of(tmp_path)
    ways(task, sandbox, 2)
    [kept] = (tmp_path / "cache" / "adjudge" / "warm").iterdir()
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    if how == "another's":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(kept, 65534, 65534)
    elif how == "writable":
        kept.chmod(0o666)
    elif how == "for another task":
        kept.write_text(json.dumps({"key": "0" * 64, "value": {"refused": None}}))
    else:
        kept.rename(tmp_path / "elsewhere")
        kept.symlink_to(tmp_path / "elsewhere")
    choice._known.clear()
    assert ways(task, sandbox, 1) == ["cold"]


def test_a_cache_that_holds_nonsense_is_none(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path)
    ways(task, sandbox, 2)
    [kept] = (tmp_path / "cache" / "adjudge" / "warm").iterdir()
    assert json.loads(kept.read_text()) == {"key": kept.stem, "value": {"refused": None}}
    kept.write_text("[")
    choice._known.clear()
    assert ways(task, sandbox, 2) == ["cold", "warm"]


@pytest.mark.parametrize(("text", "share"), [("0.5", 0.5), ("nonsense", 1.0), ("7", 1.0), ("0", 0.0)])
def test_how_many_are_checked_can_be_set(monkeypatch: pytest.MonkeyPatch, text: str, share: float) -> None:
    monkeypatch.setenv("ADJUDGE_WARM_CHECKED", text)
    assert choice.checked_share() == share
