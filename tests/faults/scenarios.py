"""What can go wrong while adjudge works; one function per fault, which says how often it came in time."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable

from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import locate
from adjudge.ledger.store.migrate import revisions, upgrade
from faults.forked import size_of_this_process
from faults.harness import RUN, TRIALS, Broken, Home, Told, after, check_words, finished, worked

Scenario = Callable[[Home], int]
SCENARIOS: dict[str, Scenario] = {}
RUN_SEC = 1.0
"""About the processor time of a command: moments are drawn from it, however well it is guessed."""


def scenario(function: Scenario) -> Scenario:
    SCENARIOS[function.__name__.replace("_", " ")] = function
    return function


def some_recorded(home: Home) -> None:
    """Half of the time a few trials are there already."""
    if home.rng.random() < 0.5:
        home.some_recorded()


def _signalled(home: Home, number: signal.Signals, *arguments: str) -> tuple[bool, Told]:
    process = home.start(*arguments)
    in_time = worked(process, home.rng.uniform(0, RUN_SEC))
    if in_time:
        process.send_signal(number)
    return in_time, finished(process)


@scenario
def killed(home: Home) -> bool:
    some_recorded(home)
    in_time, told = _signalled(home, signal.SIGKILL)
    home.must_hold(told)
    return in_time


@scenario
def asked_to_stop(home: Home) -> bool:
    some_recorded(home)
    number = home.rng.choice([signal.SIGINT, signal.SIGTERM])
    in_time, told = _signalled(home, number)
    if told.code == -signal.SIGINT:
        told.code = 130  # before there was anything to catch it
    home.must_hold(told)
    return in_time


@scenario
def ingest_killed(home: Home) -> bool:
    """A folder of artifacts is taken in, killed, and taken in again."""
    for number in range(60):
        folder = home.folder / f"old/a/{number + 1}/t"
        folder.mkdir(parents=True)
        (folder / "reward.json").write_text('{"reward": 0.5}')
    command = ("ingest", "old", "--experiment", "old", "--layout", "{agent}/{attempt}/{task}")
    in_time, told = _signalled(home, signal.SIGKILL, *command)
    check_words(told)
    for _ in range(2):
        again = home.run(*command)
        if again.code or "60 folders" not in again.out:
            raise Broken(f"cannot be taken in again: {again}")
    if len(home.recorded()) != 60:
        raise Broken(f"{len(home.recorded())} of 60")
    home.run("ledger", "verify")
    return in_time


IN_A_ROW = 12
FORKED_SEC = 0.4
"""About the processor time of a command that has everything imported."""


@scenario
def one_after_another(home: Home) -> int:
    """Faults of many kinds on one ledger, each while some more trials are scored; resumed at the end."""
    home.import_what_a_run_imports()
    home.faults = IN_A_ROW
    came = [_next(home, home.run_of(TRIALS * (step + 1) // IN_A_ROW)) for step in range(IN_A_ROW)]
    home.must_hold()
    return sum(came)


def _next(home: Home, command: tuple[str, ...]) -> bool:
    kind = home.rng.choice(["kill", "kill", "stop", *LIMITS])
    if kind in LIMITS:
        number, draw = LIMITS[kind]
        told = finished(home.fork(*command, limits={number: draw(home.rng)}))
        came = told.code != 0
    else:
        process = home.fork(*command)
        came = worked(process, home.rng.uniform(0, FORKED_SEC))
        wanted = signal.SIGKILL if kind == "kill" else home.rng.choice([signal.SIGINT, signal.SIGTERM])
        process.send_signal(wanted)
        told = finished(process)
        if told.code == -signal.SIGINT:
            told.code = 130  # before there was anything to catch it
    home.still_holds(told)
    return came


LIMITS: dict[str, tuple[int, Callable[[random.Random], int]]] = {
    "file size": (
        resource.RLIMIT_FSIZE,
        lambda rng: rng.choice([0, 4096, 30_000, 200_000, 400_000, 600_000]),
    ),
    "memory": (resource.RLIMIT_AS, lambda rng: size_of_this_process() + rng.randrange(120 << 20)),
    "descriptors": (resource.RLIMIT_NOFILE, lambda rng: rng.randrange(5, 48)),
    "processes": (resource.RLIMIT_NPROC, lambda rng: rng.randrange(1, 6)),
}


@scenario
def disk_full(home: Home) -> bool:
    """No file may grow past a size: to SQLite and to Python that is a disk without room."""
    some_recorded(home)
    size = home.rng.choice([0, 100, 4096, 30_000, 200_000, 400_000, 600_000])
    told = home.run(prefix=["prlimit", f"--fsize={size}"])
    home.must_hold(told)
    return told.code != 0


@scenario
def disk_really_full(home: Home) -> bool:
    """A file system of its own with little room, in a mount namespace of its own; needs root."""
    some_recorded(home)
    inside = home.folder.with_name(f"{home.folder.name}-inside")
    inside.mkdir()
    size = home.rng.randrange(200, 1200)
    script = (
        f'mount -t tmpfs -o size={size}k none "{inside}" || exit 99\n'
        f'cp -a "{home.folder}/." "{inside}/" 2>/dev/null || exit 99\n'  # has no room for what there is
        f'cd "{inside}" || exit 99\n"$@"; code=$?\n'
        f'rm -rf "{home.folder}"/adjudge.db*; cp -a "{inside}"/adjudge.db* "{home.folder}/" 2>/dev/null\n'
        "exit $code"
    )
    told = home.run(prefix=["unshare", "-m", "bash", "-c", script, "--"])
    inside.rmdir()
    if told.code == 99:
        return False
    home.must_hold(told)
    return told.code != 0


@scenario
def read_only_disk(home: Home) -> bool:
    """The folder is mounted read-only; needs root. What is recorded can still be read."""
    some_recorded(home)
    script = 'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"'
    prefix = ["unshare", "-m", "bash", "-c", script, "--"]
    told = home.run(prefix=prefix)
    if told.code == 0:
        raise Broken(f"wrote to a read-only disk: {told}")
    if home.before:
        read = home.run("trials", prefix=prefix)
        if read.code:
            raise Broken(f"what is recorded cannot be read: {read}")
    home.must_hold(told)
    return True


JUMPS = """
import datetime, itertools, time
_real, _clock, _calls = datetime.datetime, time.time, itertools.count()
def _offset(): return {offset} if next(_calls) % {every} else 0
class datetime_(_real):
    @classmethod
    def now(cls, tz=None): return _real.now(tz) + datetime.timedelta(seconds=_offset())
