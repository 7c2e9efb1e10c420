"""`adjudge standby` starts one process per user, says how it stands, and ends it; it ends by itself, too."""

from __future__ import annotations

import mmap
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

from adjudge.standby.alike import Loaded
from support.doc_pages import ROOT
from support.patience import HANG_SEC, wait_until
from support.standby import PROGRAM, StandbyHome, blocks, children, ignores, is_alive


def test_start_status_stop(home: StandbyHome) -> None:
    done = home.run("standby", "--status")
    assert (done.returncode, done.stdout.startswith(b"Nothing stands by.")) == (1, True)
    assert home.run("standby", "--stop").stdout == b"Nothing stands by.\n"
    done = home.run("standby")
    assert (done.returncode, done.stdout.startswith(b"Stands by now: process ")) == (0, True)
    again = home.run("standby")
    assert (again.returncode, again.stdout.startswith(b"Stands by: process ")) == (0, True)
    found = home.status()
    assert found is not None
    assert (found["served"], found["idle_sec"], found["is_current"]) == (0, 8 * 3600, True)
    assert 20 << 20 < found["memory_bytes"] < 400 << 20
    home.run("schema", "EvaluationResult", check=True)
    assert home.served == 1
    assert b", 1 command served; " in home.run("standby", "--status").stdout
    assert home.run("standby", "--stop").stdout == b"It has ended.\n"
    assert not is_alive(found["process"])
    assert home.status() is None
    assert [path.name for path in home.place.iterdir()] == ["lock"]


def test_the_status_says_why_commands_are_not_served(home: StandbyHome) -> None:
    home.start()
    done = home.run("standby", "--status")
    assert b"differ" not in done.stdout
    other = {**home.environment, "PYTHONWARNINGS": "ignore", "LANG": "xx"}
    done = home.run("standby", "--status", env=other, preexec_fn=lambda: os.nice(1))
    assert re.search(
        rb"they differ in: LANG, (LC_CTYPE, )?PYTHONWARNINGS, nice, the program or its Python\.", done.stdout
    )
    off = home.run("standby", "--status", plain=True)
    assert b"run without it, because ADJUDGE_STANDBY is 0." in off.stdout
    assert home.served == 0


def test_by_whatever_path_the_program_is_called(home: StandbyHome, tmp_path: Path) -> None:
    home.start()
    link = tmp_path / "link"
    link.symlink_to(PROGRAM)
    for number, path in enumerate((str(link), os.path.relpath(PROGRAM)), 1):
        done = subprocess.run([path, "schema"], env=home.environment, capture_output=True)
        assert done.returncode == 0
        assert home.served == number


def test_contradicting_options_are_refused(home: StandbyHome) -> None:
    assert home.run("standby", "--stop", "--status").returncode == 2
    assert home.run("standby", "--idle", "0").returncode == 2


def test_many_who_start_at_once_start_one(home: StandbyHome) -> None:
    starting = [
        subprocess.Popen([PROGRAM, "standby"], env=home.environment, stdout=subprocess.PIPE) for _ in range(5)
    ]
    said = [process.communicate(timeout=HANG_SEC)[0] for process in starting]
    assert [process.returncode for process in starting] == [0] * 5
    assert sum(text.startswith(b"Stands by now") for text in said) == 1
    assert len({text.split(b"process ")[1].split(b",")[0] for text in said}) == 1


def test_nothing_stands_by_that_nobody_waits_for(home: StandbyHome) -> None:
    """Whoever started it was interrupted, and may have started and ended another meanwhile."""
    home.place.mkdir(mode=0o700)
    script = (
        "import os, sys\nfrom adjudge.standby.server import serve, started_at\n"
        "reads, ready = os.pipe(); os.close(reads); folder = os.open(sys.argv[1], os.O_PATH)\n"
        "serve(folder, ready, 0.1, lambda first: None, started_at())"
    )
    done = subprocess.run([sys.executable, "-c", script, home.place], env=home.environment)
    assert (done.returncode, list(home.place.iterdir())) == (1, [])


