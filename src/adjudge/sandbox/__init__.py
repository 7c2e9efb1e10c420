"""Run one command with the verifier's paths, no network and hard limits, and read back what it wrote."""

from adjudge.sandbox.artifacts import Artifact, ArtifactKind, FolderReading, read_folder, survey_folder

__all__ = ["Artifact", "ArtifactKind", "FolderReading", "read_folder", "survey_folder"]
