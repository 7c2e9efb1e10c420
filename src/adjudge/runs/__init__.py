"""Score many: manifest, resume, cache, re-score, ingest; locally or on Ray."""

from adjudge.runs.ingest import Ingested, Quarantined, ingest_folders
from adjudge.runs.local import local_executor
from adjudge.runs.manifest import (
    MANIFEST_NAME,
    BadRow,
    PlannedTrial,
    count_rows,
    read_manifest,
    read_outputs_folder,
)
from adjudge.runs.on_ray import ray_executor
from adjudge.runs.progress import Tally
from adjudge.runs.rescore import Change, FieldChange, Rescored, changed_fields, rescore
from adjudge.runs.run import Run
from adjudge.runs.stored_output import NOT_COLLECTED, restore_output, store_output
from adjudge.runs.work import Executor, Finished, Job

__all__ = [
    "MANIFEST_NAME",
    "NOT_COLLECTED",
    "BadRow",
    "Change",
    "Executor",
    "FieldChange",
    "Finished",
    "Ingested",
    "Job",
    "PlannedTrial",
    "Quarantined",
    "Rescored",
    "Run",
    "Tally",
    "changed_fields",
    "count_rows",
    "ingest_folders",
    "local_executor",
    "ray_executor",
    "read_manifest",
    "read_outputs_folder",
    "rescore",
    "restore_output",
    "store_output",
]
