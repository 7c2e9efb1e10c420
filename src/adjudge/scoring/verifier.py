"""Run a task's verifier once, and gather what tells whether it could do its work."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from adjudge._lazy import late_pattern
from adjudge.contracts import Limit, Task
from adjudge.errors import TaskError
from adjudge.evidence import Sign, observing
from adjudge.gates import AgentOutput, OutputCheck, OutputFile, workspace_of
from adjudge.sandbox import (
    Artifact,
    Sandbox,
    SandboxJob,
    SandboxOutcome,
    bytecode_for,
    frozen_tests,
    named_like_a_runners,
)
from adjudge.scoring.artifacts import ArtifactNames
from adjudge.scoring.provided import with_provided
from adjudge.scoring.standing import Control, Standing
from adjudge.tasks import declared_table

_LOG = late_pattern(r"\.(?:txt|log|out|err)$|ctrf\.json$|std(?:out|err)$")
_LOG_BYTES = 1 << 20


class VerifierSeen(Struct, frozen=True):
    """One run of a verifier: what came back, and the signs that count."""

    outcome: SandboxOutcome
    artifacts: Mapping[str, Artifact]
    names: ArtifactNames
    signs: tuple[Sign, ...]
    missed: bool
    """Did the verifier say that a file is not there which the agent was to write?"""


def run_verifier(
    task: Task, output: AgentOutput, sandbox: Sandbox, meanwhile: Callable[[], None] | None = None
) -> VerifierSeen:
    """Run the verifier on an output that can be shown to it. Raises `SandboxError` if the machine fails.

    `meanwhile` is called when it has been started, if the sandbox can tell; it must not take long.
    """
    collect, names = artifact_places(task)
    files = with_provided(task, output)
    with frozen_tests(task) as tests:
        job = SandboxJob(
            command=("bash", f"/{task.verifier.script}"),
            tests=tests,
            files=files,
            workdir=task.workdir or workspace_of(task),
            limits=task.limits,
            collect=collect,
            env={**observing(collect), **task.env},
            shown=bytecode_for(tests, sandbox),
            asked_for=asked_for(task, files),
            answer_is_data=answer_is_data(task),
            brought=frozenset(files.keys() - output.files.keys()),
            writable_tests=writable_tests(task),
            meanwhile=meanwhile,
        )
        outcome = run_job(task, job, sandbox)
    artifacts, signs, missed = _signs(task, output, sandbox, outcome)
    return VerifierSeen(outcome, artifacts, names, signs, missed)


def run_job(task: Task, job: SandboxJob, sandbox: Sandbox, *, expected: int = 0) -> SandboxOutcome:
    """Run a verifier cold, or warm if its sandbox may and its task was seen to give the same so.

    `expected` says how many more runs of it are to come at least.
    """
    if not getattr(sandbox, "warm", False):
        return sandbox.run(job)
    from adjudge.scoring.warm import run_either_way  # late: few sandboxes may be warm

    return run_either_way(task, job, sandbox, expected=expected)


def _signs(
    task: Task, output: AgentOutput, sandbox: Sandbox, outcome: SandboxOutcome
) -> tuple[Mapping[str, Artifact], tuple[Sign, ...], bool]:
    """The artifacts that are the verifier's own, the signs in them, in its words and in its files, and
    whether it missed a file of the agent's."""
    from adjudge.evidence import (  # late: a command loads this while the verifier runs
        StaticLook,
        asks_for_more,
        listen,
        look_at,
        needs_of,
        scene_of,
        surroundings_of,
        take_notes,
        weigh,
    )

    answer = {path: file.data for path, file in output.files.items()}
    scene = scene_of(task, workspace_of(task), answer, whole=output.is_folder)
    observed = take_notes(outcome.artifacts, scene)
    heard = listen((outcome.stderr, outcome.stdout, *_logs(observed.artifacts)), scene)
    look: StaticLook | None = None
    if heard.signs or observed.signs or asks_for_more(needs_of(task)):
        look = look_at(task, scene, surroundings_of(sandbox))
    signs = weigh(heard, observed.signs, look, exit_code=outcome.exit_code, runs_output=task.runs_output)
    return observed.artifacts, tuple(signs), heard.missed


