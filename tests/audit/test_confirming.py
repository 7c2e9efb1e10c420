"""A finding is looked at twice: one that does not come again is a flake that was seen, and is reported so."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from adjudge.audit import Cause, Section
from adjudge.audit.confirming import flakes, lasting
from adjudge.audit.probes import Bench
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build


def test_a_reward_that_does_not_come_again_is_a_flake(sandbox: Sandbox, tmp_path: Path) -> None:
    """The first run is told as 1.0; whatever comes again is what the verifier gives: nothing."""
    task = load_task(build(Exhibit("steady"), tmp_path))
    with Bench(task, sandbox, 1) as bench:
        steady, odd = (bench.answer(f"x/{name}", name, name.encode()) for name in ("steady", "odd"))
        bench.run([steady, odd])
        bench.log[odd.name] = (odd, replace(bench.log[odd.name][1], claimed=1.0))
        findings = [
            bench.finding(
                Severity.HIGH, Section.TRIVIAL, "t", cause=Cause.NOTHING, seen="s", advice="a", probe=p
            )
            for p in (steady, odd)
        ]
        [found] = flakes(bench, findings)
        assert found.cause == Cause.RANDOM
        assert found.severity is Severity.HIGH
        assert found.probe == "x/odd/again"
        assert "odd got 1, and 0 when it was run again" in found.seen
        assert flakes(bench, findings[:1]) == []


def test_of_a_verifier_that_flakes_only_what_lasts_is_told(sandbox: Sandbox, tmp_path: Path) -> None:
    """The verifier gives nothing for either; that the second once got 1.0 was chance."""
    task = load_task(build(Exhibit("restless"), tmp_path))
    with Bench(task, sandbox, 1) as bench:
        always, once = (bench.answer(f"x/{name}", name, name.encode()) for name in ("always", "once"))
        bench.run([always, once])
        bench.log[once.name] = (once, replace(bench.log[once.name][1], claimed=1.0))
        findings = [
            bench.finding(severity, Section.TRIVIAL, "t", cause=cause, seen="s", advice="a", probe=p)
            for p, severity, cause in (
                (always, Severity.HIGH, Cause.NOTHING),
                (once, Severity.MEDIUM, Cause.EMPTY),
                (once, Severity.LOW, Cause.EMPTY),
                (once, Severity.HIGH, Cause.RANDOM),
            )
        ]
        kept = lasting(bench, findings)
        assert [f.cause for f in kept] == [Cause.NOTHING, Cause.RANDOM]
