"""Tasks in Harbor's format load as they are; what they ask for and will not get is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Origin
from adjudge.errors import TaskError
from adjudge.tasks import load_task, load_tasks, open_steps
from support.task_folders import write_task

PYTEST = "#!/bin/bash\npytest /tests/test_outputs.py -rA\necho 1 > /logs/verifier/reward.txt\n"


def harbor(folder: Path, instruction: str, tests: str = "", toml: str = "") -> Path:
    files: dict[str, str | bytes] = {"tests/test_outputs.py": tests}
    return write_task(folder, toml=toml, instruction=instruction, script=PYTEST, files=files)


@pytest.mark.parametrize(
    ("instruction", "tests", "paths"),
    [
        ("Save it to `/app/result.txt`.", "", ["/app/result.txt"]),
        ("Read /data/in.csv, write /tmp/out.json", 'open("/tmp/out.json")', ["/tmp/out.json"]),
        ("Write ~/answer.md.", "", ["/root/answer.md"]),
        ('Write "/home/user/my report.txt", please.', "", ["/home/user/my report.txt"]),
        ("Write result.json here.", 'P = "/app/result.json"', ["/app/result.json"]),
        ("Write /app/a.py and /app/b.json.", '"/app/a.py" "/app/b.json"', ["/app/b.json", "/app/a.py"]),
        ("Write /app/out.txt. See https://x.org/app/y.html and /etc/hosts.conf", "", ["/app/out.txt"]),
        ("Write /app/out.txt, then run /app/run.py", 'open("/app/out.txt")', ["/app/out.txt"]),
        ("Fix `${HOME}/x/y.json` with {base}/out/z.json", "", ["/app"]),
    ],
)
def test_the_answer_is_found_where_people_write_it(
    tmp_path: Path, instruction: str, tests: str, paths: list[str]
) -> None:
    task = load_task(harbor(tmp_path / "t", instruction, tests))
    assert task.output.paths == paths
    assert task.verifier.expected_output_path == paths[0]
    assert task.output.path_origin is Origin.INFERRED
    assert task.output.is_folder is (paths == ["/app"])


def test_what_the_task_itself_brings_is_not_its_answer(tmp_path: Path) -> None:
    text = "Look at /app/data/sales.csv and /app/clip.mp4; write /app/sum.txt. Fix /app/data/sales.csv."
    toml = '[[metadata.x.inputs]]\npath = "/app/clip.mp4"\n'
    folder = harbor(tmp_path / "t", text, toml=toml)
    (folder / "environment" / "data").mkdir(parents=True)
    (folder / "environment" / "data" / "sales.csv").write_text("1")
    assert load_task(folder).output.paths == ["/app/sum.txt"]
    folder = harbor(tmp_path / "u", "Fix /app/main.py.", '"/app/main.py"')
    (folder / "environment").mkdir()
    (folder / "environment" / "main.py").write_text("1/0")
    assert load_task(folder).output.is_folder


@pytest.mark.parametrize(
    ("toml", "paths", "is_folder"),
    [
        ('artifacts = ["/app/a.json", "/app/b.json"]', ["/app/a.json", "/app/b.json"], False),
        ('artifacts = [{source = "/app/site/", destination = "site"}]', ["/app/site"], True),
        ('artifacts = ["/app/log.txt", "/app/out.json"]', ["/app/out.json"], False),
        ('artifacts = ["/usr/bin/x.sh", 3, "../y"]', ["/app/out.json"], False),
        ('[output]\npath = ["/app/x.json", "/app/y.json"]', ["/app/x.json", "/app/y.json"], False),
        ('[output]\npath = "/srv/site/"', ["/srv/site"], True),
    ],
)
def test_declared_and_kept_paths(tmp_path: Path, toml: str, paths: list[str], is_folder: bool) -> None:
    task = load_task(harbor(tmp_path / "t", "Write /app/out.json.", toml=toml))
    assert (task.output.paths, task.output.is_folder) == (paths, is_folder)


@pytest.mark.parametrize(
    ("toml", "dockerfile", "workdir"),
    [
        ("", "FROM x\nWORKDIR /srv/app/\nRUN y", "/srv/app"),
        ('[environment]\nworkdir = "/code"', "WORKDIR /srv", "/code"),
        ("", "FROM x\nWORKDIR $HOME", None),
        ("", "WORKDIR /usr/src/app", None),
        ("", None, None),
    ],
)
def test_the_working_folder(tmp_path: Path, toml: str, dockerfile: str | None, workdir: str | None) -> None:
    folder = harbor(tmp_path / "t", "Do it.", toml=toml)
    if dockerfile is not None:
        (folder / "environment").mkdir()
        (folder / "environment" / "Dockerfile").write_text(dockerfile)
    task = load_task(folder)
    assert task.workdir == workdir
    assert task.verifier.expected_output_path == (workdir or "/app")


def test_what_cannot_be_honoured_is_said(tmp_path: Path) -> None:
    toml = """
