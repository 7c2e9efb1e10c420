"""Run one command with the verifier's paths, no network and hard limits, and read back what it wrote."""

from adjudge.sandbox import janitor, usage
from adjudge.sandbox.artifacts import (
    Artifact,
    ArtifactKind,
    FolderReading,
    in_reading_order,
    read_files,
    read_listed,
    survey_folder,
)
from adjudge.sandbox.binary import candidates as bwrap_programs
from adjudge.sandbox.binary import startable
from adjudge.sandbox.choose import choose_sandbox
from adjudge.sandbox.diagnose import Finding, Health, can_score, diagnose
from adjudge.sandbox.identity import NOBODY, drops_root, spawn_options
from adjudge.sandbox.job import SHARED_MEMORY_MB, PlacedFile, Sandbox, SandboxJob, SandboxOutcome

__all__ = [
    "NOBODY",
    "SHARED_MEMORY_MB",
    "Artifact",
    "ArtifactKind",
    "Finding",
    "FolderReading",
    "Health",
    "PlacedFile",
    "Sandbox",
    "SandboxJob",
    "SandboxOutcome",
    "bwrap_programs",
    "can_score",
    "choose_sandbox",
    "diagnose",
    "drops_root",
    "in_reading_order",
    "janitor",
    "read_files",
    "read_listed",
    "spawn_options",
    "startable",
    "survey_folder",
    "usage",
]
