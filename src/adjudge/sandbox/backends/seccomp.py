"""The system calls a verifier has no use for, refused by the kernel.

Namespaces and limits already contain these; the filter closes what they leave open: memory that belongs to no
process (`memfd_create`, System V segments, queues and semaphores, POSIX queues) and so escapes the memory
limit, typing into a terminal (`TIOCSTI`), and the kernel's widest surfaces (`io_uring`, `bpf`, `userfaultfd`,
mounts, keyrings, tracing). Sockets are allowed by family: the local one, IPv4 and IPv6 (there is a loopback
interface), and of netlink only routing, which the C library asks; a family that leads out of the namespace,
such as AF_VSOCK, is refused like one that the kernel does not know.
Calls by another machine's numbers (32-bit, x32) are refused altogether, since they would pass the list by.
"""

from __future__ import annotations

import errno
import os
import socket
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
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "process_mrelease": 448,
}
_NUMBERS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    # machine: (its audit number, the calls that have numbers of their own there)
    "x86_64": (
        0xC000003E,
        {
            "ioctl": 16,
            "shmget": 29,
            "socket": 41,
            "socketpair": 53,
            "semget": 64,
            "msgget": 68,
            "ptrace": 101,
            "syslog": 103,
            "pivot_root": 155,
            "chroot": 161,
            "acct": 163,
            "mount": 165,
            "umount2": 166,
            "swapon": 167,
            "swapoff": 168,
            "reboot": 169,
            "iopl": 172,
            "ioperm": 173,
            "init_module": 175,
            "delete_module": 176,
            "quotactl": 179,
            "lookup_dcookie": 212,
            "mq_open": 240,
            "kexec_load": 246,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "unshare": 272,
            "move_pages": 279,
            "perf_event_open": 298,
            "fanotify_init": 300,
            "name_to_handle_at": 303,
            "open_by_handle_at": 304,
            "setns": 308,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "kcmp": 312,
            "finit_module": 313,
            "memfd_create": 319,
            "kexec_file_load": 320,
            "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "lookup_dcookie": 18,
            "ioctl": 29,
            "umount2": 39,
            "mount": 40,
            "pivot_root": 41,
            "chroot": 51,
            "quotactl": 60,
            "acct": 89,
            "unshare": 97,
            "kexec_load": 104,
            "init_module": 105,
            "delete_module": 106,
            "syslog": 116,
            "ptrace": 117,
            "reboot": 142,
            "mq_open": 180,
            "msgget": 186,
            "semget": 190,
            "shmget": 194,
            "socket": 198,
            "socketpair": 199,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "swapon": 224,
            "swapoff": 225,
            "move_pages": 239,
            "perf_event_open": 241,
            "fanotify_init": 262,
            "name_to_handle_at": 264,
            "open_by_handle_at": 265,
            "setns": 268,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "kcmp": 272,
            "finit_module": 273,
            "memfd_create": 279,
            "bpf": 280,
            "userfaultfd": 282,
            "kexec_file_load": 294,
        },
    ),
}
_TERMINAL_REQUESTS = (0x5412, 0x541C)  # TIOCSTI types into a terminal, TIOCLINUX pastes into a console
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
_NETLINK_ROUTE = 0
_X32 = 0x40000000

# struct seccomp_data: the call at 0, the machine at 4, and the low halves of its arguments from 16.
_CALL, _MACHINE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


class _Program:
    """A filter that is put together with names for its jumps, which only lead forward."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str | None, str | None, int]] = []
        self._labels: dict[str, int] = {}

    def label(self, name: str) -> None:
        self._labels[name] = len(self._lines)

    def load(self, offset: int) -> None:
        self._lines.append((_LOAD, None, None, offset))

    def jump(
        self, value: int, *, then: str | None = None, otherwise: str | None = None, how: int = _EQUAL
    ) -> None:
        """Go on with the next line where no name is given."""
        self._lines.append((how, then, otherwise, value))

    def end(self, value: int) -> None:
        self._lines.append((_RETURN, None, None, value))

    def assembled(self) -> bytes:
        def steps(at: int, name: str | None) -> int:  # counted from the instruction after the jump
            return 0 if name is None else self._labels[name] - at - 1

        return b"".join(
            struct.pack("=HBBI", code, steps(at, then), steps(at, otherwise), value)
            for at, (code, then, otherwise, value) in enumerate(self._lines)
        )


_BUILDING = ("mount", "umount2", "pivot_root", "unshare")


@cache
def filter_program(
    machine: str | None = None, *, sockets_only: bool = False, building: bool = False
) -> bytes | None:
    """The filter as the kernel takes it; None on a machine whose numbers are not listed here.

    With `sockets_only` nothing is refused but socket families: for agents, who may debug their programs. With
    `building`, what it takes to build a sandbox inside is allowed: for the server of warm runs, whose trials
    take the whole filter themselves.
    """
    machine = machine or os.uname().machine
    if machine not in _NUMBERS:
        return None
    architecture, own = _NUMBERS[machine]
    numbers = {**_COMMON, **own}
    looked_at = {name: numbers.pop(name) for name in ("ioctl", "socket", "socketpair")}
    if building:
        numbers = {name: number for name, number in numbers.items() if name not in _BUILDING}
    if sockets_only:
        numbers = {"io_uring_setup": numbers["io_uring_setup"]}  # which can make sockets, too
    program = _Program()
    program.load(_MACHINE)
    program.jump(architecture, otherwise="refuse")
    program.load(_CALL)
    program.jump(_X32, then="refuse", how=_AT_LEAST)
    for number in sorted(numbers.values()):
        program.jump(number, then="refuse")
    for name, number in looked_at.items():
        program.jump(number, then=name)
    program.end(_ALLOW)
    program.label("ioctl")
    program.load(_SECOND)
    for request in _TERMINAL_REQUESTS:
        program.jump(request, then="refuse")
    program.end(_ALLOW)
    program.label("socket")
    program.load(_FIRST)
    program.jump(socket.AF_NETLINK, then="netlink")
    program.label("socketpair")
    program.load(_FIRST)
    for family in _FAMILIES:
        program.jump(family, then="allow")
    program.end(_ERROR | errno.EAFNOSUPPORT)
    program.label("netlink")
    program.load(_THIRD)
    program.jump(_NETLINK_ROUTE, then="allow")
    program.end(_ERROR | errno.EPROTONOSUPPORT)
    program.label("allow")
    program.end(_ALLOW)
    program.label("refuse")
    program.end(_ERROR | errno.EPERM)
    return program.assembled()
