"""What a manifest or a folder names is planned, or is a bad row with its place: nothing drops out unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.runs import (
    BadRow,
    ManifestRow,
    count_rows,
    read_manifest,
    read_outputs_folder,
)
from adjudge.runs.manifest import _joined, read_task_folders
from adjudge.tasks import load_tasks
from support.task_folders import write_task


def row(**fields: object) -> bytes:
    return json.dumps({"task": "tasks/a", "output": "o.json", "agent": "x", **fields}).encode()


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(b"\xef\xbb\xbf" + row() + b"\r\n" + row(attempt=2))
    assert [row.attempt for row in read_manifest(manifest) if isinstance(row, ManifestRow)] == [1, 2]


def test_rows_are_counted_as_they_are_read_blank_and_overlong_lines_included(tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(b"\n".join([row(), b"  ", b"x" * (3 << 20), b" " * (2 << 20), row(attempt=2), b""]))
    rows = list(read_manifest(manifest))
    assert [type(row) for row in rows] == [ManifestRow, BadRow, BadRow, ManifestRow]
    assert count_rows(manifest) == len(rows)


def test_a_key_that_stands_twice_is_a_bad_row(tmp_path: Path) -> None:
    """Which of the two counts is not ours to guess."""
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(row()[:-1] + b', "agent": "y"}\n' + row())
    bad, good = read_manifest(manifest)
    assert isinstance(good, ManifestRow)
    assert isinstance(bad, BadRow)
    assert "m.jsonl:1: the key 'agent' stands twice in one object" in bad.message


def test_a_row_that_is_cut_off_is_told_by_its_own_line(tmp_path: Path) -> None:
    """The place is in the row: a line end after it would make it line 2."""
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(b'{"task":\r\n')
    [bad] = read_manifest(manifest)
    assert isinstance(bad, BadRow)
    assert bad.message.endswith(
        "m.jsonl:1: truncated: the JSON ends early, in what begins at line 1, column 9"
    )


@pytest.mark.parametrize("field", ["task", "output"])
def test_a_path_with_a_nul_is_a_bad_row(tmp_path: Path, field: str) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(row(**{field: "a\0b"}) + b"\n" + row())
    bad, good = read_manifest(manifest)
    assert isinstance(good, ManifestRow)
    assert isinstance(bad, BadRow)
    assert f"m.jsonl:1: {field}: no path holds a NUL" in bad.message


def test_a_long_path_is_a_path(tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_bytes(row(output="folder/" * 100 + "o.json"))
    assert isinstance(next(read_manifest(manifest)), ManifestRow)


def test_a_folder_without_a_task_is_a_bad_row(tmp_path: Path) -> None:
    """Only a missing folder is no trial; one with a misspelt id, or of a broken task, is told."""
    tasks = tmp_path / "tasks"
    write_task(tasks / "civil/beam")
    write_task(tasks / "civil/broken", instruction="")
    write_task(tasks / "civil/unused", instruction="")
    outputs = tmp_path / "outputs"
    for place in ("civil/beam", "civil/baem", "civil/broken", "other"):
        (outputs / "abacus/1" / place).mkdir(parents=True)
    found = load_tasks(tasks)
    broken = {problem.id: problem.message for problem in found.problems}
    said = {
        row.where if isinstance(row, ManifestRow) else row.message
        for row in read_outputs_folder(outputs, list(found), broken)
    }
    below = outputs / "abacus/1"
    assert said == {
        str(below / "civil/beam"),
        f"{below / 'civil/baem'}: no task has this id; found 'civil/baem'; "
        "allowed: ids as `adjudge tasks` lists them",
        f"{below / 'civil/broken'}: {broken['civil/broken']}",
        f"{below / 'other'}: no task has this id; found 'other'; allowed: ids as `adjudge tasks` lists them",
    }


def test_a_task_folder_that_is_a_link_is_not_looked_into(tmp_path: Path) -> None:
    task = write_task(tmp_path / "tasks/a")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "answer.json").write_text("{}")
    place = tmp_path / "outputs/abacus/1/a"
    place.parent.mkdir(parents=True)
    place.symlink_to(secret)
    (row,) = read_outputs_folder(tmp_path / "outputs", list(load_tasks(task.parent)))
    assert isinstance(row, ManifestRow)
    assert row.output == str(place)  # and a link is told as one when it is read


@pytest.mark.parametrize("link", ["eve", "eve/1", "eve/1/civil"])
def test_a_link_above_a_task_folder_is_told_and_not_followed(tmp_path: Path, link: str) -> None:
    """Or an agent could point at what another one made."""
    write_task(tmp_path / "tasks/civil/beam")
    outputs = tmp_path / "outputs"
    (outputs / "abacus/1/civil/beam").mkdir(parents=True)
    place = outputs / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outputs / link.replace("eve", "abacus"))
    rows = list(read_outputs_folder(outputs, list(load_tasks(tmp_path / "tasks"))))
    assert [row.agent for row in rows if isinstance(row, ManifestRow)] == ["abacus"]
    assert [row.message for row in rows if isinstance(row, BadRow)] == [
        f"{place}: a link to a folder, which is not followed"
    ]


@pytest.mark.parametrize("base", [".", "/", "outputs", "/data/outputs", "../outputs"])
@pytest.mark.parametrize(
    "name",
    ["a.json", "./a.json", "x/./a.json", "x//a.json", "../a.json", "/x/a.json", "x/", ".", ".a"],
)
def test_a_path_is_the_one_that_pathlib_makes(base: str, name: str) -> None:
    assert _joined(base, name) == str(Path(base) / name)


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{", '{"task": 3}', '{"task": ""}', '{"task": "a\\u0000"}', '{"task": "\\ud800"}', "nul"],
)
def test_tasks_are_named_before_rows_are_read_and_what_names_none_is_passed_over(
    tmp_path: Path, line: str
) -> None:
    manifest = tmp_path / "m.jsonl"
    row = '{"task": "t/one", "output": "a.json", "agent": "x"}'
    manifest.write_text(f"\ufeff{row}\n{line}\n{row}\n", encoding="utf-8")
    assert list(read_task_folders(manifest)) == [f"{tmp_path}/t/one"] * 2
    assert [row.task for row in read_manifest(manifest) if isinstance(row, ManifestRow)] == [
        f"{tmp_path}/t/one"
    ] * 2
