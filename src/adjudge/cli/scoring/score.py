"""`adjudge score`: score one output and show the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import NO_PREFLIGHT, OutputPathOption, ready, takes_place

if TYPE_CHECKING:
    from adjudge.preflight import VerifierPlace

_AFTERWARDS = (
    *("adjudge.scoring.result", "adjudge.evidence.observe", "adjudge.evidence.weighing"),
    *("adjudge.evidence.words", "adjudge.gates.check", "adjudge.reports.rendering.terminal.result"),
)
"""What is needed once the verifier has answered."""


@prints(Format.TERMINAL, Format.JSON)
@takes_place
def command(
    out: Out,
    place: VerifierPlace,
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
    output_path: OutputPathOption = None,
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
    sandbox = ready(place, [loaded], NO_PREFLIGHT)
    shape = ["jsonschema_rs"] if loaded.output.json_schema else []
    with waiting(f"verifying {loaded.id}"), loading(*_AFTERWARDS, *shape) as begin:
        read = read_output(loaded, output)
        scored = score_output(loaded, read, sandbox, strict=strict, meanwhile=begin)
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
