"""`adjudge kit`: write today's authoring kit into tasks, or refresh the copies they have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    tasks: Annotated[list[Path], typed.Argument(metavar="TASK...", help="Task folders.")],
    untrusted: Annotated[
        bool,
        typed.Option("--untrusted", help="Write adjudge_untrusted.py, which runs an agent's program apart."),
    ] = False,
) -> None:
    """Write the authoring kit of this adjudge into each task's tests/, or refresh the copy that is there.

    A changed verifier is a different task: trials that were scored before can be scored again with
    `adjudge rescore`. Exit code 0: done; 2: a folder is no task.
    """
    from adjudge.errors import printable
    from adjudge.tasks import KIT, UNTRUSTED, KitState, write_kit

    written = [write_kit(folder, UNTRUSTED if untrusted else KIT) for folder in tasks]
    if out.for_programs:
        out.write_json([{"file": str(copy.path), "was": copy.state.value} for copy in written])
        return
    words = {KitState.CURRENT: "is today's already", KitState.MISSING: "written"}
    out.write_lines(
        printable(
            f"{copy.path}: {words.get(copy.state, f'refreshed; the one before was {copy.state.value}')}"
        )
        + "\n"
        for copy in written
    )
