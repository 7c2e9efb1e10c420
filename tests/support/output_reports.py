"""Judge bytes as the output of a small task: what most tests of the gates need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjudge.contracts import (
    Origin,
    OutputContract,
    OutputFormat,
    OutputInfo,
    Task,
    VerifierSpec,
)
from adjudge.gates import AgentOutput, OutputCheck, OutputFile, check_output

PATH = "/workspace/output"


def task_for(
    kind: OutputFormat, *, schema: dict[str, Any] | None = None, origin: Origin = Origin.DECLARED
) -> Task:
    return Task(
        id="t",
        folder=Path("/nonexistent"),
        instruction="Do it.",
        verifier=VerifierSpec(script="tests/test.sh", expected_output_path=PATH),
        output=OutputContract(
            format=kind,
            format_origin=Origin.DECLARED,
            json_schema=schema,
            schema_origin=None if schema is None else origin,
        ),
        digest="0" * 64,
    )


def judge(
    data: bytes | str,
    kind: OutputFormat,
    *,
    schema: dict[str, Any] | None = None,
    origin: Origin = Origin.DECLARED,
) -> OutputCheck:
    """The report on an output of these bytes."""
    content = data.encode() if isinstance(data, str) else data
    info = OutputInfo(path="output", sha256=None, size_bytes=len(content))
    output = AgentOutput(info, {PATH: OutputFile(content)}, content, None)
    return check_output(task_for(kind, schema=schema, origin=origin), output)


def reason(report: OutputCheck) -> str:
    """The one error of a report, without the path."""
    assert len(report.errors) == 1, report
    return report.errors[0].removeprefix(f"{PATH}: ")