def test_it_holds_nothing_of_whoever_started_it(home: StandbyHome, tmp_path: Path) -> None:
    reads, writes = os.pipe()
    process = home.start("--idle", "1")["process"]
    with_pipe = subprocess.run(
        [PROGRAM, "standby"], env=home.environment, pass_fds=[writes], cwd=tmp_path, capture_output=True
    )
    assert with_pipe.returncode == 0
    home.stop()
    started = subprocess.run(
        [PROGRAM, "standby", "--json"],
        env=home.environment,
        pass_fds=[writes],
        cwd=tmp_path,
        capture_output=True,
    )
    assert started.returncode == 0
    found = home.status()
    assert found is not None
    process = found["process"]
    os.close(writes)
    assert os.read(reads, 1) == b""  # nobody holds the other end
    os.close(reads)
    assert Path(f"/proc/{process}/cwd").readlink() == Path("/")
    held = {os.readlink(f"/proc/{process}/fd/{number}") for number in (0, 1, 2)}  # noqa: PTH115
    assert held == {"/dev/null"}
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    assert (fields[3] == str(os.getsid(0)), fields[4]) == (False, "0")  # another session, no terminal
    assert Path(f"/proc/{process}/status").read_text().split("Threads:")[1].split()[0] == "1"


def test_it_hears_signals_that_whoever_started_it_did_not(home: StandbyHome) -> None:
    """Programs inherit what is blocked and ignored: nobody could end it, nor a client that says nothing."""

    def deaf() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM})
        signal.signal(signal.SIGALRM, signal.SIG_IGN)

    home.run("standby", preexec_fn=deaf, check=True)
    found = home.status()
    assert found is not None
    server = found["process"]
    assert not any(blocks(server, number) for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM))
    assert wait_until(lambda: not children(server))
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(home.place / "socket"))
        assert wait_until(lambda: len(children(server)) == 1)
        assert wait_until(
            lambda: not any(ignores(attendant, signal.SIGALRM) for attendant in children(server))
        )
        assert wait_until(lambda: not children(server))
    home.stop()
    assert not is_alive(server)


def test_it_ends_when_nobody_uses_it(home: StandbyHome) -> None:
    process = home.start("--idle", "0.001")["process"]
    assert wait_until(lambda: not is_alive(process))
    assert home.status() is None


def test_it_ends_with_its_folder(home: StandbyHome) -> None:
    """As at the end of a session, when the system removes the runtime folder."""
    process = home.start()["process"]
    shutil.rmtree(home.place)
    assert home.run("schema", "EvaluationResult").returncode == 0
    os.kill(process, signal.SIGCHLD)  # it would look once a minute
    assert wait_until(lambda: not is_alive(process))


def test_a_changed_file_of_adjudge_ends_it(home: StandbyHome, tmp_path: Path) -> None:
    """An upgrade while it runs: the next command is the new version's, and says so."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**home.environment, "PYTHONPATH": str(tmp_path / "src")}

    def said() -> bytes:
        done = home.run("schema", "--help", env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    old = home.run("standby", "--json", env=environment)
    assert old.returncode == 0, old.stderr
    found = home.status()
    assert found is not None
    said()
    assert home.served == 1
    module = tmp_path / "src/adjudge/cli/machine/schema.py"
    text = module.read_text()
    module.write_text(text.replace("Print the JSON Schema", "Print the NEW Schema"))
    status = home.run("standby", "--status", env=environment)
    assert b"was changed since" in status.stdout
    assert b"Print the NEW Schema" in said()
    assert wait_until(lambda: not is_alive(found["process"]))
    assert home.run("standby", env=environment).stdout.startswith(b"Stands by now")
    assert b"Print the NEW Schema" in said()
    assert home.served == 1


def test_a_start_replaces_one_that_serves_no_more(home: StandbyHome, tmp_path: Path) -> None:
    """After an upgrade nobody need call another command first."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**home.environment, "PYTHONPATH": str(tmp_path / "src")}
    home.run("standby", env=environment, check=True)
    old = home.status()
    assert old is not None
    (tmp_path / "src/adjudge/cli/machine/schema.py").touch()
    done = home.run("standby", env=environment)
    assert (done.returncode, done.stdout.startswith(b"Stands by now: process ")) == (0, True), done.stdout
    new = home.status()
    assert new is not None
    assert (is_alive(old["process"]), new["is_current"]) == (False, True)


def test_a_file_that_was_never_imported_counts_too(home: StandbyHome, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**home.environment, "PYTHONPATH": str(tmp_path / "src")}
    home.run("standby", env=environment, check=True)
    (tmp_path / "src/adjudge/redteam/__init__.py").touch()
    home.run("schema", env=environment, check=True)
    assert wait_until(lambda: home.status() is None)


