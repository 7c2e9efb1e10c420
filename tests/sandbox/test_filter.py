"""The system call filter, run through a small interpreter of the kernel's filter language."""

from __future__ import annotations

import struct

import pytest

from adjudge.sandbox.backends.seccomp import filter_program

ALLOW, REFUSE = 0x7FFF0000, 0x00050001
X86_64, AARCH64, I386 = 0xC000003E, 0xC00000B7, 0x40000003


def decide(
    program: bytes, architecture: int, call: int, second: int = 0, *, first: int = 0, third: int = 0
) -> int:
    """What the kernel would do: `seccomp_data` is call, architecture, instruction pointer, six arguments."""
    data = struct.pack("=IIQ6Q", call, architecture, 0, first, second, third, 0, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", program))
    accumulator = at = 0
    while True:
        code, true, false, value = lines[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x15:
            at += true if accumulator == value else false
        elif code == 0x35:
            at += true if accumulator >= value else false
        elif code == 0x06:
            return int(value)
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize(
    ("machine", "architecture", "calls"),
    [
        # memfd_create, ptrace, mount, unshare, bpf, io_uring_setup, shmget, semget, mq_open;
        # then read, openat, clone, execve
        ("x86_64", X86_64, ((319, 101, 165, 272, 321, 425, 29, 64, 240), (0, 257, 56, 59))),
        ("aarch64", AARCH64, ((279, 117, 40, 97, 280, 425, 194, 190, 180), (63, 56, 220, 221))),
    ],
)
def test_listed_calls_are_refused_and_others_are_not(
    machine: str, architecture: int, calls: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    program = filter_program(machine)
    assert program is not None
    refused, allowed = calls
    assert {decide(program, architecture, call) for call in refused} == {REFUSE}
    assert {decide(program, architecture, call) for call in allowed} == {ALLOW}


@pytest.mark.parametrize(
    ("machine", "architecture", "ioctl"), [("x86_64", X86_64, 16), ("aarch64", AARCH64, 29)]
)
def test_only_typing_into_terminals_is_refused_of_ioctl(machine: str, architecture: int, ioctl: int) -> None:
    """TIOCSTI and TIOCLINUX, not TIOCGWINSZ, which programs often ask; the high half is no way round."""
    program = filter_program(machine)
    assert program is not None
    assert decide(program, architecture, ioctl, 0x5412) == REFUSE
    assert decide(program, architecture, ioctl, 0x541C) == REFUSE
    assert decide(program, architecture, ioctl, 0x1_0000_5412) == REFUSE
    assert decide(program, architecture, ioctl, 0x5413) == ALLOW


@pytest.mark.parametrize(
    ("machine", "architecture", "calls"), [("x86_64", X86_64, (41, 53)), ("aarch64", AARCH64, (198, 199))]
)
def test_sockets_are_allowed_by_family(machine: str, architecture: int, calls: tuple[int, int]) -> None:
    """Local, IPv4, IPv6, and routing of netlink; the high half of an argument is no way round."""
    program = filter_program(machine)
    assert program is not None
    for call in calls:
        for family in range(64):
            for high in (0, 1 << 32):
                decided = decide(program, architecture, call, first=family | high, third=4)
                assert (decided == ALLOW) == (family in (1, 2, 10)), (call, family)
    route, generic = (decide(program, architecture, calls[0], first=16, third=third) for third in (0, 16))
    assert (route, generic) == (ALLOW, 0x00050000 | 93)
    assert decide(program, architecture, calls[1], first=16) == 0x00050000 | 97


def test_other_numberings_are_refused_altogether() -> None:
    """32-bit calls and x32 calls reach the same kernel by numbers that the list does not know."""
    program = filter_program("x86_64")
    assert program is not None
    assert decide(program, I386, 0) == REFUSE
    assert decide(program, X86_64, 0x40000000) == REFUSE


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("pdp11") is None
