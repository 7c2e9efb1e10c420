"""A task whose verifier looks for the answer elsewhere than the task puts it: audited where it looks.

Nothing passes at the task's place, which is found as it is; but behind it may lie more. Where a golden or a
solution shows what happens at the task's own place, the task stays as it is.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.reading.places import read_places
from adjudge.contracts import Task
from adjudge.scoring import solution_of
from adjudge.tasks import golden_paths, own_sources, read_source

_MOST_READ = 1 << 18


def at_verifiers_place(task: Task) -> Task:
    """The same task with the answer where the verifier opens it; unchanged if that is where the task says."""
    if task.output.is_folder or golden_paths(task, "pass") or solution_of(task) is not None:
        return task
    place = task.verifier.expected_output_path
    name = PurePosixPath(place).name
    found = {r.code for r in read_places(task, _sources(task)) if r.cause is Cause.ELSEWHERE}
    same = [path for path in found if PurePosixPath(path).name == name and path != place]
    if len(same) != 1:
        return task
    return task.model_copy(
        update={
            "verifier": task.verifier.model_copy(update={"expected_output_path": same[0]}),
            "output": task.output.model_copy(update={"paths": same}),
        }
    )


def _sources(task: Task) -> list[tuple[str, str]]:
    texts = []
    for path in own_sources(task.folder / "tests"):
        data = read_source(path) or b""
        if path.endswith((".py", ".sh")) and len(data) <= _MOST_READ:
            texts.append((path.rpartition("/")[2], data.decode("utf-8", "replace")))
    return texts
