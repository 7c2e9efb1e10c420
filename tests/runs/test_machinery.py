"""A sandbox that fails is recorded as such, never as a wrong answer, and can be tried again."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import SandboxError
from adjudge.ledger import Ledger
from adjudge.runs import local_executor
from adjudge.sandbox import SandboxJob, SandboxOutcome
from adjudge.scoring import Outcome, outcome_of
from support.run_folders import echo_task, run_manifest, write_manifest


class BrokenSandbox:
    """A sandbox whose machine is out of order."""

    name = "broken"

    def __init__(self) -> None:
        self.asked = 0

    def run(self, job: SandboxJob) -> SandboxOutcome:
        self.asked += 1
        raise SandboxError("the machine has no more process ids")


def test_a_failing_sandbox_is_a_machinery_failure_on_the_record(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 2)
    sandbox = BrokenSandbox()
    tally = run_manifest(ledger, manifest, local_executor(sandbox, 1))
    assert sandbox.asked == 4  # each is tried twice
    assert sum(tally.machinery.values()) == 2
    for record in ledger.iterate():
        assert outcome_of(record.evaluation) is Outcome.MACHINERY_FAILED
        assert record.evaluation.reward == 0.0
        assert "no more process ids" in record.evaluation.validity.errors[-1]
    assert run_manifest(ledger, manifest).already == 2, "a plain resume leaves them as they are"
    retried = run_manifest(ledger, manifest, retry_failed=True)
    assert (retried.scored, retried.rescored) == (2, 2)
    assert [len(ledger.history(r.trial_id)) for r in ledger.iterate()] == [2, 2]
    assert {r.evaluation.validity.verifier_completed for r in ledger.iterate()} == {True}
