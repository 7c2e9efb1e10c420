"""`adjudge judge`: let judges score trials by a rubric, beside the verifier's reward."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.judges.panel import CallChoice, JudgeChoice, takes_judges, write_estimate
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter_beside_judges
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adjudge.contracts import TrialRecord
    from adjudge.judges import Asker, JudgeRubric, JudgeTally, Panel
    from adjudge.ledger import Ledger, TrialFilter

RubricOption = Annotated[
    Path | None,
    typed.Option("--rubric", metavar="FILE", help="The rubric. [default: each task's tests/judge.toml]"),
]
TasksOption = Annotated[
    Path | None,
    typed.Option("--tasks", metavar="ROOT", help="The tasks, for their rubrics and instructions."),
]


@takes_filter_beside_judges
@prints(Format.TERMINAL, Format.JSON)
@takes_judges
def command(
    wanted: TrialFilter,
    out: Out,
    judges: JudgeChoice,
    calls: CallChoice,
    rubric: RubricOption = None,
    tasks: TasksOption = None,
    temperature: Annotated[
        float | None, typed.Option("--temperature", min=0, max=2, help="Of the judges. [default: theirs]")
    ] = None,
    on_injection: Annotated[
        str,
        typed.Option(
            "--on-injection", metavar="WORD", help="flag a text that speaks to the judge, or abstain."
        ),
    ] = "flag",
    workers: Annotated[int, typed.Option("--workers", min=1, max=64, help="Trials at once.")] = 4,
    probe: Annotated[
        bool,
        typed.Option(
            "--probe",
            help="Record nothing: swap the order, pad, restyle and reword, and count the verdicts that move.",
        ),
    ] = False,
    ledger: LedgerOption = None,
) -> None:
    """Let judges score trials by a rubric. The same command again resumes and asks nothing twice.

    A judgement stands beside the verifier's evaluation and never changes a reward. A judge that refuses, or
    whose answer cannot be read, abstains; that is no number at all. Exit code 0: all judged; 1: some could
    not be; 130: interrupted.
    """
    from adjudge.cli.shared.progress import judge_progress
    from adjudge.cli.shared.running import say_how_to_resume, stoppable
    from adjudge.judges import JudgeRun, JudgeTally, first_requests
    from adjudge.ledger import open_ledger

    panel = judges.panel(calls, temperature=temperature, on_injection=on_injection)
    prices = calls.prices(panel.models)
    find_rubric, instructions = _sources(rubric, tasks, out)
    with open_ledger(ledger, create=False) as book, ExitStack() as ways:
        records = list(book.iterate(wanted, streams=False))
        if judges.dry_run:
            requests = (
                request
                for record in records
                if (found := find_rubric(record)) is not None
                for request in first_requests(book, record, found, panel, instructions.get(record.task_id))
            )
            write_estimate(book, len(records), requests, prices, out)
            return
        tally = JudgeTally(total=len(records))
        purse = calls.purse()
        asker = calls.asker(ways, book, panel.models, panel.form, prices, purse)
        if probe:
            _write_probes(book, records, panel, asker, find_rubric, instructions, out)
            return
        with stoppable() as should_stop, judge_progress(tally, purse):
            asker.should_stop = should_stop
            JudgeRun(book, panel, asker, find_rubric, instructions, tally, workers, should_stop).execute(
                records
            )
            book.sign_if_asked()
    _write_tally(tally, purse, out)
    if tally.interrupted:
        say_how_to_resume()
    if tally.unjudged:
        raise typed.Exit(1)


def _sources(
    path: Path | None, root: Path | None, out: Out
) -> tuple[Callable[[TrialRecord], JudgeRubric | None], dict[str, str]]:
    """How a trial's rubric is found, and the instruction of each task. Remarks on rubrics are said."""
    from adjudge.judges import RUBRIC_NAME
    from adjudge.tasks import load_tasks

    found = {task.id: task for task in load_tasks(root)} if root is not None else {}
    instructions = {task_id: task.instruction for task_id, task in found.items()}
    if path is not None:
        rubric = _linted(path, out)
        return (lambda _: rubric), instructions
    if root is None:
        raise UsageError(
            "no rubric is named", remedy="Add --rubric FILE, or --tasks ROOT whose tasks have one."
        )
    own = {
        task_id: _linted(place, out)
        for task_id, task in found.items()
        if (place := task.folder / "tests" / RUBRIC_NAME).exists()
    }
    if not own:
        raise UsageError(f"no task here has a tests/{RUBRIC_NAME}", file=root, remedy="Add --rubric FILE.")
    return (lambda record: own.get(record.task_id)), instructions


