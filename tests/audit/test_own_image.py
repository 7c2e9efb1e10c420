"""A task with an image of its own, audited without it: a right answer that earns nothing proves little."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adjudge.audit import Cause, Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build


@dataclass(frozen=True)
class Furnished:
    """As a sandbox with packages is: another one inside, and another name."""

    inner: Sandbox
    name: str = "bubblewrap with packages"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        return self.inner.run(job)


_QUIET = "python3 -m no_such_tool > /dev/null 2>&1 && r=1.0 || r=0.0\n"
_WRITES = "printf '{\"reward\": %s}' $r > /logs/verifier/reward.json\n"


def test_a_failing_golden_is_high_only_in_the_task_s_own_place(sandbox: Sandbox, tmp_path: Path) -> None:
    """The verifier says not a word about what it lacks."""
    severities = []
    for name, files in (("plain", {}), ("imaged", {"environment/Dockerfile": "FROM tools:latest\n"})):
        exhibit = Exhibit(name, test_sh=_QUIET + _WRITES, files=files)
        task = load_task(build(exhibit, tmp_path))
        findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
        severities += [f.severity for f in findings if f.cause == Cause.GOLDEN]
    assert severities == [Severity.HIGH, Severity.MEDIUM]


def test_part_of_the_reward_proves_as_little_and_a_log_says_what_is_missing(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """One of two checks needs a runner that only the task's own image has; its words go to a log."""
    half = "python3 -m no_such_tool > /logs/verifier/run.log 2>&1 && r=1.0 || r=0.6\n"
    exhibit = Exhibit("half", test_sh=half + _WRITES, files={"environment/Dockerfile": "FROM tools:latest\n"})
    task = load_task(build(exhibit, tmp_path))
    findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
    [found] = [f for f in findings if f.severity.rank <= Severity.MEDIUM.rank]
    assert (found.cause, found.title) == (
        Cause.LACKING,
        "the verifier needs no_such_tool, which the sandbox lacks",
    )
    assert "the golden pass/right.md does not pass" in found.seen


def test_a_solution_that_lacks_something_is_low_if_another_answer_passes(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """The reference of the verifier earns full marks: it is the solution that needs what is not here."""
    files = {
        "environment/Dockerfile": "FROM tools:latest\n",
        "solution/solve.sh": "no_such_tool || echo nothing > /workspace/output.md\n",
    }
    shape = {"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "compliant | non_compliant"}
    task = load_task(build(Exhibit("lacking", golden=False, skeleton=shape, files=files), tmp_path))
    findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
    assert [f.severity for f in findings if f.cause == Cause.SOLUTION] == [Severity.LOW]


def test_a_solution_that_says_what_it_lacks_accuses_nobody(sandbox: Sandbox, tmp_path: Path) -> None:
    """It writes something all the same, and that earns nothing: neither it nor the verifier need be wrong."""
    files = {
        "environment/Dockerfile": "FROM tools:latest\n",
        "solution/solve.sh": "no_such_tool > /workspace/output.md\nexit 0\n",
    }
    task = load_task(build(Exhibit("lacking", golden=False, files=files), tmp_path))
    findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
    [found] = [f for f in findings if f.cause == Cause.SOLUTION]
    assert (found.severity, found.title) == (Severity.LOW, "the reference solution does not run here")
    assert "missing program 'no_such_tool'" in found.seen


def test_packages_do_not_make_a_sandbox_the_task_s_own_place(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit("imaged", test_sh=_QUIET + _WRITES, files={"environment/Dockerfile": "FROM tools\n"})
    task = load_task(build(exhibit, tmp_path))
    findings = audit_task(task, Furnished(sandbox), sections=[Section.GOLDENS]).certificate.findings
    assert [f.severity for f in findings if f.cause == Cause.GOLDEN] == [Severity.MEDIUM]


_REFUSED = (
    "exec 3<>/dev/tcp/127.0.0.1/9 && r=1.0 || r=0.0\n"  # the discard port: nobody listens
    "echo 'ConnectionRefusedError: [Errno 111] Connection refused' > /logs/verifier/pytest.log\n"
)


def test_a_known_lack_proves_nothing_against_verifier_or_golden(sandbox: Sandbox, tmp_path: Path) -> None:
    """The image is made for a program that is not here, or the verifier waits for a server in vain; at home,
    or where the image is made for what is here, the same loss is told."""
    made = {
        "program": (
            _QUIET + _WRITES,
            {"environment/Dockerfile": "FROM acme/erlang:27 AS run\n"},
            Severity.LOW,
        ),
        "server": (_REFUSED + _WRITES, {"environment/Dockerfile": "FROM tools:latest\n"}, Severity.LOW),
        "at-home": (_REFUSED + _WRITES, {}, Severity.HIGH),
        "python": (_QUIET + _WRITES, {"environment/Dockerfile": "FROM python:3.12-slim\n"}, Severity.MEDIUM),
    }
    for name, (test_sh, files, severity) in made.items():
        task = load_task(build(Exhibit(name, test_sh=test_sh, files=files), tmp_path))
        findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
        assert [f.severity for f in findings if f.cause == Cause.GOLDEN] == [severity], name


def test_no_reward_is_high_only_if_a_right_answer_got_none(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without a right answer, perhaps only wrong ones get none; another key is a setting that is missing."""
    silent = "true\n"
    other_key = 'printf \'{"correct": 1, "fast": 0}\' > /logs/verifier/reward.json\n'
    found = []
    for name, test_sh, golden in (
        ("silent", silent, True),
        ("unknown", silent, False),
        ("other-key", other_key, True),
    ):
        task = load_task(build(Exhibit(name, "", test_sh=test_sh, golden=golden), tmp_path))
        findings = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.findings
        found.append([(f.severity, f.cause) for f in findings if f.severity.rank <= Severity.MEDIUM.rank])
    assert found == [
        [(Severity.HIGH, Cause.NEVER_SCORES)],
        [(Severity.MEDIUM, Cause.NEVER_SCORES)],
        [(Severity.MEDIUM, Cause.NEVER_SCORES)],
    ]


_ASKS_A_MODEL = """
import json, os
try:
    text = open("/workspace/output.md", "rb").read()
except OSError:
    text = b""
if text.strip():
    reward = len(os.environ["JUDGE_TOKEN"])
else:
    reward = 0.0
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": reward}, file)
"""


def test_a_verifier_without_its_variable_is_not_said_to_fail_on_wrong_answers(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """It asks a model and breaks for want of a key, on right answers as on wrong ones."""
    files = {"tests/judge.py": _ASKS_A_MODEL, "environment/Dockerfile": "FROM tools\n"}
    exhibit = Exhibit("judge", "", test_sh="exec python3 -I /tests/judge.py\n", files=files)
    findings = audit_task(load_task(build(exhibit, tmp_path)), sandbox).certificate.findings
    assert [f.title for f in findings if f.severity.rank <= Severity.MEDIUM.rank] == []
    assert [f.title for f in findings if f.cause == Cause.LACKING] == [
        "the verifier needs the variable JUDGE_TOKEN, which it is not given"
    ]
