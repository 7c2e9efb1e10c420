"""Heads that are signed and kept elsewhere: a ledger that was cut or rewritten is found out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudge.errors import AdjudgeError, LedgerError, UsageError
from adjudge.ledger import Ledger, SignedHead, check_heads, find_witness, new_key, open_ledger
from adjudge.ledger.store.schema import CHAINED, INSERT_ONLY
from support.command_line import run_adjudge
from support.run_folders import echo_task, run_manifest, write_manifest
from support.trial_samples import annotation, record_many, trial


@pytest.fixture
def key(tmp_path: Path) -> Path:
    pytest.importorskip("cryptography", reason="needs cryptography: pip install 'adjudge[witness]'")
    new_key(tmp_path / "key.pem")
    return tmp_path / "key.pem"


def cut_back(ledger: Ledger, rows: int) -> None:
    """What somebody with the database's password can do: remove the end and set the head back."""
    with ledger.database.writing() as connection:
        for table in INSERT_ONLY:
            if ledger.database.dialect == "sqlite":
                connection.execute(text(f"DROP TRIGGER {table.name}_no_delete"))
            else:
                connection.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER ALL"))
        found = {}
        for table in CHAINED:
            connection.execute(text(f"DELETE FROM {table.name} WHERE seq > :rows"), {"rows": rows})  # noqa: S608
            for seq, value in connection.execute(text(f"SELECT seq, hash FROM {table.name}")):  # noqa: S608
                found[seq] = value
        connection.execute(text("DELETE FROM marks WHERE origin > :rows"), {"rows": rows})
        connection.execute(
            text("UPDATE head SET seq = :rows, hash = :hash"), {"rows": rows, "hash": found[rows]}
        )
        for table in INSERT_ONLY:
            if ledger.database.dialect == "postgresql":
                connection.execute(text(f"ALTER TABLE {table.name} ENABLE TRIGGER ALL"))


def test_a_cut_end_whose_head_was_set_back_is_found_against_a_witness(
    ledger: Ledger, tmp_path: Path, key: Path
) -> None:
    witness = str(tmp_path / "heads.jsonl")
    ledger.record([trial(n) for n in range(3)])
    first = ledger.sign(witness, key)
    ledger.record([trial(n) for n in range(3, 6)])
    second = ledger.sign(witness, key)
    assert (second.extends, ledger.check_witness(witness)) == (first.rows, [])
    cut_back(ledger, first.rows)
    assert not [problem for problem in ledger.verify().problems if "trigger" not in problem], (
        "the chain is whole"
    )
    [problem] = ledger.check_witness(witness)
    assert f"the ledger ends at row {first.rows}, but {second.rows} rows were signed" in problem
    ledger.record([trial(n) for n in range(10, 20)])  # and then it grows again, past what was signed
    [problem] = ledger.check_witness(witness)
    assert f"row {second.rows} is not the one that was signed" in problem
    with pytest.raises(LedgerError, match="the ledger is not signed: row"):
        ledger.sign(witness, key)


def test_heads_are_checked_without_the_ledger(ledger: Ledger, tmp_path: Path, key: Path) -> None:
    witness = find_witness(str(tmp_path / "heads.jsonl"))
    for number in range(4):
        ledger.record([trial(number)])
        ledger.sign(witness.shown, key)
    ledger.sign(witness.shown, key)  # nothing new: no head is added
    heads = witness.read()
    assert len(heads) == 4
    assert list(check_heads(heads)) == []
    changed = heads[2].model_copy(update={"root": "0" * 64})
    assert list(check_heads([*heads[:2], changed])) == [
        f"head 3 ({changed.rows} rows, {changed.signed_at.isoformat()}) is not what was signed"
    ]
    [problem] = check_heads([heads[0], heads[2]])
    assert "which does not stand before it" in problem
    assert len(list(check_heads(heads, public_key="a" * 64))) == 4


