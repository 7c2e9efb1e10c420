"""Commands in a session: where they run, as whom, how they end, and which files go in and out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adjudge.errors import SandboxError
from support.sessions import started_session


def test_a_command_has_its_folder_its_environment_and_an_empty_input() -> None:
    async def body() -> None:
        async with started_session() as session:
            done = await session.run("pwd; echo $A; echo oops >&2; cat; exit 3", cwd="/tmp", env={"A": "1"})
            assert (done.code, done.stdout, done.stderr, done.note) == (3, b"/tmp\n1\n", b"oops\n", None)
            assert (await session.run("true", cwd="/nowhere")).code == 125

    asyncio.run(body())


def test_a_command_runs_as_root_or_as_a_user_it_names() -> None:
    async def body() -> None:
        async with started_session() as session:
            assert (await session.run("id -u; whoami")).stdout == b"0\nroot\n"
            assert (await session.run("id -un", user="nobody")).stdout == b"nobody\n"
            assert (await session.run("id -u; id -g", user=1234)).stdout == b"1234\n1234\n"
            unknown = await session.run("id", user="mallory")
            assert unknown.code == 125
            assert b"mallory" in unknown.stderr

    asyncio.run(body())


def test_a_command_out_of_time_is_ended_with_its_children() -> None:
    async def body() -> None:
        async with started_session() as session:
            done = await session.run("sleep 600 & sleep 600; echo late", timeout_sec=0.5)
            assert (done.code, done.note) == (124, "stopped after 0.5 s")
            assert b"sleep" not in (await session.run("ps ax -o comm")).stdout

    asyncio.run(body())


def test_no_privilege_is_left_and_none_can_be_had() -> None:
    """Root of the session may own its files; it cannot mount, and the machine's programs stay as they are."""

    async def body() -> None:
        async with started_session() as session:
            assert (await session.run("chown 5 /tmp || echo refused")).stdout == b"refused\n"
            assert (await session.run("mount -t tmpfs none /mnt")).code != 0
            assert (await session.run("touch /usr/bin/python3")).code != 0
            assert (await session.run("grep NoNewPrivs /proc/self/status")).stdout.split()[-1] == b"1"

    asyncio.run(body())


def test_a_restart_ends_processes_and_keeps_files() -> None:
    """Verification begins with a restart. Without it the process would still be there."""

    async def body() -> None:
        async with started_session() as session:
            await session.run("echo kept > /tmp/file; (setsid nohup sleep 600 >/dev/null 2>&1 &)")
            await session.run("until pgrep -x sleep; do :; done")
            await session.restart()
            assert b"sleep" not in (await session.run("ps ax -o comm")).stdout
            assert (await session.run("cat /tmp/file")).stdout == b"kept\n"

    asyncio.run(body())


def test_files_go_in_and_out(tmp_path: Path) -> None:
    """Folders, modes and inner links survive; links that lead out, pipes and devices stay behind."""
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "deep" / "run.sh").chmod(0o755)
    (source / "inner").symlink_to("deep/run.sh")

    async def body() -> None:
        async with started_session() as session:
            await session.upload(source, "/data")
            assert (await session.run("/data/inner")).stdout == b"ran\n"
            await session.upload(source / "deep" / "run.sh", "/new/place/x.sh")
            assert (await session.run("/new/place/x.sh")).stdout == b"ran\n"
            await session.run("cd /data; ln -s /etc/passwd out; mkfifo pipe; echo 1 > 'a b'; ln -s ../.. up")
            await session.download_folder("/data", tmp_path / "back")
            await session.download_file("/data/a b", tmp_path / "single.txt")
            with pytest.raises(SandboxError, match="No such file"):
                await session.download_file("/data/none", tmp_path / "none")

    asyncio.run(body())
    back = tmp_path / "back"
    assert sorted(path.name for path in back.iterdir()) == ["a b", "deep", "inner"]
    assert (back / "deep" / "run.sh").stat().st_mode & 0o100
    assert (tmp_path / "single.txt").read_text() == "1\n"


def test_only_sockets_that_somebody_needs_can_be_made() -> None:
    """AF_VSOCK would lead to the machine's host whatever the network; for any user, only made here."""
    script = (
        "import socket\nfor family in (1, 2, 10, 16, 17, 38, 40):\n"
        "    try: socket.socket(family, socket.SOCK_DGRAM).close(); print(family)\n"
        "    except OSError: pass"
    )

    async def body() -> None:
        async with started_session() as session:
            for user in (None, "nobody"):
                done = await session.run(f'python3 -c "{script}"', user=user)
                assert done.stdout.split() == [b"1", b"2", b"10", b"16"], done.stderr

    asyncio.run(body())
