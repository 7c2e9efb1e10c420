"""Artifacts are read back without following a link, opening a pipe, or trusting a size."""

from __future__ import annotations

import os
import socket
import tracemalloc
from pathlib import Path

import pytest

from adjudge import _files
from adjudge.sandbox.files.artifacts import (
    Artifact,
    ArtifactKind,
    in_reading_order,
    read_listed,
    survey_folder,
)


def read(folder: Path | int, *, file: int = 100, total: int = 1000, files: int = 50) -> dict[str, Artifact]:
    return survey_folder(folder, max_file_bytes=file, max_total_bytes=total, max_files=files).artifacts


def test_files_are_read_by_their_relative_name(tmp_path: Path) -> None:
    (tmp_path / "reward.json").write_bytes(b'{"reward": 1.0}')
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.txt").write_bytes(b"a")
    assert read(tmp_path) == {
        "reward.json": Artifact(ArtifactKind.FILE, 15, b'{"reward": 1.0}'),
        "logs": Artifact(ArtifactKind.DIRECTORY, 0),
        "logs/a.txt": Artifact(ArtifactKind.FILE, 1, b"a"),
    }


def test_a_descriptor_can_be_read_twice_and_stays_open(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        assert read(fd) == read(fd) == {"a": Artifact(ArtifactKind.FILE, 1, b"a")}
    finally:
        os.close(fd)


def test_a_folder_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "nowhere") == {}


def test_a_file_where_the_folder_should_be_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        read(tmp_path / "file")


def test_what_is_no_plain_file_is_named_and_not_opened(tmp_path: Path) -> None:
    """A link to a file, a link to a folder, a pipe nobody writes to, a socket: none blocks, none is read."""
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "secret.txt").write_text("secret")
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "reward.json").symlink_to(secret / "secret.txt")
    (folder / "dir").symlink_to(secret)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        found = read(folder)
    assert {name: artifact.kind.value for name, artifact in found.items()} == {
        "reward.json": "link",
        "dir": "link",
        "pipe": "pipe",
        "socket": "socket",
    }
    assert all(artifact.data is None for artifact in found.values())


def test_a_sparse_giant_costs_nothing(tmp_path: Path) -> None:
    with (tmp_path / "giant").open("wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    try:
        found = read(tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == {"giant": Artifact(ArtifactKind.OVERSIZED, 1 << 40)}
    assert peak < 1 << 20


def test_size_limits_hold_for_one_file_and_for_all_together(tmp_path: Path) -> None:
    """Limit 100 a file: 100 bytes pass, 101 do not. Limit 250 in all: after 100 + 100 only 50 are left."""
    for name, size in {"a": 100, "b": 101, "c": 100, "d": 51, "e": 50}.items():
        (tmp_path / name).write_bytes(b"x" * size)
    kinds = {name: artifact.kind.value for name, artifact in read(tmp_path, file=100, total=250).items()}
    assert kinds == {"a": "file", "b": "oversized", "c": "file", "d": "oversized", "e": "file"}


def test_a_flood_of_files_is_cut_off_the_same_way_every_time(tmp_path: Path) -> None:
    """The contract's own files come first, then names in order, whatever order the kernel lists them in."""
    for number in range(300):
        (tmp_path / f"a{number:03}").touch()
    (tmp_path / "reward.json").write_bytes(b"{}")
    reading = survey_folder(tmp_path, max_file_bytes=10, max_total_bytes=100, max_files=5)
    assert list(reading.artifacts) == ["reward.json", "a000", "a001", "a002", "a003"]
    assert not reading.complete


def test_a_folder_read_whole_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert survey_folder(tmp_path, max_file_bytes=1, max_total_bytes=1, max_files=1).complete


def test_a_deep_nest_ends(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 100)
    deep.mkdir(parents=True)
    reading = survey_folder(tmp_path, max_file_bytes=1, max_total_bytes=1, max_files=1000)
    assert len(reading.artifacts) == 17  # depths 0 to 16
    assert not reading.complete


def test_names_that_are_not_utf8_are_escaped_and_kept_apart(tmp_path: Path) -> None:
    """The byte ff and the four characters \\xff look alike once escaped; both stay."""
    os.close(os.open(bytes(tmp_path) + b"/\xff", os.O_CREAT))
    (tmp_path / "\\xff").write_bytes(b"2")
    assert sorted(read(tmp_path)) == ["\\xff", "\\xff'"]


def by_listing(folder: Path, *, file: int = 100, total: int = 1000) -> dict[str, Artifact]:
    names = in_reading_order(path.name for path in folder.iterdir())
    return read_listed(folder, names, max_file_bytes=file, max_total_bytes=total).artifacts


def test_a_listed_folder_is_read_like_any_other(tmp_path: Path) -> None:
    """The same files in the same order, up to the same limits: what counts first is read first."""
    for size, name in enumerate(
        [b"a", b"Z", b"errors.json", b"reward.json", b"details.json", b"\xff", b"x" * 90]
    ):
        with open(bytes(tmp_path) + b"/" + name, "wb") as file:  # noqa: PTH123 - a Path has no bytes
            file.write(b"x" * size)
    (tmp_path / "\\xff").touch()
    (tmp_path / "µ").touch()
    for limits in ({}, {"file": 3}, {"total": 10}, {"file": 3, "total": 4}):
        assert list(by_listing(tmp_path, **limits).items()) == list(read(tmp_path, **limits).items())
    assert next(iter(by_listing(tmp_path))) == "reward.json"


def test_what_changed_since_it_was_listed_is_named_and_not_read(tmp_path: Path) -> None:
    """Gone, or a link, a pipe, a folder, a socket by now: none is followed, none blocks."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "still").write_bytes(b"x")
    names = ["gone", "link", "pipe", "folder", "socket", "still"]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        found = read_listed(folder, names, max_file_bytes=100, max_total_bytes=100).artifacts
    assert {name: artifact.kind.value for name, artifact in found.items()} == {
        "gone": "unreadable",
        "link": "link",
        "pipe": "pipe",
        "folder": "directory",
        "socket": "unreadable",
        "still": "file",
    }
    assert [name for name, artifact in found.items() if artifact.data is not None] == ["still"]


def test_a_listed_folder_that_is_gone_or_no_folder_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, error in (("nowhere", FileNotFoundError), ("file", NotADirectoryError)):
        with pytest.raises(error):
            read_listed(tmp_path / name, ["a"], max_file_bytes=1, max_total_bytes=1)


def test_a_file_that_shrinks_or_grows_while_it_is_read_gives_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never more than its size when it was opened, which was within the limit."""
    (tmp_path / "a").write_bytes(b"x" * 50)
    read_bytes = _files.read_bytes
    sizes = iter([10, 90, 1000])

    def change_and_read(fd: int, size: int) -> bytes:
        (tmp_path / "a").write_bytes(b"y" * next(sizes))
        return read_bytes(fd, size)

    monkeypatch.setattr(_files, "read_bytes", change_and_read)
    for kept in (10, 10, 90):
        assert by_listing(tmp_path)["a"] == Artifact(ArtifactKind.FILE, kept, b"y" * kept)
