"""What scoring one output gives: the result with everything it came from."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from adjudge.contracts import EvaluationResult, OutputInfo, VerifierRun
from adjudge.gates import OutputFile


class Scored(Struct, frozen=True):
    """A result with everything it came from."""

    result: EvaluationResult
    run: VerifierRun
    output: OutputInfo
    files: Mapping[str, OutputFile]
    """The output's files by their path in the sandbox; empty if nothing could be shown."""
    artifacts: Mapping[str, bytes]
    """The plain files the verifier left behind, by the names `run.artifacts` uses."""
