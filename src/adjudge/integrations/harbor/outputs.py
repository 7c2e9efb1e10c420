"""Which of a trial's collected artifacts is the agent's output, and is it fit for scoring?

Harbor keeps what a task or a job asked it to keep, under `artifacts/`, at the path it had in the
environment; `artifacts/manifest.json` says what was tried. If the task is known, its expected output is
looked for: at its own path, where the manifest put it, or by its name in `/logs/artifacts`. If it is
not, one lone file is the output, and files below one common folder are a workspace. Anything else is kept
as evidence, but cannot be scored again.

An output that was not collected is not an output that is missing: then the gates are not run, and the record
says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from pydantic_core import from_json

from adjudge.contracts import OutputInfo, Task
from adjudge.gates import AgentOutput, OutputCheck, OutputFile, check_output, workspace_of
from adjudge.integrations.harbor.evaluation import NO_GATES
from adjudge.runs import NOT_COLLECTED, store_output
from adjudge.sandbox import Artifact, FolderReading
from adjudge.tasks import TreeEntry, tree_digest

MANIFEST = "manifest.json"
CONVENTION = "logs/artifacts/"
_FOLDER = "inode/directory"


class Found(Struct, frozen=True):
    """The output as far as it is known, the gates' word on it, and the blobs that bring it back."""

    info: OutputInfo
    gates: OutputCheck = NO_GATES
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    entry: str | None = None
    missing: str | None = None
    """Why there is no output, if Harbor looked for it."""


def find_output(collected: FolderReading, task: Task | None, *, rewarded: bool) -> Found:
    """The output among the files of `artifacts/` (by their name there).

    If they are too many or too large to be kept there is none: part of a workspace is another workspace.
    Harbor says only that it failed to collect a file, not why. A verifier that `rewarded` the output saw one,
    so then it was not collected; else it was missing.
    """
    artifacts = collected.artifacts
    if not collected.complete:
        expected = f"{task.verifier.expected_output_path}: " if task is not None else ""
        return _not_collected(None, f"{expected}the artifacts are too many or too large to be kept")
    files = {
        name: artifact.data
        for name, artifact in artifacts.items()
        if artifact.data is not None and name != MANIFEST
    }
    return _expected(files, artifacts, task, rewarded) if task is not None else _guessed(files)


def _expected(
    files: Mapping[str, bytes], artifacts: Mapping[str, Artifact], task: Task, rewarded: bool
) -> Found:
    expected = task.verifier.expected_output_path
    workspace = workspace_of(task).strip("/") + "/"
    place = expected.lstrip("/")
    inside = {name: data for name, data in files.items() if name.startswith(workspace)}
    if place in inside and len(inside) > 1:
        output = _folder({f"/{name}": data for name, data in inside.items()}, files[place])
    else:
        tried = _manifest(artifacts)
        elsewhere = tried[expected].destination if expected in tried else place
        places = (place, elsewhere, CONVENTION + place.rpartition("/")[2])
        data = next((files[name] for name in places if name in files), None)
        if data is None:
            if rewarded or not _looked_for(expected, tried):
                return _not_collected(expected)
            info = OutputInfo(path=expected, sha256=None, size_bytes=None)
            why = f"{expected}: the output is missing: Harbor did not find it"
            return Found(
                info, check_output(task, AgentOutput(info, {}, None, why, missing=True)), missing=why
            )
        output = _file(expected, data)
    kept = store_output(output.info, output.files)
    return Found(output.info, check_output(task, output), kept.blobs, kept.entry)


def _guessed(files: Mapping[str, bytes]) -> Found:
    if not files:
        return _not_collected(None)
    if len(files) == 1:
        ((name, data),) = files.items()
        output = _file(f"/{name}", data)
    elif len({name.partition("/")[0] for name in files}) == 1 and all("/" in name for name in files):
        output = _folder({f"/{name}": data for name, data in files.items()}, None)
    else:
        return _not_collected(None, f"{len(files)} artifacts, of which any could be it")
    kept = store_output(output.info, output.files)
    return Found(output.info, NO_GATES, kept.blobs, kept.entry)


def _file(path: str, data: bytes) -> AgentOutput:
    digest = hashlib.sha256(data).hexdigest()
    info = OutputInfo(path=path, sha256=digest, size_bytes=len(data))
    return AgentOutput(info, {path: OutputFile(data)}, data, None)


def _folder(files: Mapping[str, bytes], answer: bytes | None) -> AgentOutput:
    below = next(iter(files)).split("/", 2)[1]
    entries = (
        TreeEntry(name.split("/", 2)[2], "file", False, hashlib.sha256(data).digest())
        for name, data in files.items()
    )
    info = OutputInfo(
        path=f"/{below}/",
        sha256=tree_digest(entries),
        size_bytes=sum(map(len, files.values())),
        media_type=_FOLDER,
    )
    return AgentOutput(info, {name: OutputFile(data) for name, data in files.items()}, answer, None)


def _not_collected(expected: str | None, why: str = "no artifact was kept") -> Found:
    what = f"{NOT_COLLECTED}: {expected}" if expected else f"{NOT_COLLECTED}: {why}"
    return Found(OutputInfo(path=what, sha256=None, size_bytes=None))


class _Tried(Struct, frozen=True):
    """One attempt of Harbor's to collect something: where it was to go, and whether it did."""

    destination: str
    collected: bool


def _looked_for(expected: str, tried: Mapping[str, _Tried]) -> bool:
    """Did Harbor look for this very file, or bring a folder that would have held it?"""
    above = (source for source, attempt in tried.items() if attempt.collected)
    return expected in tried or any(expected.startswith(source.rstrip("/") + "/") for source in above)


def _manifest(artifacts: Mapping[str, Artifact]) -> dict[str, _Tried]:
    """What Harbor tried to collect, by the path it had in the environment."""
    found = artifacts.get(MANIFEST)
    try:
        rows: Any = from_json((found.data if found else None) or b"[]")
    except ValueError:
        return {}
    tried = {}
    for row in rows if isinstance(rows, list) else ():
        source, destination = (
            (row.get(k) for k in ("source", "destination")) if isinstance(row, dict) else (0, 0)
        )
        if isinstance(source, str) and isinstance(destination, str):
            tried[source] = _Tried(destination.removeprefix("artifacts/"), row.get("status") == "ok")
    return tried
