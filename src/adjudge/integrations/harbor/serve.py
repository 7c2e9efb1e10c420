"""Which tasks our sandbox can serve as a Harbor environment, asked before anything runs.

harbor run ... --plugin adjudge.integrations.harbor:LedgerPlugin     says it when the job starts
adjudge harbor check TASKS...                                        says it without a job
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import UsageError
from adjudge.integrations.harbor.recipe import find_rootfs, read_recipe

if TYPE_CHECKING:
    from harbor.job import Job

ENVIRONMENT = "adjudge.integrations.harbor:BubblewrapEnvironment"


def task_problems(task: Path, *, rootfs: Path | None = None) -> list[str]:
    """Why a task folder cannot be served; empty if it can. Reads `task.toml` and `environment/`."""
    try:
        with (task / "task.toml").open("rb") as file:
            settings = tomllib.load(file)
    except OSError as error:
        return [f"task.toml: {error.strerror}"]
    except tomllib.TOMLDecodeError as error:
        return [f"task.toml: not TOML: {error}"]
    problems = _settings_problems(_table(settings, "environment"))
    image = _table(settings, "environment").get("docker_image")
    own = find_rootfs(rootfs, task.name)
    problems += read_recipe(
        task / "environment", docker_image=image if isinstance(image, str) else None, rootfs=own
    ).problems
    if (task / "tests" / "Dockerfile").exists():
        problems += read_recipe(task / "tests", rootfs=own).problems
    return problems


def find_task_folders(paths: list[Path]) -> list[Path]:
    """Every folder with a `task.toml` at or below the given ones. UsageError if there is none."""
    found = [
        toml.parent
        for path in paths
        for toml in (
            [path / "task.toml"] if (path / "task.toml").exists() else sorted(path.rglob("task.toml"))
        )
    ]
    if not found:
        raise UsageError(
            "there is no task here", file=", ".join(map(str, paths)), allowed="folders with a task.toml"
        )
    return found


def unserved_tasks(job: Job) -> Iterator[str]:
    """One line for each task of this job that our environment cannot serve; none if another one is used."""
    environment = job.config.environment
    if environment.import_path != ENVIRONMENT:
        return
    option = environment.kwargs.get("rootfs")
    rootfs = Path(str(option)).expanduser() if option else None
    seen: set[Path] = set()
    for config in getattr(job, "_trial_configs", ()):  # Harbor has no public list of them
        folder = config.task.path
        if folder is None or folder in seen:
            continue
        seen.add(folder)
        if problems := task_problems(Path(folder), rootfs=rootfs):
            yield f"cannot serve {folder}: {'; '.join(problems)}"


def _settings_problems(environment: dict[str, Any]) -> list[str]:
    problems = []
    if environment.get("gpus"):
        problems.append(f"[environment] gpus = {environment['gpus']}: no GPU is passed through")
    if environment.get("tpu"):
        problems.append("[environment] tpu: no TPU is passed through")
    if environment.get("os", "linux") != "linux":
        problems.append(f"[environment] os = {environment['os']!r}: only linux")
    if environment.get("network_mode") == "allowlist":
        problems.append("network_mode = 'allowlist': the network is either off or, with allow_network, open")
    return problems


def _table(settings: dict[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}
