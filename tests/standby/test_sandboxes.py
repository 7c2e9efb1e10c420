"""Sandboxes of which `/proc` tells nothing, or too little: no command leaves them."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.standby.client import is_there, peer_of
from adjudge.standby.rights import is_proof, proof_for
from support.standby import PROGRAM, StandbyHome

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22
_WRITES = 0b1_1111_1111_0010
"""Landlock's rights to write, make and remove files of any kind."""


def no_new_privileges() -> None:
    assert ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0


def in_landlock() -> None:
    """Nothing may be written outside of `/dev`."""
    libc = ctypes.CDLL(None, use_errno=True)
    rules = libc.syscall(_CREATE_RULESET, struct.pack("Q", _WRITES), 8, 0)
    beneath = struct.pack("=Qi", _WRITES, os.open("/dev", os.O_PATH))
    assert libc.syscall(_ADD_RULE, rules, 1, beneath, 0) == 0
    no_new_privileges()
    assert libc.syscall(_RESTRICT_SELF, rules, 0) == 0


def filtered() -> None:
    """By a filter that allows everything: which one it is cannot be seen."""
    allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
    program = struct.pack("HxxxxxxP", 1, ctypes.addressof(allow))
    no_new_privileges()
    assert ctypes.CDLL(None).prctl(_SECCOMP, 2, program, 0, 0) == 0


needs_landlock = pytest.mark.skipif(
    ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1) < 1, reason="needs a kernel with Landlock"
)


@needs_landlock
def test_a_command_keeps_to_its_landlock_domain(home: StandbyHome, book: Path, tmp_path: Path) -> None:
    home.run("standby", preexec_fn=no_new_privileges, check=True)
    words = ("ledger", "info", "--ledger", book)
    assert home.run(*words, preexec_fn=no_new_privileges).returncode == 0
    done = home.run("ledger", "backup", tmp_path / "b.db", "--ledger", book, preexec_fn=in_landlock)
    assert (done.returncode, (tmp_path / "b.db").exists()) == (1, False)
    done = home.run("standby", "--status", preexec_fn=in_landlock)
    assert (done.returncode, b"in another sandbox" in done.stderr) == (1, True), done.stderr
    done = home.run("standby", "--status", preexec_fn=no_new_privileges)
    assert b" 1 command served" in done.stdout


@needs_landlock
def test_only_who_may_trace_a_process_has_a_proof() -> None:
    own = proof_for(os.getpid())
    path, other = os.open("/proc/self/fdinfo/0", os.O_PATH), os.open("/proc/self/status", os.O_RDONLY)
    assert [is_proof(number, os.getpid()) for number in (own, path, other)] == [True, False, False]
    assert not is_proof(own, os.getppid())
    for number in (own, path, other):
        os.close(number)
    script = f"from adjudge.standby.rights import proof_for; proof_for({os.getpid()})"
    for become, code in ((no_new_privileges, 0), (in_landlock, 1)):
        done = subprocess.run([sys.executable, "-c", script], preexec_fn=become, capture_output=True)
        assert done.returncode == code, done.stderr


def test_a_number_counts_as_long_as_its_process_is_there(tmp_path: Path) -> None:
    """A child of who connected keeps the connection, while the number may be anybody's."""
    script = (
        "import os, socket, sys, time\ns = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
        "sys.stdin.read(1)\nif os.fork(): os._exit(0)\ns.recv(1)"
    )
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        process = subprocess.Popen([sys.executable, "-c", script, tmp_path / "socket"], stdin=subprocess.PIPE)
        connection, _ = listening.accept()
    with connection:
        assert (peer_of(connection), is_there(connection)) == ((process.pid, os.getuid()), True)
        process.communicate(b"x")
        try:
            connection.getsockopt(socket.SOL_SOCKET, 77)
        except OSError as error:
            if error.errno == errno.ENOPROTOOPT:
                pytest.skip("needs Linux 6.5, which says whose number it was")
        assert peer_of(connection)[0] == process.pid
        assert not is_there(connection)


@pytest.mark.parametrize("forged", [False, True])
def test_who_has_no_proof_runs_the_command_himself(home: StandbyHome, forged: bool) -> None:
    home.start()
    script = (
        "import os, sys; from adjudge.standby import client; from adjudge.cli import main\n"
        f"sys.path[0] = os.path.dirname({PROGRAM!r}); sys.modules['__main__'].__file__ = {PROGRAM!r}\n"
        f"if {forged}: client.proof_for = lambda _: os.open('/proc/self/fdinfo/0', os.O_RDONLY)\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "schema", "EvaluationResult"],
        env=home.environment,
        capture_output=True,
    )
    assert (done.returncode, b'"title": "EvaluationResult"' in done.stdout) == (0, True), done.stderr
    assert home.served == (0 if forged else 1)


def test_a_filter_of_system_calls_is_like_no_other(home: StandbyHome) -> None:
    """Its number is no more than one, as that of others may be."""
    done = home.run("standby", preexec_fn=filtered)
    assert (done.returncode, b"filter of system calls" in done.stderr) == (1, True), done.stderr
    home.run("standby", preexec_fn=no_new_privileges, check=True)
    assert home.run("schema", preexec_fn=filtered).returncode == 0
    done = home.run("standby", "--status", preexec_fn=filtered)
    assert (done.returncode, b"a filter of its own" in done.stderr) == (1, True), done.stderr
    assert home.run("standby", "--stop", preexec_fn=filtered).returncode == 0