[environment]
docker_image = "x/y:1"
gpus = 2
os = "windows"
[environment.healthcheck]
command = "true"
[verifier]
user = "bob"
[[verifier.collect]]
command = "dump"
[verifier.environment]
network_mode = "public"
"""
    folder = harbor(tmp_path / "t", "Do it.", toml=toml)
    (folder / "tests" / "Dockerfile").write_text("FROM x")
    said = " ".join(load_task(folder).not_honoured)
    for word in (
        "'x/y:1'",
        "GPU",
        "'windows'",
        "health check",
        "'bob'",
        "collect",
        "network",
        "tests/Dockerfile",
    ):
        assert word in said
    assert (
        load_task(harbor(tmp_path / "u", "Do it.", toml="[environment]\nallow_internet = true")).not_honoured
        == []
    )


def test_a_step_may_name_its_folder(tmp_path: Path) -> None:
    toml = '[[steps]]\nid = "1"\nname = "first"\ndir = "steps/1_first"\nmin_reward = 1.0\n'
    files: dict[str, str | bytes] = {
        "steps/1_first/instruction.md": "Begin.\n",
        "steps/1_first/tests/test.sh": PYTEST,
    }
    task = load_task(write_task(tmp_path / "t", toml=toml, instruction=None, script=None, files=files))
    assert (task.steps, task.instruction.strip()) == (["1_first"], "Begin.")
    with open_steps(task) as steps:
        assert [(step.name, step.min_reward) for step in steps] == [("1_first", 1.0)]


def test_a_step_without_an_instruction_is_told_by_its_own_file(tmp_path: Path) -> None:
    toml = '[[steps]]\nname = "first"\n'
    with pytest.raises(TaskError, match=r"steps/first/instruction\.md: this file is missing"):
        load_task(write_task(tmp_path / "t", toml=toml, instruction=None))


def test_a_task_in_steps_loads_with_its_working_folder_as_the_answer(tmp_path: Path) -> None:
    toml = '[[steps]]\nname = "one"\nmin_reward = 0.5\n[[steps]]\nname = "two"\n'
    files: dict[str, str | bytes] = {
        f"steps/{name}/{file}": text
        for name in ("one", "two")
        for file, text in (("instruction.md", f"Write /app/{name}.txt."), ("tests/test.sh", PYTEST))
    }
    task = load_task(write_task(tmp_path / "t", toml=toml, instruction=None, script=None, files=files))
    assert task.steps == ["one", "two"]
    assert task.verifier.script == "steps/two/tests/test.sh"
    assert "/app/one.txt" in task.instruction
    assert (task.output.paths, task.output.is_folder) == (["/app"], True)


def test_an_old_task_is_read_or_has_one_true_reason(tmp_path: Path) -> None:
    yaml = "instruction: |\n  Write /app/a.txt.\ndifficulty: easy\n"
    write_task(tmp_path / "ok", toml=None, instruction=None, files={"task.yaml": yaml})
    write_task(
        tmp_path / "old",
        toml=None,
        instruction=None,
        script=None,
        files={"task.yaml": yaml, "run-tests.sh": "x"},
    )
    found = load_tasks(tmp_path)
    assert [task.verifier.expected_output_path for task in found] == ["/app/a.txt"]
    [problem] = found.problems
    assert "run-tests.sh prints what it found and writes no reward" in problem.message


def test_a_sidecar_speaks_for_a_task_that_may_not_be_edited(tmp_path: Path) -> None:
    folder = harbor(tmp_path / "t", "Do it.", toml="[verifier]\ntimeout_sec = 9\n")
    (folder / "adjudge.toml").write_text('[output]\npath = "/app/x.csv"\n[verifier]\ndeterministic = true\n')
    task = load_task(folder)
    assert (task.verifier.expected_output_path, task.deterministic, task.limits.wall_time_sec) == (
        "/app/x.csv",
        True,
        9.0,
    )
    assert load_task(folder, output_path="/app/y.json").output.paths == ["/app/y.json"]
    with pytest.raises(TaskError, match="allowed: an absolute path"):
        load_task(folder, output_path="y.json")