datetime.datetime = datetime_
time.time = lambda: _clock() + _offset()
"""


@scenario
def clock_jumps(home: Home) -> bool:
    """Back and forth by up to ten years, between one look at the clock and the next."""
    some_recorded(home)
    place = home.folder / "jumps"
    place.mkdir()
    offset = home.rng.uniform(-3e8, 3e8)
    (place / "sitecustomize.py").write_text(JUMPS.format(offset=offset, every=home.rng.randrange(2, 5)))
    paths = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    told = home.run(environment={"PYTHONPATH": paths})
    if told.code:
        raise Broken(f"a jump of the clock ended the run: {told}")
    home.must_hold(told)
    return True


@scenario
def out_of_memory(home: Home) -> bool:
    some_recorded(home)
    told = home.run(prefix=["prlimit", f"--as={home.rng.randrange(60, 400) << 20}"])
    home.must_hold(told)
    return told.code != 0


@scenario
def out_of_descriptors(home: Home) -> bool:
    some_recorded(home)
    told = home.run(prefix=["prlimit", f"--nofile={home.rng.randrange(5, 48)}"])
    home.must_hold(told)
    return told.code != 0


@scenario
def out_of_processes(home: Home) -> bool:
    """As an ordinary user who may start no more; root may always, so it then only has a few threads."""
    some_recorded(home)
    told = home.run(prefix=["prlimit", f"--nproc={home.rng.randrange(1, 6)}"])
    home.must_hold(told)
    return told.code != 0


@scenario
def truncated_ledger(home: Home) -> bool:
    """Half a file is named as damaged, not read as if it were whole; a copy goes on where it was."""
    home.some_recorded()
    file = home.folder / "adjudge.db"
    shutil.copy(file, home.folder / "copy.db")
    size = file.stat().st_size
    os.truncate(file, home.rng.randrange(1, size))
    told = home.run()
    check_words(told)
    if told.code == 0:
        raise Broken(f"a truncated ledger was taken for whole: {told}")
    check_words(home.run("trials"))
    for part in home.folder.glob("adjudge.db-*"):
        if part.is_file():
            part.unlink()
    shutil.copy(home.folder / "copy.db", file)
    home.must_hold()
    return True


@scenario
def truncated_manifest(home: Home) -> bool:
    """A row cut off is a bad row with its line; the others go on."""
    file = home.folder / "manifest.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: home.rng.randrange(1, len(whole))])
    told = home.run()
    file.write_bytes(whole)
    home.must_hold(told)
    return told.code != 0


@scenario
def log_missing(home: Home) -> bool:
    """Killed, and then somebody deletes SQLite's log: the last commits may be gone, nothing else is."""
    in_time, told = _signalled(home, signal.SIGKILL)
    for name in ("adjudge.db-wal", "adjudge.db-shm"):
        (home.folder / name).unlink(missing_ok=True)
    home.must_hold(told, may_lose=True)
    return in_time