def _linted(path: Path, out: Out) -> JudgeRubric:
    """The rubric in a file; what `adjudge check` would remark on it is said before anybody is asked."""
    from dataclasses import replace

    from adjudge.judges import lint_rubric, load_judge_rubric

    rubric = load_judge_rubric(path)
    for problem in lint_rubric(rubric):
        out.say(f"remark: {replace(problem, file=str(path))}")
    return rubric


def _write_probes(
    book: Ledger,
    records: list[TrialRecord],
    panel: Panel,
    asker: Asker,
    find_rubric: Callable[[TrialRecord], JudgeRubric | None],
    instructions: dict[str, str],
    out: Out,
) -> None:
    from msgspec.structs import asdict

    from adjudge.cli.shared.progress import waiting
    from adjudge.judges import count_moves, probe_trial

    found = []
    with waiting("probing the judge"):
        for record in records:
            rubric = find_rubric(record)
            if rubric is not None:
                task = instructions.get(record.task_id)
                found.append(probe_trial(book, record, rubric, panel, asker, instruction=task))
    counts = count_moves(found)
    if out.for_programs:
        out.write_json([asdict(count) for count in counts])
        return
    lines = [
        f"{c.probe}: {c.moved} of {c.compared} verdicts on {out.terminal.safe(c.criterion)} moved, {c.up} up"
        for c in counts
    ]
    out.write("".join(f"{line}\n" for line in lines) or "no criterion was settled twice\n")


def _write_tally(tally: JudgeTally, purse: Any, out: Out) -> None:
    if out.for_programs:
        out.write_json(
            {
                "scored": tally.scored,
                "abstained": tally.abstained,
                "already": tally.already,
                "no_rubric": tally.no_rubric,
                "unjudged": dict(tally.unjudged.most_common()),
                "suspected": tally.suspected,
                "rewarded": tally.rewarded,
                "no_reward": tally.no_reward,
                "mean_score": tally.mean_score,
                "calls": purse.calls,
                "cached": purse.cached,
                "usd": purse.spent,
                "unpriced": purse.unpriced,
                "interrupted": tally.interrupted,
            }
        )
        return
    parts = [f"{tally.scored} scored"]
    parts += [f"{tally.abstained} abstained"] if tally.abstained else []
    parts += [f"{tally.already} already there"] if tally.already else []
    parts += [f"{tally.no_rubric} without a rubric"] if tally.no_rubric else []
    parts += [f"{tally.unjudged.total()} not judged"] if tally.unjudged else []
    lines = [", ".join(parts)]
    if tally.mean_score is not None:
        lines.append(f"mean judge score {tally.mean_score:.4f} over {tally.scored}; rewards are as they were")
    if tally.rewarded:
        lines.append(f"{tally.rewarded} with a judge reward, which names its calibrations")
    if tally.no_reward is not None:
        lines.append(f"no judge reward, though the rubric asks: {out.terminal.safe(tally.no_reward)}")
    if tally.suspected:
        lines.append(f"{tally.suspected} tagged 'injection suspected': their text speaks to the judge")
    unknown = f", {purse.unpriced} at an unknown price" if purse.unpriced else ""
    lines.append(f"{purse.calls} calls made, {purse.cached} from the ledger, {purse.spent:.4f} USD{unknown}")
    lines += [
        f"not judged {times}×: {out.terminal.safe(why)}" for why, times in tally.unjudged.most_common(10)
    ]
    out.write("".join(f"{line}\n" for line in lines))
