"""The options that stand before a command."""

from __future__ import annotations

import os
from typing import Annotated

from adjudge.cli.shared import typed


def enter(
    *,
    version: Annotated[bool, typed.Option("--version", help="Print the version and stop.")] = False,
    engine_options: Annotated[
        str | None,
        typed.Option(metavar="WORDS", help="For a container engine itself, such as '--runtime runc'."),
    ] = None,
    engine_run_options: Annotated[
        str | None,
        typed.Option(metavar="WORDS", help="For each container, such as '--ulimit nofile=1024:1024'."),
    ] = None,
) -> None:
    """Hand them on through the environment: the other way to set them, and it reaches worker processes."""
    for name, words in (("OPTIONS", engine_options), ("RUN_OPTIONS", engine_run_options)):
        if words is not None:
            os.environ[f"ADJUDGE_ENGINE_{name}"] = words
