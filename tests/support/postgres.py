"""A private PostgreSQL server for tests: its own data folder, its own unix socket, no network.

One server serves a whole test process and every test gets a database of its own. The server refuses to run
as root, so under root it runs as `postgres` (or `nobody`). Where it is not installed, or is but cannot start,
the test is skipped by name.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

PROGRAMS = ("initdb", "pg_ctl", "postgres")
SAID = "said"
"""A file with what the last of its programs said."""
_NUMBERS = count(1)
_ROOM = 8 << 30


class Server:
    """A server that can be stopped and started again, as the real ones are."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries = binaries
        self.folder = folder
        self.user = _user()
        if self.user is not None:
            shutil.chown(folder, self.user)
        self._run(
            "initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "adjudge", "--no-sync", "-E", "UTF8"
        )

    def start(self) -> None:
        """Start and wait until it answers."""
        settings = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        settings += " -c max_wal_size=256MB -c dynamic_shared_memory_type=mmap"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", settings, "start")

    def stop(self) -> None:
        """Stop at once, cutting every connection."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    def create_database(self) -> str:
        """A new empty database; returns its URL."""
        import psycopg

        name = f"ledger{next(_NUMBERS)}"
        for attempt in range(20):  # after an unclean stop it may still be recovering
            try:
                with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
                    connection.execute(f'CREATE DATABASE "{name}"'.encode())
                break
            except psycopg.OperationalError:
                if attempt == 19:
                    raise
                time.sleep(0.2)
        return self._url(name)

    def drop_database(self, url: str) -> None:
        """Cut the connections of a database and remove its 300 files, while they are at hand."""
        import psycopg

        name = url.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())

    def _url(self, database: str) -> str:
        return f"postgresql://adjudge@/{database}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        as_user = ["runuser", "-u", self.user, "--"] if self.user else []
        # a server keeps what it inherits, so its output must not be a pipe that somebody waits for
        with (self.folder / SAID).open("w") as said:
            subprocess.run(
                [*as_user, str(self.binaries / program), *arguments],
                check=True,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )


@contextmanager
def running_server() -> Iterator[Server]:
    """A started server, stopped and removed at the end."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("needs PostgreSQL's server programs (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="adjudge-pg-", dir=_quick_place()))
    try:
        try:
            server = Server(binaries, folder)
            server.start()
        except (OSError, subprocess.CalledProcessError) as error:
            said = folder / SAID
            words = said.read_text(errors="replace")[-300:] if said.exists() else ""
            pytest.skip(f"needs a PostgreSQL server that can start: {error}; it said {words!r}")
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _quick_place() -> str | None:
    """Memory, if there is plenty: databases come and go by the hundred, and none outlives its test."""
    try:
        return "/dev/shm" if shutil.disk_usage("/dev/shm").free >= _ROOM else None
    except OSError:
        return None


def _binaries() -> Path | None:
    found = shutil.which("initdb")
    versions = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin"), key=lambda path: int(path.parent.name))
    places = [*([Path(found).resolve().parent] if found else []), *versions[::-1]]
    return next((place for place in places if all((place / name).exists() for name in PROGRAMS)), None)


def _user() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"
