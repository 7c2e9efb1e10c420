"""A verifier may write to `/tests`, as it natively may; it is a copy of its own that goes with the trial."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from adjudge.contracts import Limit
from adjudge.evidence import needs_of
from adjudge.sandbox import Sandbox
from adjudge.sandbox.files import own_tests
from adjudge.sandbox.files.place import ReadFolder, kept_folders
from adjudge.scoring import score_text, writable_tests
from adjudge.tasks import load_task
from support.sandbox_jobs import SMALL, Verify, everyone, job_for, python
from support.task_folders import write_task

WRITES = """
cd /tests && mkdir build && echo 'int main(void) { return 0; }' > build/a.c && cp build/a.c build/b.c
echo changed >> expected.txt && rm gone.txt && mv old.txt new.txt && ln -s expected.txt link.txt
ls -A; cat expected.txt link.txt
"""


def filled(folder: Path) -> Path:
    folder.mkdir()
    for name in ("expected.txt", "gone.txt", "old.txt"):
        (folder / name).write_text(f"{name}\n")
        (folder / name).chmod(0o644)
    return folder


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@everyone
def test_it_may_write_change_and_remove(verify: Verify) -> None:
    """In one line, since bash reads a line of its script when it comes to it."""
    change = "cp $0 d/copy && echo 'exit 1' > $0 && cat $0 && rm $0"
    script = f"cd /tests && echo 1 > a && mkdir d && mv a d && {change}; ls d; [ -e $0 ] || echo gone"
    assert verify(script).stdout.decode().splitlines() == ["exit 1", "a", "copy", "gone"]


@everyone
def test_nothing_of_it_is_there_for_the_next(verify: Verify) -> None:
    for _ in range(2):
        assert verify("[ -e /tests/left ] && echo old; echo x > /tests/left && echo new").stdout == b"new\n"


def test_the_folder_of_this_machine_stays_as_it_was(sandbox: Sandbox, tmp_path: Path) -> None:
    tests = filled(tmp_path / "tests")
    job = job_for(tests, WRITES)
    before = content(tests)
    outcome = sandbox.run(job)
    assert outcome.stdout.decode().split() == [
        *("build", "expected.txt", "link.txt", "new.txt", "test.sh"),
        *("expected.txt", "changed", "expected.txt", "changed"),
    ]
    assert outcome.stderr == b""
    assert content(tests) == before


def test_it_has_the_same_names_modes_and_times(sandbox: Sandbox, tmp_path: Path) -> None:
    tests = filled(tmp_path / "tests")
    (tests / "below" / "deep").mkdir(parents=True)
    (tests / "below" / "run.sh").write_text("exit 0\n")
    (tests / "below" / "run.sh").chmod(0o755)
    (tests / "below" / "link").symlink_to("run.sh")
    show = "find . ! -name test.sh -printf '%p %y %M %l %T@\\n' | sort"
    job = job_for(tests, f"cd /tests && {show}")
    for path in (tests, *tests.rglob("*")):
        os.utime(path, (1_600_000_000, 1_600_000_000), follow_symlinks=False)
    here = subprocess.run(["bash", "-c", show], cwd=tests, capture_output=True, check=True)
    assert sandbox.run(job).stdout == here.stdout


@everyone
def test_what_it_writes_there_counts_as_disk(verify: Verify) -> None:
    script = "for n in 1 2 3 4 5 6; do head -c 6M /dev/zero > /tests/$n; done 2> /dev/null; exit 0"
    assert Limit.DISK in verify(script).limits_hit


def test_tests_that_are_too_large_are_read_only(
    sandbox: Sandbox, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_tests, "MOST_FILES", 1)
    job = job_for(open_folder, "echo x > /tests/x")
    (open_folder / "more").write_text("more\n")
    outcome = sandbox.run(job)
    assert b"Read-only file system" in outcome.stderr
    assert sorted(content(open_folder)) == ["more", "test.sh"]


def test_large_files_are_too_large_as_well(tmp_path: Path) -> None:
    job = job_for(tmp_path, "")
    with (tmp_path / "data").open("wb") as file:
        file.truncate(own_tests.MOST_BYTES)
    assert own_tests.copied_size(job) is None
    (tmp_path / "data").unlink()
    assert own_tests.copied_size(job) == 2 * 4096
    assert SMALL.disk_mb  # the copy is on top of what may be written


def test_a_database_beside_the_tests_works(sandbox: Sandbox, tmp_path: Path) -> None:
    """SQLite would say "unable to open database file", which nobody knows for a read-only folder."""
    script = python(
        "import sqlite3; c = sqlite3.connect('/tests/a.db'); c.execute('create table t (a)'); print(1)"
    )
    assert sandbox.run(job_for(tmp_path / "tests", script)).stdout == b"1\n"


@everyone
def test_a_job_can_forbid_it(verify: Verify) -> None:
    outcome = verify("echo 'exit 7' >> $0; echo x > /tests/x", writable_tests=False)
    assert outcome.exit_code == 1
    assert b"/tests/x: Read-only file system" in outcome.stderr


FORGED = "open('/tests/test.sh', 'a').write('\\necho 1 > /logs/verifier/reward.txt\\n')"
RUNS = "{}python3 /app/solve.py\necho 0 > /logs/verifier/reward.txt\n"


@pytest.mark.parametrize(
    ("before", "reward"),
    [
        pytest.param("", 0.0, id="runs the agent's program"),
        pytest.param("cp /app/solve.py /tests/\n", 1.0, id="and writes to its tests itself"),
    ],
)
def test_a_program_of_the_agents_changes_no_tests_that_the_verifier_leaves_alone(
    sandbox: Sandbox, tmp_path: Path, before: str, reward: float
) -> None:
    """Bash reads its script as it goes: a line more is a line that it runs."""
    instruction, script = "Write a program to `/app/solve.py`.\n", RUNS.format(before)
    task = load_task(write_task(tmp_path / "t", instruction=instruction, script=script))
    assert score_text(task, FORGED, sandbox=sandbox).reward == reward


@pytest.mark.parametrize(
    ("said", "found"), [("", False), ("writable_tests = true\n", True), ("writable_tests = false\n", False)]
)
def test_a_task_has_the_last_word(tmp_path: Path, said: str, found: bool) -> None:
    toml = f"[verifier]\nruns_output = true\n{said}"
    assert writable_tests(load_task(write_task(tmp_path / "t", toml=toml))) is found


@pytest.mark.parametrize(
    ("script", "writes"),
    [
        ("cd /tests && npm test", True),
        ("cp /app/a.py /tests/a.py", True),
        ("cd /tests\ncp /app/a.py .", True),
        ('cp /app/a.py "$TEST_DIR/"', True),
        ("gcc /app/a.c -o /tests/a", True),
        ("cd /tests && mkdir -p build", True),
        ("python3 /app/a.py > /tests/out.txt", True),
        ("python3 /app/a.py > /tmp/out.txt", False),
        ("cp /tests/data.csv /app/ && python3 /app/a.py", False),
        ("cd /app && npm test", False),
        ("cd /tests && python3 check.py", False),
        ("python3 /tests/writes.py", True),
        ("cp /app/a.py /testsuite/a.py", False),
        pytest.param("python3 /tests/long.py", False, id="a line that a pattern could be lost in"),
    ],
)
def test_it_is_seen_if_a_verifier_writes_to_its_tests(tmp_path: Path, script: str, writes: bool) -> None:
    files: dict[str, str | bytes] = {
        "tests/check.py": "open('/logs/verifier/reward.txt', 'w').write('1')\n",
        "tests/long.py": "# " + "open(" * 100_000 + "\n",
        "tests/writes.py": "import shutil\nshutil.copy('/app/a.py', '/tests/a.py')\n",
    }
    assert needs_of(load_task(write_task(tmp_path / "t", script=script, files=files))).writes_tests is writes


def test_tests_that_are_kept_are_read_again_when_they_change(
    sandbox: Sandbox, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are kept as long as nothing in their folder changes; a change of the same size is one, too."""
    monkeypatch.setattr(own_tests, "_PAST_NS", 0)
    read: list[Path] = []

    def counted(tests: Path) -> list[ReadFolder]:
        read.append(tests)
        return kept_folders(tests)

    monkeypatch.setattr(own_tests, "kept_folders", counted)
    job = job_for(open_folder / "tests", "cat /tests/expected.txt; echo x >> /tests/expected.txt")
    (job.tests / "expected.txt").write_text("one")
    assert [sandbox.run(job).stdout for _ in range(3)] == [b"one"] * 3
    assert len(read) == 1
    (job.tests / "expected.txt").write_text("two")
    assert [sandbox.run(job).stdout for _ in range(3)] == [b"two"] * 3
    assert len(read) == 2


def test_a_change_a_moment_ago_is_no_sign_yet(sandbox: Sandbox, open_folder: Path) -> None:
    """Two changes may have the same time: what was changed lately is read for each trial."""
    job = job_for(open_folder / "tests", "cat /tests/expected.txt")
    (job.tests / "expected.txt").write_text("one")
    assert own_tests.own_tests(job) is not None
    assert str(job.tests) not in own_tests._kept
