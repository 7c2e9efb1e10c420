"""Keys of `task.toml` that look like ones that are read, and are not: named with what was meant.

A misspelt key is the quietest mistake there is: the default is in force, and nothing says so. Keys of other
people's are fine; only those that come near a known one, and all those of Harbor's are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from adjudge.contracts import Severity, Task
from adjudge.errors import show

_CUTOFF = 0.77
_KEYS: dict[str, frozenset[str]] = {
    "": frozenset(
        [
            "version",
            "schema_version",
            "task",
            "metadata",
            "agent",
            "verifier",
            "environment",
            "solution",
            "steps",
            "artifacts",
            "source",
            "multi_step_reward_strategy",
            "output",
            "goldens",
            "taxonomy",
            "name",
            "description",
            "id",
        ]
    ),
    "output": frozenset(["path", "format", "schema", "max_mb"]),
    "verifier": frozenset(
        [
            "timeout_sec",
            "env",
            "user",
            "environment_mode",
            "environment",
            "collect",
            "network_mode",
            "import_path",
            "kwargs",
            "deterministic",
            "reward_path",
            "reward_key",
            "details_path",
            "output_path",
            "runs_output",
            "writable_tests",
            "packages",
            "image",
            "rootfs",
        ]
    ),
    "environment": frozenset(
        [
            "build_timeout_sec",
            "docker_image",
            "cpus",
            "memory",
            "memory_mb",
            "storage",
            "storage_mb",
            "gpus",
            "gpu_types",
            "os",
            "workdir",
            "allow_internet",
            "network_mode",
            "mcp_servers",
            "skills_dir",
            "env",
            "healthcheck",
            "kwargs",
            "packages",
        ]
    ),
    "goldens": frozenset(["pass_at_least", "fail_below", "rewards"]),
    "taxonomy": frozenset({"categories"}),
}


def near_misses(task: Task, data: Mapping[str, Any]) -> Iterator[tuple[Severity, str, str]]:
    """A remark for each key that was probably meant to be another."""
    for section, known in _KEYS.items():
        table = data if not section else data.get(section)
        if not isinstance(table, Mapping):
            continue
        for key in table:
            meant = None if key in known else _meant(str(key), known, table)
            if meant is None:
                continue
            shown, instead = (f"[{key}]", f"[{meant}]") if not section else (str(key), meant)
            place = "" if not section else f"[{section}] "
            yield (
                Severity.MEDIUM,
                f"{place}{shown} is not read; {instead} was probably meant, "
                f"and {_in_force(task, section, meant)}",
                f"Write {instead}.",
            )


def _meant(key: str, known: frozenset[str], table: Mapping[str, Any]) -> str | None:
    """The known key that this one comes near to; none that stands there already."""
    left = [name for name in known if name not in table]
    if len(key) >= 4:
        begun = [name for name in left if name.startswith(f"{key}_") or key.startswith(f"{name}_")]
        if len(begun) == 1:
            return begun[0]
    found = get_close_matches(key.lower(), sorted(left), n=1, cutoff=_CUTOFF)
    return found[0] if found else None


def _in_force(task: Task, section: str, key: str) -> str:
    """What counts as long as the key is not read."""
    limits = task.limits
    values: dict[tuple[str, str], object] = {
        ("verifier", "timeout_sec"): f"{limits.wall_time_sec:g} s",
        ("environment", "memory_mb"): f"{limits.memory_mb} MB",
        ("environment", "memory"): f"{limits.memory_mb} MB",
        ("environment", "storage_mb"): f"{limits.disk_mb} MB",
        ("environment", "storage"): f"{limits.disk_mb} MB",
        ("output", "max_mb"): f"{limits.output_mb} MB",
        ("output", "path"): task.verifier.expected_output_path,
        ("output", "format"): f"{task.output.format.value} ({task.output.format_origin.value})",
        ("verifier", "output_path"): task.verifier.expected_output_path,
        ("verifier", "reward_path"): task.verifier.reward_path,
        ("verifier", "details_path"): task.verifier.details_path,
        ("verifier", "deterministic"): str(task.deterministic).lower(),
        ("goldens", "pass_at_least"): 1.0,
        ("goldens", "fail_below"): 1.0,
    }
    if (section, key) in values:
        return f"{show(values[section, key]).strip(chr(39))} is in force"
    return "its defaults are in force" if not section else "its default is in force"
