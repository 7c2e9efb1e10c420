"""A hostile or broken verifier cannot use more than its limits, and every limit that was hit is named."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from adjudge.contracts import Limit
from adjudge.sandbox import ArtifactKind, Sandbox
from support.patience import with_time_enough
from support.sandbox_jobs import Verify, everyone, job_for, python


@everyone
def test_it_cannot_outlive_its_time(verify: Verify) -> None:
    """Deaf to every signal it may refuse, with a stopped child and one in a session of its own."""
    script = "trap '' TERM INT HUP; (kill -STOP $BASHPID) & setsid sleep 600 & sleep 600; sleep 600"
    outcome = verify(script, limits={"wall_time_sec": 0.4})
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.WALL_TIME,))
    assert outcome.duration_sec >= 0.4


def test_a_crash_is_not_a_time_out(verify: Verify) -> None:
    outcome = verify("kill -ABRT $$")
    assert (outcome.exit_code, outcome.limits_hit) == (-6, ())


@everyone
def test_it_cannot_exhaust_memory(verify: Verify) -> None:
    outcome = verify(python("x = []\nwhile True: x.append(bytearray(b'x') * 2_000_000)"))
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.MEMORY,))


def test_memory_is_that_of_all_processes_together(verify: Verify) -> None:
    """Four processes of 60 MB each are past 128 MB, though none is by itself."""
    outcome = verify(
        "for i in 1 2 3 4; do python3 -c 'x = b\"x\" * 60_000_000; input()' <> <(:) & done; wait"
    )
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.MEMORY,))


def test_memory_that_processes_share_counts_once(verify: Verify) -> None:
    """60 MB shared by five processes after a fork is 60 MB, not 300 MB."""
    outcome = verify(
        python("""
import os, time
x = b"x" * 60_000_000
for _ in range(4):
    if os.fork() == 0: time.sleep(0.4); os._exit(0)
for _ in range(4): os.wait()
print("done")
""")
    )
    assert (outcome.stdout, outcome.limits_hit) == (b"done\n", ())


def test_reserved_address_space_is_not_memory(verify: Verify) -> None:
    """Runtimes reserve far more than they use: 1 GB of untouched pages within 128 MB of memory is fine."""
    outcome = verify(python("import mmap; m = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE); print('ok')"))
    assert (outcome.stdout, outcome.limits_hit) == (b"ok\n", ())


@everyone
def test_it_cannot_exhaust_processes(verify: Verify) -> None:
    outcome = verify("bomb() { bomb | bomb & }; bomb; sleep 600")
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.PROCESSES,))


def test_threads_count_as_processes(verify: Verify) -> None:
    outcome = verify(
        python("""
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(600,)).start()
    except RuntimeError: time.sleep(1)
