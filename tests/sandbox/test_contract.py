"""What every job finds, and what every job gives back."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudge.contracts import Limit
from adjudge.errors import UsageError
from adjudge.gates import OutputFile
from adjudge.sandbox import ArtifactKind, Sandbox, SandboxJob
from support.patience import with_time_enough
from support.sandbox_jobs import Verify, job_for


def test_a_verifier_reads_the_output_and_writes_its_artifacts(verify: Verify) -> None:
    outcome = verify(
        "pwd; cat output.md; test -s /tests/test.sh; echo {} > /logs/verifier/reward.json; echo e >&2",
        files={"/workspace/output.md": "answer\n"},
    )
    assert outcome.exit_code == 0
    assert outcome.stdout == b"/workspace\nanswer\n"
    assert outcome.stderr == b"e\n"
    assert outcome.limits_hit == ()
    assert outcome.artifacts["reward.json"].data == b"{}\n"
    assert outcome.duration_sec > 0


def test_the_place_is_fresh_every_time(verify: Verify) -> None:
    script = "ls -A /workspace /logs/verifier /tmp; echo x | tee /workspace/a /logs/verifier/b /tmp/c"
    assert verify(script).stdout == verify(script).stdout


def test_the_environment_is_fixed(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_SECRET", "hunter2")
    told = verify("env; hostname; id -un; date +%Z; umask", env={"EXTRA": "1"}).stdout.decode()
    assert "hunter2" not in told
    lines = set(told.splitlines())
    assert {"TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONHASHSEED=0", "EXTRA=1", "HOME=/run/verifier"} <= lines
    assert {"NPM_CONFIG_FETCH_RETRIES=0", "PIP_RETRIES=0"} <= lines  # there is no network to wait for
    assert told.splitlines()[-4:] == ["adjudge", "verifier", "UTC", "0022"]


def test_the_hosts_umask_plays_no_part(verify: Verify) -> None:
    script = "umask; stat -c %a /workspace /logs/verifier ~; touch a; stat -c %a a"
    usual = verify(script)
    before = os.umask(0o777)
    try:
        strict = verify(script)
    finally:
        os.umask(before)
    assert strict.stdout == usual.stdout == b"0022\n755\n755\n755\n644\n"


def test_promised_folders_are_writable_and_python_is_there(verify: Verify) -> None:
    outcome = verify(
        "set -e; touch /workspace/a /logs/a /tmp/a /var/tmp/a /run/a ~/a /dev/shm/a; echo > /dev/stderr\n"
        "python3 -c 'import json, ssl, sqlite3, multiprocessing; multiprocessing.Lock()'"
    )
    assert (outcome.exit_code, outcome.stderr) == (0, b"\n")


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 3", 3),
        ("no-such-program", 127),
        ("kill -SEGV $$", -signal.SIGSEGV),
        ("python3 -c 'import os; os.kill(os.getpid(), 9)'", -signal.SIGKILL),
    ],
)
def test_exit_codes_are_told_as_they_are(verify: Verify, script: str, code: int) -> None:
    """A shell says 128 + N for the signal N that ended its last command; that comes out as -N."""
    outcome = verify(script)
    assert (outcome.exit_code, outcome.limits_hit) == (code, ())


def test_a_command_that_does_not_exist_is_127(sandbox: Sandbox, tmp_path: Path) -> None:
    assert sandbox.run(SandboxJob(("nothing",), tmp_path, {}, "/workspace")).exit_code == 127


def test_files_keep_their_place_mode_and_link(sandbox: Sandbox, tmp_path: Path) -> None:
    """A link is placed as a link, even one to a path of the host; setuid never survives."""
    files = {
        "/app/deep/run.sh": OutputFile(data=b"echo ran\n", mode=0o4755),
        "/app/shadow": OutputFile(data=b"", link="/etc/shadow"),
        "/data/output.txt": OutputFile(data=b"top", mode=0o600),
    }
    (tmp_path / "test.sh").write_text(
        "stat -c '%n %a' /app/deep/run.sh /data/output.txt; readlink shadow; cat shadow; ./deep/run.sh"
    )
    outcome = sandbox.run(SandboxJob(("bash", "/tests/test.sh"), tmp_path, files, "/app"))
    assert outcome.stdout.decode().splitlines() == [
        "/app/deep/run.sh 755",
        "/data/output.txt 600",
        "/etc/shadow",
        "ran",
    ]
    assert b"No such file" in outcome.stderr  # the link leads nowhere in there


def test_a_thousand_files_are_placed(verify: Verify) -> None:
    files = {f"/workspace/d{n % 7}/f{n}": "x" for n in range(1000)}
    assert verify("find . -type f | wc -l", files=files).stdout.strip() == b"1000"


def test_a_file_where_none_can_be_is_left_out(verify: Verify) -> None:
    outcome = verify("ls /usr/bin/x-of-the-agent", files={"/usr/bin/x-of-the-agent": ""})
    assert outcome.exit_code == 2
    assert list(outcome.left_out) == ["/usr/bin/x-of-the-agent"]


@pytest.mark.parametrize("path", ["relative", "/", "/a/../b", "/a//b", "/a\0b", ""])
def test_paths_that_mean_nothing_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError, match="not a path inside the sandbox"):
        SandboxJob(("true",), tmp_path, {path: OutputFile(data=b"")}, "/workspace")


def test_tests_that_only_root_can_read_are_seen_all_the_same(sandbox: Sandbox, tmp_path: Path) -> None:
    """The sandbox runs as nobody where adjudge runs as root; a private task folder still works."""
    job = job_for(tmp_path / "tests", "cat /tests/data/private; touch /tests/x")
    (tmp_path / "tests/data").mkdir(mode=0o700)
    (tmp_path / "tests/data/private").write_text("private")
    (tmp_path / "tests/data/private").chmod(0o600)
    (tmp_path / "tests").chmod(0o700)
    outcome = sandbox.run(job)
    assert outcome.stdout == b"private"
    assert outcome.exit_code == 0
    assert not (tmp_path / "tests/x").exists()
    assert sandbox.run(replace(job, writable_tests=False)).exit_code == 1


def test_a_hidden_program_cannot_be_run(verify: Verify) -> None:
    outcome = verify("cat /usr/bin/python3; python3 -V", hide=("/usr/bin/python3",))
    assert (outcome.stdout, outcome.exit_code) == (b"", 126)


def test_a_hidden_folder_is_empty(verify: Verify) -> None:
    assert verify("ls -A /usr/share | wc -l", hide=("/usr/share",)).stdout.strip() == b"0"


def test_uid_and_cpus_can_be_varied(verify: Verify) -> None:
    outcome = verify("id -u; id -un; nproc", uid=1234, cpus=1)
    assert outcome.stdout.decode().split() == ["1234", "verifier", "1"]


def test_artifacts_are_kept_when_the_time_is_up(verify: Verify) -> None:
    outcome = with_time_enough(
        lambda limit: verify("echo kept > /logs/verifier/note; sleep 600", limits={"wall_time_sec": limit}),
        lambda outcome: "note" in outcome.artifacts,
    )
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.WALL_TIME,))
    assert outcome.artifacts["note"].data == b"kept\n"


def test_a_hundred_repeats_give_the_same_bytes(sandbox: Sandbox, tmp_path: Path) -> None:
    """Also from many threads at once, and although Python's hashes are random by default."""
    script = (
        "python3 -c 'print(set(map(str, range(9))))' | tee /logs/verifier/reward.json; ls -n /workspace; env"
    )
    job = job_for(tmp_path / "tests", script)
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: sandbox.run(job), range(100)))
    results = {(o.exit_code, o.limits_hit, o.stdout, o.stderr, tuple(o.artifacts.items())) for o in outcomes}
    assert len(results) == 1
    assert outcomes[0].artifacts["reward.json"].kind is ArtifactKind.FILE


def test_programs_find_the_configuration_that_is_part_of_them(verify: Verify) -> None:
    """Which system this is, what .docx means, which fonts there are: as on the host, where the host knows."""
    outcome = verify("for f in os-release mime.types fonts/fonts.conf; do cat /etc/$f; done")
    known = [Path("/etc", name) for name in ("os-release", "mime.types", "fonts/fonts.conf")]
    assert outcome.stdout == b"".join(path.read_bytes() for path in known if path.exists())
