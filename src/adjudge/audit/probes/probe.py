"""One output shown to the verifier under one condition, and what came of it.

A probe is data: the files of the workspace and the `Conditions`. Running it goes past the gates on purpose:
what counts for an audit is what the verifier itself says (`Seen.claimed`); whether adjudge would let that
reward stand is told beside it (`Seen.held`).

Probes under ordinary conditions may be run warm, as trials are. Where that leaves a doubt, `WarmDoubted` ends
the audit, and it is done again with a sandbox of its own for every probe.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from adjudge.audit.probes.watch import WATCH_FILE, WatchedFiles, read_notes, watching
from adjudge.contracts import Limit, Limits, OutputInfo, Task
from adjudge.evidence import Lack, listen, scene_of
from adjudge.gates import AgentOutput, OutputFile, check_output, workspace_of
from adjudge.sandbox import Artifact, Sandbox, SandboxJob, bytecode_for, frozen_tests
from adjudge.scoring import (
    VERIFIER_SUSPECTED,
    artifact_places,
    differed,
    ingest,
    run_job,
    with_provided,
    writable_tests,
)

MARK = "adjudge-executed"
"""A file that appears among the artifacts only if something of the agent's was executed."""
CLOCK_MARK = "adjudge-clock"
"""A file that appears among the artifacts if the shifted clock was in effect."""

_MISSING = re.compile(
    r"No module named '?([\w.]{1,80})|: ([\w./+-]{1,80}): (?:command )?not found$"
    r"|^([\w./+-]{1,80}): command not found"
    r"|: ([\w./+-]{1,80}): cannot execute: required file not found$|: ([\w./+-]{1,80}): \S+ bad interpreter:"
)
_REFUSED = re.compile(
    rb"ConnectionRefused|Connection refused|ECONNREFUSED|Failed to connect to (?:localhost|127)"
)
_UNSTARTED = re.compile(
    rb"python[\d.]*: (?:command )?not found|/python[\d.]*: Permission denied|: bad interpreter|cannot execute"
    rb"|can't open file '/tests/|Fatal Python error|Cannot find module '/tests/"
)
_LONGEST_LINE = 400
_LOGS = (".log", ".out", ".err", ".txt")
_MOST_LOGS = 5
_MOST_SAID = 8_000
_TO_COME = 100
"""Probes of an audit, at least: so many that it pays to find out early whether they may be run warm."""

Files = tuple[tuple[str, OutputFile], ...]


class WarmDoubted(Exception):  # noqa: N818 - an event, not an error
    """A verifier was run warm, and something speaks for its having given another answer for that."""


class Conditions(Struct, frozen=True):
    """How a run differs from an ordinary one. The defaults are an ordinary run."""

    env: tuple[tuple[str, str], ...] = ()
    uid: int | None = None
    cpus: int | None = None
    hide: tuple[str, ...] = ()
    workdir: str | None = None
    before: str | None = None
    """Shell that runs first, in the same shell as the verifier's start."""
    start: str | None = None
    """Instead of `exec bash /tests/test.sh`, after `before`."""
    tests: Path | None = None
    wall_time_sec: float | None = None
    disk_mb: int | None = None
    watch: bool = False
    """Note what the verifier opens and starts: `Seen.watched`."""
    round: int = 0
    """Tells repeated runs apart; the same probe is otherwise run once."""


class Probe(Struct, frozen=True):
    """A named output under named conditions."""

    name: str
    what: str
    files: Files
    conditions: Conditions = field(default_factory=Conditions)
    path: str | None = None
    """The file that shows what was tried, if it is another than the one at the expected output path."""