def test_a_head_of_a_rewritten_ledger_does_not_extend_the_earlier_one(
    ledger: Ledger, tmp_path: Path, key: Path
) -> None:
    """Signed with the right key, and the earlier rows are others: the proof cannot be made to fit."""
    ledger.record([trial(n) for n in range(5)])
    honest = ledger.sign(str(tmp_path / "heads.jsonl"), key)
    cut_back(ledger, 1)
    ledger.record([trial(n) for n in range(20, 30)])
    forged = ledger.sign(str(tmp_path / "other.jsonl"), key)
    as_if = resigned(forged.model_copy(update={"extends": honest.rows, "proof": ["b" * 64] * 3}), key)
    [problem] = check_heads([honest, as_if])
    assert "does not extend the one before it" in problem


def resigned(head: SignedHead, key: Path) -> SignedHead:
    from adjudge.ledger.upkeep.heads import read_key

    return head.model_copy(update={"signature": read_key(key).sign(head.signed_text()).hex()})


def test_git_notes_are_a_witness(ledger: Ledger, tmp_path: Path, key: Path) -> None:
    repository = tmp_path / "repository"
    for words in (
        ["init", "-q", str(repository)],
        ["-C", str(repository), "config", "user.email", "a@b.c"],
        ["-C", str(repository), "config", "user.name", "a"],
        ["-C", str(repository), "commit", "-q", "--allow-empty", "-m", "first"],
    ):
        subprocess.run(["git", *words], check=True)
    for number in range(2):
        ledger.record([trial(number)])
        ledger.sign(f"git:{repository}", key)
    subprocess.run(
        ["git", "-C", str(repository), "commit", "-q", "--allow-empty", "-m", "second"], check=True
    )
    ledger.record([trial(2)])
    ledger.sign(f"git:{repository}", key)
    heads = find_witness(f"git:{repository}").read()
    assert (len(heads), list(check_heads(heads))) == (3, [])
    assert ledger.check_witness(f"git:{repository}") == []
    with pytest.raises(LedgerError, match="git refused"):
        ledger.sign(f"git:{tmp_path / 'none'}", key)


@pytest.fixture
def server() -> Iterator[tuple[str, list[bytes], list[str | None]]]:
    lines: list[bytes] = []
    accounts: list[str | None] = []

    class Heads(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if lines else 404)
            self.end_headers()
            self.wfile.write(b"".join(lines))

        def do_POST(self) -> None:
            accounts.append(self.headers.get("Authorization"))
            lines.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Heads) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{serving.server_port}", lines, accounts
        serving.shutdown()
        thread.join()


def test_a_url_is_a_witness(
    ledger: Ledger, key: Path, server: tuple[str, list[bytes], list[str | None]]
) -> None:
    host, lines, accounts = server
    url = f"http://me:s3cr3t@{host}/heads"
    for number in range(3):
        ledger.record([trial(number)])
        ledger.sign(url, key)
    assert (len(lines), accounts[0]) == (3, "Basic bWU6czNjcjN0")
    assert ledger.check_witness(url) == []
    with pytest.raises(LedgerError) as refused:
        find_witness("http://me:s3cr3t@127.0.0.1:1/heads").read()
    assert "s3cr3t" not in str(refused.value)


def test_a_redirection_takes_the_account_nowhere(
    server: tuple[str, list[bytes], list[str | None]],
) -> None:
    host, lines, _ = server
    asked: list[str | None] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Authorization"))
            self.send_response(302)
            self.send_header("Location", f"http://{host}/heads")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    lines.append(b"")
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as serving:
        thread = threading.Thread(target=serving.handle_request, daemon=True)
        thread.start()
        with pytest.raises(LedgerError, match="the witness answers 302"):
            find_witness(f"http://me:s3cr3t@127.0.0.1:{serving.server_port}/heads").read()
        thread.join()
    assert asked == ["Basic bWU6czNjcjN0"]


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_no_witness_and_no_key(
    ledger: Ledger, tmp_path: Path, key: Path, kind: str
) -> None:
    """Neither is waited for, nor read without end."""
    place = tmp_path / "odd"
    if kind == "pipe":
        os.mkfifo(place, 0o600)
    else:
        place.symlink_to("/dev/zero")
    ledger.record([trial(1)])
    for attempt in (
        lambda: ledger.check_witness(str(place)),
        lambda: ledger.sign(str(place), key),
        lambda: ledger.sign(str(tmp_path / "heads"), place),
    ):
        with pytest.raises(AdjudgeError, match="Not a plain file"):
            attempt()


