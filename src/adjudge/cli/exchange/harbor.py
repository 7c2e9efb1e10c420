"""`adjudge harbor`: run Harbor in our sandbox and with our ledger; ask which tasks that can serve."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import Preflight, takes_preflight

_REMEDY = "Give what it needs: --ek rootfs=FOLDER, or an environment with images: --env docker."
app = typed.Commands(help="Run Harbor in our sandbox, recording into the ledger.")


@app.command("run")
@takes_preflight
@typed.passes_on("arguments")
def run(
    arguments: list[str],
    preflight: Preflight,
    experiment: Annotated[
        str | None,
        typed.Option("--experiment", metavar="NAME", help="The name the trials go by. [default: the job's]"),
    ] = None,
    tasks: Annotated[
        Path | None,
        typed.Option(
            "--tasks",
            metavar="ROOT",
            help="The tasks' folder: outputs are kept, checked, and can be scored again.",
        ),
    ] = None,
    reward_key: Annotated[
        str, typed.Option("--reward-key", metavar="KEY", help="The key of reward.json that is the reward.")
    ] = "reward",
    ledger: LedgerOption = None,
) -> None:
    """`harbor run` with our environment and our ledger. Every other option is passed on to Harbor.

    An --env or -e of your own is used instead of our sandbox. With --tasks, or Harbor's own --path, each
    verifier is looked at first, and what cannot pass in our sandbox is said. The exit code is Harbor's.
    """
    from adjudge.integrations.harbor import experiment_lines, run_harbor, tasks_to_look_at
    from adjudge.ledger import open_ledger

    root = tasks_to_look_at(arguments, tasks)
    if root is not None and preflight.wanted and _look_first(root) and preflight.strict:
        print("nothing was run, because --strict-preflight was given", file=sys.stderr)
        raise typed.Exit(1)
    done = run_harbor(arguments, ledger=ledger, experiment=experiment, tasks=tasks, reward_key=reward_key)
    if done.recorded:
        with open_ledger(ledger, create=False) as book:
            for line in experiment_lines(book, done.experiment):
                print(line)
    if done.exit_code:
        raise typed.Exit(done.exit_code)


def _look_first(root: Path) -> bool:
    """Say what stands in the way of the tasks below a folder in our sandbox; is there anything?"""
    from adjudge.errors import printable
    from adjudge.preflight import look_before, obstacle_lines
    from adjudge.sandbox import choose_sandbox
    from adjudge.tasks import load_tasks

    found = load_tasks(root)
    lines = [f"{problem.id} cannot be read: {problem.message}" for problem in found.problems]
    obstacles = look_before(list(found), choose_sandbox(), control=False)
    for line in list(obstacle_lines(obstacles))[::2]:  # what to type is another thing here
        lines += [line, f"  {_REMEDY}"]
    for line in lines:
        print(printable(line), file=sys.stderr)
    return bool(lines)


@app.command("check")
@prints(Format.TERMINAL, Format.JSON)
def check(
    out: Out,
    tasks: Annotated[list[Path], typed.Argument(metavar="TASK...", help="Task folders, or folders of them.")],
    rootfs: Annotated[
        Path | None, typed.Option("--rootfs", help="A root filesystem, or a folder with one for each task.")
    ] = None,
) -> None:
    """Say which tasks our sandbox can serve as a Harbor environment, and why not the others.

    Exit code 0: all of them; 1: not all.
    """
    from adjudge.errors import printable
    from adjudge.integrations.harbor import find_task_folders, task_problems

    found = {str(task): list(task_problems(task, rootfs=rootfs)) for task in find_task_folders(tasks)}
    if out.for_programs:
        out.write_json([{"task": task, "problems": problems} for task, problems in found.items()])
    else:
        out.write_lines(
            printable(f"{task}: {'; '.join(problems) or 'can be served'}") + "\n"
            for task, problems in found.items()
        )
    if any(found.values()):
        raise typed.Exit(1)
