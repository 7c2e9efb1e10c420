"""No secret is printed, stored, or handed to a process that others could look at."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge._secrets import without_secrets
from adjudge._spawn import public_environment
from adjudge.ledger import open_ledger
from adjudge.ledger.store.location import split_account, storable
from support.patience import HANG_SEC, wait_until
from support.run_folders import ECHO, echo_task, write_manifest
from support.trial_samples import record_many, trial

SECRET = "s3cr3t-PW"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (f"postgresql://me:{SECRET}@host/db", "postgresql://me:…@host/db"),
        (f"postgresql://me:{SECRET}%40x:y@host/db", "postgresql://me:…@host/db"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        (f"postgresql://host/db?user=me&password={SECRET}", "postgresql://host/db?user=me&password=…"),
        (f"s3://{SECRET}@bucket/x", "s3://…@bucket/x"),
        (f"https://host/x?sig={SECRET}&v=1", "https://host/x?sig=…&v=1"),
        (f"az://c/x?account_key={SECRET}", "az://c/x?account_key=…"),
        (f"could not open ftp://a:{SECRET}@h/y today", "could not open ftp://a:…@h/y today"),
        ("./plain/path@home", "./plain/path@home"),
        ("https://host/a@b", "https://host/a@b"),
    ],
)
def test_what_is_shown_of_an_address(given: str, shown: str) -> None:
    assert without_secrets(given) == shown
    assert SECRET not in storable(given)


@pytest.mark.parametrize("word", ["://", "://a:", "?key", "://a:b?key="])
def test_long_words_take_no_long_time(word: str) -> None:
    """An agent's words stand in messages: in a pattern that goes back and forth these would take minutes."""
    assert without_secrets("://" + word * 20_000)


def test_an_account_is_taken_off_and_decoded() -> None:
    assert split_account("https://me:a%40b@host/x") == ("https://host/x", "me:a@b")
    assert storable("s3://k:s@bucket/x?token=1&region=eu") == "s3://bucket/x?region=eu"


def adjudge(*words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=HANG_SEC,
    )
    return done.stdout + done.stderr


COMMANDS = (
    ["trials"],
    ["trials", "--json"],
    ["ledger", "info"],
    ["ledger", "info", "--json"],
    ["ledger", "verify", "--blobs"],
    ["ledger", "migrate"],
    ["ledger", "sign", "--key", "none.pem", "--witness", f"https://me:{SECRET}@127.0.0.1:1/h"],
    ["ledger", "heads", f"https://me:{SECRET}@127.0.0.1:1/h"],
    ["ledger", "heads", f"ftp://me:{SECRET}@127.0.0.1:1/h"],
    ["ledger", "backup", f"postgresql://me:{SECRET}@127.0.0.1:1/copy"],
    ["show", "none"],
    ["report"],
    ["rescore", "--tasks", "none"],
)
UNREACHABLE = (
    f"postgresql://me:{SECRET}@127.0.0.1:1/db",
    f"postgresql://127.0.0.1:1/db?password={SECRET}",
    f"postgresql://me:{SECRET}@127.0.0.1:port/db",
    f"mysql://me:{SECRET}@127.0.0.1/db",
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_prints_a_password(words: list[str], tmp_path: Path) -> None:
    url = UNREACHABLE[len(" ".join(words)) % len(UNREACHABLE)]
    blobs = f"memory://me:{SECRET}@place/x?token={SECRET}"
    said = adjudge(*words, ADJUDGE_LEDGER=url, ADJUDGE_BLOBS=blobs)
    assert SECRET not in said, said
    assert "Traceback" not in said
    with open_ledger(tmp_path / "ledger.db", blobs=blobs) as ledger:
        record_many(ledger, [trial(1)])
    said = adjudge(*words, ADJUDGE_LEDGER=str(tmp_path / "ledger.db"), ADJUDGE_BLOBS=blobs)
    assert SECRET not in said, said


def test_a_blob_location_is_remembered_without_its_secrets(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db", blobs=f"s3://key:{SECRET}@bucket/x?token={SECRET}&region=eu"):
        pass
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("ledger.db*"))
    with open_ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.files.where == "s3://bucket/x?region=eu"


def test_a_wrong_password_is_not_repeated(ledger_url: str) -> None:
    if not ledger_url.startswith("postgresql"):
        return
    url = re.sub(r"//[^@/]*@", f"//nobody:{SECRET}@", ledger_url)
    assert SECRET not in adjudge("trials", "--ledger", url)


def test_the_line_that_tells_how_to_resume_hides_the_password(tmp_path: Path, ledger_url: str) -> None:
    """And what was started meanwhile neither has it among its words nor in its environment."""
    echo_task(tmp_path / "tasks/echo", ECHO + "sleep 1\n")
    manifest = write_manifest(tmp_path, 30)
    blobs = f"memory://me:{SECRET}@place/x"
    run = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "adjudge",
            "run",
            str(manifest),
            "-e",
            "e",
            "--blobs",
            blobs,
            "--workers",
            "1",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ADJUDGE_LEDGER": ledger_url, "PGPASSWORD": SECRET},
    )
    with open_ledger(ledger_url, blobs=tmp_path / "blobs") as ledger:
        assert wait_until(lambda: ledger.count() > 0)
    own = Path(f"/proc/{run.pid}/cmdline").read_bytes()
    seen: list[bytes] = []

    def looked() -> bool:
        seen.extend(told_of_children(run.pid, own))
        return bool(seen)

    assert wait_until(looked)
    assert not [words for words in seen if SECRET.encode() in words]
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=HANG_SEC)
    assert run.returncode == 130, said
    assert "to resume: adjudge run" in said
    assert SECRET not in said


def told_of_children(parent: int, own: bytes) -> list[bytes]:
    """Words and environment of what a process has started, once that is another program."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                above = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                words = (entry / "cmdline").read_bytes()
                if above == parent and words and words != own:
                    found.append(words + (entry / "environ").read_bytes())
            except (OSError, IndexError, ValueError):
                continue
    return found


def test_the_environment_for_children_lacks_what_may_hold_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ADJUDGE_LEDGER", "ADJUDGE_BLOBS", "ADJUDGE_WITNESS", "PGPASSWORD"):
        monkeypatch.setenv(name, SECRET)
    assert SECRET not in public_environment().values()
