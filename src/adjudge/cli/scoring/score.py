"""`adjudge score`: score one output and show the result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import OutputPathOption, PackagesOption, PrepareOption, place_of, ready

_AFTERWARDS = (
    *("adjudge.scoring.result", "adjudge.evidence.observe", "adjudge.evidence.weighing"),
    *("adjudge.evidence.words", "adjudge.reports.rendering.terminal.result"),
)
"""What is needed once the verifier has answered."""


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    task: Annotated[Path, typed.Argument(help="The task's folder.", metavar="TASK")],
    output: Annotated[
        Path,
        typed.Argument(
            help="The agent's output: a file, or a folder that stands for the whole workspace. "
            "One that does not exist is a missing output and scores 0.0.",
            metavar="OUTPUT",
        ),
    ],
    *,
    sandbox: Annotated[
        str, typed.Option(help="auto, bubblewrap, container or unisolated.", metavar="NAME")
    ] = "auto",
    rootfs: Annotated[
        Path | None, typed.Option(help="A root filesystem for bubblewrap, instead of this machine's /usr.")
    ] = None,
    image: Annotated[str | None, typed.Option(help="The image for the container sandbox.")] = None,
    output_path: OutputPathOption = None,
    packages: PackagesOption = None,
    prepare: PrepareOption = False,
    fail_under: Annotated[
        float | None, typed.Option(help="Exit with 3 if the reward is below this.", min=0.0, max=1.0)
    ] = None,
    strict: Annotated[
        bool, typed.Option("--strict", help="Stop with an error (exit 1) at the first bad verifier artifact.")
    ] = False,
) -> None:
    """Score one output with a task's verifier, in the sandbox. --json prints the EvaluationResult.

    Exit codes: 0 scored, whatever the reward; 1 could not be scored, because the machinery failed; 2 wrong
    usage; 3 the reward is below --fail-under.
    """
    from adjudge.cli.shared.progress import loading, waiting
    from adjudge.gates import read_output
    from adjudge.scoring import Outcome, beside_the_reward, outcome_of, score_output
    from adjudge.tasks import load_task

    loaded = load_task(task, output_path=output_path)
    where = place_of(sandbox, rootfs, image, packages, prepare=prepare)
    place = ready(where, [loaded], preflight=False, strict=False)
    with waiting(f"verifying {loaded.id}"), loading(*_AFTERWARDS):
        scored = score_output(loaded, read_output(loaded, output), place, strict=strict)
    if out.for_programs:
        out.write(scored.result.model_dump_json(indent=2) + "\n")
    else:
        from adjudge.reports import terminal

        shown = terminal.render_result(
            loaded.id,
            scored.result,
            scored.run,
            out.terminal,
            output=scored.output.path,
            beside=beside_the_reward(scored.artifacts.get("reward.json")),
        )
        out.write(shown)
    if outcome_of(scored.result) is Outcome.MACHINERY_FAILED:
        raise typed.Exit(1)
    if fail_under is not None and scored.result.reward < fail_under:
        raise typed.Exit(3)
