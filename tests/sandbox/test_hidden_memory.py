"""Memory that no ordinary look sees still ends at the limit: kept by a control group, and by watching alone.

On a machine that grants control groups to whoever runs the tests, "as is" is the first and "ordinary user"
the second; elsewhere both are watching.
"""

from __future__ import annotations

import pytest

from adjudge.contracts import Limit
from adjudge.sandbox import Sandbox
from adjudge.sandbox.backends import bubblewrap
from support.sandbox_jobs import Verify, everyone, job_for, python

HOGS = {
    "threads of a dead leader": """
import ctypes, os, threading, time
def hog():
    time.sleep(0.1)
    held = []
    while True: held.append(bytearray(b"x") * 2_000_000)
threading.Thread(target=hog).start()
ctypes.CDLL(None).syscall({"x86_64": 60}.get(os.uname().machine, 93), 0)  # ends the first thread alone
""",
    "page tables": """
import mmap, time
size = 1 << 37
held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
for at in range(0, size, 2 << 20): held[at]
time.sleep(20)
""",
    "socket buffers": """
import socket, time
held = []
for _ in range(2000):
    a, b = socket.socketpair()
    a.setblocking(False)
    held += [a, b]
    try:
        while True: a.send(bytes(4096))
    except BlockingIOError: pass
time.sleep(20)
""",
    "locks on files": """
import fcntl, time
held = [open(f"/tmp/{number}", "wb") for number in range(200)]
for number in range(150):
    for file in held: fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * number)
time.sleep(20)
""",
    "many small processes": """
import mmap, os, time
for _ in range(18):
    if os.fork() == 0:
        maps = [mmap.mmap(-1, 4096, prot=mmap.PROT_READ if n % 2 else mmap.PROT_WRITE) for n in range(3000)]
        time.sleep(0.3)
        held = bytearray(b"x") * 12_000_000
        time.sleep(20)
time.sleep(20)
""",
    "shared and unlinked": """
import mmap, time
held = []
while True:
    held.append(mmap.mmap(-1, 4 << 20))
    held[-1].write(bytes(4 << 20))
""",
}


@everyone
@pytest.mark.parametrize("hog", HOGS)
def test_it_ends_at_the_limit(verify: Verify, hog: str) -> None:
    outcome = verify(python(HOGS[hog]))
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.MEMORY,))


@everyone
def test_files_in_shared_memory_are_counted_like_others(verify: Verify) -> None:
    outcome = verify(python("n = 0\nwhile True: open(f'/dev/shm/{n}', 'w').close(); n += 1"))
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.DISK,))


@everyone
def test_memory_that_belongs_to_no_process_cannot_be_had(verify: Verify) -> None:
    """System V segments, queues and semaphores, POSIX queues, anonymous files."""
    outcome = verify(
        python("""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = [("shmget", 0, 4096, 0o1600), ("semget", 0, 1, 0o1600), ("msgget", 0, 0o1600)]
calls += [("memfd_create", b"x", 0), ("mq_open", b"/x", 0o102, 0o600, None)]
print([getattr(libc, name)(*arguments) for name, *arguments in calls])
""")
    )
    assert outcome.stdout == b"[-1, -1, -1, -1, -1]\n"


@everyone
def test_no_code_can_be_put_into_the_first_process(verify: Verify) -> None:
    """Its memory is not the verifier's; there is no way to it through `/proc`, and none by system calls."""
    outcome = verify(
        "ls -A /proc/1; for f in mem maps task/1/mem environ root/etc/passwd; do "
        "[ -e /proc/1/$f ] && echo $f; done; ls -d /proc/self/../1/mem /proc/2/../1/fd 2> /dev/null; true"
    )
    assert outcome.stdout == b""


@everyone
def test_what_tells_of_the_machine_is_covered(verify: Verify) -> None:
    names = "kcore keys key-users latency_stats timer_list timer_stats sched_debug interrupts"
    outcome = verify(
        f"cd /proc; for f in {names}; do head -c 1 $f 2> /dev/null && echo $f; done; "
        "ls -A acpi asound scsi 2> /dev/null | grep -v :; head -c 8 meminfo; true"
    )
    assert outcome.stdout == b"MemTotal"


def test_it_says_who_kept_the_limit(
    sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_for(tmp_path_factory.mktemp("tests"), "true")
    assert sandbox.run(job).memory_kept_by in ("cgroup v1", "cgroup v2", "watching")
    monkeypatch.setattr(bubblewrap, "make_group", lambda limit: None)
    assert sandbox.run(job).memory_kept_by == "watching"
