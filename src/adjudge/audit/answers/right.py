"""Find an answer that the verifier holds for right: most of an audit asks what happens to it when it changes.

In this order, the first that scores full marks, else the one that scores most: the passing goldens, what the
reference solution writes, files elsewhere in the task that look like an expected output, and an answer put
together from the verifier's own reference values (`recover`). A task that has none of them is still audited
for everything that needs no right answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from adjudge.audit.answers.expected_files import expected_files
from adjudge.audit.documents import Document, is_pattern, open_document
from adjudge.audit.probes import CODE, Bench, Files, Probe, Seen, answer_of, only_answer
from adjudge.contracts import Task
from adjudge.gates import read_output
from adjudge.scoring import run_solution
from adjudge.tasks import GoldenSettings, golden_paths

_MAX_FILE = 4 << 20
_MAX_CANDIDATES = 8
LEAST_REWARD = 0.5
"""An answer that earns less is not taken for right: too little of the verifier would be seen."""
_DATA = (".json", ".csv", ".tsv", ".yaml", ".yml", ".jsonl")
"""A file of the verifier's own that has the ending of the answer may be what the answer is compared with."""
_LIKELY = (
    "golden",
    "expected",
    "reference",
    "solution",
    "oracle",
    "answer",
    "correct",
    "sample",
    "truth",
    "key",
)
_KEYS = frozenset({".key", ".ref", ".expected", ".golden", ".truth", ".answer", ".gold", ".want"})
"""Endings of files that hold what is expected, whatever the output is called."""


class RightAnswer(Struct, frozen=True):
    """An answer, where it came from, and what it earns."""

    files: Files
    source: str
    reward: float
    probe: Probe
    seen: Seen
    document: Document | None
    recovered: bool = False
    """Was it put together from what the verifier knows, and not brought along by anybody?"""
    overwritten: bool = False
    """Does a script beside it write it again while it is verified, so that no change to it is ever seen?"""


class Solved(Struct, frozen=True):
    """What became of the reference solution: its workspace, or why there is none."""

    files: Files | None
    problem: str | None = None
    lacks: str | None = None
    """What it could not find or reach while it ran, although it wrote something."""


def golden_files(task: Task, golden: Path) -> Files | str:
    """The workspace of a golden, or why it cannot be read."""
    output = read_output(task, golden)
    return tuple(output.files.items()) if output.problem is None else output.problem


def solve(bench: Bench, script: str) -> Solved:
    """Run the reference solution in a sandbox of its own, with its folder at /solution."""
    made = run_solution(bench.task, script, bench.sandbox, bench.limits_in_time())
    if bench.task.verifier.expected_output_path in made.files:
        return Solved(tuple(made.files.items()), lacks=made.signs[0].worded() if made.signs else None)
    ended = "ran out of its limits" if made.exit_code is None else f"ended with {made.exit_code}"
    return Solved(None, f"{script} {ended} and wrote no output{f': {made.said}' if made.said else ''}")


def find_right_answer(bench: Bench, solved: Solved | None, settings: GoldenSettings) -> RightAnswer | None:
    """The best of the candidates; None if none of them earns anything."""
    best: RightAnswer | None = None
    for source, files in _candidates(bench.task, solved):
        probe = Probe(f"answer/{len(bench.log)}", source, files)
        [seen] = bench.run([probe])
        if seen.claimed and not seen.held and (best is None or seen.claimed > best.reward):
            best = _right(bench.task, files, source, probe, seen)
        if best is not None and best.reward >= settings.pass_at_least:
            return best
    from adjudge.audit.answers.recover import recover

    found = recover(bench, max(best.reward if best else 0.0, LEAST_REWARD - 1e-9))
    if found is not None:
        data, seen, probe, source = found
        files = only_answer(bench.task, data)
        return replace(_right(bench.task, files, source, probe, seen), recovered=True)
    return best if best is not None and best.reward >= LEAST_REWARD else None


def _right(task: Task, files: Files, source: str, probe: Probe, seen: Seen) -> RightAnswer:
    """A number in a program's source is no field of an answer: another may well compute the same."""
    answer = answer_of(task, files) or b""
    program = PurePosixPath(task.verifier.expected_output_path).suffix.lower() in CODE
    program = program or is_pattern(task.instruction, answer.decode("utf-8", "replace"))
    document = None if program else open_document(answer, task.output.format)
    return RightAnswer(files, source, seen.reward, probe, seen, document)


def _candidates(task: Task, solved: Solved | None) -> Iterator[tuple[str, Files]]:
    for golden in golden_paths(task, "pass"):
        files = golden_files(task, golden)
        if not isinstance(files, str):
            yield golden.relative_to(task.folder).as_posix(), files
    if solved is not None and solved.files is not None:
        yield "the reference solution", solved.files
    yield from expected_files(task)
    for path in _elsewhere(task):
        yield path.relative_to(task.folder).as_posix(), only_answer(task, path.read_bytes())


def _elsewhere(task: Task) -> list[Path]:
    """Files that look like an expected output: of its name, or of its kind with a telling word in it.

    Beside a verifier, data with a telling word is looked at whatever its ending.
    """
    name = PurePosixPath(task.verifier.expected_output_path)
    found = []
    for folder, folders, files in os.walk(task.folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("fail", "__pycache__"))
        below = Path(folder).relative_to(task.folder).as_posix()
        if below.startswith("goldens"):
            continue
        for file in sorted(files):
            path = Path(folder, file)
            words = f"{below}/{file}".lower()
            beside = below.startswith("tests") and path.suffix.lower() not in CODE
            same = path.suffix.lower() == name.suffix.lower()
            alike = (same or beside) and any(word in words for word in _LIKELY)
            alike = alike or path.suffix.lower() in _KEYS
            data = below == "tests" and same and name.suffix.lower() in _DATA
            if (file == name.name or data or (alike and file != "instruction.md")) and not path.is_symlink():
                found.append(path)
    usable = [path for path in found if 0 < path.stat().st_size <= _MAX_FILE]

    def order(path: Path) -> tuple[bool, bool, int, str]:
        telling = any(word in path.relative_to(task.folder).as_posix().lower() for word in _LIKELY)
        return path.name != name.name, not telling, len(path.parts), str(path)

    return sorted(usable, key=order)[:_MAX_CANDIDATES]
