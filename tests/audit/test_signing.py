"""A certificate can be signed, and whoever gets it can check that nothing in it was changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.audit import Cause, Certificate, Finding, Section, Verdict, check_signature, sign_certificate
from adjudge.contracts import Severity
from adjudge.errors import UsageError
from support.command_line import run_adjudge


@pytest.fixture
def key(tmp_path: Path) -> Path:
    assert run_adjudge("ledger", "key", tmp_path / "key.pem").code == 0
    return tmp_path / "key.pem"


def certificate(verdict: Verdict = Verdict.QUESTIONABLE) -> Certificate:
    return Certificate(
        task_id="a/b",
        task_digest="0" * 64,
        adjudge_version="1",
        verdict=verdict,
        answer=None,
        sections=[],
        findings=[],
    )


def test_a_signature_covers_what_a_certificate_says(key: Path) -> None:
    signed = sign_certificate(certificate(), key)
    assert signed.digest == certificate().digest
    assert check_signature(signed) is None
    assert signed.signature is not None
    assert check_signature(signed, signed.signature.key.upper()) is None
    assert check_signature(signed, "0" * 64) == f"it was signed with another key: {signed.signature.key}"
    forged = signed.model_copy(update={"verdict": Verdict.SOUND})
    assert check_signature(forged) == "it is not what was signed"
    assert check_signature(certificate()) == "it is not signed"


def test_a_key_that_others_can_read_is_refused(key: Path) -> None:
    key.chmod(0o644)
    with pytest.raises(UsageError, match="others can read this signing key"):
        sign_certificate(certificate(), key)


def test_certificates_of_a_file_are_checked_one_by_one(key: Path, tmp_path: Path) -> None:
    """Exit code 1 if one is not what was signed, and each is named with what is wrong."""
    good = sign_certificate(certificate(), key).model_dump_json()
    bad = good.replace(Verdict.QUESTIONABLE.value, Verdict.SOUND.value)
    file = tmp_path / "certificates.jsonl"
    file.write_text(f"{good}\n")
    assert run_adjudge("audit", "--verify", file).code == 0
    file.write_text(f"{good}\n{bad}\n")
    done = run_adjudge("audit", "--verify", file)
    assert done.code == 1
    assert [line.partition(": ")[2][:6] for line in done.stdout.splitlines()] == ["signed", "it is "]
    file.write_text(json.dumps({"task_id": "a"}))
    done = run_adjudge("audit", "--verify", file)
    assert done.code == 2
    assert "this is no certificate" in " ".join(done.stderr.split())
    file.write_text(f"{good}\n")
    [line] = run_adjudge("audit", "--verify", file, "--json").stdout.splitlines()
    assert json.loads(line)["problem"] is None


@pytest.mark.parametrize(
    ("command", "fine"),
    [
        (None, True),
        ("adjudge audit a/b --reproduce trivial/note", True),
        ("adjudge audit '/some folder/a/b' --reproduce trivial/note --image x --prepare", True),
        ("adjudge audit a/b --reproduce trivial/other", False),
        ("adjudge audit a/b --reproduce trivial/note --save /home/me/.profile", False),
        ("adjudge audit a/b --reproduce trivial/note; rm -r ~", False),
        ("adjudge audit $(id) --reproduce trivial/note", False),
        ("rm -r ~", False),
    ],
)
def test_a_command_that_was_put_in_later_is_noticed(key: Path, command: str | None, *, fine: bool) -> None:
    """It is not part of the digest, since it names a folder; so its form is checked."""
    finding = Finding(
        severity=Severity.LOW,
        section=Section.TRIVIAL,
        cause=Cause.NOTHING,
        title="a note earns 0.1",
        seen="It earns 0.1.",
        advice="Give nothing for it.",
        probe="trivial/note",
        reproduce=command,
    )
    signed = sign_certificate(certificate().model_copy(update={"findings": [finding]}), key)
    assert (check_signature(signed) is None) is fine
