"""An output file is read once, whole or not at all, and never through a link."""

from __future__ import annotations

import hashlib
import os
import resource
import socket
from pathlib import Path

import pytest

from adjudge.contracts import Task
from adjudge.gates import OutputFile, check_output, read_output
from adjudge.gates.snapshot import TooBig, read_file
from adjudge.tasks import load_task
from support.task_folders import write_task


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_task(write_task(tmp_path / "task", toml="[output]\nmax_mb = 1\n"))


def test_a_file_stands_at_the_expected_path(task: Task, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(b'{"a": 1}')
    output = read_output(task, file)
    assert output.files == {"/workspace/answer.json": OutputFile(b'{"a": 1}')}
    assert output.answer == b'{"a": 1}'
    assert output.problem is None
    assert output.info.path == str(file)
    assert output.info.sha256 == hashlib.sha256(b'{"a": 1}').hexdigest()
    assert output.info.size_bytes == 8
    assert output.info.media_type == "application/json"


def test_the_executable_bit_is_kept(task: Task, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"1")
    file.chmod(0o4755)
    assert read_output(task, file).files["/workspace/answer.json"].mode == 0o755


def assert_nothing_is_shown(task: Task, path: Path, says: str) -> None:
    output = read_output(task, path)
    assert output.files == {}
    assert output.answer is None
    assert output.info.sha256 is None
    assert output.problem is not None
    assert output.problem.startswith("/workspace/answer.json: ")
    assert says in output.problem
    report = check_output(task, output)
    assert (report.output_parseable, report.schema_valid) == (False, False)
    assert report.errors == (output.problem,)


@pytest.mark.parametrize("name", ["nowhere", "nowhere/deeper", "file/below", "nul\0byte"])
def test_missing(task: Task, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert_nothing_is_shown(task, tmp_path / name, "the output is missing")


def test_a_name_that_is_too_long(task: Task, tmp_path: Path) -> None:
    assert_nothing_is_shown(task, tmp_path / ("a" * 300), "cannot be read: File name too long")


@pytest.mark.parametrize("target", ["secret", "nowhere", "link", "folder", "/etc/passwd"])
def test_a_link_is_not_followed(task: Task, tmp_path: Path, target: str) -> None:
    (tmp_path / "secret").write_text('{"reward": 1}')
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(target)
    assert_nothing_is_shown(task, tmp_path / "link", "is a link, not a file")


def test_a_pipe_is_not_opened(task: Task, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert_nothing_is_shown(task, tmp_path / "pipe", "is a pipe, not a file")


def test_a_socket_is_not_opened(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's whole path may have at most 108 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert_nothing_is_shown(task, tmp_path / "socket", "is a socket, not a file")


def test_a_device_is_not_opened(task: Task) -> None:
    assert_nothing_is_shown(task, Path("/dev/zero"), "is a device, not a file")


def test_past_the_limit(task: Task, tmp_path: Path) -> None:
    """1 MB is 1048576 bytes: that many are read, one more is refused with the remedy."""
    file = tmp_path / "big"
    file.write_bytes(b" " * 1048576)
    assert read_output(task, file).problem is None
    file.write_bytes(b" " * 1048577)
    assert_nothing_is_shown(task, file, "has at least 1048577 bytes; the limit is 1 MB. If such outputs")
    assert read_output(task, file).info.size_bytes == 1048577


def test_a_sparse_giant_costs_no_memory(task: Task, tmp_path: Path) -> None:
    file = tmp_path / "giant"
    file.touch()
    os.truncate(file, 1 << 42)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert_nothing_is_shown(task, file, "too large")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 * 1024  # in kilobytes


def test_a_file_is_as_long_as_it_was_when_it_was_opened(task: Task) -> None:
    """Files in /proc claim to be empty, like one that is written to between the look and the read."""
    assert read_output(task, "/proc/self/status").answer == b""


def test_a_file_past_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(TooBig, match="at least 11 bytes"):
        read_file(str(tmp_path / "big"), limit=10)


def test_a_path_that_is_not_utf8_can_be_recorded(task: Task, tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.json")
    Path(name).write_bytes(b"1")
    output = read_output(task, name)
    assert output.problem is None
    assert output.info.path.endswith("/caf\\udce9.json")
