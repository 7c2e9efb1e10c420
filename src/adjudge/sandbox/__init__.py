"""Run one command with the verifier's paths, no network and hard limits, and read back what it wrote.

A sandbox that stays between commands is a room of its own: `adjudge.sandbox.session`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.sandbox.choose import choose_sandbox, only_cold
    from adjudge.sandbox.files.artifacts import (
        Artifact,
        ArtifactKind,
        FolderReading,
        in_reading_order,
        read_files,
        read_listed,
        survey_folder,
    )
    from adjudge.sandbox.files.bytecode import bytecode_for
    from adjudge.sandbox.files.frozen import PackedTests, adopt_tests, frozen_tests, pack_tests
    from adjudge.sandbox.files.runner_files import named_like_a_runners
    from adjudge.sandbox.health import Health, HealthCheck, can_score, diagnose
    from adjudge.sandbox.identity import reachable
    from adjudge.sandbox.installed import pythons, stamps_of
    from adjudge.sandbox.job import FIXED_ENVIRONMENT, Sandbox, SandboxJob, SandboxOutcome
    from adjudge.sandbox.warm.eligible import warm_start
    from adjudge.sandbox.warm.servers import run_warm

__all__ = [
    "FIXED_ENVIRONMENT",
    "Artifact",
    "ArtifactKind",
    "FolderReading",
    "Health",
    "HealthCheck",
    "PackedTests",
    "Sandbox",
    "SandboxJob",
    "SandboxOutcome",
    "adopt_tests",
    "bytecode_for",
    "can_score",
    "choose_sandbox",
    "diagnose",
    "frozen_tests",
    "in_reading_order",
    "named_like_a_runners",
    "only_cold",
    "pack_tests",
    "pythons",
    "reachable",
    "read_files",
    "read_listed",
    "run_warm",
    "stamps_of",
    "survey_folder",
    "warm_start",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "choose": ("choose_sandbox", "only_cold"),
        "files.artifacts": (
            "Artifact",
            "ArtifactKind",
            "FolderReading",
            "in_reading_order",
            "read_files",
            "read_listed",
            "survey_folder",
        ),
        "files.bytecode": ("bytecode_for",),
        "files.frozen": ("PackedTests", "adopt_tests", "frozen_tests", "pack_tests"),
        "files.runner_files": ("named_like_a_runners",),
        "health": ("Health", "HealthCheck", "can_score", "diagnose"),
        "identity": ("reachable",),
        "installed": ("pythons", "stamps_of"),
        "job": ("FIXED_ENVIRONMENT", "Sandbox", "SandboxJob", "SandboxOutcome"),
        "warm.eligible": ("warm_start",),
        "warm.servers": ("run_warm",),
    },
)