@scenario
def log_truncated(home: Home) -> bool:
    in_time, told = _signalled(home, signal.SIGKILL)
    log = home.folder / "adjudge.db-wal"
    if log.exists() and log.stat().st_size:
        os.truncate(log, home.rng.randrange(log.stat().st_size))
    home.must_hold(told, may_lose=True)
    return in_time


@scenario
def ten_writers(home: Home) -> bool:
    """Ten runs of the same manifest at once, some of them killed."""
    processes = [home.start(*RUN[:-1], "1") for _ in range(10)]
    victims = home.rng.sample(processes, home.rng.randrange(0, 5))
    for victim in victims:
        if worked(victim, home.rng.uniform(0, RUN_SEC)):
            victim.kill()
    told = [finished(process) for process in processes]
    if any(one.code for process, one in zip(processes, told, strict=True) if process not in victims):
        raise Broken(f"a writer failed beside others: {[one for one in told if one.code > 0]}")
    home.must_hold(*told)
    return True


@scenario
def writer_beside_a_holder(home: Home) -> bool:
    """Somebody holds the write lock for a while: a slow disk looks like that to all others."""
    home.some_recorded()
    holder = sqlite3.connect(home.folder / "adjudge.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    process = home.start()
    in_time = after(process, home.rng.uniform(0.5, 3))
    holder.execute("ROLLBACK")
    holder.close()
    home.must_hold(finished(process))
    return in_time


SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static void wait_(void) { usleep(%d); }
int fsync(int fd) { int (*real)(int) = dlsym(RTLD_NEXT, "fsync"); wait_(); return real(fd); }
int fdatasync(int fd) { int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync"); wait_(); return real(fd); }
"""


@scenario
def slow_disk(home: Home) -> bool:
    """Every flush takes up to half a second; killed in the middle of it."""
    some_recorded(home)
    source, shim = home.folder / "slow.c", home.folder / "slow.so"
    source.write_text(SLOW % home.rng.randrange(20_000, 500_000))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True, cwd=home.folder)
    process = home.start(environment={"LD_PRELOAD": str(shim)})
    in_time = worked(process, home.rng.uniform(0, RUN_SEC))
    if in_time and home.rng.random() < 0.7:
        process.kill()
    home.must_hold(finished(process))
    return in_time


def _older(home: Home) -> None:
    database = Database(locate(home.url))
    upgrade(database, home.rng.choice(revisions()[:-1]))
    database.close()


@scenario
def migration_killed(home: Home) -> bool:
    """A ledger of an earlier version, its migration killed and begun again."""
    _older(home)
    in_time, told = _signalled(home, signal.SIGKILL, "ledger", "migrate")
    again = home.run("ledger", "migrate")
    if again.code:
        raise Broken(f"a killed migration cannot be repeated: {again}")
    home.must_hold(told)
    return in_time


@scenario
def two_versions(home: Home) -> bool:
    """An older adjudge's ledger is not written to before it is migrated, a newer one's not at all."""
    _older(home)
    old = home.run()
    check_words(old)
    if old.code == 0 or "adjudge ledger migrate" not in old.err:
        raise Broken(f"an older ledger was not refused: {old}")
    migrations = [home.start("ledger", "migrate") for _ in range(4)]
    told = [finished(process) for process in migrations]
    if all(one.code for one in told):
        raise Broken(f"four migrations at once, and none worked: {told}")
    home.run()
    home.before = home.recorded()
    with sqlite3.connect(home.folder / "adjudge.db") as connection:
        (version,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    new = home.run()
    if new.code == 0 or "newer adjudge" not in new.err:
        raise Broken(f"a newer ledger was not refused: {new}")
    with sqlite3.connect(home.folder / "adjudge.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.close()
    home.must_hold(*told, new)
    return True


def needs(name: str) -> str | None:
    """What this machine lacks for a fault; None if nothing."""
    if name in ("disk really full", "read only disk") and os.geteuid() != 0:
        return "root"
    if name == "slow disk" and not shutil.which("cc"):
        return "a C compiler"
    if name in ("disk full", "out of memory", "out of descriptors", "out of processes"):
        return None if shutil.which("prlimit") else "prlimit (util-linux)"
    return None
