"""Score a known right answer here, once, and remember it: can this verifier pass anything?

The first passing golden is the control; without one, what `solution/solve.sh` writes. A golden that does not
reach its mark has failed: the verifier cannot pass its own right answer here. A solution convicts nobody if
it may itself have lacked something: only one that ran to its end, missed nothing and still got 0 has failed.

A control is kept for as long as the task, the sandbox and what is installed in it stay the same: in this
process, and in the user's cache folder for the next one. A cache that cannot be read or written costs time
and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from adjudge._kept import keep, key_of, recall
from adjudge.contracts import OutputInfo, Task
from adjudge.errors import MachineryError
from adjudge.evidence import Lack, Sign, SignKind, surroundings_of
from adjudge.gates import FOLDER_TYPE, AgentOutput, find_answer, read_output
from adjudge.sandbox import Sandbox
from adjudge.scoring.provided import files_of_image
from adjudge.scoring.solution import run_solution, solution_of
from adjudge.scoring.standing import NO_CONTROL, Control, Standing
from adjudge.tasks import golden_paths, golden_settings

Trial = Callable[[Task, AgentOutput, Sandbox], tuple[float | None, list[Sign]]]
"""Scores an output without a control: the reward that was written, if any, and the signs."""
_VERSION = 2
_KIND = "controls"
_SLACK = 1e-9
_known: dict[str, Control] = {}
_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()


def control_of(task: Task, sandbox: Sandbox, trial: Trial) -> Control:
    """The control of a task in a sandbox; remembered. A machine that fails makes it inconclusive."""
    if not has_right_answer(task):
        return NO_CONTROL
    key = _key(task, sandbox)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:  # whoever comes second waits for the first one's answer
        if key not in _known:
            found = _recall(key)
            if found is None:
                found = _try(task, sandbox, trial)
                _keep(key, found)
            _known[key] = found
        return _known[key]


def _key(task: Task, sandbox: Sandbox) -> str:
    around = surroundings_of(sandbox)
    return key_of(_VERSION, task.digest, repr(sandbox), None if around is None else around.digest)


def _try(task: Task, sandbox: Sandbox, trial: Trial) -> Control:
    try:
        for golden in golden_paths(task, "pass"):
            output = read_output(task, golden)
            if output.problem is None:
                return _of_golden(task, golden, trial(task, output, sandbox))
        script = solution_of(task)
        if script is not None:
            return _of_solution(task, script, sandbox, trial)
    except MachineryError as error:
        return Control(Standing.INCONCLUSIVE, f"the right answer could not be scored: {error}")
    return Control(Standing.INCONCLUSIVE, "no golden can be read")


def _of_golden(task: Task, golden: Path, found: tuple[float | None, list[Sign]]) -> Control:
    reward, signs = found
    name, mark = f"the golden pass/{golden.name}", pass_mark(task, golden)
    if reward is not None and reward >= mark - _SLACK:
        return Control(Standing.PASSED, f"{name} passes here", tuple(signs))
    return Control(Standing.FAILED, f"{name} gets {_got(reward)} here instead of {mark:g}", tuple(signs))


def _of_solution(task: Task, script: str, sandbox: Sandbox, trial: Trial) -> Control:
    made = run_solution(task, script, sandbox, task.limits)
    answer, problem, _ = find_answer(task, made.files)
    if problem is not None or made.files.items() <= files_of_image(task).items():
        why = f": {made.said}" if made.said else ""
        return Control(Standing.INCONCLUSIVE, f"{script} wrote no output here{why}")
    info = OutputInfo(path=script, sha256=None, size_bytes=None, media_type=FOLDER_TYPE)
    output = AgentOutput(info, made.files, answer, None)
    reward, signs = trial(task, output, sandbox)
    if reward is not None and reward >= 1 - _SLACK:
        return Control(Standing.PASSED, f"the answer of {script} passes here", tuple(signs))
    got = f"the answer of {script} gets {_got(reward)} here"
    sound = made.exit_code == 0 and not made.signs and not reward
    return Control(Standing.FAILED if sound else Standing.INCONCLUSIVE, got, tuple(signs))


def _got(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:g}"


# memory


def _recall(key: str) -> Control | None:
    kept = recall(_KIND, key)
    if kept is None:
        return None
    try:
        signs = [Sign(SignKind(s[0]), Lack(s[1]), str(s[2]), str(s[3])) for s in kept["signs"]]
        return Control(Standing(kept["standing"]), str(kept["says"]), tuple(signs))
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _keep(key: str, control: Control) -> None:
    if control.standing is Standing.INCONCLUSIVE:
        return  # the next one may fare better
    signs = [[sign.kind, sign.lack, sign.name, sign.says] for sign in control.signs]
    keep(_KIND, key, {"standing": control.standing, "says": control.says, "signs": signs})


def pass_mark(task: Task, golden: Path) -> float:
    """The reward that a passing golden must reach; 1.0 if `task.toml` does not say, or says nonsense."""
    settings = golden_settings(task)
    return settings.rewards.get(f"pass/{golden.name}", settings.pass_at_least)


def has_right_answer(task: Task) -> bool:
    """Is there anything a control could try?"""
    return bool(golden_paths(task, "pass")) or solution_of(task) is not None
