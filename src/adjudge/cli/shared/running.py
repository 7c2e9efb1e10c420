"""What the commands that score many have in common: where to score, and how to stop."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from adjudge.cli.shared import typed
from adjudge.cli.shared.place import Preflight, ready

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.preflight import VerifierPlace
    from adjudge.runs import Tally
    from adjudge.sandbox import Sandbox


class ExecutorName(StrEnum):
    """Where verifiers run."""

    LOCAL = "local"
    RAY = "ray"


WorkersOption = Annotated[
    int | None,
    typed.Option("--workers", min=1, help="How many verifiers run at once. [default: the number of cores]"),
]
_EXECUTOR = {
    "workers": typed.added(WorkersOption, None),
    "name": typed.Added(ExecutorName, typed.Option("--executor", help="Where verifiers run."), "local"),
    "ray_address": typed.Added(
        str,
        typed.Option(
            "--ray-address", help="The address of a running Ray cluster. [default: one is started here]"
        ),
        None,
    ),
}


class ExecutorChoice(NamedTuple):
    """Where verifiers run, and how many at once."""

    name: ExecutorName
    workers: int | None
    ray_address: str | None

    def sandbox_for(self, place: VerifierPlace, tasks: Sequence[Task], preflight: Preflight) -> Sandbox | str:
        """The sandbox, after a look at each task; only its name if each Ray node is to choose its own."""
        if self.name is ExecutorName.RAY and place.is_plain:
            return place.sandbox
        return ready(place, tasks, preflight, workers=self.workers)


def takes_executor(command: typed.Function) -> typed.Function:
    """Give a command the options of its workers; `executor` receives an `ExecutorChoice`."""
    return typed.add_options(
        command,
        lambda: _EXECUTOR,
        "executor",
        lambda values: ExecutorChoice(**values | {"name": ExecutorName(values["name"])}),
    )


def tally_json(tally: Tally) -> dict[str, Any]:
    """The counts of a run for programs."""
    return {
        "verified": tally.scored,
        "reused": tally.reused,
        "already": tally.already,
        "rescored": tally.rescored,
        "mean_reward": tally.mean_reward,
        "outcomes": dict(sorted(tally.outcomes.items())),
        "bad_rows": tally.bad_rows,
        "repeated": tally.repeated,
        "machinery": dict(tally.machinery.most_common()),
        "bad_traces": tally.bad_traces,
        "interrupted": tally.interrupted,
    }


RESUME = "what is recorded stays. To resume, run the same command again"


def say_how_to_resume() -> None:
    """The last words of a run that was asked to stop; ends it with the exit code for that."""

    from adjudge._secrets import without_secrets

    print(
        f"interrupted; to resume: {shlex.join(['adjudge', *map(without_secrets, sys.argv[1:])])}",
        file=sys.stderr,
    )
    raise typed.Exit(130)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Ctrl-C once: finish what is in flight. Twice: stop at once; what is recorded stays recorded."""
    asked = 0

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            os.write(2, f"\nstopped at once; {RESUME}\n".encode())
            os._exit(130)  # sandboxes die with this process; the ledger's open transaction is undone
        print(
            "\nfinishing what is in flight; press Ctrl-C again to stop at once",
            file=sys.stderr,
            flush=True,
        )

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked > 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
