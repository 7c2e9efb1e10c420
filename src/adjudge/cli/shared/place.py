"""What the commands that run verifiers have in common: where, with which packages, after which look.

`takes_place` and `takes_preflight` give a command these options; it only sees the finished values.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from adjudge.cli.shared import typed

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.preflight import VerifierPlace
    from adjudge.sandbox import Sandbox

SandboxOption = Annotated[
    str, typed.Option("--sandbox", help="auto, bubblewrap, container, or unisolated (no protection at all).")
]
OutputPathOption = Annotated[
    str | None,
    typed.Option(
        "--output-path",
        metavar="PATH",
        help="Where tasks expect the answer (/app/out.json; a folder ends in /), whatever they say.",
    ),
]
_PLACE = {
    "sandbox": typed.added(SandboxOption, "auto"),
    "rootfs": typed.Added(
        Path,
        typed.Option("--rootfs", help="A root filesystem for bubblewrap, instead of this machine's /usr."),
        None,
    ),
    "image": typed.Added(str, typed.Option("--image", help="The image for the container sandbox."), None),
    "packages": typed.Added(
        str,
        typed.Option(
            "--packages", metavar="LIST", help="Python packages for verifiers: pytest==8.4.1,numpy."
        ),
        None,
    ),
    "prepare": typed.Added(
        bool,
        typed.Option(
            "--prepare", help="Fetch the packages that tasks ask for once, and give them to their verifiers."
        ),
        False,
    ),
    "cold": typed.Added(
        bool,
        typed.Option("--cold", help="Start Python anew for every trial, even if a warm run gives the same."),
        False,
    ),
}
_PREFLIGHT = {
    "look": typed.Added(
        bool,
        typed.Option("--preflight/--no-preflight", help="First look whether each verifier can pass here."),
        True,
    ),
    "strict": typed.Added(
        bool, typed.Option("--strict-preflight", help="Score nothing if a verifier may not pass here."), False
    ),
}


class Preflight(NamedTuple):
    """Is each verifier looked at first, and does an obstacle end the command?"""

    look: bool
    strict: bool

    @property
    def wanted(self) -> bool:
        """Is there anything to look at?"""
        return self.look or self.strict


NO_PREFLIGHT = Preflight(look=False, strict=False)


def takes_place(command: typed.Function) -> typed.Function:
    """Give a command the options that decide where verifiers run; `place` receives a `VerifierPlace`."""
    return typed.add_options(command, lambda: _PLACE, "place", _place)


def takes_preflight(command: typed.Function) -> typed.Function:
    """Give a command the options of the look before scoring; `preflight` receives a `Preflight`."""
    return typed.add_options(command, lambda: _PREFLIGHT, "preflight", lambda values: Preflight(**values))


def _place(values: dict[str, Any]) -> VerifierPlace:
    from adjudge.preflight import VerifierPlace

    listed = (values.pop("packages") or "").split(",")
    return VerifierPlace(packages=tuple(item.strip() for item in listed if item.strip()), **values)


def place_options(place: VerifierPlace) -> list[str]:
    """The words that a command needs to find the same place again."""
    given = {
        "--sandbox": None if place.sandbox == "auto" else place.sandbox,
        "--rootfs": None if place.rootfs is None else str(place.rootfs.resolve()),
        "--image": place.image,
        "--packages": ",".join(place.packages) or None,
    }
    words = [word for name, value in given.items() if value is not None for word in (name, value)]
    return [*words, "--prepare"] if place.prepare else words


def ready(
    place: VerifierPlace,
    tasks: Sequence[Task],
    preflight: Preflight,
    *,
    workers: int | None = None,
    control: bool = True,
) -> Sandbox:
    """The sandbox for these tasks, after a look at each; what stands in the way is said on stderr.

    `control` says whether each verifier is run on a right answer for that, or only its files are looked at.
    If the look is strict, an obstacle ends the command with exit code 1 before anything is scored.
    """
    from adjudge.cli.shared.progress import waiting
    from adjudge.errors import printable
    from adjudge.gates import expect_answers
    from adjudge.preflight import choose_place

    expect_answers(task.output.format for task in tasks)
    with waiting(f"preparing {len(tasks)} task{'' if len(tasks) == 1 else 's'}"):
        sandbox, problems = choose_place(place, tasks)
    for problem in problems:
        print(printable(f"not prepared: {problem}"), file=sys.stderr)
    if not preflight.wanted:
        return sandbox
    from adjudge.preflight import look_before, obstacle_lines

    with waiting(f"looking at {len(tasks)} verifier{'' if len(tasks) == 1 else 's'}"):
        many = workers or len(os.sched_getaffinity(0))
        obstacles = look_before(tasks, sandbox, control=control or preflight.strict, workers=many)
    for line in obstacle_lines(obstacles, prepared=place.prepare):
        print(printable(line), file=sys.stderr)
    if preflight.strict and (obstacles or problems):
        print("nothing was scored, because --strict-preflight was given", file=sys.stderr)
        raise typed.Exit(1)
    return sandbox
