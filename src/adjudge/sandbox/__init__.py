"""Run one command with the verifier's paths, no network and hard limits, and read back what it wrote."""

from adjudge.sandbox.artifacts import (
    Artifact,
    ArtifactKind,
    FolderReading,
    read_files,
    read_folder,
    survey_folder,
)
from adjudge.sandbox.choose import choose_sandbox
from adjudge.sandbox.job import PlacedFile, Sandbox, SandboxJob, SandboxOutcome

__all__ = [
    "Artifact",
    "ArtifactKind",
    "FolderReading",
    "PlacedFile",
    "Sandbox",
    "SandboxJob",
    "SandboxOutcome",
    "choose_sandbox",
    "read_files",
    "read_folder",
    "survey_folder",
]
