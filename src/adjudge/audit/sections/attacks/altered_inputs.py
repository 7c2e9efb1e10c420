"""Inputs of the task in the workspace: an agent may alter them, so no reference may follow them.

Every number in them becomes zero, and half the bytes of what is no text; a verifier that cannot read that is
shown half of their lines. If the right answer then loses, the
verifier works out its reference from files that the agent can write, unless it loses as well when nothing but
the last line end is another: then the verifier guards its inputs. If an answer of zeros gains, the agent can
make the task as easy as it likes. Where the task has no image that shows its inputs, the files that a right
answer brings along are tried, with zeros in them and in the answer at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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

_TEXTS = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".dat", ".log"})
_OTHERS = frozenset({".stl", ".bin", ".npy", ".npz", ".wav", ".png", ".bmp", ".tif", ".raw", ".pcap", ".db"})
_LINES = frozenset({".csv", ".tsv", ".txt", ".jsonl", ".dat", ".log"})
_LEAST_LINES = 4
_NUMBER = re.compile(rb"(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.-])")
_MAX_TEXT, _MAX_OTHER = 1 << 20, 4 << 20
_MOST_INPUTS = 16
_LOSS = 0.2


def altered_inputs(bench: Bench, right: RightAnswer | None, result: SectionResult) -> list[Exploit]:
    """Try the right answer beside altered inputs, and return what to try further; nothing without inputs."""
    if right is None:
        return []
    inputs = _zeroed(_inputs(bench.task))
    if not inputs:
        return _zeros_in_all(bench, right, _zeroed(_companions(bench.task, right)))
    names = ", ".join(PurePosixPath(path).name for path in list(inputs)[:4])
    texts = all(PurePosixPath(path).suffix.lower() in _TEXTS for path in inputs)
    how = f"every number in {names} zero" if texts else f"{names} altered"
    probe = _beside(right, inputs, "altered-inputs", "the right answer beside altered inputs")
    [seen] = bench.run([probe])
    if not seen.broke:
        result.probes.append(probe)
    elif shorter := _shortened(_inputs(bench.task)):  # zeros may be no input at all; fewer lines are one
        probe = _beside(right, shorter, "shortened-inputs", "the right answer beside half of the inputs")
        how = f"only half of the lines in {', '.join(PurePosixPath(path).name for path in list(shorter)[:4])}"
        [seen] = bench.run([probe])
        result.probes.append(probe)
    if seen.broke or right.reward - seen.reward < _LOSS:
        return []
    same = _beside(
        right,
        {path: _with_another_end(file) for path, file in _inputs(bench.task) if path in inputs},
        "inputs-with-another-end",
        "the right answer beside inputs with another last line end",
    )
    [guarded] = bench.run([same])
    result.probes.append(same)
    if right.reward - guarded.reward >= _LOSS:
        return []
    result.findings.append(
        bench.finding(
            Severity.MEDIUM,
            Section.EXPLOITS,
            "the reference follows inputs that the agent may alter",
            cause=Cause.SIDE_FILE,
            seen=f"With {how}, the right answer earns {seen.reward:g} instead of {right.reward:g}.",
            advice="Compute the reference from a copy of the inputs in /tests.",
            probe=probe,
            before=right.reward,
        )
    )
    return _zeros_in_all(bench, right, inputs)


def _zeros_in_all(bench: Bench, right: RightAnswer, inputs: Mapping[str, OutputFile]) -> list[Exploit]:
    """An answer of zeros beside files of zeros: what that gains, only files of the agent's can explain."""
    if right.document is None or not inputs:
        return []
    data = right.document.render(all_numbers(right.document.value, lambda leaf: leaf.with_number(0)))
    zeros = with_answer(bench.task, right.files, data)
    plain = Probe("exploits/zeros", "every number zero", zeros)
    easy = tuple({**dict(zeros), **inputs}.items())
    what = "every number zero, in the inputs and in the answer"
    return [Exploit(Probe("exploits/zero-inputs", what, easy), Cause.SIDE_FILE, plain)]


def _beside(right: RightAnswer, inputs: Mapping[str, OutputFile], name: str, what: str) -> Probe:
    return Probe(f"exploits/{name}", what, tuple({**dict(right.files), **inputs}.items()))


def _zeroed(files: Iterable[tuple[str, OutputFile]]) -> dict[str, OutputFile]:
    """The inputs, with zeros for all numbers of a text and for many bytes of what is none."""
    found = {}
    for path, file in files:
        text = PurePosixPath(path).suffix.lower() in _TEXTS
        data = _NUMBER.sub(b"0", file.data) if text else _holed(file.data)
        if data != file.data:
            found[path] = OutputFile(data, file.mode)
    return dict(list(found.items())[:_MOST_INPUTS])


def _shortened(files: Iterable[tuple[str, OutputFile]]) -> dict[str, OutputFile]:
    """The inputs that are made of lines, with the first half of them."""
    found = {}
    for path, file in files:
        lines = file.data.splitlines(keepends=True)
        if PurePosixPath(path).suffix.lower() in _LINES and len(lines) >= _LEAST_LINES:
            found[path] = OutputFile(b"".join(lines[: (len(lines) + 1) // 2]), file.mode)
    return dict(list(found.items())[:_MOST_INPUTS])


def _holed(data: bytes) -> bytes:
    """The first kilobyte at most, or a quarter, stays: headers are there."""
    head = min(1024, len(data) // 4)
    return data[:head] + bytes(byte if n % 2 else 0 for n, byte in enumerate(data[head:]))


def _with_another_end(file: OutputFile) -> OutputFile:
    data = file.data[:-1] if file.data.endswith(b"\n") else file.data + b"\n"
    return OutputFile(data, file.mode)


def _companions(task: Task, right: RightAnswer) -> Iterator[tuple[str, OutputFile]]:
    """The tables and texts that a right answer brings along: inputs, as a rule, or parts of the answer."""
    for path, file in right.files:
        other = path != task.verifier.expected_output_path and file.link is None
        if other and PurePosixPath(path).suffix.lower() in _TEXTS and len(file.data) <= _MAX_TEXT:
            yield path, file


def _inputs(task: Task) -> Iterator[tuple[str, OutputFile]]:
    """The files of data that the task's image holds in the workspace; no programs."""
    for path, file in files_of_image(task).items():
        inside = path.startswith(f"{workspace_of(task)}/") and path != task.verifier.expected_output_path
        suffix = PurePosixPath(path).suffix.lower()
        limit = _MAX_TEXT if suffix in _TEXTS else _MAX_OTHER
        if inside and (suffix in _TEXTS or suffix in _OTHERS) and len(file.data) <= limit:
            yield path, file
