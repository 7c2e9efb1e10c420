"""A folder given as the output stands for the whole workspace: files and links as they are, nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from adjudge.contracts import Task
from adjudge.gates import OutputFile, check_output, read_output, snapshot, workspace_of
from adjudge.gates.snapshot import MAX_DEPTH
from adjudge.tasks import load_task
from support.task_folders import write_task


@pytest.fixture
def task(tmp_path: Path) -> Task:
    toml = '[output]\npath = "/workspace/out/answer.json"\nmax_mb = 1\n'
    return load_task(write_task(tmp_path / "task", toml=toml))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w" / "out").mkdir(parents=True)
    (tmp_path / "w" / "out" / "answer.json").write_bytes(b"{}")
    (tmp_path / "w" / "calc.py").write_bytes(b"print(1)\n")
    (tmp_path / "w" / "calc.py").chmod(0o700)
    return tmp_path / "w"


def test_the_folder_is_the_first_part_of_the_expected_path(task: Task, folder: Path) -> None:
    (folder / ".hidden").touch()
    (folder / "empty").mkdir()
    output = read_output(task, folder)
    assert workspace_of(task) == "/workspace"
    assert output.files == {
        "/workspace/.hidden": OutputFile(b""),
        "/workspace/calc.py": OutputFile(b"print(1)\n", 0o755),
        "/workspace/out/answer.json": OutputFile(b"{}"),
    }
    assert output.answer == b"{}"
    assert output.info.size_bytes == 11
    assert output.info.media_type == "inode/directory"
    assert output.notes == ()


def test_links_are_kept_as_links_and_never_followed(task: Task, folder: Path) -> None:
    (folder / "etc").symlink_to("/etc")
    (folder / "up").symlink_to("..")
    (folder / "self").symlink_to(".")
    output = read_output(task, folder)
    assert output.files["/workspace/etc"] == OutputFile(b"", 0o777, "/etc")
    assert output.files["/workspace/up"].link == ".."
    assert set(output.files) == {
        "/workspace/calc.py",
        "/workspace/etc",
        "/workspace/out/answer.json",
        "/workspace/self",
        "/workspace/up",
    }


def test_special_files_are_left_out_and_said(task: Task, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    output = read_output(task, folder)
    assert "/workspace/pipe" not in output.files
    assert output.notes == ("/workspace/pipe: left out of the workspace, because it is a pipe",)
    report = check_output(task, output)
    assert (report.output_parseable, report.schema_valid) == (True, True)
    assert report.errors == output.notes


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("missing", "the output is missing from the folder"),
        ("link", "the output is a link, not a file"),
        ("pipe", "the output is a pipe, not a file"),
        ("folder", "the output is a folder, not a file"),
        ("behind", "the output lies behind a link"),
        ("file above", "the output is missing from the folder"),
    ],
)
def test_an_expected_output_that_is_not_a_file_shows_nothing(
    task: Task, folder: Path, spoil: str, says: str
) -> None:
    answer = folder / "out" / "answer.json"
    answer.unlink()
    if spoil == "link":
        answer.symlink_to("../calc.py")
    elif spoil == "pipe":
        os.mkfifo(answer)
    elif spoil == "folder":
        answer.mkdir()
    elif spoil in ("behind", "file above"):
        (folder / "out").rmdir()
        (folder / "real").mkdir()
        (folder / "real" / "answer.json").write_bytes(b"{}")
        if spoil == "behind":
            (folder / "out").symlink_to("real")
        else:
            (folder / "out").touch()
    output = read_output(task, folder)
    assert output.files == {}
    assert output.answer is None
    assert output.info.sha256 is None
    assert output.problem is not None
    assert output.problem.startswith(f"/workspace/out/answer.json: {says}")


def test_the_limit_is_that_of_all_files_together(task: Task, folder: Path) -> None:
    half = b"x" * (512 * 1024)
    (folder / "a").write_bytes(half)
    assert read_output(task, folder).problem is None
    (folder / "b").write_bytes(half)
    output = read_output(task, folder)
    assert output.files == {}
    assert output.problem is not None
    assert "too large" in output.problem


def test_too_many_files(task: Task, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_ENTRIES", 20)
    for number in range(17):  # beside out, answer.json and calc.py
        (folder / f"f{number}").touch()
    assert read_output(task, folder).problem is None
    (folder / "one more").touch()
    output = read_output(task, folder)
    assert output.files == {}
    assert output.problem is not None
    assert "more than 20 files and folders" in output.problem


def test_folders_in_folders_without_end_are_left_out(task: Task, folder: Path) -> None:
    deep = folder
    for _ in range(MAX_DEPTH + 5):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    output = read_output(task, folder)
    assert output.problem is None
    assert not any(path.endswith("/file") for path in output.files)
    assert len(output.notes) == 1
    assert "nested deeper than 64 folders" in output.notes[0]


def test_the_digest_names_the_tree(task: Task, folder: Path, tmp_path: Path) -> None:
    before = read_output(task, folder).info.sha256
    shutil.copytree(folder, tmp_path / "copy")
    assert read_output(task, tmp_path / "copy").info.sha256 == before
    (folder / "calc.py").write_text("print(2)\n")
    assert read_output(task, folder).info.sha256 != before


def test_names_that_are_not_utf8_are_kept(task: Task, folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9")).write_bytes(b"1")
    assert read_output(task, folder).files[os.fsdecode(b"/workspace/caf\xe9")] == OutputFile(b"1")
