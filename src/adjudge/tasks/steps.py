"""The steps of a task in Harbor's `[[steps]]`, each as a task of its own.

A step has its own instruction and verifier: what lies in `steps/<name>/tests/` is put over the shared
`tests/`, `[steps.verifier]` over `[verifier]`. Its answer is the working folder as the agent left it after
the step. A step whose reward stays below its `min_reward` ends the task: those after it are not begun.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.contracts import Origin, OutputContract, OutputFormat, Task, VerifierSpec
from adjudge.errors import TaskError
from adjudge.tasks.declarations import declarations_of, keep_declarations
from adjudge.tasks.digest import list_tree, read_entries, task_digests
from adjudge.tasks.environment import read_environment
from adjudge.tasks.harbor import DEFAULT_WORKDIR, step_name
from adjudge.tasks.limits import read_limits
from adjudge.tasks.settings import Settings

SCRIPT = "tests/test.sh"
_STRATEGIES = ("mean", "final")


class TaskStep(Struct, frozen=True):
    """One step: its name, the task it is, and the reward below which the task ends (None: it goes on)."""

    name: str
    task: Task
    min_reward: float | None


def step_strategy(task: Task) -> str:
    """How the rewards of steps become one: their `mean`, or that of the `final` step that was done."""
    found = declarations_of(task).get("multi_step_reward_strategy", "mean")
    return found if found in _STRATEGIES else "mean"


@contextmanager
def open_steps(task: Task) -> Iterator[list[TaskStep]]:
    """The steps of a task, each with its verifier's files in a folder that lasts as long as the context.

    Raises `TaskError` if a step has no verifier.
    """
    tables = {
        step_name(table): table for table in declarations_of(task).get("steps", ()) if isinstance(table, dict)
    }
    with tempfile.TemporaryDirectory(prefix="adjudge-steps-") as place:
        yield [_step(task, name, tables.get(name, {}), Path(place) / name) for name in task.steps]


def _step(task: Task, name: str, table: dict[str, Any], folder: Path) -> TaskStep:
    shared, own = task.folder / "tests", task.folder / "steps" / name / "tests"
    for source in (shared, own):
        if source.is_dir():
            shutil.copytree(source, folder / "tests", symlinks=True, dirs_exist_ok=True)
    if not (folder / SCRIPT).is_file():
        raise TaskError(
            "the verifier's entry point of this step is missing",
            file=own / "test.sh",
            remedy="Add it, or a tests/test.sh for all steps.",
        )
    verifier = {**_table(declarations_of(task), "verifier"), **_table(table, "verifier")}
    verifier["env"] = {**_table(_table(declarations_of(task), "verifier"), "env"), **_table(verifier, "env")}
    data = {**declarations_of(task), "verifier": verifier}
    settings = Settings(task.folder / "task.toml", data)
    digest, tests = task_digests(read_entries(list_tree(folder)))
    workdir = task.workdir or DEFAULT_WORKDIR
    if (task.folder / "environment").is_dir():  # after the digest: what the image would hold is the task's
        (folder / "environment").symlink_to(task.folder / "environment")
    step = task.model_copy(
        update={
            "folder": folder,
            "instruction": _instruction(task, name),
            "verifier": VerifierSpec(
                script=SCRIPT,
                expected_output_path=workdir,
                reward_path=task.verifier.reward_path,
                details_path=task.verifier.details_path,
            ),
            "output": OutputContract(
                format=OutputFormat.BINARY,
                format_origin=Origin.INFERRED,
                paths=[workdir],
                path_origin=Origin.INFERRED,
                is_folder=True,
            ),
            "limits": read_limits(settings),
            "env": {**task.env, **read_environment(settings)},
            "steps": [],
            "digest": digest,
            "tests_digest": tests,
        }
    )
    keep_declarations(step, settings)
    return TaskStep(name, step, _min_reward(table))


def _instruction(task: Task, name: str) -> str:
    file = task.folder / "steps" / name / "instruction.md"
    try:
        return file.read_text("utf-8-sig", "replace")
    except OSError:
        return task.instruction


def _min_reward(table: dict[str, Any]) -> float | None:
    """A number; Harbor also allows one for each key of the reward, of which `reward` counts."""
    found = table.get("min_reward")
    found = found.get("reward") if isinstance(found, dict) else found
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _table(data: Any, name: str) -> dict[str, Any]:
    found = data.get(name)
    return dict(found) if isinstance(found, dict) else {}
