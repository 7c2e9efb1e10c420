"""Inputs of the task in the workspace: an agent may alter them, so no reference may follow them.

Every number in them becomes zero. If the right answer then loses, the verifier works out its reference from
files that the agent can write. If an answer of zeros gains, the agent can make the task as easy as it likes.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, Probe, all_numbers, with_answer
from adjudge.audit.sections.attacks.side_files import Exploit
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.scoring import files_of_image

_INPUTS = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".dat", ".log"})
_NUMBER = re.compile(rb"(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.-])")
_MAX_INPUT = 1 << 20
_MOST_INPUTS = 16
_LOSS = 0.2


def altered_inputs(bench: Bench, right: RightAnswer | None, result: SectionResult) -> list[Exploit]:
    """Try the right answer beside altered inputs, and return what to try further; nothing without inputs."""
    inputs = _zeroed(bench.task)
    if not inputs or right is None:
        return []
    files = tuple({**dict(right.files), **inputs}.items())
    probe = Probe("exploits/altered-inputs", "the right answer beside altered inputs", files)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    if seen.broke or right.reward - seen.reward < _LOSS:
        return []
    names = ", ".join(PurePosixPath(path).name for path in list(inputs)[:4])
    result.findings.append(
        bench.finding(
            Severity.MEDIUM,
            Section.EXPLOITS,
            "the reference follows inputs that the agent may alter",
            cause=Cause.SIDE_FILE,
            seen=f"With every number in {names} zero, the right answer earns {seen.reward:g} instead of "
            f"{right.reward:g}.",
            advice="Compute the reference from a copy of the inputs in /tests.",
            probe=probe,
            before=right.reward,
        )
    )
    if right.document is None:
        return []
    data = right.document.render(all_numbers(right.document.value, lambda leaf: leaf.with_number(0)))
    zeros = with_answer(bench.task, right.files, data)
    plain = Probe("exploits/zeros", "every number zero", zeros)
    easy = tuple({**dict(zeros), **inputs}.items())
    what = "every number zero, in the inputs and in the answer"
    return [Exploit(Probe("exploits/zero-inputs", what, easy), Cause.SIDE_FILE, plain)]


def _zeroed(task: Task) -> dict[str, OutputFile]:
    """The text files of the task's image in the workspace, with zeros for all their numbers."""
    found = {}
    for path, file in files_of_image(task).items():
        inside = path.startswith(f"{workspace_of(task)}/") and path != task.verifier.expected_output_path
        if inside and PurePosixPath(path).suffix.lower() in _INPUTS and len(file.data) <= _MAX_INPUT:
            data = _NUMBER.sub(b"0", file.data)
            if data != file.data:
                found[path] = OutputFile(data, file.mode)
    return dict(list(found.items())[:_MOST_INPUTS])
