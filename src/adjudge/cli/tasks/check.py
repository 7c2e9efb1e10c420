"""`adjudge check`: the fast static look at a folder of tasks; nothing of them is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import OutputPathOption, SandboxOption
from adjudge.contracts import Severity
from adjudge.errors import RubricError, SandboxUnavailable, UsageError

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.preflight import Obstacle
    from adjudge.tasks import CheckFinding, FoundTask, TaskList

_MANY = 24
"""So many tasks are worth a second process."""


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    root: Annotated[str, typed.Argument(help="The folder that holds the tasks, at any depth; or one task.")],
    fail_on: Annotated[
        Severity,
        typed.Option("--fail-on", help="Exit with 3 if a finding has this severity or a higher one."),
    ] = Severity.HIGH,
    control: Annotated[
        bool, typed.Option("--control", help="Also run each verifier on its own right answer.")
    ] = False,
    output_path: OutputPathOption = None,
    sandbox: SandboxOption = "auto",
) -> None:
    """Check tasks without running them: structure, verifier and what it needs, output path, schema, goldens.

    With --control, each verifier is also run on its own right answer: can it pass anything here?

    Exit codes: 0 no finding at or above --fail-on; 2 wrong usage, or there is no task; 3 otherwise.
    """

    from adjudge._forked import both_halves
    from adjudge.gates import check_goldens, expect_answers
    from adjudge.tasks import TaskList, check_tasks, find_tasks, golden_paths, list_tasks, load_tasks

    def look(some: Sequence[FoundTask]) -> tuple[TaskList, list[CheckFinding], list[Obstacle]]:
        listed = list_tasks(some, output_path=output_path)
        if len(some) < _MANY:  # else this is a fork, and goldens are looked at elsewhere
            expect_answers(task.output.format for task in listed if golden_paths(task, "pass"))
        return listed, list(check_tasks(listed)), _obstacles(list(listed), sandbox)

    if control:
        found = load_tasks(root, output_path=output_path)
        obstacles = _obstacles(list(found), sandbox, control=True)
        findings = list(check_tasks(found))
    else:
        looks = both_halves(look, find_tasks(root), at_least=_MANY)
        found = TaskList(
            tuple(task for half, _, _ in looks for task in half),
            tuple(problem for half, _, _ in looks for problem in half.problems),
        )
        findings = [finding for _, half, _ in looks for finding in half]
        obstacles = [obstacle for _, _, half in looks for obstacle in half]
    count = len(found) + len(found.problems)
    if not count:
        raise UsageError("no tasks there", file=root, remedy="Name the folder that holds the tasks.")
    findings += check_goldens(found)
    findings += _in_words(obstacles)
    findings += _judge_rubrics(list(found))
    findings.sort(key=lambda f: (f.severity.rank, f.task_id))
    if out.for_programs:
        rows = [
            {"task": f.task_id, "severity": f.severity.value, "what": f.what, "remedy": f.remedy}
            for f in findings
        ]
        out.write_json({"tasks": count, "findings": rows})
    else:
        from adjudge.reports import terminal

        out.write(terminal.render_findings(findings, count, out.terminal))
    if findings and findings[0].severity.rank <= fail_on.rank:
        raise typed.Exit(3)


def _obstacles(tasks: list[Task], sandbox: str, *, control: bool = False) -> list[Obstacle]:
    """What keeps verifiers from passing here. Without a sandbox that works only --control is an error."""

    from adjudge.preflight import VerifierPlace, choose_place, look_at_each, look_at_files

    try:
        place, _ = choose_place(VerifierPlace(sandbox), tasks)
    except SandboxUnavailable:
        if control:
            raise
        return []
    return look_at_each(tasks, place) if control else look_at_files(tasks, place)


def _in_words(obstacles: list[Obstacle]) -> Iterator[CheckFinding]:
    from adjudge.preflight import obstacle_reason, remedy_for
    from adjudge.tasks import CheckFinding

    for obstacle in obstacles:
        severity = Severity.HIGH if obstacle.certain else Severity.MEDIUM
        what = f"the verifier {_can(obstacle)} pass here: {obstacle_reason(obstacle)}"
        remedy = remedy_for(obstacle)
        yield from (CheckFinding(task.id, severity, what, remedy) for task in obstacle.tasks)


def _can(obstacle: Obstacle) -> str:
    return "cannot" if obstacle.certain else "may not"


def _judge_rubrics(tasks: list[Task]) -> list[CheckFinding]:
    """What is wrong with, or unwise about, the rubrics for judges that stand next to verifiers."""
    findings = []
    for task in tasks:
        path = task.folder / "tests" / "judge.toml"
        if not path.exists():
            continue
        from adjudge.judges import lint_rubric, load_judge_rubric
        from adjudge.tasks import CheckFinding

        try:
            remarks = [(Severity.LOW, problem) for problem in lint_rubric(load_judge_rubric(path))]
        except RubricError as error:
            remarks = [(Severity.HIGH, error.problem)]
        findings += [
            CheckFinding(task.id, severity, f"tests/judge.toml: {problem.at()}", problem.remedy or "")
            for severity, problem in remarks
        ]
    return findings
