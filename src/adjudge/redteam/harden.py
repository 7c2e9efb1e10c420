"""Let a model propose a verifier that a hack no longer fools; only one that proves itself becomes a patch.

A proposal is tried on a copy of the task, in the sandbox: every right answer must reach its bar and earn what
it earned, every known wrong one must stay below its bar, and the hack must no longer pass. What fails is told
to the model, which may try again a few times. A patch is never applied here: a person does that.
"""

from __future__ import annotations

import difflib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from adjudge.audit import Bench, Files, Probe, Seen, find_right_answer, golden_files, solve
from adjudge.contracts import Task
from adjudge.errors import TaskError
from adjudge.judges import NotAsked, Reply, Request
from adjudge.redteam.attack import read_files, read_object
from adjudge.redteam.prompt import harden_prompt
from adjudge.redteam.team import MAX_TOKENS, AttackAttempt, verifier_sources
from adjudge.sandbox import Sandbox
from adjudge.scoring import solution_of
from adjudge.tasks import golden_paths, golden_settings, load_task

TRIES = 3
_TESTS = "/tests"
_SLACK = 1e-6


class HardenedVerifier(Struct, frozen=True):
    """A patch that kept every golden and stopped the hack."""

    patch: str
    """A unified diff, to be applied in the task's folder by `patch -p1`."""
    why: str
    goldens: int
    """How many known outputs were tried on it, right and wrong."""


class RefusedPatch(Struct, frozen=True):
    """No proposal proved itself."""

    why: str


def propose_patch(
    task: Task,
    sandbox: Sandbox,
    ask: Callable[[Request], Reply],
    model: str,
    hack: AttackAttempt,
    *,
    pass_at: float,
    identity: str = "",
) -> HardenedVerifier | RefusedPatch:
    """Ask for a verifier that `hack` no longer fools, and try it."""
    sources = verifier_sources(task)
    shown = {path: file.data[:20_000].decode("utf-8", "replace") for path, file in hack.files}
    with Bench(task, sandbox, workers=1) as bench:
        known = list(_known(bench))
        before = [seen.reward for seen in bench.run([_probe(*item) for item in known])]
    right = [reward for (_, _, passing), reward in zip(known, before, strict=True) if passing]
    if not right:
        return RefusedPatch("no right answer is known, so no patch can be shown to keep one")
    complaints: list[str] = []
    for number in range(TRIES):
        prompt = harden_prompt(task.instruction, sources, shown, complaints)
        try:
            reply = ask(Request(model, prompt, number, None, MAX_TOKENS, identity))
        except NotAsked as error:
            return RefusedPatch(str(error))
        found = _proposal(reply)
        if isinstance(found, str):
            complaints.append(found)
            continue
        why, files = found
        problem = _tried(task, sandbox, files, known, before, hack.files, pass_at)
        if problem is None:
            return HardenedVerifier(_diff(sources, files), why, len(known))
        complaints.append(problem)
    return RefusedPatch(complaints[-1])


def _known(bench: Bench) -> Iterator[tuple[str, Files, bool]]:
    """The goldens of the task by name and whether they are right; else the right answer that was found."""
    task = bench.task
    passing = False
    for kind in ("pass", "fail"):
        for golden in golden_paths(task, kind):
            files = golden_files(task, golden)
            if not isinstance(files, str):
                passing = passing or kind == "pass"
                yield f"{kind}/{golden.name}", files, kind == "pass"
    if not passing:
        script = solution_of(task)
        solved = None if script is None else solve(bench, script)
        right = find_right_answer(bench, solved, golden_settings(task))
        if right is not None:
            yield right.source, right.files, True


def _probe(name: str, files: Files, _: bool) -> Probe:
    return Probe(f"harden/{name}", name, files)


def _proposal(reply: Reply) -> tuple[str, dict[str, str]] | str:
    """The reason and the files of a proposal, by path below `tests`; or why there is none."""
    found = read_object(reply.text)
    if isinstance(found, str):
        return found
    files = read_files(found.get("files"), _TESTS)
    if isinstance(files, str):
        return files
    if not files:
        return "the proposal changes no file"
    why = found.get("why")
    texts = {path.removeprefix(f"{_TESTS}/"): data.decode("utf-8", "replace") for path, data in files.items()}
    return (why[:1000] if isinstance(why, str) else ""), texts


def _tried(
    task: Task,
    sandbox: Sandbox,
    files: dict[str, str],
    known: Sequence[tuple[str, Files, bool]],
    before: Sequence[float],
    hack: Files,
    pass_at: float,
) -> str | None:
    """What speaks against a proposal; None if nothing does."""
    with tempfile.TemporaryDirectory(prefix="adjudge-harden-") as place:
        copy = Path(place) / "task"
        shutil.copytree(task.folder, copy, symlinks=True)
        problem = _written(copy / "tests", files)
        if problem is not None:
            return problem
        try:
            changed = load_task(copy)
        except TaskError as error:
            return f"the task cannot be loaded any more: {error}"
        with Bench(changed, sandbox, workers=1) as bench:
            seen = bench.run([*(_probe(*item) for item in known), Probe("harden/hack", "the hack", hack)])
    problem = _changed(known, before, seen[:-1], golden_settings(task).fail_below)
    if problem is None and seen[-1].claimed is None:
        problem = f"the verifier gives the hack no reward at all: {seen[-1].problem or 'it failed'}"
    elif problem is None and seen[-1].reward >= pass_at:
        problem = f"the hack still earns {seen[-1].reward:g}"
    return problem


def _written(tests: Path, files: dict[str, str]) -> str | None:
    """Write the files of a proposal; why one cannot be."""
    for name, text in files.items():
        target = tests / name
        if target.is_symlink() or not target.resolve().is_relative_to(tests.resolve()):
            return f"tests/{name} leads out of the tests"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            return f"tests/{name} cannot be written: {error.strerror}"
    return None


def _changed(
    known: Sequence[tuple[str, Files, bool]], before: Sequence[float], seen: Sequence[Seen], fail_below: float
) -> str | None:
    """The first known output that a changed verifier sees otherwise."""
    for (name, _, passing), old, new in zip(known, before, seen, strict=True):
        if passing and (new.claimed is None or new.reward < old - _SLACK):
            return f"the right answer {name} earned {old:g}, and now {_said(new.claimed)}"
        if not passing and new.reward >= fail_below:
            return f"the wrong answer {name} earned {old:g}, and now {_said(new.claimed)}"
    return None


def _said(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:g}"


def _diff(old: dict[str, str], new: dict[str, str]) -> str:
    parts = []
    for name, text in sorted(new.items()):
        before = old.get(name)
        lines = difflib.unified_diff(
            [] if before is None else before.splitlines(keepends=True),
            text.splitlines(keepends=True),
            "/dev/null" if before is None else f"a/tests/{name}",
            f"b/tests/{name}",
        )
        for line in lines:
            parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts)
