"""What the commands that run verifiers have in common: where, with which packages, after which look."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.preflight import VerifierPlace
    from adjudge.sandbox import Sandbox

RootfsOption = Annotated[
    Path | None,
    typed.Option("--rootfs", help="A root filesystem for bubblewrap, instead of this machine's /usr."),
]
ImageOption = Annotated[str | None, typed.Option("--image", help="The image for the container sandbox.")]
OutputPathOption = Annotated[
    str | None,
    typed.Option(
        "--output-path",
        metavar="PATH",
        help="Where tasks expect the answer (/app/out.json; a folder ends in /), whatever they say.",
    ),
]
PackagesOption = Annotated[
    str | None,
    typed.Option("--packages", metavar="LIST", help="Python packages for verifiers: pytest==8.4.1,numpy."),
]
PrepareOption = Annotated[
    bool,
    typed.Option(
        "--prepare", help="Fetch the packages that tasks ask for once, and give them to their verifiers."
    ),
]
PreflightOption = Annotated[
    bool,
    typed.Option("--preflight/--no-preflight", help="First look whether each verifier can pass here."),
]
StrictPreflightOption = Annotated[
    bool, typed.Option("--strict-preflight", help="Score nothing if a verifier may not pass here.")
]


def place_of(
    sandbox: str, rootfs: Path | None, image: str | None, packages: str | None, *, prepare: bool
) -> VerifierPlace:
    """The options as one value."""
    from adjudge.preflight import VerifierPlace

    listed = tuple(item.strip() for item in (packages or "").split(",") if item.strip())
    return VerifierPlace(sandbox, rootfs, image, listed, prepare)


def ready(
    place: VerifierPlace, tasks: Sequence[Task], *, preflight: bool, strict: bool, workers: int | None = None
) -> Sandbox:
    """The sandbox for these tasks, after a look at each; what stands in the way is said on stderr.

    With `strict`, an obstacle ends the command with exit code 1 before anything is scored.
    """
    from adjudge.cli.shared.progress import waiting
    from adjudge.errors import printable
    from adjudge.preflight import choose_place

    with waiting(f"preparing {len(tasks)} task{'' if len(tasks) == 1 else 's'}"):
        sandbox, problems = choose_place(place, tasks)
    for problem in problems:
        print(printable(f"not prepared: {problem}"), file=sys.stderr)
    if not preflight and not strict:
        return sandbox
    from adjudge.preflight import look_before, obstacle_lines

    with waiting(f"looking at {len(tasks)} verifier{'' if len(tasks) == 1 else 's'}"):
        obstacles = look_before(tasks, sandbox, workers=workers or len(os.sched_getaffinity(0)))
    for line in obstacle_lines(obstacles):
        print(printable(line), file=sys.stderr)
    if strict and (obstacles or problems):
        print("nothing was scored, because --strict-preflight was given", file=sys.stderr)
        raise typed.Exit(1)
    return sandbox
