"""Score many: manifest, resume, cache, re-score, ingest; locally or on Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.runs.artifact_tree import Ingested, ingest_folders, reading_folders, record_readings
    from adjudge.runs.manifest import (
        BadRow,
        ManifestRow,
        count_rows,
        read_manifest,
        read_outputs_folder,
    )
    from adjudge.runs.on_ray import ray_executor
    from adjudge.runs.read_ahead import read_folders_ahead
    from adjudge.runs.rescoring import Change, FieldChange, Rescored, changed_fields, rescore
    from adjudge.runs.rows import RunRows, find_rows
    from adjudge.runs.running import choose_executor, run
    from adjudge.runs.stored_output import NOT_COLLECTED, restore_output, store_output
    from adjudge.runs.tally import Tally
    from adjudge.runs.trial import FailedTrial, FinishedTrial, ScoredTrial, Trial, entry_of
    from adjudge.runs.workers import Executor, Workers, local_executor

__all__ = [
    "NOT_COLLECTED",
    "BadRow",
    "Change",
    "Executor",
    "FailedTrial",
    "FieldChange",
    "FinishedTrial",
    "Ingested",
    "ManifestRow",
    "Rescored",
    "RunRows",
    "ScoredTrial",
    "Tally",
    "Trial",
    "Workers",
    "changed_fields",
    "choose_executor",
    "count_rows",
    "entry_of",
    "find_rows",
    "ingest_folders",
    "local_executor",
    "ray_executor",
    "read_folders_ahead",
    "read_manifest",
    "read_outputs_folder",
    "reading_folders",
    "record_readings",
    "rescore",
    "restore_output",
    "run",
    "store_output",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "artifact_tree": ("Ingested", "ingest_folders", "reading_folders", "record_readings"),
        "manifest": ("BadRow", "ManifestRow", "count_rows", "read_manifest", "read_outputs_folder"),
        "on_ray": ("ray_executor",),
        "read_ahead": ("read_folders_ahead",),
        "rescoring": ("Change", "FieldChange", "Rescored", "changed_fields", "rescore"),
        "rows": ("RunRows", "find_rows"),
        "running": ("choose_executor", "run"),
        "stored_output": ("NOT_COLLECTED", "restore_output", "store_output"),
        "tally": ("Tally",),
        "trial": ("FailedTrial", "FinishedTrial", "ScoredTrial", "Trial", "entry_of"),
        "workers": ("Executor", "Workers", "local_executor"),
    },
)
