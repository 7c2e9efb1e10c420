"""What an agent can do to its session, and what stays when everything else has gone wrong: nothing."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.errors import SandboxError
from adjudge.sandbox.session import SessionLimits
from adjudge.sandbox.session.files import PREFIX, unpack_folder
from support.patience import wait_until
from support.sessions import started_session

BEHIND, BUSY = (f"{number}.{os.getpid()}" for number in (7301, 7302))
"""Seconds to sleep that no other test run on this machine has in its command lines."""
DEEP = "import os\nfor _ in range({levels}): os.mkdir('{name}'); os.chdir('{name}')"


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for sessions only; pytest's own is closed to the sandbox's user."""
    with tempfile.TemporaryDirectory(prefix="sessions-") as place:
        Path(place).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", place)
        yield Path(place)
        monkeypatch.undo()


def processes_with(word: str) -> list[str]:
    """The command lines on this machine that hold a word."""
    lines = subprocess.check_output(["ps", "axww", "-o", "args"], text=True).splitlines()
    return [line for line in lines if word in line]


def test_a_session_goes_on_when_its_holder_was_killed() -> None:
    """Process 2 is the shell that waits. Files stay; every process goes, also the one left behind."""

    async def body() -> None:
        async with started_session() as session:
            await session.run(f"echo kept > /tmp/file; (setsid nohup sleep {BEHIND} >/dev/null 2>&1 &)")
            await session.run("kill -9 2")
            while session._holder is not None and session._holder.alive:  # bubblewrap has to notice
                await asyncio.sleep(0.01)
            assert (
                await session.run(f"cat /tmp/file; ps ax -o args | grep {BEHIND} | grep -v grep")
            ).stdout == b"kept\n"

    asyncio.run(body())
    assert not processes_with(f"sleep {BEHIND}")


