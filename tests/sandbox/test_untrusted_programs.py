"""A verifier that starts the agent's program by `adjudge_untrusted` keeps its tests, memory and reward."""

from __future__ import annotations

from pathlib import Path

import adjudge_untrusted
from support.sandbox_jobs import Verify, everyone, python

SOURCE = Path(adjudge_untrusted.__file__).read_text()
REWARD = "/logs/verifier/reward.json"
CARRIED = (
    f"mkdir /run/v; cat > /run/v/adjudge_untrusted.py <<'SOURCE'\n{SOURCE}\nSOURCE\n"
    "export PYTHONPATH=/run/v\n"
)

HOSTILE = """
import ctypes, os, signal, socket, subprocess, sys
def attempt(name, do):
    try: print(name, "worked" if do() is not False else "failed")
    except (OSError, subprocess.SubprocessError) as error: print(name, type(error).__name__)
def put(path):
    with open(path, "w") as file: file.write('{"reward": 1.0}')
parent = os.getppid()
attempt("own", lambda: put("/workspace/mine"))
attempt("temporary", lambda: put(os.environ["TMPDIR"] + "/x"))
attempt("null", lambda: put("/dev/null"))
attempt("child", lambda: subprocess.run(["python3", "-c", "1"], check=True))
attempt("tests", lambda: open("/tests/test.sh").read())
os.symlink("/tests/test.sh", "/workspace/l")
attempt("tests by a link", lambda: open("/workspace/l").read())
attempt("tests by the parent", lambda: open(f"/proc/{parent}/root/tests/test.sh").read())
attempt("list of tests", lambda: os.listdir("/tests"))
attempt("reward", lambda: put("/logs/verifier/reward.json"))
attempt("reward moved", lambda: os.rename("/workspace/mine", "/logs/verifier/reward.json"))
attempt("reward linked", lambda: os.link("/workspace/mine", "/logs/verifier/reward.json"))
attempt("folder away", lambda: os.rename("/logs", "/workspace/logs"))
attempt("verifier's module", lambda: put("/run/v/adjudge_untrusted.py"))
attempt("home", lambda: os.listdir("/run/verifier"))
attempt("tmp", lambda: os.listdir("/tmp"))
attempt("memory to read", lambda: open(f"/proc/{parent}/mem", "rb"))
attempt("memory to write", lambda: open(f"/proc/{parent}/mem", "r+b"))
attempt("environment", lambda: open(f"/proc/{parent}/environ").read())
attempt("tcp", lambda: socket.create_server(("127.0.0.1", 0)))
attempt("signal", lambda: os.kill(parent, 0))
print("secret" in os.environ, sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1])
"""


@everyone
def test_the_program_reaches_nothing_of_the_verifiers(verify: Verify) -> None:
    check = python(
        "import sys\n"
        "from adjudge_untrusted import run_untrusted\n"
        "done = run_untrusted(['python3', '/workspace/solution.py'])\n"
        "print(done.code, done.stdout.decode(), done.stderr.decode())\n"
    )
    outcome = verify(
        f"{CARRIED}export secret=1\n{check}ls -A /logs/verifier /workspace",
        files={"/workspace/solution.py": HOSTILE},
    )
    told = outcome.stdout.decode()
    allowed = [line.split()[0] for line in told.splitlines() if line.endswith(" worked")]
    assert allowed[1:] == ["temporary", "null", "child"], told + outcome.stderr.decode()
    assert (told.count("PermissionError"), told.count(" OSError")) == (15, 1), told  # its /proc is read-only
    assert "False [0, 1, 2]" in told
    assert outcome.artifacts == {}


LEAVES = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("/workspace/started", "w").close()
        while True:
            try: open("/logs/verifier/reward.json", "w").write('{"reward": 1.0}')
            except OSError: pass
            time.sleep(0.001)
    os._exit(0)
