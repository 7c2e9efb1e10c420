"""Find Harbor's folders: a job, a folder of jobs, or a single trial; and what a job's own files say.

A folder is a trial if it has Harbor's marks of one, and a job if folders in it do. `_retries` and
`.sources` hold copies that are no trials of the job, and are passed over. A job's `result.json` is never
taken for the truth about its trials; only what the trials cannot say themselves is read from it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from pydantic_core import from_json

from adjudge.errors import UsageError
from adjudge.integrations.harbor.facts import read_facts
from adjudge.integrations.harbor.files import MAX_RESULT_BYTES, raise_if_machines, read_file, shown
from adjudge.integrations.harbor.record import JobInfo, NamedAgent

_TRIAL_MARKS = frozenset({"trial.log", "exception.txt", "verifier", "agent", "steps"})
_TRIAL_FILES = frozenset({"config.json", "result.json", "lock.json", "trial.log"})
_MOST_ASKED = 500
"""Trials of a running job that are asked what its agents are called."""
_SKIPPED = frozenset({"_retries", ".sources"})


class JobFolder(Struct, frozen=True):
    """One job on disk."""

    path: str
    info: JobInfo
    trials: tuple[str, ...]
    """The names of its trial folders, sorted."""
    planned: int | None = None
    """How many trials the job was to have, if its result says so."""
    finished: bool = True
    source_jobs: dict[str, str] = field(default_factory=dict)
    """Folder -> id of the jobs whose trials this one grades again."""


def find_jobs(paths: list[Path]) -> list[JobFolder]:
    """Every job at or directly below the given folders; regrades last, so that what they grade is there.

    UsageError for a folder in which there is no job.
    """
    jobs: dict[str, JobFolder] = {}
    for path in paths:
        top = os.path.realpath(path)
        found = _at(top)
        if not found:
            raise UsageError(
                "there is no Harbor job in this folder",
                file=path,
                allowed="a job folder, a folder of job folders, or a trial folder",
                remedy="Harbor writes them to jobs/<name> unless told otherwise.",
            )
        jobs.update((job.path, job) for job in found)
    return sorted(jobs.values(), key=lambda job: (bool(job.source_jobs), job.path))


def _at(top: str) -> list[JobFolder]:
    entries = _folders(top)
    if entries is None:
        return []
    if _is_trial(top):
        parent, _, name = top.rpartition("/")
        return [_job(parent, (name,), alone=True)]
    if (job := _job_at(top, entries)) is not None:
        return [job]
    below = (f"{top}/{name}" for name in entries)
    return [job for path in below if (job := _job_at(path, _folders(path) or [])) is not None]


def _job_at(path: str, folders: list[str]) -> JobFolder | None:
    """The job in this folder; None if there is none. Beside a job's log the least mark makes a trial."""
    surely = os.path.lexists(f"{path}/job.log")
    trials = tuple(name for name in folders if _is_trial(f"{path}/{name}", in_job=surely))
    return _job(path, trials) if trials or surely else None


def _folders(path: str) -> list[str] | None:
    """Names of the folders in a folder, sorted; None if this is no folder."""
    try:
        with os.scandir(path) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name not in _SKIPPED
                and not entry.name.startswith(".")
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError as error:
        raise_if_machines(error, path)
        return None


def _is_trial(path: str, *, in_job: bool = False) -> bool:
    try:
        names = set(os.listdir(path))  # noqa: PTH208 - once a trial, of which there may be 100,000
    except OSError as error:
        raise_if_machines(error, path)
        return False
    if "job.log" in names or not names & _TRIAL_FILES:
        return False
    return in_job or bool(names & _TRIAL_MARKS)


def _job(path: str, trials: tuple[str, ...], *, alone: bool = False) -> JobFolder:
    config, lock, result = (_object(f"{path}/{name}.json") for name in ("config", "lock", "result"))
    harbor = lock.get("harbor")
    version = harbor.get("version") if isinstance(harbor, dict) else None
    if version is None and any(Path(f"{path}/{name}/lock.json").exists() for name in trials[:1]):
        version = "0.7"  # trials have had locks of their own only since reward.json is read first
    planned = result.get("n_total_trials")
    sources = config.get("source_jobs")
    finished = result.get("finished_at") is not None
    return JobFolder(
        path=path,
        info=JobInfo(
            name=shown(path.rpartition("/")[2]) or "job",
            id=result["id"] if isinstance(result.get("id"), str) else None,
            version=version if isinstance(version, str) else None,
            agents=() if finished else _agents(path, trials),
        ),
        trials=trials,
        planned=planned if isinstance(planned, int) and not alone else None,
        finished=finished,
        source_jobs={
            str(source.get("path")): str(source.get("job_id"))
            for source in (sources if isinstance(sources, list) else ())
            if isinstance(source, dict)
        },
    )


def _agents(path: str, trials: tuple[str, ...]) -> tuple[NamedAgent, ...]:
    """What agents that have finished a trial are called: a config may know them by another name."""
    found: dict[str, NamedAgent] = {}
    for trial in trials[:_MOST_ASKED]:
        facts = read_facts(f"{path}/{trial}")
        if facts.finished and facts.agent_in_config is not None:
            found.setdefault(
                facts.agent_in_config,
                NamedAgent(facts.agent_in_config, facts.agent, facts.model, facts.agent_version),
            )
    return tuple(found.values())


def _object(path: str) -> dict[str, Any]:
    try:
        document = from_json(read_file(path, MAX_RESULT_BYTES).data or b"{}")
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
