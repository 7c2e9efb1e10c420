"""The parts of `/etc` as one mount: sandboxes find the same, and a change on the machine is one there."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from adjudge.sandbox import Sandbox
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.files import gathered as gathering
from adjudge.sandbox.files.layout import ETC, Mount, programs
from support.sandbox_jobs import job_for

LOOK = r"""
cd /etc && find -L . -type f ! -name adjudge-agent-folders | sort | xargs sha256sum
ls -L /etc; stat -L -c '%n %A %Y' /etc/ld.so.*; readlink /etc/alternatives/*; awk 'BEGIN { print 1 }'
"""


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_gatherings", {})
    monkeypatch.setattr(gathering, "_copies", 0)
    monkeypatch.setattr(gathering, "_AFTER", 1)
    monkeypatch.setattr(gathering, "_LOOK_SEC", 0)


def parts(folder: Path) -> tuple[Mount, ...]:
    (folder / "one").mkdir(parents=True)
    (folder / "one/a").write_text("a")
    (folder / "two").write_text("2")
    here = tuple(Mount(f"{ETC}/{name}", source=folder / name) for name in ("one", "two"))
    return (Mount("/usr", source=Path("/usr")), *here, Mount("/etc/one", link=f"{ETC}/one"))


def copy_of(mounts: tuple[Mount, ...]) -> Path | None:
    return next((mount.source for mount in mounts if mount.target == ETC), None)


def gathered(mounts: tuple[Mount, ...]) -> tuple[Mount, ...]:
    gathering.gathered(mounts)
    return gathering.gathered(mounts)


def test_a_sandbox_finds_the_same_before_and_after(sandbox: Sandbox, open_folder: Path) -> None:
    job = job_for(open_folder / "tests", LOOK)
    before, after = sandbox.run(job), sandbox.run(job)
    assert isinstance(sandbox, BubblewrapSandbox)
    assert copy_of(gathering.gathered(programs(sandbox.rootfs))) is not None
    assert (after.exit_code, after.stdout, after.stderr) == (0, before.stdout, before.stderr)
    assert b"ld.so.cache" in after.stdout


def test_the_parts_become_one_mount(tmp_path: Path) -> None:
    mounts = parts(tmp_path)
    assert gathering.gathered(mounts) == mounts  # the first sandbox does not wait for a copy
    found = gathering.gathered(mounts)
    assert [mount.target for mount in found] == [ETC, "/usr", "/etc/one"]
    copy = copy_of(found)
    assert copy is not None
    assert ((copy / "one/a").read_text(), (copy / "two").read_text()) == ("a", "2")
    assert gathering.gathered(mounts) == found


def test_what_changes_on_the_machine_is_copied_anew(tmp_path: Path) -> None:
    mounts = parts(tmp_path)
    first = copy_of(gathered(mounts))
    (tmp_path / "one/a").write_text("b")
    second = copy_of(gathering.gathered(mounts))
    assert first is not None
    assert second is not None
    assert (first / "one/a").read_text() == "a"  # sandboxes that run have it
    assert (second / "one/a").read_text() == "b"


def test_a_copy_that_somebody_removed_is_made_anew(tmp_path: Path) -> None:
    mounts = parts(tmp_path)
    first = copy_of(gathered(mounts))
    assert first is not None
    (first / "two").unlink()
    second = copy_of(gathering.gathered(mounts))
    assert second is not None
    assert (second / "two").read_text() == "2"


@pytest.mark.parametrize("target", ["../two", "../../etc/passwd", "below/../../two"])
def test_a_link_that_leads_out_of_its_part_keeps_all_as_they_are(tmp_path: Path, target: str) -> None:
    mounts = parts(tmp_path)
    (tmp_path / "one/link").symlink_to(target)
    assert gathered(mounts) == mounts


@pytest.mark.parametrize("target", ["a", "below/../a", "/usr/bin/env"])
def test_other_links_stay_what_they_are(tmp_path: Path, target: str) -> None:
    mounts = parts(tmp_path)
    (tmp_path / "one/link").symlink_to(target)
    copy = copy_of(gathered(mounts))
    assert copy is not None
    assert str((copy / "one/link").readlink()) == target


def test_what_is_large_is_not_copied(tmp_path: Path) -> None:
    mounts = parts(tmp_path)
    with (tmp_path / "two").open("wb") as file:
        file.truncate(gathering._MOST_BYTES + 1)
    assert gathered(mounts) == mounts


def test_without_room_for_a_copy_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    mounts = parts(tmp_path)
    assert gathered(mounts) == mounts
