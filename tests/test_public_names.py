"""What `import adjudge` offers: pinned, documented, and known to type checkers."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import adjudge
from adjudge._lazy import late_homes

ROOT = Path(__file__).parent.parent
NAMES = """
__version__
Agent Annotation ConfidenceMetadata Cost Dimension DimensionResult DimensionScore ErrorSource ErrorTag
EvaluationResult Interval JudgeIdentity Judgment Limit Limits Origin OutputContract OutputFormat OutputInfo
Rubric RubricResult ScoredBy StrictModel Task TaskMetadata TrialRecord ValidityCheck VerifierRun VerifierSpec
AdjudgeError ArtifactError LedgerError MachineryError ManifestError MissingExtra Problem RubricError
SandboxError SandboxUnavailable TaskError UsageError
Ledger Sort TrialColumns TrialEntry TrialFilter open_ledger
Outcome breakdown_rows load_rubric outcome_of read_artifacts register_rollup score score_bytes score_rubric
score_rubric_many score_text score_trial
Choices Report frame read_report
load_task load_tasks
audit compare gate report run
"""  # adding a name is a promise, and removing one breaks somebody: change this only on purpose
PUBLIC = NAMES.split()
HOMES = late_homes("adjudge", adjudge._EXPORTS)


def test_the_public_names_are_these() -> None:
    assert sorted(adjudge.__all__) == sorted(PUBLIC)
    assert len(set(PUBLIC)) == len(PUBLIC)
    assert dir(adjudge) == sorted(adjudge.__all__)


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - {"__version__"}))
def test_a_public_name_loads_and_says_what_it_is(name: str) -> None:
    value = getattr(adjudge, name)
    written = value.__dict__.get("__doc__") if isinstance(value, type) else inspect.getdoc(value)
    assert written, f"{name} has no docstring of its own"
    assert len(written.split()) >= 3
    home = import_module(HOMES[name])
    assert callable(value) and home is value if name == "audit" else getattr(home, name) is value


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'adjudge' has no attribute 'scoree'"):
        _ = adjudge.scoree


def test_type_checkers_see_every_name_for_what_it_is(tmp_path: Path) -> None:
    """mypy reads the imports below `if TYPE_CHECKING`; a name that is missing there would be Any to it."""
    uses = "\n".join(f"reveal_type(adjudge.{name})" for name in PUBLIC)
    caller = tmp_path / "caller.py"
    caller.write_text(f"import adjudge\n\n{uses}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", caller], cwd=ROOT, capture_output=True, text=True
    )
    revealed = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert done.returncode == 0, done.stdout
    assert len(revealed) == len(PUBLIC)
    assert [line for line in revealed if '"Any"' in line] == []


def test_star_import_brings_exactly_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from adjudge import *", names)  # noqa: S102
    assert set(names) - {"__builtins__"} == set(PUBLIC)