def test_a_module_that_a_start_would_find_first_ends_it(home: StandbyHome, tmp_path: Path) -> None:
    environment = {**home.environment, "PYTHONPATH": str(tmp_path)}
    home.run("standby", env=environment, check=True)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "unheard_of.py").touch()
    home.run("schema", env=environment, check=True)
    assert home.served == 1
    (tmp_path / "pydantic").mkdir()
    (tmp_path / "pydantic/__init__.py").write_text("raise SystemExit('another pydantic')")
    assert b"another pydantic" in home.run("schema", env=environment).stderr
    assert wait_until(lambda: home.status() is None)


def test_a_changed_archive_on_the_path_ends_it(home: StandbyHome, tmp_path: Path) -> None:
    """Also one that comes where none was: Python looks in `python311.zip` before its own folder."""

    def pack(text: str) -> None:
        with ZipFile(archive, "w") as file:
            file.writestr("unheard_of.py", text)

    archive = tmp_path / "modules.zip"
    environment = {**home.environment, "PYTHONPATH": str(archive)}
    for text in ("first", "# changed"):
        home.run("standby", env=environment, check=True)
        home.run("schema", env=environment, check=True)
        assert home.served == 1
        pack(text)
        home.run("schema", env=environment, check=True)
        assert wait_until(lambda: home.status() is None)


def test_libraries_below_a_folder_with_a_blank_in_its_name_count(tmp_path: Path) -> None:
    library = tmp_path / "my projects" / "library.so"
    library.parent.mkdir()
    library.write_bytes(b"x")
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ):
        assert str(library) in Loaded(time.time() + 60).files


def test_a_changed_path_file_ends_it() -> None:
    """It names folders, and may hold lines of Python that each start runs."""
    files = [path for folder in sys.path for path in Path(folder).glob("*.pth")]
    assert set(map(str, files)) <= set(Loaded(time.time() + 60).files)


def test_a_version_elsewhere_is_not_served(home: StandbyHome, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    home.start()
    home.run("schema", env={**home.environment, "PYTHONPATH": str(tmp_path / "src")}, check=True)
    assert home.served == 0


def test_what_it_imports_is_all_that_quick_commands_use() -> None:
    """But for what belongs to other databases and formats, nothing of ours or heavy is left to import."""
    script = f"""
import sys, io, contextlib
from adjudge.standby.preload import preload
preload()
from adjudge.cli import run_here
from adjudge.ledger import open_ledger
sys.path.insert(0, {str(ROOT / "tests")!r})
from support.trial_samples import trial
import tempfile, os
os.chdir(tempfile.mkdtemp())
with open_ledger("adjudge.db") as book:
    book.record([trial(n) for n in range(6)])
was = set(sys.modules)
task = {str(ROOT / "examples/tasks/electrical/voltage-drop")!r}
for words in (["trials"], ["report"], ["ledger", "info"], ["tasks", task], ["check", task], ["--help"],
              ["score", task, task + "/goldens/pass/reference.md"], ["compare"], ["tags"],
              ["export", "--help"]):
    sys.argv = ["adjudge", *words]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            run_here(list)
        except SystemExit:
            pass
print(*sorted(set(sys.modules) - was))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_it_imports_no_extra() -> None:
    script = "import sys\nfrom adjudge.standby.preload import preload\npreload()\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    extras = {"alembic", "argon2", "cryptography", "fastapi", "fsspec", "httpx", "jinja2", "psycopg"}
    assert not set(done.stdout.split()) & (extras | {"pyarrow", "pydantic_ai", "ray", "scipy", "uvicorn"})


def test_elsewhere_than_on_linux_commands_run_and_standby_is_refused(home: StandbyHome) -> None:
    for words, code in ((["schema", "--help"], 0), (["standby", "--status"], 1), (["standby"], 1)):
        script = (
            "import os, sys; del os.O_PATH, os.pidfd_open\n"
            f"sys.argv = ['adjudge', *{words}]\nfrom adjudge.cli import main; main()"
        )
        done = subprocess.run([sys.executable, "-c", script], env=home.environment, capture_output=True)
        assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr


def test_on_an_older_linux_standby_is_refused(home: StandbyHome) -> None:
    """Or in a container that refuses the call: each command would be begun, and then be killed."""
    script = (
        "import os, sys\n"
        "def refuse(*_): raise OSError(38, 'Function not implemented')\n"
        "os.pidfd_open = refuse; sys.argv = ['adjudge', 'standby']\n"
        "from adjudge.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], env=home.environment, capture_output=True)
    assert (done.returncode, b"needs Linux 5.3" in done.stderr) == (1, True), done.stderr
    assert home.status() is None
