"""`adjudge init`: start a task that passes `check` and `audit`, to be changed into one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.tasks import TemplateFormat


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    name: Annotated[Path, typed.Argument(help="The folder to make; its last part names the task.")],
    form: Annotated[
        TemplateFormat,
        typed.Option("--format", help="What the agent is to write; pytest: JSON, checked by pytest."),
    ] = TemplateFormat.MARKDOWN,
) -> None:
    """Start a task: instruction, verifier with the authoring kit, reference solution, goldens.

    The task works as it stands: check it, audit it, then make it your own.
    """

    from adjudge.tasks import start_task

    written = start_task(name, form)
    if out.for_programs:
        out.write_json({"files": [str(path) for path in written]})
        return
    folder = shlex.quote(str(name))
    files = "".join(f"{path}\n" for path in written)
    prepare = " --prepare" if form is TemplateFormat.PYTEST else ""
    out.write(f"{files}\nNext: adjudge check {folder} && adjudge audit {folder} --no-ledger{prepare}\n")
