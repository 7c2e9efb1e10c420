"""What a reader of the source remarks on is weighed by what probes showed."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, Certificate, Finding, Section, Verdict, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

SUM = """
answer = read()
if number(answer.get("flow_m3s")) is None or number(answer.get("head_loss_m")) is None:
    write({"fields": 0.0})
    raise SystemExit
score = 1.0
if abs(answer["flow_m3s"] - REF["flow_m3s"]) > 0.2 or abs(answer["head_loss_m"] - REF["head_loss_m"]) > 0.05:
    score = 0.0
%s
write({"fields": score})
"""
"""NaN is refused by a function that a reader of this test alone does not look into."""
BY_LOT = "import random\nif random.random() < 1e-12:\n    score = 0.0"
SLIP = 'assert (answer.get("status") == REF["status"], "status differs")'
TRUTHY = 'if answer.get("status"):\n    score = score * 1.0\nelse:\n    score = 0.0'


def audited(code: str, sandbox: Sandbox, folder: Path, *, golden: bool = True) -> Certificate:
    exhibit = Exhibit("read", SUM % code, golden=golden)
    return audit_task(load_task(build(exhibit, folder)), sandbox, workers=2).certificate


def remark(certificate: Certificate, cause: Cause) -> Finding:
    [found] = [f for f in certificate.findings if f.cause == cause and f.section is Section.SOURCE]
    return found


def test_a_slip_is_medium_although_no_probe_shows_it(sandbox: Sandbox, tmp_path: Path) -> None:
    found = remark(audited(SLIP, sandbox, tmp_path), Cause.ANY_VALUE)
    assert found.severity is Severity.MEDIUM
    assert found.title.startswith("verify.py line ")
    assert "No probe showed it." in found.seen
    assert "--section source" in (found.reproduce or "")


def test_what_probes_meet_only_by_luck_is_medium(sandbox: Sandbox, tmp_path: Path) -> None:
    certificate = audited(BY_LOT, sandbox, tmp_path)
    assert remark(certificate, Cause.RANDOM).severity is Severity.MEDIUM
    assert certificate.deterministic is True  # it was never seen to change
    assert certificate.verdict is Verdict.QUESTIONABLE


def test_what_probes_would_have_shown_is_low(sandbox: Sandbox, tmp_path: Path) -> None:
    """`abs(a - b) > tolerance` would let NaN pass, but none gets there."""
    code = 'flow, head = answer["flow_m3s"], answer["head_loss_m"]\n'
    code += "if not (flow >= 0 and flow < 99 and head >= 0 and head < 99):\n    score = 0.0"
    exhibit = Exhibit("read", (SUM % code).replace("number(", "(lambda x: x)("))
    source = exhibit.verify
    folder = build(exhibit, tmp_path)
    path = folder / "tests" / "verify.py"
    # without the functions of the gallery, which speak of finite numbers
    reading = 'import json\nREF = {"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}\n'
    reading += 'def write(scores):\n    with open("/logs/verifier/reward.json", "w") as file:\n'
    reading += '        json.dump({"reward": sum(scores.values())}, file)\n'
    reading += "def read():\n    try:\n"
    reading += '        text = open("/workspace/output.md").read()\n'
    reading += '        value = json.loads(text[text.index("{"):text.rindex("}") + 1])\n'
    reading += "        flow, head = value['flow_m3s'], value['head_loss_m']\n"
    reading += "        return value if type(flow) is type(head) is float else {}\n"
    reading += "    except (OSError, ValueError, KeyError, TypeError):\n        return {}\n"
    path.write_text(reading + source)
    certificate = audit_task(load_task(folder), sandbox, workers=2).certificate
    assert remark(certificate, Cause.NOT_A_NUMBER).severity is Severity.LOW


def test_without_a_right_answer_a_remark_is_medium(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit("read", golden=False)
    folder = build(exhibit, tmp_path)
    (folder / "instruction.md").write_text("Write one word to `/workspace/output.md`.\n")
    (folder / "tests" / "verify.py").write_text(
        "import hashlib, json\n"
        'text = open("/workspace/output.md").read().strip()\n'
        'good = hashlib.sha256(text[:8].encode()).hexdigest() == "00" * 32 and text in "compliant"\n'
        'json.dump({"reward": float(good)}, open("/logs/verifier/reward.json", "w"))\n'
    )
    certificate = audit_task(load_task(folder), sandbox, workers=2).certificate
    assert certificate.answer is None
    assert remark(certificate, Cause.WORD_INSIDE).severity is Severity.MEDIUM


def test_one_cause_is_one_finding_with_the_probe_that_shows_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """A certificate that names the files says so; what a probe shows as well is told with the probe."""
    certificate = audited(TRUTHY, sandbox, tmp_path)
    found = [f for f in certificate.findings if f.cause == Cause.TRUTHY]
    assert len(found) <= 1
    assert certificate.read == ["verify.py"]
    assert ", and by reading verify.py." in certificate.statement()


def test_a_verifier_in_another_language_is_none_the_worse(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = build(Exhibit("read"), tmp_path)
    (folder / "tests" / "verify.py").unlink()
    (folder / "tests" / "test.sh").write_text("#!/bin/sh\nperl /tests/verify.pl\n")
    (folder / "tests" / "verify.pl").write_text("print 1;\n")
    certificate = audit_task(load_task(folder), sandbox, sections=[Section.SOURCE]).certificate
    [report] = certificate.sections
    assert report.status == "not run"
    assert report.reason is not None
    assert "could be read" in report.reason
