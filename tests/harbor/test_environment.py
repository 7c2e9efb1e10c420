"""The environment by itself: commands, users, files, limits, network, root filesystems, and what it
refuses."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from harbor.environments.base import SandboxBuildFailedError
from harbor.models.task.config import EnvironmentConfig, NetworkMode, NetworkPolicy
from harbor.models.trial.paths import TrialPaths

from adjudge.errors import SandboxError
from adjudge.integrations.harbor import BubblewrapEnvironment


def make(folder: Path, dockerfile: str | None = None, **options: Any) -> BubblewrapEnvironment:
    (folder / "environment").mkdir(exist_ok=True)
    if dockerfile is not None:
        (folder / "environment" / "Dockerfile").write_text(dockerfile)
    config = options.pop("config", None) or EnvironmentConfig()
    return BubblewrapEnvironment(
        environment_dir=folder / "environment",
        environment_name="task",
        session_id="task__1",
        trial_paths=TrialPaths(folder / "trial"),
        task_env_config=config,
        logger=logging.getLogger("test"),
        **options,
    )


@asynccontextmanager
async def started(*arguments: Any, **options: Any) -> AsyncIterator[BubblewrapEnvironment]:
    environment = make(*arguments, **options)
    await environment.start(force_build=False)
    try:
        yield environment
    finally:
        await environment.stop(delete=True)


def test_commands(tmp_path: Path) -> None:
    """Working directory, environment, exit code, both streams, and a standard input that is empty."""

    async def body() -> None:
        async with started(tmp_path, "FROM ubuntu:24.04\nENV A=1\nWORKDIR /app\n") as environment:
            done = await environment.exec("pwd; echo $A $B; echo oops >&2; cat; exit 3", env={"B": "2"})
            assert (done.return_code, done.stdout, done.stderr) == (3, "/app\n1 2\n", "oops\n")
            assert (await environment.exec("pwd", cwd="/tmp")).stdout == "/tmp\n"
            assert (await environment.exec("true", cwd="/nowhere")).return_code == 125

    asyncio.run(body())


def test_users(tmp_path: Path) -> None:
    async def body() -> None:
        async with started(tmp_path) as environment:
            assert (await environment.exec("id -u; whoami")).stdout == "0\nroot\n"
            assert (await environment.exec("id -un", user="nobody")).stdout == "nobody\n"
            assert (await environment.exec("id -u; id -g", user=1234)).stdout == "1234\n1234\n"
            with environment.with_default_user("nobody"):
                assert (await environment.exec("id -un")).stdout == "nobody\n"
            unknown = await environment.exec("id", user="mallory")
            assert unknown.return_code == 125
            assert "mallory" in (unknown.stderr or "")

    asyncio.run(body())


def test_a_command_out_of_time_is_ended_with_its_children(tmp_path: Path) -> None:
    async def body() -> None:
        async with started(tmp_path) as environment:
            done = await environment.exec("sleep 600 & sleep 600; echo late", timeout_sec=1)
            assert done.return_code == 124
            assert "stopped after 1 s" in (done.stderr or "")
            assert "sleep" not in ((await environment.exec("ps ax -o comm")).stdout or "")

    asyncio.run(body())


def test_a_background_process_does_not_hold_a_command_up_and_outlives_it(tmp_path: Path) -> None:
    """As in a container: a server started by one command is there for the next."""

    async def body() -> None:
        async with started(tmp_path) as environment:
            up = "until pgrep -x sleep > /dev/null; do :; done"
            assert (await environment.exec(f"sleep 7000 & {up}; echo started")).stdout == "started\n"
            assert "sleep" in ((await environment.exec("ps ax -o comm")).stdout or "")

    asyncio.run(body())


def test_files_in_and_out(tmp_path: Path) -> None:
    """Folders, modes and inner links survive; links that lead out, pipes and devices stay behind."""
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "deep" / "run.sh").chmod(0o755)
    (source / "inner").symlink_to("deep/run.sh")

    async def body() -> None:
        async with started(tmp_path) as environment:
            await environment.upload_dir(source, "/data")
            assert (await environment.exec("/data/inner")).stdout == "ran\n"
            await environment.upload_file(source / "deep" / "run.sh", "/new/place/x.sh")
            assert (await environment.exec("/new/place/x.sh")).stdout == "ran\n"
            await environment.exec(
                "cd /data; ln -s /etc/passwd out; mkfifo pipe; echo 1 > 'a b'; ln -s ../.. up"
            )
            await environment.download_dir("/data", tmp_path / "back")
            await environment.download_file("/data/a b", tmp_path / "single.txt")
            with pytest.raises(SandboxError, match="No such file"):
                await environment.download_file("/data/none", tmp_path / "none")
            assert await environment.is_dir("/data")
            assert not await environment.is_file("/data")

    asyncio.run(body())
    back = tmp_path / "back"
    assert sorted(p.name for p in back.iterdir()) == ["a b", "deep", "inner"]
    assert (back / "deep" / "run.sh").stat().st_mode & 0o100
    assert (tmp_path / "single.txt").read_text() == "1\n"


def test_a_planted_link_leads_nowhere(tmp_path: Path) -> None:
    """An agent links /data to a folder of the host; the upload lands inside the sandbox."""
    victim = tmp_path / "victim"
    victim.mkdir()
    victim.chmod(0o777)
    (tmp_path / "payload").write_text("x")

    async def body() -> None:
        async with started(tmp_path) as environment:
            await environment.exec(f"ln -s {victim} /data; mkdir -p {victim}")
            await environment.upload_file(tmp_path / "payload", "/data/payload")
            assert (await environment.exec(f"cat {victim}/payload")).stdout == "x"

    asyncio.run(body())
    assert list(victim.iterdir()) == []


def test_limits(tmp_path: Path) -> None:
    """Memory and storage of [environment]; whoever passes them is ended, and told why."""
    config = EnvironmentConfig(memory_mb=150, storage_mb=20, cpus=1)

    async def body() -> None:
        async with started(tmp_path, config=config) as environment:
            hog = await environment.exec("python3 -c 'x = bytearray(400 << 20); import time; time.sleep(99)'")
            assert hog.return_code == 137
            assert "memory limit of 150 MB passed" in (hog.stderr or "")
            big = await environment.exec("head -c 60M /dev/zero > /tmp/big; stat -c %s /tmp/big")
            assert int((big.stdout or "0").split()[-1]) <= 20 << 20
            assert (await environment.exec("nproc")).stdout == "1\n"

    asyncio.run(body())


def test_no_network_unless_allowed(tmp_path: Path) -> None:
    """Public is Harbor's default; here it needs allow_network too. A policy of none is always kept."""
    count = "grep -c : /proc/net/dev"
    none = NetworkPolicy(network_mode=NetworkMode.NO_NETWORK)

    async def body() -> None:
        async with started(tmp_path) as environment:
            assert (await environment.exec(count)).stdout == "1\n"  # loopback
        async with started(tmp_path, allow_network=True, network_policy=none) as environment:
            assert (await environment.exec(count)).stdout == "1\n"
        async with started(tmp_path, allow_network=True) as environment:
            inside = (await environment.exec("readlink /proc/self/ns/net")).stdout
            assert inside == f"{Path('/proc/self/ns/net').readlink()}\n"

    asyncio.run(body())