class Seen(Struct, frozen=True):
    """What the verifier did with a probe."""

    claimed: float | None
    """The reward it wrote; None if it wrote none that counts."""
    suspected: bool
    """A reward was written, but the verifier's exit or its stderr says that it broke."""
    problem: str | None
    artifacts: Mapping[str, bytes]
    breakdown: dict[str, Any] | None
    exit_code: int | None
    limits_hit: tuple[Limit, ...]
    executed: bool
    clock_shifted: bool
    watched: WatchedFiles | None
    """What it opened and started, if that was to be watched and could be."""
    duration_sec: float
    warm: bool
    """It did not start anew for this probe."""
    needs: str | None
    """A program or module that the verifier did not find, by its own words; None if it said nothing."""
    unset: str | None
    """A variable of the environment that it broke without."""
    unstarted: bool
    """It says that an interpreter, or a script of the verifier's own, could not be started."""
    refused: bool
    """It says that a server which it asked did not answer."""
    categories: tuple[str, ...]
    """Of its error tags: the verifier's own, and those that its breakdown implies."""
    parses: Callable[[], bool]
    """Would adjudge's own gates let this output through? Asked late: parsing megabytes takes a while."""
    said: str
    """The end of what it printed, and of what it wrote in words beside the reward."""

    @property
    def held(self) -> bool:
        """The output does not parse, so that adjudge gives 0.0 whatever the verifier says."""
        return not self.parses()

    @property
    def reward(self) -> float:
        """What the verifier gives; nothing if it gave no reward."""
        return self.claimed or 0.0

    @property
    def counted(self) -> float:
        """What adjudge gives: nothing for an output that does not parse."""
        return 0.0 if self.reward and self.held else self.reward

    @property
    def broke(self) -> bool:
        """Did the verifier fail to finish, or seem to?"""
        return self.claimed is None or self.suspected


def answer_of(task: Task, files: Files) -> bytes | None:
    """The bytes at the expected output path."""
    file = dict(files).get(task.verifier.expected_output_path)
    return None if file is None or file.link is not None else file.data


def shown_by(task: Task, probe: Probe) -> bytes | None:
    """The bytes that show what a probe tried: those of the answer, or of the other file that it changes.

    Of a file that was left out, those of the answer beside it.
    """
    file = None if probe.path is None else dict(probe.files).get(probe.path)
    return answer_of(task, probe.files) if file is None or file.link is not None else file.data


def with_answer(task: Task, files: Files, answer: bytes) -> Files:
    """The same workspace with another answer."""
    kept = {path: file for path, file in files if path != task.verifier.expected_output_path}
    return (*kept.items(), (task.verifier.expected_output_path, OutputFile(answer)))


def only_answer(task: Task, answer: bytes) -> Files:
    """A workspace with nothing but an answer."""
    return ((task.verifier.expected_output_path, OutputFile(answer)),)


