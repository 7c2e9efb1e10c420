"""adjudge turns an agent's output into a validated reward, and keeps that reward trustworthy.

The public names load on first use, so that importing adjudge costs next to nothing. `_EXPORTS` is the
whole public surface; `tests/test_public_names.py` pins it.
"""

from __future__ import annotations

from adjudge._lazy import late_homes, late_names
from adjudge._version import __version__

TYPE_CHECKING = False  # as in `_lazy`
if TYPE_CHECKING:
    from adjudge.api import compare as compare
    from adjudge.api import gate as gate
    from adjudge.api import report as report
    from adjudge.audit import audit_folders
    from adjudge.contracts import *  # noqa: F403
    from adjudge.errors import *  # noqa: F403
    from adjudge.ledger import Ledger as Ledger
    from adjudge.ledger import Sort as Sort
    from adjudge.ledger import TrialColumns as TrialColumns
    from adjudge.ledger import TrialEntry as TrialEntry
    from adjudge.ledger import TrialFilter as TrialFilter
    from adjudge.ledger import open_ledger as open_ledger
    from adjudge.reports import Choices as Choices
    from adjudge.reports import Report as Report
    from adjudge.reports import frame as frame
    from adjudge.reports import read_report as read_report
    from adjudge.runs import run as run
    from adjudge.scoring import breakdown_rows as breakdown_rows
    from adjudge.scoring import load_rubric as load_rubric
    from adjudge.scoring import read_artifacts as read_artifacts
    from adjudge.scoring import register_rollup as register_rollup
    from adjudge.scoring import score as score
    from adjudge.scoring import score_bytes as score_bytes
    from adjudge.scoring import score_rubric as score_rubric
    from adjudge.scoring import score_rubric_many as score_rubric_many
    from adjudge.scoring import score_text as score_text
    from adjudge.scoring import score_trial as score_trial
    from adjudge.tasks import load_task as load_task
    from adjudge.tasks import load_tasks as load_tasks

    audit = audit_folders  # in truth the folder, which can be called

_EXPORTS = {
    "adjudge.api": ("compare", "gate", "report"),
    "adjudge.audit": ("audit",),
    "adjudge.contracts": (
        "Agent",
        "Annotation",
        "ConfidenceMetadata",
        "Cost",
        "Dimension",
        "DimensionResult",
        "DimensionScore",
        "ErrorSource",
        "ErrorTag",
        "EvaluationResult",
        "Interval",
        "JudgeIdentity",
        "Judgment",
        "Limit",
        "Limits",
        "Origin",
        "Outcome",
        "OutputContract",
        "OutputFormat",
        "OutputInfo",
        "Rubric",
        "RubricResult",
        "ScoredBy",
        "StrictModel",
        "Task",
        "TaskMetadata",
        "TrialRecord",
        "ValidityCheck",
        "VerifierRun",
        "VerifierSpec",
        "outcome_of",
    ),
    "adjudge.errors": (
        "AdjudgeError",
        "ArtifactError",
        "LedgerError",
        "MachineryError",
        "ManifestError",
        "MissingExtra",
        "Problem",
        "RubricError",
        "SandboxError",
        "SandboxUnavailable",
        "TaskError",
        "UsageError",
    ),
    "adjudge.ledger": ("Ledger", "Sort", "TrialColumns", "TrialEntry", "TrialFilter", "open_ledger"),
    "adjudge.reports": ("Choices", "Report", "frame", "read_report"),
    "adjudge.runs": ("run",),
    "adjudge.scoring": (
        "breakdown_rows",
        "load_rubric",
        "read_artifacts",
        "register_rollup",
        "score",
        "score_bytes",
        "score_rubric",
        "score_rubric_many",
        "score_text",
        "score_trial",
    ),
    "adjudge.tasks": ("load_task", "load_tasks"),
}

__all__ = ["__version__", *sorted(late_homes(__name__, _EXPORTS))]  # noqa: PLE0604 - built from the table above

__getattr__, __dir__ = late_names(__name__, _EXPORTS)