while not os.path.exists("/workspace/started"): time.sleep(0.001)
"""


@everyone
def test_what_it_leaves_running_is_gone_before_the_reward_is_written(verify: Verify) -> None:
    outcome = verify(
        CARRIED + "python3 /run/v/adjudge_untrusted.py -- python3 solution.py; echo $?\n"
        f"echo '{{\"reward\": 0.0}}' > {REWARD}; sleep 0.1\n"
        "grep -l '[s]olution.py' /proc/[0-9]*/cmdline | wc -l",
        files={"/workspace/solution.py": LEAVES},
    )
    assert outcome.stdout.split() == [b"0", b"0"], outcome.stderr
    assert outcome.artifacts["reward.json"].data == b'{"reward": 0.0}\n'


@everyone
def test_the_tests_are_out_of_its_reach_though_the_verifier_may_write_to_them(verify: Verify) -> None:
    """They lie on the same file system as the workspace, in which it may write."""
    program = """
import os
for do in (
    lambda: os.link("/tests/test.sh", "/workspace/linked"),
    lambda: os.rename("/tests/test.sh", "/workspace/moved"),
    lambda: os.rename("/workspace/solution.py", "/tests/solution.py"),
    lambda: os.rename("/tests", "/workspace/tests"),
    lambda: open("/tests/test.sh", "a"),
    lambda: os.mkdir("/tests/new"),
    lambda: os.truncate("/tests/test.sh", 0),
    lambda: os.unlink("/tests/test.sh"),
):
    try:
        do()
        print("worked")
    except OSError:
        print("refused")
"""
    outcome = verify(
        CARRIED + "echo writable > /tests/mine; cd /workspace\n"
        "python3 /run/v/adjudge_untrusted.py -- python3 solution.py; ls /workspace; cat /tests/mine",
        files={"/workspace/solution.py": program},
    )
    assert outcome.stdout.split() == [b"refused"] * 8 + [b"solution.py", b"writable"], outcome.stderr


TRAPS = """
import os
os.symlink("/tests/expected", "out.txt")
os.mkfifo("pipe")
os.makedirs("a/b")
os.symlink("/tests", "a/b/tests")
os.symlink("/logs/verifier/reward.json", "a/reward")
os.symlink("../solution.py", "a/own")
os.symlink("/usr/bin/env", "a/env")
os.symlink("/proc/self/root/tests", "a/root")
os.chmod("a", 0)
"""


@everyone
def test_what_it_leaves_leads_the_verifier_nowhere(verify: Verify) -> None:
    """A link to the expected answer would compare as equal to it. Links of the verifier's own stay."""
    outcome = verify(
        CARRIED + "cd /workspace; ln -s /tests mine; echo own > plain\n"
        "python3 /run/v/adjudge_untrusted.py -- python3 solution.py; echo $?\n"
        "find . ! -type d | sort",
        files={"/workspace/solution.py": TRAPS},
    )
    found = ["0", "./a/env", "./a/own", "./mine", "./plain", "./solution.py"]
    assert outcome.stdout.decode().split() == found, outcome.stderr


def test_a_program_out_of_time_or_words_is_stopped(verify: Verify) -> None:
    outcome = verify(
        CARRIED
        + python(
            "import adjudge_untrusted as u\n"
            "u.MOST_OUTPUT = 1000\n"
            "slow = u.run_untrusted(['sleep', '600'], timeout=0.2)\n"
            "loud = u.run_untrusted(['yes'])\n"
            "both = u.run_untrusted(['cat'], stdin=b'words')\n"
            "done = u.run_untrusted(['printf', '%2000d', '1'])\n"
            "print(slow.timed_out, slow.code, loud.too_much, len(loud.stdout), both.stdout, both.code)\n"
            "print(done.too_much, len(done.stdout), both.too_much)\n"
        )
    )
    assert outcome.stdout == b"True -9 True 1000 b'words' 0\nTrue 1000 False\n", outcome.stderr


def test_a_kernel_without_landlock_runs_nothing(verify: Verify) -> None:
    outcome = verify(
        CARRIED
        + python(
            "import adjudge_untrusted as u\n"
            "u._CREATE_RULESET = 10_000\n"
            "try: u.run_untrusted(['touch', '/workspace/ran'])\n"
            "except u.NoConfinement as error: print(error)\n"
        )
        + "ls /workspace"
    )
    assert outcome.stdout.startswith(b"this kernel has no Landlock")
    assert b"ran" not in outcome.stdout.splitlines()
