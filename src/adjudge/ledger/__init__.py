"""The append-only store of trials, evaluations, annotations, tags, certificates and blobs.

`open_ledger` opens one. Names load on first use, because the database layer takes a while to import and a
command that only describes a filter does not need it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge.ledger.annotation_files import (
    AnnotationFormat,
    AnnotationRow,
    BadAnnotation,
    read_annotations,
    write_annotations,
)
from adjudge.ledger.collector import collector_paused
from adjudge.ledger.disagreement import DISAGREEMENT_THRESHOLD, disagrees
from adjudge.ledger.entry import Recorded, TrialEntry, TrialState, Written
from adjudge.ledger.filters import Sort, TrialFilter
from adjudge.ledger.location import BLOBS_VARIABLE, DEFAULT_LEDGER, LEDGER_VARIABLE
from adjudge.ledger.open import migrate_ledger, open_ledger

if TYPE_CHECKING:
    from adjudge.ledger.annotate import StoredAnnotation
    from adjudge.ledger.columns import Coded, TrialColumns
    from adjudge.ledger.database import Disconnected
    from adjudge.ledger.info import LedgerInfo
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.prepared import Prepared, prepare
    from adjudge.ledger.query import Page
    from adjudge.ledger.side_columns import ReplacedColumns, TagColumns
    from adjudge.ledger.verify import Verification

__all__ = [
    "BLOBS_VARIABLE",
    "DEFAULT_LEDGER",
    "DISAGREEMENT_THRESHOLD",
    "LEDGER_VARIABLE",
    "AnnotationFormat",
    "AnnotationRow",
    "BadAnnotation",
    "Coded",
    "Disconnected",
    "Ledger",
    "LedgerInfo",
    "Page",
    "Prepared",
    "Recorded",
    "ReplacedColumns",
    "Sort",
    "StoredAnnotation",
    "TagColumns",
    "TrialColumns",
    "TrialEntry",
    "TrialFilter",
    "TrialState",
    "Verification",
    "Written",
    "collector_paused",
    "disagrees",
    "migrate_ledger",
    "open_ledger",
    "prepare",
    "read_annotations",
    "write_annotations",
]

_LATE = {
    "Coded": "columns",
    "Disconnected": "database",
    "Ledger": "ledger",
    "LedgerInfo": "info",
    "Page": "query",
    "Prepared": "prepared",
    "ReplacedColumns": "side_columns",
    "StoredAnnotation": "annotate",
    "TagColumns": "side_columns",
    "TrialColumns": "columns",
    "Verification": "verify",
    "prepare": "prepared",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'adjudge.ledger' has no attribute {name!r}")
    return getattr(import_module(f"adjudge.ledger.{_LATE[name]}"), name)
