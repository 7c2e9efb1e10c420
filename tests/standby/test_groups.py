"""A command belongs to the control groups of whoever called it, as a desktop gives each terminal its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.standby.groups import hierarchies, join
from support.patience import wait_until
from support.standby import PROGRAM, StandbyHome, command_of, waits


@pytest.fixture
def group() -> Iterator[Path]:
    """A group beside that of the tests, in the unified hierarchy or another."""
    own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    places = hierarchies(Path("/proc/self/mountinfo").read_text())
    for controllers in ("", "pids", "freezer"):
        made = Path(f"{places.get(controllers)}{own.get(controllers)}/adjudge-test-{os.getpid()}")
        try:
            made.mkdir()
            (made / "cgroup.procs").read_text()
        except OSError:
            continue
        break
    else:
        pytest.skip("needs a control group to make groups in")
    yield made
    assert wait_until(lambda: not (made / "cgroup.procs").read_text())
    made.rmdir()


def within(group: Path, home: StandbyHome, *words: str) -> subprocess.CompletedProcess[bytes]:
    script = f'echo $$ > {group}/cgroup.procs || exit 77; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", PROGRAM, *words], env=home.environment, capture_output=True
    )
    if done.returncode == 77:
        pytest.skip(f"needs a control group that takes processes: {done.stderr.decode()}")
    return done


def test_a_command_is_served_in_the_group_of_its_client(
    home: StandbyHome, group: Path, tmp_path: Path
) -> None:
    server = home.start()["process"]
    assert within(group, home, "schema").returncode == 0
    assert home.served == 1
    script = f'echo $$ > {group}/cgroup.procs; exec "$@"'
    process = subprocess.Popen(["sh", "-c", script, "sh", PROGRAM, *waits(tmp_path)], env=home.environment)
    command = command_of(server)
    assert str(command) in (group / "cgroup.procs").read_text().split()
    process.kill()
    process.wait()


def test_a_group_that_cannot_be_joined_is_an_error() -> None:
    own = Path("/proc/self/cgroup").read_text()
    for line in ("7:nothing:/", "0::/no/such/group", "0::/../../etc"):
        with pytest.raises(OSError, match=r"no such hierarchy|No such file|Permission"):
            join(line, own)


def test_hierarchies_are_those_whose_root_is_seen() -> None:
    mounts = (
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
        "40 31 0:37 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "42 31 0:39 /part /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
    )
    found = hierarchies(mounts)
    assert (found[""], found["cpu,cpuacct"]) == ("/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpu,cpuacct")
    assert "pids" not in found
