"""A hostile verifier cannot reach, see or change anything outside its sandbox."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import uuid
from pathlib import Path

import pytest

from support.patience import wait_until
from support.sandbox_jobs import Verify, everyone, host_processes, python


@everyone
def test_it_cannot_reach_the_network(verify: Verify) -> None:
    """Not even services of the host on its loopback or on abstract sockets; its own loopback works."""
    name = f"\0adjudge-{uuid.uuid4()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()
        outcome = verify(
            python(f"""
import socket
def attempt(family, address):
    try:
        s = socket.socket(family); s.settimeout(2); s.connect(address); return "reached"
    except OSError as error: return type(error).__name__
print(attempt(socket.AF_INET, ("127.0.0.1", {tcp.getsockname()[1]})))
print(attempt(socket.AF_UNIX, {name!r}))
print(attempt(socket.AF_INET, ("192.0.2.1", 80)))
own = socket.create_server(("127.0.0.1", 0))
print(attempt(socket.AF_INET, own.getsockname()))
print([name for _, name in socket.if_nameindex()])
""")
        )
    assert outcome.stdout.decode().splitlines() == [
        "ConnectionRefusedError",
        "ConnectionRefusedError",
        "OSError",  # network unreachable
        "reached",
        "['lo']",
    ]


@everyone
def test_it_can_make_only_the_sockets_that_somebody_needs(verify: Verify) -> None:
    """Every family there is; only made, never connected. AF_VSOCK (40) would lead to the machine's host."""
    outcome = verify(
        python("""
import socket
made = []
for family in range(64):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try: socket.socket(family, kind, 0).close(); made.append(family)
        except OSError: pass
print(sorted(set(made)))
try: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
except OSError as error: print(error.strerror)
""")
    )
    assert outcome.stdout == b"[1, 2, 10, 16]\nProtocol not supported\n"