def writing(path: str, data: bytes) -> str:
    """What a shell does to write a file, for `Conditions.before`. Its folder must be there."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"
    return f"printf %s {base64.b64encode(data).decode()} | base64 -d > {shlex.quote(path)}"


def run_probe(task: Task, probe: Probe, sandbox: Sandbox, limits: Limits) -> Seen:
    """Run one probe. Raises SandboxError if the machinery fails, which says nothing of the verifier.

    WarmDoubted if it was run warm and cold, with different results.
    """
    conditions = probe.conditions
    collect, names = artifact_places(task)
    plain = ("bash", f"/{task.verifier.script}")
    command: tuple[str, ...] = plain
    if conditions.before is not None or conditions.start is not None:
        start = conditions.start or f"exec {' '.join(plain)}"
        command = ("bash", "-c", f"{conditions.before or ''}\n{start}")
    if conditions.watch:
        command = watching(command)
    changes: dict[str, Any] = {}
    if conditions.wall_time_sec is not None:
        changes["wall_time_sec"] = conditions.wall_time_sec
    if conditions.disk_mb is not None:
        changes["disk_mb"] = conditions.disk_mb
    optional: dict[str, Any] = {} if conditions.uid is None else {"uid": conditions.uid}
    with frozen_tests(task) as tests:
        job = SandboxJob(
            command=command,
            tests=conditions.tests or tests,
            # Byte code belongs to the tests that it was compiled from: altered ones go without.
            shown={} if conditions.tests else bytecode_for(tests, sandbox),
            files=with_provided(task, _output(task, probe.files)),
            workdir=conditions.workdir or task.workdir or workspace_of(task),
            limits=limits.model_copy(update=changes),
            collect=collect,
            env={**task.env, **dict(conditions.env)},
            cpus=conditions.cpus,
            hide=conditions.hide,
            writable_tests=writable_tests(task),
            **optional,
        )
        ordinary = conditions == Conditions()
        outcome = run_job(task, job, sandbox, expected=_TO_COME) if ordinary else sandbox.run(job)
    if differed(outcome):
        raise WarmDoubted
    marks = {name for name in outcome.artifacts if name in (MARK, CLOCK_MARK, WATCH_FILE)}
    artifacts = {name: found for name, found in outcome.artifacts.items() if name not in marks}
    result = ingest(
        artifacts,
        exit_code=outcome.exit_code,
        limits_hit=outcome.limits_hit,
        stderr=outcome.stderr,
        names=names,
    )
    completed = result.validity.verifier_completed
    suspected = any(tag.category == VERIFIER_SUSPECTED for tag in result.error_taxonomy or ())
    said = [outcome.stderr, outcome.stdout, *_logs(artifacts)]
    return Seen(
        claimed=result.reward if completed else None,
        suspected=suspected,
        problem=next(iter(result.validity.errors), None),
        artifacts={name: found.data for name, found in artifacts.items() if found.data is not None},
        breakdown=result.breakdown,
        exit_code=outcome.exit_code,
        limits_hit=outcome.limits_hit,
        executed=MARK in marks,
        clock_shifted=CLOCK_MARK in marks,
        watched=read_notes(outcome.artifacts[WATCH_FILE].data) if WATCH_FILE in marks else None,
        duration_sec=outcome.duration_sec,
        warm=outcome.way.startswith("warm"),
        needs=_needs(said),
        unset=_unset(task, probe.files, said) if suspected or not completed else None,
        unstarted=any(_UNSTARTED.search(text[-20_000:]) for text in said),
        refused=any(_REFUSED.search(text[-20_000:]) for text in said),
        categories=tuple(tag.category for tag in result.error_taxonomy or ()),
        parses=cache(lambda: _parses(task, probe.files)),
        said="\n".join(text[-_MOST_SAID:].decode("utf-8", "replace") for text in said),
    )


def _logs(artifacts: Mapping[str, Artifact]) -> list[bytes]:
    """What was written beside the reward in words: many verifiers send all that is said to a file there."""
    texts = [found.data for name, found in sorted(artifacts.items()) if name.endswith(_LOGS)]
    return [text for text in texts if text is not None][:_MOST_LOGS]


def _needs(said: Sequence[bytes]) -> str | None:
    """Line by line, and only short ones: a flood of output must not cost time."""
    ends = b"\n".join(text[-20_000:] for text in said)
    for line in ends.decode("utf-8", "replace").splitlines():
        match = _MISSING.search(line) if len(line) <= _LONGEST_LINE else None
        if match:
            return next((name for name in match.groups() if name), None)
    return None


def _unset(task: Task, files: Files, said: Sequence[bytes]) -> str | None:
    written = {path: file.data or b"" for path, file in files}
    signs = listen(said, scene_of(task, workspace_of(task), written)).signs
    return next((sign.name for sign in signs if sign.lack is Lack.VARIABLE), None)


def _output(task: Task, files: Files) -> AgentOutput:
    info = OutputInfo(path="probe", sha256=None, size_bytes=None, media_type=None)
    return AgentOutput(info, dict(files), answer_of(task, files), None)


def _parses(task: Task, files: Files) -> bool:
    return check_output(task, _output(task, files)).output_parseable


def digest_of(data: bytes) -> str:
    """The name under which a blob keeps these bytes."""
    return hashlib.sha256(data).hexdigest()
