"""A folder that cannot be used says which file, which field, what was found and what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import TaskError
from adjudge.tasks import load_task
from support.task_folders import write_task


def refusal(folder: Path) -> str:
    """The message with which a folder is refused, without the folder's own path."""
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"toml": "[verifier"}, ("task.toml: this is not TOML: Expected ']'", "Correct the syntax")),
        ({"toml": "a = 1\na = 2"}, ("task.toml: this is not TOML: Cannot overwrite a value",)),
        ({"toml": "a = " + "[" * 5000}, ("task.toml: this TOML cannot be read: RecursionError",)),
        ({"toml": "a = " + "1" * 5000}, ("task.toml: this TOML cannot be read: ValueError",)),
        ({"toml": "[metadata." + ".".join("a" * 3000) + "]"}, ("task.toml: a key has more than 64 parts",)),
        ({"instruction": None}, ("instruction.md: this file is missing. Add it",)),
        ({"instruction": " \n"}, ("instruction.md: the instruction is empty. Say what to do",)),
        (
            {"instruction": b"caf\xe9"},
            ("instruction.md: this file is not UTF-8: byte 3 is 0xe9", "Save it as"),
        ),
        ({"script": None}, ("tests/test.sh: the verifier's entry point is missing. Add a shell script",)),
        ({"toml": "verifier = 3"}, ("task.toml: [verifier]: this must be a table; found 3",)),
        ({"toml": "[verifier]\nenvironment = 1"}, ("[verifier.environment]: this must be a table; found 1",)),
        (
            {"toml": "[output]\npath = 7"},
            ("[output] path: this value cannot be used; found 7; allowed: a string",),
        ),
        (
            {"toml": "[verifier]\ntimeout_sec = true"},
            ("[verifier] timeout_sec: ", "found True; allowed: a number"),
        ),
        ({"toml": '[verifier]\ntimeout_sec = "60"'}, ("[verifier] timeout_sec: ", "found '60'")),
        ({"toml": "[verifier]\ntimeout_sec = 0"}, ("[verifier] timeout_sec: ", "above 0")),
        ({"toml": "[verifier]\ntimeout_sec = inf"}, ("[verifier] timeout_sec: ", "finite")),
        ({"toml": "[verifier]\ntimeout_sec = nan"}, ("[verifier] timeout_sec: ", "finite")),
        ({"toml": '[verifier]\ndeterministic = "yes"'}, ("[verifier] deterministic: ", "true or false")),
        ({"toml": "[environment]\nmemory_mb = -1"}, ("[environment] memory_mb: ", "found -1")),
        ({"toml": '[environment]\nmemory = "lots"'}, ("[environment] memory: ", "found 'lots'", '"2G"')),
        ({"toml": "[environment]\nmemory = 2048"}, ("[environment] memory: ", "found 2048")),
        ({"toml": '[environment]\nstorage = "0G"'}, ("[environment] storage: ", "above 0")),
        ({"toml": '[output]\nformat = "docx"'}, ("[output] format: ", "found 'docx'; allowed: json, jsonl")),
    ],
)
def test_the_message_names_file_field_and_remedy(
    tmp_path: Path, parts: dict[str, Any], says: tuple[str, ...]
) -> None:
    message = refusal(write_task(tmp_path / "t", **parts))
    for part in says:
        assert part in message


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"nowhere: there is no such folder"):
        load_task(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(TaskError, match=r"file: there is no such folder"):
        load_task(tmp_path / "file")


@pytest.mark.parametrize("name", ["task.toml", "instruction.md", "tests/test.sh", "tests/data.csv"])
def test_a_link_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    """The digest would not cover what it points to, and the sandbox would not have it."""
    (tmp_path / "outside").write_text("Write /workspace/a.md")
    folder = write_task(tmp_path / "t")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "outside")
    message = refusal(folder)
    assert name in message
    assert re.search("out of the (task|tests) folder", message)
    assert message.endswith("Put a copy in its place.")


def test_a_link_from_the_tests_to_another_part_of_the_task_is_refused(tmp_path: Path) -> None:
    """Only tests/ goes into the sandbox; a link within it is fine."""
    folder = write_task(tmp_path / "t", files={"solution/answer.json": "{}", "tests/a.py": ""})
    (folder / "tests/b.py").symlink_to("a.py")
    load_task(folder)
    (folder / "tests/answer.json").symlink_to("../solution/answer.json")
    assert "answer.json: this link leads out of the tests folder" in refusal(folder)


def test_a_link_that_leads_out_elsewhere_is_not_ours_to_refuse(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t")
    (folder / "environment").symlink_to("/nonexistent")
    assert load_task(folder).id == "t"


def test_a_tests_folder_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    other = write_task(tmp_path / "other")
    folder = write_task(tmp_path / "t", script=None)
    (folder / "tests").symlink_to(other / "tests")
    assert "out of the task folder" in refusal(folder)


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", instruction=None)
    (folder / "instruction.md").mkdir()
    assert refusal(folder).startswith("instruction.md: this is not a file")


@pytest.mark.parametrize("name", ["task.toml", "instruction.md", "tests/pipe"])
def test_a_pipe_never_hangs(tmp_path: Path, name: str) -> None:
    folder = write_task(tmp_path / "t")
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert name in refusal(folder)


def test_an_enormous_instruction_is_not_read(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t")
    os.truncate(folder / "instruction.md", 1 << 40)
    assert refusal(folder) == "instruction.md: this file is larger than 16 MB"


def test_an_unreadable_file_says_why(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", instruction=None)
    (folder / "instruction.md").symlink_to("instruction.md")
    assert refusal(folder) == "instruction.md: this file cannot be read: Too many levels of symbolic links"


def test_a_name_that_is_not_utf8_or_too_long(tmp_path: Path) -> None:
    folder = write_task(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    with pytest.raises(TaskError, match="not UTF-8"):
        load_task(folder)
    deep = write_task(tmp_path / ("a" * 250) / ("b" * 250) / "c")
    with pytest.raises(TaskError, match="has 503 characters; allowed: at most 500"):
        load_task(deep, root=tmp_path)
