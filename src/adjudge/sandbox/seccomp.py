"""The system calls a verifier has no use for, refused by the kernel with EPERM.

Namespaces and limits already contain these; the filter closes what they leave open: memory that belongs to no
process (`memfd_create`, System V segments and queues) and so escapes the memory limit, typing into a terminal
(`TIOCSTI`), and the kernel's widest surfaces (`io_uring`, `bpf`, `userfaultfd`, mounts, keyrings, tracing).
Calls by another machine's numbers (32-bit, x32) are refused altogether, since they would pass the list by.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping
from functools import cache

_COMMON = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
_NUMBERS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    # machine: (its audit number, the calls that have numbers of their own there)
    "x86_64": (
        0xC000003E,
        {
            "ioctl": 16,
            "shmget": 29,
            "msgget": 68,
            "ptrace": 101,
            "pivot_root": 155,
            "mount": 165,
            "umount2": 166,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "unshare": 272,
            "perf_event_open": 298,
            "open_by_handle_at": 304,
            "setns": 308,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "kcmp": 312,
            "memfd_create": 319,
            "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "ioctl": 29,
            "umount2": 39,
            "mount": 40,
            "pivot_root": 41,
            "unshare": 97,
            "ptrace": 117,
            "msgget": 186,
            "shmget": 194,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "perf_event_open": 241,
            "open_by_handle_at": 265,
            "setns": 268,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "kcmp": 272,
            "memfd_create": 279,
            "bpf": 280,
            "userfaultfd": 282,
        },
    ),
}
_TERMINAL_REQUESTS = (0x5412, 0x541C)  # TIOCSTI types into a terminal, TIOCLINUX pastes into a console
_X32 = 0x40000000

# struct seccomp_data: nr at 0, arch at 4, args from 16; the second argument's low half is at 24.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


@cache
def filter_program(machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it; None on a machine whose numbers are not listed here."""
    machine = machine or os.uname().machine
    if machine not in _NUMBERS:
        return None
    architecture, own = _NUMBERS[machine]
    numbers = {**_COMMON, **own}
    ioctl = numbers.pop("ioctl")
    calls = sorted(numbers.values())
    allow = 6 + len(calls) + len(_TERMINAL_REQUESTS)
    refuse = allow + 1
    lines: list[tuple[int, int, int, int]] = []

    def to(target: int) -> int:  # a jump is counted from the instruction after it
        return target - len(lines) - 1

    lines.append((_LOAD, 0, 0, 4))
    lines.append((_EQUAL, 0, to(refuse), architecture))
    lines.append((_LOAD, 0, 0, 0))
    lines.append((_AT_LEAST, to(refuse), 0, _X32))
    for call in calls:
        lines.append((_EQUAL, to(refuse), 0, call))
    lines.append((_EQUAL, 0, to(allow), ioctl))
    lines.append((_LOAD, 0, 0, 24))
    for request in _TERMINAL_REQUESTS:
        lines.append((_EQUAL, to(refuse), 0, request))
    lines.append((_RETURN, 0, 0, _ALLOW))
    lines.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
