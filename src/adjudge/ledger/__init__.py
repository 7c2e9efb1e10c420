"""The append-only store of trials, evaluations, annotations, tags, certificates and blobs.

`open_ledger` opens one. Names load on first use, because the database layer takes a while to import and a
command that only describes a filter does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names
from adjudge.ledger.entry import Recorded, TrialEntry, TrialState, Written, unstorable_cost
from adjudge.ledger.filters import DISAGREEMENT_THRESHOLD, Sort, TrialFilter, disagrees, flag_of, kind_of
from adjudge.ledger.open import borrow_ledger, forged_ledger, migrate_ledger, open_ledger
from adjudge.ledger.store.location import (
    DEFAULT_LEDGER,
    LEDGER_VARIABLE,
    secrets_put_away,
)

if TYPE_CHECKING:
    from adjudge.ledger.annotation_files import (
        AnnotationFormat,
        AnnotationRow,
        BadAnnotation,
        read_annotations,
        write_annotations,
    )
    from adjudge.ledger.desk import Desk, DeskDrawer
    from adjudge.ledger.ledger import Ledger
    from adjudge.ledger.reading.columns import Coded, TrialColumns, may_have_metadata
    from adjudge.ledger.reading.info import LedgerInfo
    from adjudge.ledger.reading.live import (
        head_row,
        new_annotations,
        new_attachments,
        new_evaluations,
    )
    from adjudge.ledger.reading.query import Page
    from adjudge.ledger.reading.side_columns import ReplacedColumns, TagColumns
    from adjudge.ledger.selections import (
        read_selections,
        record_selection,
        record_selections,
        selection_attachment,
    )
    from adjudge.ledger.store.database import Disconnected
    from adjudge.ledger.upkeep.heads import SignedHead, check_heads, is_signed, new_key, public_text, read_key
    from adjudge.ledger.upkeep.witness import find_witness
    from adjudge.ledger.writing.annotate import StoredAnnotation
    from adjudge.ledger.writing.attachments import NewAttachment
    from adjudge.ledger.writing.imported import ImportedTrial, prepare_imported
    from adjudge.ledger.writing.prepared import PreparedEntry, collector_paused, prepare
    from adjudge.ledger.writing.repeated import RepeatedEvaluation

__all__ = [
    "DEFAULT_LEDGER",
    "DISAGREEMENT_THRESHOLD",
    "LEDGER_VARIABLE",
    "AnnotationFormat",
    "AnnotationRow",
    "BadAnnotation",
    "Coded",
    "Desk",
    "DeskDrawer",
    "Disconnected",
    "ImportedTrial",
    "Ledger",
    "LedgerInfo",
    "NewAttachment",
    "Page",
    "PreparedEntry",
    "Recorded",
    "RepeatedEvaluation",
    "ReplacedColumns",
    "SignedHead",
    "Sort",
    "StoredAnnotation",
    "TagColumns",
    "TrialColumns",
    "TrialEntry",
    "TrialFilter",
    "TrialState",
    "Written",
    "borrow_ledger",
    "check_heads",
    "collector_paused",
    "disagrees",
    "find_witness",
    "flag_of",
    "forged_ledger",
    "head_row",
    "is_signed",
    "kind_of",
    "may_have_metadata",
    "migrate_ledger",
    "new_annotations",
    "new_attachments",
    "new_evaluations",
    "new_key",
    "open_ledger",
    "prepare",
    "prepare_imported",
    "public_text",
    "read_annotations",
    "read_key",
    "read_selections",
    "record_selection",
    "record_selections",
    "secrets_put_away",
    "selection_attachment",
    "unstorable_cost",
    "write_annotations",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "annotation_files": (
            "AnnotationFormat",
            "AnnotationRow",
            "BadAnnotation",
            "read_annotations",
            "write_annotations",
        ),
        "desk": ("Desk", "DeskDrawer"),
        "ledger": ("Ledger",),
        "reading.columns": ("Coded", "TrialColumns", "may_have_metadata"),
        "reading.info": ("LedgerInfo",),
        "reading.live": (
            "head_row",
            "new_annotations",
            "new_attachments",
            "new_evaluations",
        ),
        "reading.query": ("Page",),
        "reading.side_columns": ("ReplacedColumns", "TagColumns"),
        "selections": ("read_selections", "record_selection", "record_selections", "selection_attachment"),
        "store.database": ("Disconnected",),
        "upkeep.heads": ("SignedHead", "check_heads", "is_signed", "new_key", "public_text", "read_key"),
        "upkeep.witness": ("find_witness",),
        "writing.annotate": ("StoredAnnotation",),
        "writing.attachments": ("NewAttachment",),
        "writing.imported": ("ImportedTrial", "prepare_imported"),
        "writing.prepared": ("PreparedEntry", "collector_paused", "prepare"),
        "writing.repeated": ("RepeatedEvaluation",),
    },
)