""")
    )
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.PROCESSES,))


def test_as_many_processes_as_allowed_are_fine(verify: Verify) -> None:
    """The limit is 24: bash and 23 sleepers."""
    outcome = verify("for i in $(seq 23); do sleep 0.2 & done; wait; echo done")
    assert (outcome.stdout, outcome.limits_hit) == (b"done\n", ())


@everyone
@pytest.mark.parametrize("folder", ["/workspace", "/", "/dev/shm", "/logs/verifier"])
def test_it_cannot_fill_the_disk(verify: Verify, folder: str) -> None:
    """Eight files of 7 MB do not fit in 24 MB, wherever they are written."""
    outcome = verify(
        f"for i in 1 2 3 4 5 6 7 8; do head -c 7M /dev/zero > {folder}/big$i; done\n"
        "du -cmx /dev/shm / | tail -1"
    )
    assert int(outcome.stdout.split()[0]) <= 24 + 1
    assert b"No space left" in outcome.stderr
    if folder != "/dev/shm":
        assert Limit.DISK in outcome.limits_hit


def test_all_folders_share_one_disk(verify: Verify) -> None:
    outcome = verify("for d in /workspace /tmp /logs ~ /run; do head -c 7M /dev/zero > $d/big; done")
    assert b"No space left" in outcome.stderr
    assert Limit.DISK in outcome.limits_hit


def test_a_disk_that_was_full_for_a_moment_is_named(verify: Verify) -> None:
    """Longer than one look takes, and looks are rarer on a busy machine."""
    fill = "for i in 1 2 3 4; do head -c 7M /dev/zero > /tmp/big$i; done"
    outcome = with_time_enough(
        lambda moment: verify(f"{fill}; sleep {moment}; rm /tmp/big*"),
        lambda outcome: bool(outcome.limits_hit),
    )
    assert (outcome.exit_code, outcome.limits_hit) == (0, (Limit.DISK,))


def test_empty_files_are_limited_too(verify: Verify) -> None:
    """256 files for each of the 24 MB are 6,144; a kernel keeps about a kilobyte for each."""
    outcome = verify(python("n = 0\nwhile True: open(f'/tmp/{n}', 'w').close(); n += 1"))
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.DISK,))


@everyone
def test_the_files_of_an_output_are_not_the_verifiers_doing(verify: Verify) -> None:
    """More of them than the verifier itself may write (2 MB of disk: 512), and deeper than it is usual."""
    files = {f"/workspace/{number // 100}/{number}": "" for number in range(1500)}
    files["/workspace/" + "deep/" * 300 + "file"] = ""
    script = "find . -type f | wc -l; sleep 0.2; touch /tmp/$(seq -s ' /tmp/' 200); echo done"
    outcome = verify(script, files=files, limits={"disk_mb": 2})
    assert (outcome.stdout, outcome.limits_hit) == (b"1501\ndone\n", ())


def test_one_file_cannot_grow_past_its_size(verify: Verify) -> None:
    """The limit is 8 MB. A shell's program dies of it; Python gets an error instead; both are told."""
    dead = verify("head -c 9M /dev/zero > /tmp/x")
    assert (dead.exit_code, dead.limits_hit) == (-25, (Limit.FILE_SIZE,))
    told = verify(python("f = open('/tmp/x', 'wb', 0)\nwhile True: f.write(bytes(1 << 20))"))
    assert (told.exit_code, told.limits_hit) == (1, (Limit.FILE_SIZE,))
    assert b"File too large" in told.stderr


def test_a_sparse_giant_is_no_artifact(verify: Verify) -> None:
    """7 MB of nothing may be a file but not an artifact (1 MB); a terabyte cannot even be a file."""
    outcome = verify(
        "cd /logs/verifier; truncate -s 7M giant; truncate -s 1T colossus; echo {} > reward.json"
    )
    assert outcome.limits_hit == (Limit.ARTIFACT_SIZE,)
    assert outcome.artifacts["giant"].kind is ArtifactKind.OVERSIZED
    assert outcome.artifacts["reward.json"].data == b"{}\n"


def test_a_flood_of_artifacts_does_not_hide_the_reward(verify: Verify) -> None:
    outcome = verify("cd /logs/verifier; touch $(seq 3000); echo {} > reward.json")
    assert outcome.limits_hit == (Limit.ARTIFACT_SIZE,)
    assert len(outcome.artifacts) == 1000
    assert outcome.artifacts["reward.json"].data == b"{}\n"


def test_a_flood_of_output_is_cut_in_the_middle(verify: Verify) -> None:
    """64 MB of output in bounded memory: beginning and end are kept, and what is missing is counted."""
    tracemalloc.start()
    try:
        outcome = verify(
            "echo first; head -c 64M /dev/zero | tr '\\0' x; echo; echo last", limits={"captured_kb": 16}
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (outcome.exit_code, outcome.limits_hit) == (0, (Limit.CAPTURED_OUTPUT,))
    assert len(outcome.stdout) <= 16 * 1024
    assert outcome.stdout.startswith(b"first\nxxx")
    assert outcome.stdout.endswith(b"xxx\nlast\n")
    assert b"bytes left out" in outcome.stdout
    assert peak < 2 << 20


def test_output_of_exactly_the_limit_is_kept_whole(verify: Verify) -> None:
    outcome = verify("head -c 1024 /dev/zero", limits={"captured_kb": 1})
    assert (len(outcome.stdout), outcome.limits_hit) == (1024, ())


def test_the_time_begins_when_the_verifier_is_released(sandbox: Sandbox, tmp_path: Path) -> None:
    """Whatever the caller does before it looks at the verifier: load modules, say."""
    late: dict[str, Any] = {"meanwhile": lambda: time.sleep(0.5), "limits": {"wall_time_sec": 0.4}}
    outcome = sandbox.run(job_for(tmp_path / "tests", "sleep 0.2", **late))
    assert outcome.duration_sec >= 0.2
    assert outcome.limits_hit == ()  # it had ended when it was looked at