@everyone
def test_it_cannot_see_the_hosts_files(verify: Verify) -> None:
    with tempfile.NamedTemporaryFile() as secret:
        Path(secret.name).chmod(0o644)
        outcome = verify(
            f"ls {secret.name} {Path(__file__)} /etc/shadow /root /home /sys /boot /mnt /srv; "
            "ls /var /; echo ---; cat /proc/self/mountinfo | cut -d' ' -f5"
        )
    listing, mounts = outcome.stdout.decode().split("---")
    told = set(listing.split()) - {"/var:", "/:", "/opt:", "adjudge"}  # of /opt only what adjudge made
    assert told <= {
        *("tmp", "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "logs", "opt"),
        *("proc", "run", "sbin", "tests", "usr", "var", "workspace"),
    }
    assert outcome.stderr.decode().count("No such file or directory") == 9
    own = (
        "/dev",
        "/proc",
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/tests",
        *("/etc/ld.so", "/etc/alternatives", "/etc/mime.types", "/etc/protocols", "/etc/services"),
        *("/etc/fonts", "/etc/java-", "/etc/R"),
        "/opt",
    )
    assert [m for m in mounts.split() if m != "/" and not m.startswith(own)] == []


@everyone
def test_it_cannot_see_the_hosts_environment_or_processes(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first process is bubblewrap: neither that one's environment nor its arguments may tell."""
    monkeypatch.setenv("ADJUDGE_SECRET", "hunter2")
    outcome = verify(
        "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; echo; ls -d /proc/[0-9]* | wc -l"
    )
    told, _, count = outcome.stdout.decode().rstrip().rpartition("\n")
    assert "hunter2" not in told
    assert "/tests" in told  # the command line is readable, so the absence of other words means something
    assert f"{Path.home()}/" not in told
    assert int(count) < 8


@everyone
def test_it_cannot_write_outside_its_folders(verify: Verify) -> None:
    marker = f"adjudge-{uuid.uuid4()}"
    places = ["/usr", "/usr/bin", "/usr/local", "/etc", "/dev", "/proc", "/proc/sys/kernel", "/sys"]
    outcome = verify(
        "".join(f"echo x > {place}/{marker} && echo wrote {place}\n" for place in places)
        + "echo x >> /etc/passwd && echo wrote passwd\n"
        + "echo 1 > /proc/sys/kernel/panic && echo wrote sysctl\n"
        + "for d in /usr /dev; do chmod 777 $d 2>/dev/null && echo changed $d; done\n"
        + f"echo x > /{marker}; mkdir -p {Path.cwd()} && echo x > {Path.cwd()}/{marker}\n"  # its own, private
    )
    assert outcome.stdout == b""
    for place in ("/", "/usr", "/etc", "/dev", str(Path.cwd())):
        assert not Path(place, marker).exists()


@everyone
def test_everything_it_can_write_to_is_private_and_limited(verify: Verify) -> None:
    """Every mount is read-only or a tmpfs of a stated size, but for the kernel's own (proc, devices, pts)."""
    outcome = verify("cat /proc/self/mounts")
    open_ended = []
    for line in outcome.stdout.decode().splitlines():
        _, target, kind, options, *_ = line.split()
        flags = options.split(",")
        limited = kind == "tmpfs" and any(flag.startswith("size=") for flag in flags)
        if "ro" not in flags and not limited:
            open_ended.append(target)
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts")}
    assert set(open_ended) <= {"/proc", *devices}


@everyone
def test_it_gets_no_descriptor_but_its_streams(verify: Verify) -> None:
    outcome = verify("ls /proc/self/fd")
    assert outcome.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3 is the listing of the folder itself


@everyone
def test_it_has_no_privilege_and_cannot_get_one(verify: Verify) -> None:
    """No capability, no setuid, no new namespace, no mount, no tracing, no memory outside the account."""
    outcome = verify(
        "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'\n"
        + python("""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*arguments)
    print(name, errno.errorcode.get(ctypes.get_errno(), "worked") if result == -1 else "worked")
attempt("ptrace", 16, os.getppid(), 0, 0)
attempt("unshare", 0x10000000)
attempt("mount", b"none", b"/tmp", b"tmpfs", 0, None)
attempt("memfd_create", b"x", 0)
attempt("shmget", 0, 4096, 0o1600)
attempt("semget", 0, 1, 0o1600)
attempt("setuid", 0)
attempt("kill", 1, 9)
import time; time.sleep(0.05)
print("alive")
""")
    )
    assert outcome.stdout.decode().splitlines() == [
        *(f"Cap{kind}:0000000000000000" for kind in ("Prm", "Eff", "Bnd", "Amb")),
        "NoNewPrivs:1",
        "Seccomp:2",
        *("ptrace EPERM", "unshare EPERM", "mount EPERM", "memfd_create EPERM", "shmget EPERM"),
        "semget EPERM",
        "setuid EINVAL",  # there is no such user in its namespace
        "kill worked",  # and has no effect: the first process of a namespace is immune
        "alive",
    ]


@everyone
def test_it_cannot_make_user_namespaces(verify: Verify) -> None:
    """Through `clone`, which the filter leaves alone: the namespace itself forbids it."""
    outcome = verify(
        python("""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
stack = ctypes.create_string_buffer(65536)
function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: 0)
top = ctypes.c_void_p(ctypes.addressof(stack) + 65536)
pid = libc.clone(function, top, 0x10000000 | 17, None)
print(errno.errorcode[ctypes.get_errno()] if pid == -1 else "worked")
""")
    )
    assert outcome.stdout.strip() in (b"ENOSPC", b"EPERM")


@everyone
def test_it_cannot_type_into_a_terminal(verify: Verify) -> None:
    """It has none, and may not type even into one that it made itself."""
    outcome = verify(
        python("""
import errno, fcntl, os, pty, termios
try: os.open("/dev/tty", os.O_RDWR)
except OSError as error: print(errno.errorcode[error.errno])
_, terminal = pty.openpty()
os.setsid() if os.getpid() != os.getsid(0) else None
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
try: fcntl.ioctl(terminal, termios.TIOCSTI, b"x"); print("typed")
except OSError as error: print(errno.errorcode[error.errno])
""")
    )
    assert outcome.stdout.split() == [b"ENXIO", b"EPERM"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_runs_it_as_nobody(verify: Verify) -> None:
    """Seen from the host, while it runs: no process of the sandbox belongs to root."""
    marker = str(uuid.uuid4())
    thread = threading.Thread(target=lambda: verify(f"bash -c 'sleep 600; : {marker}'"))
    thread.start()
    assert wait_until(lambda: bool(host_processes(marker)))
    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in host_processes(marker)}
    for pid in host_processes(marker):
        os.kill(pid, signal.SIGKILL)
    thread.join()
    assert owners == {65534}


@everyone
def test_no_file_can_be_made_in_a_covered_folder(verify: Verify) -> None:
    """It would be memory that no limit counts, though the folder is the verifier's own."""
    outcome = verify("chmod 777 /proc/1; touch /proc/1/x; mkdir /proc/1/y; ls -d /proc/1/* /proc/acpi/*")
    assert outcome.stdout == b""
    assert outcome.stderr.count(b"Read-only file system") == 3
