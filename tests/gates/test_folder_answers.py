"""Several files, folders and guessed paths: what is the answer, and when does the verifier decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import OutputFormat, Task
from adjudge.gates import check_output, read_output
from adjudge.tasks import load_task
from support.task_folders import write_task


def task_of(folder: Path, toml: str = "", instruction: str = "Do it.") -> Task:
    return load_task(write_task(folder / "task", toml=toml, instruction=instruction))


def given(folder: Path, *names: str) -> Path:
    for name in names:
        file = folder / "output" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    (folder / "output").mkdir(exist_ok=True)
    return folder / "output"


def test_a_folder_is_the_answer_with_all_that_lies_in_it(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    output = read_output(task, given(tmp_path, "main.py", "lib/x.py"))
    assert set(output.files) == {"/app/main.py", "/app/lib/x.py"}
    assert (output.answer, output.problem) == (None, None)
    check = check_output(task, output)
    assert (check.output_parseable, check.schema_valid) == (True, True)


def test_an_empty_folder_is_no_answer(tmp_path: Path) -> None:
    output = read_output(task_of(tmp_path), given(tmp_path))
    assert output.missing
    assert not check_output(task_of(tmp_path), output).output_parseable


def test_one_file_for_a_folder_lies_there_by_its_own_name(tmp_path: Path) -> None:
    output = read_output(task_of(tmp_path), given(tmp_path, "main.py") / "main.py")
    assert list(output.files) == ["/app/main.py"]


def test_of_several_declared_files_those_that_are_there_are_for_the_verifier(tmp_path: Path) -> None:
    task = task_of(tmp_path, toml='[output]\npath = ["/app/a.json", "/app/b.json"]\nformat = "json"\n')
    output = read_output(task, given(tmp_path, "b.json"))
    assert (output.problem, set(output.files)) == (None, {"/app/b.json"})
    assert check_output(task, output).errors == (
        "/app/a.json: not there; whether it is needed, the verifier decides",
    )
    single = read_output(task, tmp_path / "output" / "b.json")
    assert list(single.files) == ["/app/b.json"]


def test_one_declared_file_must_be_there_and_a_guessed_one_need_not(tmp_path: Path) -> None:
    declared = task_of(tmp_path, toml='[output]\npath = "/app/a.json"\n')
    assert read_output(declared, given(tmp_path, "other.txt")).missing
    guessed = task_of(tmp_path / "guessed", instruction="Write /app/a.json.")
    output = read_output(guessed, tmp_path / "output")
    assert (output.problem, output.missing, set(output.files)) == (None, False, {"/app/other.txt"})


def test_a_folder_may_hold_the_answer_at_its_whole_path(tmp_path: Path) -> None:
    task = task_of(tmp_path, instruction="Write /tmp/a.json.")
    output = read_output(task, given(tmp_path, "tmp/a.json", "app/log.txt"))
    assert set(output.files) == {"/tmp/a.json", "/app/log.txt"}
    assert output.answer == b"{}"


@pytest.mark.parametrize(("toml", "parseable"), [("", True), ('[output]\nformat = "json"\n', False)])
def test_only_a_declared_format_makes_an_output_unparseable(
    tmp_path: Path, toml: str, parseable: bool
) -> None:
    task = task_of(tmp_path, toml=toml, instruction="Write /app/a.json.")
    assert task.output.format is OutputFormat.JSON
    file = tmp_path / "a.json"
    file.write_text("{'no': json}")
    check = check_output(task, read_output(task, file))
    assert (check.output_parseable, check.schema_valid, check.looks_right) == (parseable, False, False)
    assert ("the verifier's reward stands" in check.errors[-1]) is parseable
