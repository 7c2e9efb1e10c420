"""What a run says when it ends, and what a re-score changed, on a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from adjudge.errors import printable
from adjudge.reports.rendering.terminal.canvas import Terminal, joined
from adjudge.reports.rendering.terminal.layout import table_lines
from adjudge.runs import Change, FieldChange, Rescored, Tally
from adjudge.scoring import Outcome

MOST_SHOWN = 20


@joined
def render_run(tally: Tally, *, untouched: str = "already there") -> Iterator[str]:
    """The end of a run: every bad row, then a few sentences; each row is in exactly one of the counts."""
    for message in tally.bad_rows:
        yield f"bad row: {printable(message)}"
    counts = [f"{tally.scored} verified"]
    counts += [f"{tally.reused} reused"] if tally.reused else []
    counts += [f"{tally.already} {untouched}"] if tally.already else []
    counts += [f"{len(tally.repeated)} repeated"] if tally.repeated else []
    counts += [f"{len(tally.bad_rows)} bad row{'s' * (len(tally.bad_rows) > 1)}"] if tally.bad_rows else []
    yield ", ".join(counts)
    for where in tally.repeated[:1]:
        others = f" and {len(tally.repeated) - 1} more name" if tally.repeated[1:] else " names"
        yield (
            f"repeated: {printable(where)}{others} a trial that stands further up, with the same task, "
            "output, agent, model and attempt: it counts once. Another try needs another attempt."
        )
    if tally.rescored:
        yield f"{tally.rescored} of them are further evaluations of known trials; the older ones stay"
    if tally.mean_reward is not None:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(tally.outcomes.items()))
        yield f"mean reward {tally.mean_reward:.4f} over {tally.recorded} recorded now ({kinds})"
    for message in tally.bad_traces[:MOST_SHOWN]:
        yield f"trace: {printable(message)}"
    if len(tally.bad_traces) > MOST_SHOWN:
        yield f"… and {len(tally.bad_traces) - MOST_SHOWN} more traces that could not be read wholly"
    for failure, times in tally.machinery.most_common(MOST_SHOWN):
        yield f"machinery failed {times}×: {printable(failure)}"


@joined
def render_rescore(done: Rescored, terminal: Terminal) -> Iterator[str]:
    """Mean reward before and after by task and agent, every trial that changed, and what was left alone.

    A machinery failure puts a zero into a mean that says nothing about the agent: a column counts them.
    """
    if done.changes:
        yield from _means(done.changes, terminal)
        yield ""
    yield from _flips(done.changes)
    yield from _leftovers(done)


def _means(changes: Sequence[Change], terminal: Terminal) -> Iterator[str]:
    groups: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in changes:
        groups[change.task_id, _agent(change)].append(change)
    any_failed = any(_failed(change) for change in changes)
    rows = []
    for (task, agent), group in sorted(groups.items()):
        before = sum(change.before for change in group) / len(group)
        after = sum(change.after for change in group) / len(group)
        rows.append(
            [
                task,
                agent,
                str(len(group)),
                f"{before:.4f}",
                f"{after:.4f}",
                f"{after - before:+.4f}",
                str(sum(change.flipped for change in group)),
                *(str(sum(map(_failed, group))),) * any_failed,
            ]
        )
    heads = ["task", "agent", "trials", "before", "after", "difference", "flipped", *("failed",) * any_failed]
    yield from table_lines(heads, rows, terminal, elastic=(1,))


def _flips(changes: Sequence[Change]) -> Iterator[str]:
    """Every trial whose reward or outcome changed, with the fields that made it."""
    for change in sorted(changes, key=lambda c: (c.task_id, c.agent, c.trial_id)):
        if not change.flipped:
            continue
        moved = ", ".join(_field(field) for field in change.fields[:3])
        cause = "; ".join(part for part in (printable(change.problem or ""), moved) if part)
        outcome = (
            ""
            if change.outcome_before is change.outcome_after
            else f" ({change.outcome_before} -> {change.outcome_after})"
        )
        yield (
            f"{change.trial_id}  {printable(change.task_id)}  {printable(_agent(change))}  "
            f"{change.before:.4f} -> {change.after:.4f}{outcome}: "
            f"{cause or 'no field names the cause'}"
        )


def _leftovers(done: Rescored) -> Iterator[str]:
    """What a re-score left alone, and why."""
    if done.unchanged_task:
        yield f"{done.unchanged_task} left alone: their task has not changed since (--again scores them, too)"
    for task, count in sorted(done.no_task.items()):
        yield f"{count} left alone: no task {printable(task)!r} below the tasks root"
    for trial_id, reason in sorted(done.not_kept.items())[:MOST_SHOWN]:
        yield f"{trial_id} left alone: {printable(reason)}"
    if len(done.not_kept) > MOST_SHOWN:
        yield f"… and {len(done.not_kept) - MOST_SHOWN} more whose output cannot be brought back"


def _failed(change: Change) -> bool:
    return change.outcome_after is Outcome.MACHINERY_FAILED


def _agent(change: Change) -> str:
    return change.agent if change.model is None else f"{change.agent} ({change.model})"


def _field(change: FieldChange) -> str:
    before, after = ("none" if value is None else f"{value:.2f}" for value in (change.before, change.after))
    return f"{printable(change.field)} {before} -> {after}"