def asked_for(task: Task, files: Mapping[str, OutputFile]) -> frozenset[str]:
    """Which of a test runner's files, among those that are there, the task itself speaks of."""
    names = named_like_a_runners(files)
    if not names:
        return names
    declared = [task.verifier.expected_output_path, *task.output.paths]
    starting = {path.name for path in (task.folder / "environment").rglob("*") if path.name in names}
    return frozenset(
        name
        for name in names
        if name in task.instruction or name in starting or any(path.endswith(f"/{name}") for path in declared)
    )


def writable_tests(task: Task) -> bool:
    """May the verifier write to its tests? What the task says; else yes, as natively, with one exception.

    If it runs a program of the agent's, that program has the verifier's rights: it could add a line to the
    very script that bash is reading. Then only a verifier that is seen to write there may.
    """
    if task.writable_tests is not None:
        return task.writable_tests
    if not task.runs_output:
        return True
    from adjudge.evidence import needs_of  # late: few tasks ask for it

    return needs_of(task).writes_tests


def answer_is_data(task: Task) -> bool:
    """Does the task ask for files of data alone, so that no code of the agent's has to run?"""
    code = any(path.endswith((".py", ".pyi", ".ipynb")) for path in task.output.paths)
    return not task.runs_output and not task.output.is_folder and not code


def artifact_places(task: Task) -> tuple[str, ArtifactNames]:
    """The folder to read back, and the names in it. Raises `TaskError` for details outside that folder."""
    folder, _, name = task.verifier.reward_path.rpartition("/")
    details = task.verifier.details_path
    key = declared_table(task, "verifier").get("reward_key")
    key = key if isinstance(key, str) and key else "reward"
    names = ArtifactNames(reward=name, key=key, folder=folder)
    if details is None or details == f"{folder}/details.json":
        return folder, names
    if not details.startswith(f"{folder}/"):
        raise TaskError(
            "the details must lie in the folder of the reward",
            file=task.folder,
            field="verifier.details_path",
            found=details,
            allowed=f"a path below {folder}",
        )
    return folder, replace(names, details=(details.removeprefix(f"{folder}/"),))


def stopped_by_output(
    task: Task, output: AgentOutput, gates: OutputCheck, seen: VerifierSeen, control: Control | None
) -> bool:
    """Did the agent keep the verifier from finishing?

    Its program did if the verifier runs it and was stopped from outside: by a limit or a signal. What it did
    not write did if the verifier wrote no reward, nothing speaks against the verifier, and the answer is not
    there or does not look like one. A verifier that does not pass its own right answer here blames nobody.
    """
    if control is not None and control.standing is Standing.FAILED:
        return False
    code = seen.outcome.exit_code
    stopped = {Limit.WALL_TIME, Limit.MEMORY, Limit.PROCESSES} & set(seen.outcome.limits_hit)
    if stopped or (code is not None and code < 0):
        return task.runs_output
    silent = not {seen.names.reward, seen.names.reward_text} & set(seen.artifacts)
    return silent and not seen.signs and not _is_answered(task, output, gates, seen)


def _is_answered(task: Task, output: AgentOutput, gates: OutputCheck, seen: VerifierSeen) -> bool:
    """Is there an answer that may be one? Only its verifier can tell what a folder lacks."""
    if task.output.is_folder:
        return not seen.missed
    wanted = task.output.paths or [task.verifier.expected_output_path]
    return gates.looks_right and any(path in output.files for path in wanted)


def _logs(artifacts: Mapping[str, Artifact]) -> list[bytes]:
    """The verifier's own logs among its artifacts."""
    logs = []
    for name, artifact in artifacts.items():
        if artifact.data is not None and _LOG.search(name) and name != "reward.txt":
            data = artifact.data[:_LOG_BYTES]
            logs.append(_unescaped(data) if name.endswith("ctrf.json") else data)
    return logs


def _unescaped(data: bytes) -> bytes:
    """The lines that stand in the strings of a report in JSON, which may be cut off anywhere."""
    return data.replace(b"\\n", b"\n").replace(b'\\"', b'"')
