"""Where control groups can be made, and why not; the decisions, on a machine that is only written down."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from adjudge.sandbox.watching import cgroup
from adjudge.sandbox.watching.cgroup import find_parent, make_group

V2 = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.fixture(autouse=True)
def _looked_at_again() -> None:
    find_parent.cache_clear()


def machine(root: Path, mounts: str, own: str, **files: str) -> Path:
    """A machine as files: what `/proc` says, and groups as folders."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text(mounts)
    (root / "proc/self/cgroup").write_text(own)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_without_control_groups_the_reason_names_both(tmp_path: Path) -> None:
    assert find_parent(machine(tmp_path, "", "")) == "cgroup v2: not mounted; cgroup v1: no memory controller"


def test_a_group_that_others_are_in_is_left_alone(tmp_path: Path) -> None:
    """Their processes would have to be moved; the way to a group of one's own is told."""
    files = {
        "user__cgroup_dot_controllers": "memory pids",
        "user__cgroup_dot_subtree_control": "",
        "user__cgroup_dot_type": "domain",
        "user__cgroup_dot_procs": f"1\n{os.getpid()}\n77\n",
    }
    reason = find_parent(machine(tmp_path, V2, "0::/user\n", **files))
    assert isinstance(reason, str)
    assert "2 other processes are in" in reason
    assert "systemd-run --user --scope --property=Delegate=yes adjudge" in reason


def test_a_hierarchy_without_memory_says_so(tmp_path: Path) -> None:
    files = {"user__cgroup_dot_controllers": "hugetlb"}
    reason = find_parent(machine(tmp_path, V2, "0::/user\n", **files))
    assert reason == "cgroup v2: the memory controller is not available; cgroup v1: no memory controller"


def test_a_group_that_cannot_be_made_is_no_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroup, "find_parent", lambda: cgroup.ParentGroup(tmp_path / "gone", 2))
    assert make_group(1 << 20) is None


@pytest.mark.skipif(isinstance(find_parent(), str), reason="needs a machine that grants control groups")
def test_a_group_is_removed_with_its_run() -> None:
    group = make_group(1 << 30)
    assert group is not None
    assert group.folder.is_dir()
    assert not group.killed()
    group.remove()
    assert not group.folder.exists()


@pytest.mark.skipif(isinstance(find_parent(), str), reason="needs a machine that grants control groups")
def test_groups_of_an_adjudge_that_was_killed_are_removed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not those that were made just now, and not one that holds a process, however old."""
    ours = make_group(1 << 30)
    assert ours is not None
    left, busy = ours.folder / "adjudge-1-1", ours.folder / "adjudge-1-2"
    left.mkdir()
    busy.mkdir()
    with subprocess.Popen(["sleep", "600"]) as process:
        (busy / "cgroup.procs").write_text(str(process.pid))
        try:
            cgroup._remove_left(ours.folder)
            assert left.exists()
            monkeypatch.setattr(cgroup, "_LEFT_SEC", -1.0)
            cgroup._remove_left(ours.folder)
            assert not left.exists()
            assert busy.exists()
        finally:
            process.kill()
    cgroup.ControlGroup(busy, ours.version).remove()
    ours.remove()