def test_a_killed_owner_leaves_no_process_and_the_next_session_removes_its_folder(temporary: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from adjudge.sandbox.session import Session\n"
        "async def body():\n"
        "    session = Session(); await session.start()\n"
        f"    await session.run('(setsid nohup sleep {BEHIND} >/dev/null 2>&1 &)')\n"
        "    print('ready', flush=True)\n"
        f"    await session.run('sleep {BUSY}')\n"
        "asyncio.run(body())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env={"TMPDIR": str(temporary)}
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        assert wait_until(lambda: bool(processes_with(f"sleep {BEHIND}")))
        owner.send_signal(signal.SIGKILL)
    assert wait_until(lambda: not processes_with(BEHIND) and not processes_with(BUSY))
    assert len(list(temporary.glob(f"{PREFIX}*"))) == 1

    async def body() -> None:
        async with started_session():
            assert len(list(temporary.glob(f"{PREFIX}*"))) == 1  # its own

    asyncio.run(body())
    assert not list(temporary.iterdir())


def test_a_deep_tree_left_behind_harms_nobody(temporary: Path) -> None:
    """Deeper than Python can recurse, in the folder of an owner that is dead; longer than a path can be."""
    poison = temporary / f"{PREFIX}of-a-dead-one"
    poison.mkdir()
    subprocess.run([sys.executable, "-c", DEEP.format(levels=1100, name="d")], cwd=poison, check=True)

    async def body() -> None:
        async with started_session() as session:
            assert not poison.exists()
            deep = DEEP.format(levels=110, name="d" * 50)
            await session.run(f'mkdir /data; echo 1 > /data/file; cd /data; python3 -c "{deep}"')
            await session.download_folder("/data", temporary / "data")

    asyncio.run(body())
    assert (temporary / "data" / "file").read_text() == "1\n"


def test_programs_are_the_hosts_again_after_a_restart() -> None:
    """The shell, the loader, and libraries to preload: none of an agent's is used by what comes later."""

    async def body() -> None:
        async with started_session() as session:
            await session.run(
                "echo /tmp/mine.so > /etc/ld.so.preload; rm /etc/ld.so.cache; rm /lib64; mkdir /lib64;"
                "rm /bin; mkdir /bin; printf 'no program' > /bin/bash; rm -rf /tmp; ln -s /nowhere /tmp"
            )
            await session.restart()
            done = await session.run(
                "readlink /bin /lib64; ls /etc/ld.so.preload; touch /tmp/x && echo touched"
            )
            assert done.stdout == b"usr/bin\nusr/lib64\ntouched\n"

    asyncio.run(body())


def test_too_many_processes() -> None:
    """The kernel refuses more soon after the 40th, and the session is emptied."""

    async def body() -> None:
        async with started_session(limits=SessionLimits(processes=40)) as session:
            done = await session.run("for i in $(seq 100); do sleep 600 & done; wait", timeout_sec=300)
            assert done.code == 137
            assert "limit of 40 processes reached" in (done.note or "")
            assert (await session.run("echo still here")).stdout == b"still here\n"

    asyncio.run(body())


@pytest.mark.parametrize(
    "hog",
    [
        "m = mmap.mmap(-1, 400 << 20)\nfor i in range(0, 400 << 20, 4096): m[i] = 1",
        "f = os.memfd_create('x')\nfor _ in range(400): os.write(f, bytes(1 << 20))\n"
        "m = mmap.mmap(f, 0, mmap.MAP_SHARED)\n"
        "for i in range(0, 400 << 20, 4096): m[i]",
    ],
    ids=["shared", "memfd"],
)
def test_shared_memory_counts(hog: str) -> None:
    async def body() -> None:
        async with started_session(limits=SessionLimits(memory_mb=150)) as session:
            script = f"import mmap, os, time\n{hog}\ntime.sleep(600)"
            done = await session.run(f'python3 -c "{script}"')
            assert "memory limit of 150 MB passed" in (done.note or "")
            filled = await session.run(
                "head -c 200M /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x; touch /dev/x"
            )
            assert int(filled.stdout) <= 64 << 20
            assert b"Read-only" in filled.stderr

    asyncio.run(body())


def test_memory_that_children_share_counts_once() -> None:
    """Eight children of a process with 60 MB hold 60 MB, not 540."""
    script = (
        "import os, time\nheld = bytearray(60 << 20)\n"
        "for _ in range(8):\n    if os.fork() == 0: time.sleep(1.5); os._exit(0)\n"
        "time.sleep(1.5)"
    )

    async def body() -> None:
        async with started_session(limits=SessionLimits(memory_mb=250)) as session:
            assert (await session.run(f'python3 -c "{script}"')).note is None

    asyncio.run(body())


def test_what_is_no_plain_file_is_not_brought_out_as_one(tmp_path: Path) -> None:
    async def body() -> None:
        async with started_session() as session:
            await session.run("mkfifo /tmp/pipe; mkdir /tmp/folder; ln -s /dev/zero /tmp/zero")
            for name in ("pipe", "folder", "zero"):
                with pytest.raises(SandboxError, match="not a plain file"):
                    await session.download_file(f"/tmp/{name}", tmp_path / "out")

    asyncio.run(body())
    assert not (tmp_path / "out").exists()


def test_nothing_is_unpacked_through_a_link(tmp_path: Path) -> None:
    """Not through one in the archive, nor through one that an earlier download brought."""
    outside, target = tmp_path / "outside", tmp_path / "target"
    outside.mkdir()
    (outside / "file").write_text("as it was")
    target.mkdir()
    (target / "earlier").symlink_to(outside)
    (target / "same").symlink_to(outside / "file")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        link = tarfile.TarInfo("new")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        archive.addfile(link)
        for name in ("new/file", "earlier/file", "same", "../outside/file", "/tmp/adjudge-absolute"):
            member = tarfile.TarInfo(name)
            member.size = 6
            archive.addfile(member, io.BytesIO(b"forged"))
    packed.seek(0)
    unpack_folder(packed, target)
    assert (outside / "file").read_text() == "as it was"
    assert (target / "new" / "file").read_text() == "forged"
    assert (target / "same").read_text() == "forged"
    assert not Path("/tmp/adjudge-absolute").exists()
