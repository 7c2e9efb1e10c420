"""Hear what a verifier's scripts throw away: run them once more with `/dev/null` as a file that is kept.

Many scripts send the words of their tools to `/dev/null` or to a file that nobody sees, and what they could
not find or reach goes with them; a program in node or Perl may catch the error and say nothing. If such a
verifier gave less than full marks, nothing speaks against it and no control has passed, a copy of its scripts
whose redirections lead to a file is run on the same output, with hooks in node and Perl. What that file says
is a sign like any other, but for modules that the programs can do without; the reward of the second run is
not looked at.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from adjudge.contracts import Task
from adjudge.errors import MachineryError
from adjudge.evidence import (
    Sign,
    hook_environment,
    hook_files,
    listen,
    look_at,
    needs_of,
    observing,
    scene_of,
    surroundings_of,
    take_notes,
    unwrapped,
    weigh,
)
from adjudge.gates import AgentOutput, workspace_of
from adjudge.sandbox import Sandbox, SandboxJob, frozen_tests
from adjudge.scoring.provided import with_provided
from adjudge.scoring.verifier import writable_tests

_HIDDEN = ".adjudge-hidden"
_AWAY = re.compile(r"(?P<to>&>>?|>&(?=\s*/)|[12]?>>?)[ \t]*/dev/null\b")
_ASKS = re.compile(
    r"^\s*(?:if\s+!?\s*)?(?:command -v|which|type|hash|mkdir|rm|cp|mv|cd|pushd|popd|kill|wait)\b"
)
_TO_FILE = re.compile(r"(?:&>>?|2>>?|>>?)[ \t]*[\"']?(?P<path>/(?:tmp|var/tmp|run)/[\w./-]+)")
_HOOKED = frozenset({"node", "nodejs", "npm", "npx", "yarn", "pnpm", "perl", "prove"})
_THEN_KEEP = (
    'bash "$0"; status=$?; kept=$1; shift; tail -q -c 100000 "$@" >> "$kept" 2>/dev/null; exit $status'
)
_MOST_BYTES = 1 << 20


def hidden_signs(task: Task, output: AgentOutput, sandbox: Sandbox, collect: str) -> tuple[Sign, ...]:
    """The signs in what the scripts of a verifier throw away; none if they keep everything."""
    needs = needs_of(task)
    hooked = any(
        _HOOKED.intersection(unwrapped(c.words)[:1]) for listed in needs.commands.values() for c in listed
    )
    if not hooked and not any(_hides(path) for path in _scripts(task.folder / "tests")):
        return ()
    with frozen_tests(task) as tests, tempfile.TemporaryDirectory(prefix="adjudge-hidden-") as place:
        copy, kept = Path(place) / "tests", f"{collect}/{_HIDDEN}"
        shutil.copytree(tests, copy, symlinks=True)
        for path in _scripts(copy):
            _keep_words(path, kept)
        logs: list[str] = []
        for path in _scripts(task.folder / "tests"):
            logs += [match["path"] for match in _TO_FILE.finditer(path.read_text("utf-8", "surrogateescape"))]
        for name, text in hook_files().items():
            (copy / name).parent.mkdir(exist_ok=True)
            (copy / name).write_text(text, "utf-8")
        for folder in (Path(place), copy):
            folder.chmod(0o755)
        job = SandboxJob(
            command=("bash", "-c", _THEN_KEEP, f"/{task.verifier.script}", kept, *dict.fromkeys(logs)),
            tests=copy,
            files=with_provided(task, output),
            workdir=task.workdir or workspace_of(task),
            limits=task.limits,
            collect=collect,
            env={**observing(collect), **task.env, **(hook_environment(kept) if hooked else {})},
            writable_tests=writable_tests(task),
        )
        try:
            outcome = sandbox.run(job)
        except MachineryError:
            return ()
    answer = {path: file.data for path, file in output.files.items()}
    scene = scene_of(task, workspace_of(task), answer, whole=output.is_folder)
    observed = take_notes(outcome.artifacts, scene)
    hidden = observed.artifacts.get(_HIDDEN)
    heard = listen(((hidden.data if hidden is not None else None) or b"", outcome.stderr), scene)
    look = look_at(task, scene, surroundings_of(sandbox))
    signs = weigh(heard, observed.signs, look, runs_output=task.runs_output)
    return tuple(sign for sign in signs if sign.name.replace("/", "::") not in needs.optional)


def _scripts(tests: Path) -> list[Path]:
    found = [path for path in tests.rglob("*.sh") if path.is_file() and not path.is_symlink()]
    return [path for path in sorted(found)[:40] if path.stat().st_size <= _MOST_BYTES]


def _hides(path: Path) -> bool:
    """Is the word of a command thrown away, or put where nobody sees it, that may matter?"""
    lines = path.read_text("utf-8", "surrogateescape").splitlines()
    return any((_AWAY.search(line) or _TO_FILE.search(line)) and not _ASKS.match(line) for line in lines)


def _keep_words(path: Path, kept: str) -> None:
    text = path.read_text("utf-8", "surrogateescape")
    mode = path.stat().st_mode

    def redirected(match: re.Match[str]) -> str:
        to = match["to"]
        if to in (">&", "&>", "&>>"):
            return f"&>>{kept}"
        return f"{to.rstrip('>')}>>{kept}"

    path.chmod(0o644)
    path.write_text(_AWAY.sub(redirected, text), "utf-8", "surrogateescape")
    path.chmod(mode)
