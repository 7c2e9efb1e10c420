"""Recall: sound verifiers, each broken in one way by a rule over its source, and the audit names the flaw.

A sample is tried, the same in every run; `python -m audit.mutants.measure` in tests/ tries all and prints the
figures that docs/audit-recall.md states.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.sandbox import Sandbox
from audit.mutants.measure import Mutant, examine, mutants, sample

_SAMPLE = sample(26, seed=7)


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=mutant.name, marks=() if number % 13 == 0 else pytest.mark.gallery)
        for number, mutant in enumerate(_SAMPLE)
    ],
)
def test_the_flaw_is_named(mutant: Mutant, sandbox: Sandbox, tmp_path: Path) -> None:
    outcome = examine(mutant, sandbox, tmp_path)
    said = [f"{f.severity}: {f.cause}: {f.title}" for f in outcome.findings]
    assert outcome.found is not None or outcome.cannot_pass, said


def test_every_operator_breaks_something() -> None:
    """Each of the rules fits some base, and what it makes is Python that differs from the sound one."""
    made = list(mutants())
    assert len(made) > 140
    assert len({mutant.operator.name for mutant in made}) >= 30
    for mutant in made:
        compile(mutant.source, mutant.name, "exec")
        assert mutant.source != mutant.base.source
