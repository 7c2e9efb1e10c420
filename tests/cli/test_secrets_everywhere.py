"""Passwords in the URLs of ledger, blobs and witness: no command shows, keeps or hands them on.

Looked at: what every command prints, every file it leaves (the ledger too), and the words and the environment
of every process that it starts, the verifier in its sandbox among them.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from support.command_line import forked_adjudge
from support.every_command import HostileHome, make_home, names
from support.postgres import Server
from support.run_folders import echo_task, write_manifest

PASSWORD, BLOB_KEY, TOKEN = "pw-S3CRET-1", "key-S3CRET-2", "token-S3CRET-3"
SECRET = b"S3CRET"
TELLS = """#!/bin/bash
env > /logs/verifier/environment.txt
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline >> /logs/verifier/environment.txt 2>/dev/null
sleep 0.3
cp /logs/verifier/environment.txt /tmp/; cat /tmp/environment.txt
echo '{"reward": 0.5}' > /logs/verifier/reward.json
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> HostileHome:
    folder = tmp_path_factory.mktemp("home")
    made = make_home(folder, blobs=str(folder / "blobs"))
    echo_task(folder / "more/tells", TELLS)
    write_manifest(folder, 3, task="more/tells").rename(folder / "tells.jsonl")
    return made


def secrets(home: HostileHome) -> dict[str, str]:
    return {
        "ADJUDGE_BLOBS": f"file://me:{BLOB_KEY}@{home.folder}/blobs?token={TOKEN}",
        "PGPASSWORD": PASSWORD,
        "ADJUDGE_WITNESS": f"https://me:{TOKEN}@127.0.0.1:1/heads",
        "NO_COLOR": "1",
    }


def run(home: HostileHome, words: list[str], **more: str) -> tuple[str, list[bytes]]:
    """What a command prints, and what can be seen of the processes that it starts."""
    seen: list[bytes] = []
    done = threading.Event()
    looking = threading.Thread(target=look, args=(os.getpid(), seen, done))
    looking.start()
    try:
        _, said = forked_adjudge(words, home.folder, environment={**secrets(home), **more})
    finally:
        done.set()
        looking.join()
    return said, seen


def look(parent: int, seen: list[bytes], done: threading.Event) -> None:
    """Everything below a process, again and again: its words and its environment."""
    while not done.wait(0.02):
        family = {parent}
        for number in sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            entry = Path(f"/proc/{number}")
            try:
                above = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if above not in family:
                    continue
                family.add(number)
                seen.append((entry / "cmdline").read_bytes() + b" " + (entry / "environ").read_bytes())
            except (OSError, IndexError, ValueError):
                continue


def files_with_the_secret(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink() and SECRET in p.read_bytes()]


@pytest.mark.parametrize("name", names())
def test_no_command_shows_or_keeps_a_secret(home: HostileHome, name: str) -> None:
    said, seen = run(home, home.words(name))
    assert SECRET.decode() not in said
    assert "Traceback" not in said
    assert not [words for words in seen if SECRET in words]
    assert files_with_the_secret(home.folder) == []


@pytest.mark.parametrize("name", names())
def test_nor_an_address_that_was_typed_in_the_wrong_place(home: HostileHome, name: str) -> None:
    """`adjudge trials postgresql://…`, and `--ledger` forgotten."""
    address = f"postgresql://me:{PASSWORD}@127.0.0.1:1/{'long' * 40}"
    _, said = forked_adjudge([*name.split(), address], home.folder, environment=secrets(home))
    assert SECRET.decode() not in said


def test_nor_does_a_run_that_verifies_on_a_server_with_a_password(
    home: HostileHome, postgres_server: Server
) -> None:
    """The verifier prints its environment and all that it sees of others; it goes to the ledger."""
    import sqlalchemy

    plain = sqlalchemy.make_url(postgres_server.create_database())
    url = plain.set(password=PASSWORD, username=plain.username or "adjudge")
    said, seen = run(
        home,
        ["run", "tells.jsonl", "--experiment", "server"],
        ADJUDGE_LEDGER=url.render_as_string(hide_password=False),
        ADJUDGE_WITNESS="",
    )
    assert "verified" in said, said
    assert SECRET.decode() not in said
    assert any(b"bwrap" in words for words in seen)
    assert not [words for words in seen if SECRET in words]
    assert files_with_the_secret(home.folder) == []
    engine = sqlalchemy.create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.connect() as connection:
        tables = connection.execute(
            sqlalchemy.text("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        ).scalars()
        for table in list(tables):
            rows = connection.execute(sqlalchemy.text(f'SELECT t::text FROM "{table}" t')).scalars()  # noqa: S608
            assert not [row for row in rows if "S3CRET" in row or SECRET.hex() in row], table
    engine.dispose()