def test_the_base_cannot_be_changed(tmp_path: Path) -> None:
    """So an agent cannot put another python3 in its verifier's way."""

    async def body() -> None:
        async with started(tmp_path) as environment:
            assert (await environment.exec("touch /usr/bin/python3")).return_code != 0
            assert (await environment.exec("mount -t tmpfs none /usr")).return_code != 0

    asyncio.run(body())


def make_rootfs(rootfs: Path) -> None:
    """A root filesystem with a shell, a few programs and the libraries they need."""
    for name in ("proc", "dev", "etc", "tmp", "opt", "usr/bin"):
        (rootfs / name).mkdir(parents=True)
    (rootfs / "bin").symlink_to("usr/bin")
    (rootfs / "opt" / "made").write_text("by the image\n")
    for program in ("sh", "bash", "cat", "mkdir", "touch"):
        found = shutil.which(program, path="/usr/bin:/bin")
        assert found is not None
        shutil.copy2(found, rootfs / "usr/bin" / program)
        for library in re.findall(r"(/\S+\.so\S*)", subprocess.check_output(["ldd", found], text=True)):
            target = rootfs / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, target)


def test_a_root_filesystem_stands_for_an_image() -> None:
    """One for each task name; the Dockerfile's RUN is taken as done, its WORKDIR and ENV are kept.

    What is written goes to a layer above it: the folder itself stays as it was.
    """
    dockerfile = "FROM node:22\nRUN npm install\nENV A=1\nWORKDIR /opt\n"
    with tempfile.TemporaryDirectory(prefix="rootfs-") as place:  # pytest's own folder is closed to others
        folder = Path(place)
        folder.chmod(0o755)
        make_rootfs(folder / "images" / "task")
        assert make(folder, dockerfile).unserved

        async def body() -> None:
            async with started(folder, dockerfile, rootfs=str(folder / "images")) as environment:
                done = await environment.exec("cat made; echo $A; touch /tmp/new && echo written")
                assert done.stdout == "by the image\n1\nwritten\n"

        asyncio.run(body())
        assert not (folder / "images" / "task" / "tmp" / "new").exists()


@pytest.mark.parametrize(
    ("dockerfile", "config", "reason"),
    [
        ("FROM node:22\n", {}, "not a plain base"),
        (
            "FROM ubuntu:24.04\nRUN apt-get update && apt-get install -y gcc\n",
            {},
            "cannot be run without an image",
        ),
        ("FROM debian:12\nCOPY missing.txt /app/\n", {}, "no such file"),
        ("FROM debian:12\nCOPY --from=build /x /y\n", {}, "not served"),
        ("FROM debian:12 AS a\nFROM debian:12\n", {}, "more than one build stage"),
        (None, {"docker_image": "ghcr.io/acme/task:1"}, "no image can be pulled"),
        (None, {"gpus": 1}, "no GPU"),
        (None, {"network_mode": NetworkMode.ALLOWLIST, "allowed_hosts": ["example.com"]}, "allowlist"),
    ],
)
def test_what_cannot_be_served_fails_its_own_trial_with_the_reason(
    tmp_path: Path, dockerfile: str | None, config: dict[str, Any], reason: str
) -> None:
    """When it starts, not when it is made: an exception there would end the whole job."""
    settings = EnvironmentConfig(**config)
    environment = make(tmp_path, dockerfile, config=settings, network_policy=settings.resolve_baseline())
    with pytest.raises(SandboxBuildFailedError, match=reason):
        asyncio.run(environment.start(force_build=False))


def test_nothing_is_left(tmp_path: Path) -> None:
    """No process, no folder; also after a command that made its folder unreadable."""

    async def body() -> Path:
        async with started(tmp_path) as environment:
            assert environment._session is not None
            folder = environment._session.folder
            await environment.exec("mkdir -p /tmp/a/b; chmod 0 /tmp/a; sleep 7000 &")
            return folder

    assert not asyncio.run(body()).exists()