def test_a_key_that_others_can_read_is_refused(ledger: Ledger, tmp_path: Path, key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="the key cannot be written"):
        new_key(key)
    key.chmod(0o640)
    with pytest.raises(UsageError, match="others can read this signing key; found 'mode 640'"):
        ledger.sign(str(tmp_path / "heads"), key)
    key.chmod(0o600)
    key.write_text("no key")
    with pytest.raises(UsageError, match="no Ed25519 key"):
        ledger.sign(str(tmp_path / "heads"), key)
    with pytest.raises(UsageError, match="cannot be a witness"):
        find_witness("ftp://host/heads")


def test_every_run_signs_at_its_end(
    ledger: Ledger, tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "heads.jsonl"
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 2)
    monkeypatch.setenv("ADJUDGE_WITNESS", str(witness))
    with pytest.raises(UsageError, match="no key to sign with"):
        run_manifest(ledger, manifest)
    monkeypatch.setenv("ADJUDGE_SIGNING_KEY", str(key))
    run_manifest(ledger, manifest)
    [head] = find_witness(str(witness)).read()
    assert f"{head.rows}:{head.chain}" == ledger.info().head


@pytest.mark.parametrize("words", ["annotate add", "annotate import", "import harbor"])
def test_every_command_that_records_signs_at_its_end(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("ADJUDGE_LEDGER", str(tmp_path / "ledger.db"))
    with open_ledger(tmp_path / "ledger.db") as book:
        (recorded,) = record_many(book, [trial(1)])
    reviews = tmp_path / "reviews.jsonl"
    said = {"trial_id": recorded.trial_id, **annotation().model_dump(mode="json")}
    reviews.write_text(json.dumps(said) + "\n")
    arguments: dict[str, list[object]] = {
        "annotate add": [recorded.trial_id, "--reviewer", "ada", "--judgment", "pass"],
        "annotate import": [reviews],
        "import harbor": [sorted((Path(__file__).parents[1] / "integrations/fixtures/harbor").iterdir())[0]],
    }
    monkeypatch.setenv("ADJUDGE_WITNESS", str(tmp_path / "heads.jsonl"))
    monkeypatch.setenv("ADJUDGE_SIGNING_KEY", str(key))
    ledger = str(tmp_path / "ledger.db")
    done = run_adjudge(*words.split(), *arguments[words], "--ledger", ledger)
    [head] = find_witness(str(tmp_path / "heads.jsonl")).read()
    with open_ledger(tmp_path / "ledger.db") as book:
        assert f"{head.rows}:{head.chain}" == book.info().head, done


def test_the_commands_sign_and_check(ledger: Ledger, tmp_path: Path) -> None:
    pytest.importorskip("cryptography", reason="needs cryptography: pip install 'adjudge[witness]'")
    if ledger.database.dialect == "postgresql":
        ledger.record([trial(1)])
        assert ledger.count() == 1
        return
    ledger.record([trial(n) for n in range(3)])

    def adjudge(*words: str, code: int = 0) -> str:
        environment = {**os.environ, "ADJUDGE_LEDGER": str(tmp_path / "ledger.db")}
        done = subprocess.run(
            [sys.executable, "-m", "adjudge", "ledger", *words],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    key, heads = str(tmp_path / "k.pem"), str(tmp_path / "heads.jsonl")
    public = adjudge("key", key).split()[-1]
    adjudge("sign", "--key", key, "--witness", heads)
    assert "1 heads, each signed" in adjudge("heads", heads, "--public-key", public)
    assert "intact" in adjudge("verify", "--witness", heads, "--public-key", public)
    cut_back(ledger, 2)
    assert "its end was cut off" in adjudge("verify", "--witness", heads, code=1)
