"""The digest names the content of a task: any change is another task, anything else is not."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.tasks import TreeEntry, load_task, task_digest, tree_digest
from support.task_folders import write_task


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_task(tmp_path / "t", files={"tests/verify.py": "print(1)\n", "tests/data/x.csv": "a\n1\n"})


def test_it_is_frozen(folder: Path) -> None:
    """Ledgers hold these digests: a new one for the same files would orphan every record."""
    assert task_digest(folder) == "39e3eb82b8d65751c2f6c8c03d73c67dcc51cc04a13735ebea87265c7f587812"
    assert load_task(folder).digest == task_digest(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "tests/verify.py").write_text("print(2)\n"),
        lambda f: (f / "tests/verify.py").rename(f / "tests/verify2.py"),
        lambda f: (f / "tests/verify.py").chmod(0o755),
        lambda f: (f / "tests/verify.py").unlink(),
        lambda f: (f / "notes.txt").touch(),
        lambda f: (f / "link").symlink_to("tests"),
        lambda f: (f / "tests/data/x.csv").write_bytes(b"a\r\n1\r\n"),
    ],
)
def test_any_change_of_content_changes_it(folder: Path, change: Callable[[Path], object]) -> None:
    before = task_digest(folder)
    change(folder)
    assert task_digest(folder) != before


@pytest.mark.parametrize(
    "change",
    [
        lambda f: os.utime(f / "task.toml", (1, 1)),
        lambda f: (f / "tests/test.sh").chmod(0o600),
        lambda f: (f / "empty/folder").mkdir(parents=True),
        lambda f: (f / ".DS_Store").touch(),
        lambda f: (f / "tests/old.pyc").touch(),
        lambda f: write_task(f / "tests/__pycache__"),
        lambda f: write_task(f / ".git"),
    ],
)
def test_what_is_not_content_does_not(folder: Path, change: Callable[[Path], object]) -> None:
    before = task_digest(folder)
    change(folder)
    assert task_digest(folder) == before


def test_a_copy_has_the_same_digest(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere" / "copy")
    assert task_digest(tmp_path / "elsewhere" / "copy") == task_digest(folder)


def test_a_link_counts_by_its_target_and_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("1")
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "loop").symlink_to(folder)
    before = task_digest(folder)
    (tmp_path / "outside").write_text("2")
    assert task_digest(folder) == before
    (folder / "link").unlink()
    (folder / "link").symlink_to(tmp_path / "outside2")
    assert task_digest(folder) != before


def test_a_name_that_is_not_utf8_has_a_digest(folder: Path) -> None:
    before = task_digest(folder)
    (folder / os.fsdecode(b"caf\xe9")).touch()
    assert task_digest(folder) != before


entries = st.lists(
    st.builds(
        TreeEntry,
        path=st.text(
            st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8
        ),
        kind=st.sampled_from(["file", "link"]),
        executable=st.booleans(),
        content=st.binary(max_size=8),
    ),
    max_size=6,
    unique_by=lambda entry: entry.path,
)


@given(entries, st.randoms(use_true_random=False))
def test_order_does_not_matter(tree: list[TreeEntry], shuffle: random.Random) -> None:
    shuffled = list(tree)
    shuffle.shuffle(shuffled)
    assert tree_digest(shuffled) == tree_digest(tree)


@given(entries, entries)
def test_different_trees_differ(one: list[TreeEntry], other: list[TreeEntry]) -> None:
    same = sorted(one, key=repr) == sorted(other, key=repr)
    assert (tree_digest(one) == tree_digest(other)) is same
