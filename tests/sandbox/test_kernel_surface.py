"""Calls and files by which a verifier, or a program it runs, could reach past its sandbox: one by one."""

from __future__ import annotations

import json
import os

import pytest

from adjudge.contracts import Limit
from support.sandbox_jobs import Verify, everyone, python

CALLS = {
    "ptrace": (101, "16, os.getppid(), 0, 0"),
    "process_vm_readv": (310, "os.getppid(), 0, 0, 0, 0, 0"),
    "process_vm_writev": (311, "os.getppid(), 0, 0, 0, 0, 0"),
    "pidfd_getfd": (438, "0, 1, 0"),
    "kcmp": (312, "os.getpid(), os.getppid(), 0, 0, 0"),
    "process_madvise": (440, "0, 0, 0, 0, 0"),
    "add_key": (248, "b'user', b'x', b'y', 1, -3"),
    "request_key": (249, "b'user', b'x', 0, 0"),
    "keyctl": (250, "0, -3, 1, 0, 0"),
    "io_uring_setup": (425, "8, 0"),
    "io_uring_register": (427, "0, 0, 0, 0"),
    "userfaultfd": (323, "1"),
    "bpf": (321, "0, 0, 0"),
    "perf_event_open": (298, "0, 0, -1, -1, 0"),
    "fsopen": (430, "b'tmpfs', 0"),
    "fsmount": (432, "0, 0, 0"),
    "fspick": (433, "-100, b'/', 0"),
    "open_tree": (428, "-100, b'/tests', 1"),
    "move_mount": (429, "-100, b'/tmp', -100, b'/tests', 0"),
    "mount_setattr": (442, "-100, b'/tests', 0, 0, 0"),
    "pivot_root": (155, "b'/tmp', b'/tmp'"),
    "chroot": (161, "b'/tmp'"),
    "setns": (308, "0, 0"),
    "memfd_create": (319, "b'x', 0"),
    "memfd_secret": (447, "0"),
    "open_by_handle_at": (304, "-100, 0, 0"),
    "fanotify_init": (300, "0, 0"),
    "init_module": (175, "0, 0, b''"),
    "kexec_load": (246, "0, 0, 0, 0"),
    "syslog": (103, "3, 0, 0"),
    "reboot": (169, "0, 0, 0, 0"),
    "swapon": (167, "b'/tmp/x', 0"),
}


@everyone
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="needs the call numbers of x86_64")
def test_no_call_leads_out(verify: Verify) -> None:
    """Each is refused by the filter, before the kernel looks at what it was given."""
    listed = "".join(f"attempt({name!r}, {number}, {words})\n" for name, (number, words) in CALLS.items())
    outcome = verify(
        python(
            "import ctypes, errno, json, os\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "found = {}\n"
            "def attempt(name, number, *words):\n"
            "    ctypes.set_errno(0)\n"
            "    done = libc.syscall(number, *words)\n"
            "    found[name] = errno.errorcode.get(ctypes.get_errno(), '?') if done == -1 else 'worked'\n"
            f"{listed}print(json.dumps(found))\n"
        )
    )
    assert json.loads(outcome.stdout) == dict.fromkeys(CALLS, "EPERM")


@everyone
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="needs the call numbers of x86_64")
def test_a_newer_way_to_start_processes_gives_no_namespace_and_no_number_of_choice(verify: Verify) -> None:
    """`clone3` takes a structure that no filter can look into: what counts is what the kernel allows."""
    outcome = verify(
        python(
            "import ctypes, errno, os, struct\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "number = ctypes.c_int32(77)\n"
            "def attempt(flags, tids=0):\n"
            "    where = tids and ctypes.addressof(number)\n"
            "    given = struct.pack('=11Q', flags, 0, 0, 0, 17, 0, 0, 0, where, tids, 0)\n"
            "    pid = libc.syscall(435, given, len(given))\n"
            "    if pid == 0: os._exit(0)\n"
            "    if pid > 0: os.waitpid(pid, 0)\n"
            "    print('worked' if pid > 0 else errno.errorcode[ctypes.get_errno()])\n"
            "attempt(0)\n"
            "for kind in (1 << 28, 1 << 29, 1 << 30, 1 << 17, 1 << 26, 1 << 27): attempt(kind)\n"
            "attempt(0, 1)\n"
        )
    )
    plain, *rest = outcome.stdout.split()
    assert plain == b"worked"
    assert set(rest) <= {b"EPERM", b"ENOSPC", b"ENOSYS"}, outcome.stdout


@everyone
def test_no_file_gives_a_right(verify: Verify) -> None:
    """Devices, a file that belongs to another user while it runs, capabilities, memory of other processes."""
    outcome = verify(
        python(
            "import os, shutil, stat, subprocess\n"
            "def attempt(name, do):\n"
            "    try: print(name, do())\n"
            "    except OSError as error: print(name, type(error).__name__, error.strerror)\n"
            "attempt('character', lambda: os.mknod('/tmp/zero', 0o600 | stat.S_IFCHR, os.makedev(1, 5)))\n"
            "attempt('block', lambda: os.mknod('/tmp/disk', 0o600 | stat.S_IFBLK, os.makedev(8, 0)))\n"
            "shutil.copy('/usr/bin/id', '/tmp/id'); os.chmod('/tmp/id', 0o6755)\n"
            "attempt('setuid', lambda: subprocess.check_output(['/tmp/id', '-u'], text=True).strip())\n"
            "attempt('capability', lambda: os.setxattr('/tmp/id', 'security.capability', bytes(20)))\n"
            "attempt('own', lambda: os.chown('/tmp/id', 0, 0))\n"
            "attempt('parent', lambda: open(f'/proc/{os.getppid()}/mem', 'r+b'))\n"
            "attempt('itself', lambda: open('/proc/self/mem', 'r+b'))\n"
            "attempt('map', lambda: open('/proc/self/uid_map', 'w'))\n"
            "attempt('stream', lambda: open('/proc/self/fd/1', 'w').write('x\\n'))\n"
        )
    )
    told = dict(line.split(maxsplit=1) for line in outcome.stdout.decode().splitlines() if " " in line)
    assert told["character"].startswith("PermissionError")
    assert told["block"].startswith("PermissionError")
    assert told["setuid"] == "1000"
    assert told["capability"].startswith(("PermissionError", "OSError"))
    assert told["own"].startswith("OSError")  # there is no such user in its namespace
    assert told["parent"] == told["itself"] == told["map"] == "OSError Read-only file system"
    assert told["stream"] == "2"


@everyone
def test_memory_in_the_names_and_attributes_of_files_ends_at_a_limit(verify: Verify) -> None:
    """Attributes of 64 kB are in no file and no process; the file system or a control group counts them."""
    outcome = verify(
        python(
            "import errno, os\n"
            "number = 0\n"
            "while True:\n"
            "    number += 1\n"
            "    path = f'/tmp/{number}'\n"
            "    open(path, 'w').close()\n"
            "    try:\n"
            "        for name in range(16): os.setxattr(path, f'user.{name}', bytes(65536))\n"
            "    except OSError as error:\n"
            "        print(errno.errorcode[error.errno], number)\n"
            "        break\n"
        )
    )
    unsupported = outcome.stdout.startswith((b"EOPNOTSUPP", b"ENOTSUP"))
    assert unsupported or {Limit.DISK, Limit.MEMORY} & set(outcome.limits_hit), outcome
