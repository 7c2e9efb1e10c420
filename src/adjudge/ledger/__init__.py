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
from adjudge.ledger.entry import Recorded, TrialEntry, TrialState, Written
from adjudge.ledger.filters import DISAGREEMENT_THRESHOLD, Sort, TrialFilter, disagrees
from adjudge.ledger.open import migrate_ledger, open_ledger
from adjudge.ledger.store.location import BLOBS_VARIABLE, DEFAULT_LEDGER, LEDGER_VARIABLE

if TYPE_CHECKING:
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.reading.columns import Coded, TrialColumns
    from adjudge.ledger.reading.info import LedgerInfo
    from adjudge.ledger.reading.query import Page
    from adjudge.ledger.reading.side_columns import ReplacedColumns, TagColumns
    from adjudge.ledger.store.database import Disconnected
    from adjudge.ledger.upkeep.verify import Verification
    from adjudge.ledger.writing.annotate import StoredAnnotation
    from adjudge.ledger.writing.prepared import PreparedEntry, collector_paused, prepare

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
    "PreparedEntry",
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
    "Coded": "reading.columns",
    "Disconnected": "store.database",
    "Ledger": "ledger",
    "LedgerInfo": "reading.info",
    "Page": "reading.query",
    "PreparedEntry": "writing.prepared",
    "ReplacedColumns": "reading.side_columns",
    "StoredAnnotation": "writing.annotate",
    "TagColumns": "reading.side_columns",
    "TrialColumns": "reading.columns",
    "Verification": "upkeep.verify",
    "collector_paused": "writing.prepared",
    "prepare": "writing.prepared",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'adjudge.ledger' has no attribute {name!r}")
    return getattr(import_module(f"adjudge.ledger.{_LATE[name]}"), name)
