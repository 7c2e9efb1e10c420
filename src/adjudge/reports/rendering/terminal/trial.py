"""One trial as a person reads it: its result, where it comes from, the reviews beside it, its history.

All of it is a pure function of records; whatever came from outside is made safe to print first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from adjudge.contracts import Annotation, TrialRecord
from adjudge.ledger import StoredAnnotation, disagrees
from adjudge.reports.rendering.terminal.canvas import Terminal, joined, wrap
from adjudge.reports.rendering.terminal.result import render_result
from adjudge.runs import changed_fields
from adjudge.scoring import outcome_of

_LABEL = 11
_MOST_FIELDS = 6


@joined
def render_trial(record: TrialRecord, terminal: Terminal, threshold: float) -> Iterator[str]:
    """The result, the facts of the trial, then the reviews beside the reward."""
    alone = record.evaluation.model_copy(update={"annotations": None})
    yield render_result(f"{record.task_id}  {record.trial_id}", alone, record.run, terminal).rstrip("\n")
    yield ""
    for label, text in _facts(record):
        yield from _entry(label, text, terminal)
    yield from review_lines(record, terminal, threshold)


def review_lines(record: TrialRecord, terminal: Terminal, threshold: float) -> Iterator[str]:
    """Each reviewer's judgment beside the reward; a contradiction is marked and said in words."""
    reward = record.evaluation.reward
    for note in record.evaluation.annotations or ():
        against = disagrees(note.judgment, reward, threshold)
        remark = ""
        if against:
            side = "below" if reward < threshold else "at or above"
            remark = f"  DISAGREES with reward {reward:.4g}, which is {side} {threshold:g}"
        yield from _entry("review", _review(note, remark), terminal, "yellow" if against else None)


@joined
def render_history(
    records: Sequence[TrialRecord], said: Sequence[StoredAnnotation], terminal: Terminal
) -> Iterator[str]:
    """Every evaluation, newest first, with the fields that moved; then the annotations that were replaced."""
    yield ""
    yield terminal.paint(f"history: {len(records)} evaluation{'' if len(records) == 1 else 's'}", "bold")
    for record, before in [*pairwise(records), *([(records[-1], None)] if records else [])]:
        digest = record.task_digest[:12] if record.task_digest else "digest not known"
        text = f"reward {record.evaluation.reward:.4g}  {outcome_of(record.evaluation)}  task {digest}"
        text += f"  {record.scored_at:%Y-%m-%d %H:%M:%S %Z}"
        yield from _entry("" if before else "first", text, terminal)
        if before is None:
            continue
        moved = changed_fields(before.evaluation, record.evaluation)
        for change in moved[:_MOST_FIELDS]:
            text = f"{change.field}: {_score(change.before)} to {_score(change.after)}"
            yield from _entry("", f"  {text}", terminal, "dim")
        if not moved and record.evaluation.reward != before.evaluation.reward:
            yield from _entry("", "  no field names the cause", terminal, "dim")
    for stored in said:
        if not stored.current:
            yield from _entry("review", _review(stored.annotation, ", replaced since"), terminal, "dim")


def _review(note: Annotation, remark: str) -> str:
    """One annotation, with a remark of ours between who judged and why."""
    who = note.reviewer_id + (f" ({note.reviewer_discipline})" if note.reviewer_discipline else "")
    text = f"{note.judgment}  by {who}, {note.timestamp:%Y-%m-%d %H:%M %Z}{remark}"
    if note.categories:
        text += f"  [{', '.join(note.categories)}]"
    if note.notes:
        text += f"  {note.notes}"
    return text


def _facts(record: TrialRecord) -> Iterator[tuple[str, str]]:
    yield "experiment", record.experiment
    agent = record.agent.name + (f" with {record.agent.model}" if record.agent.model else "")
    yield "agent", f"{agent}, attempt {record.attempt}"
    size = "" if record.output.size_bytes is None else f"  {record.output.size_bytes:,} bytes"
    digest = f"  sha256 {record.output.sha256[:12]}" if record.output.sha256 else ""
    yield "output", f"{record.output.path}{size}{digest}"
    made = f"digest {record.task_digest[:12]}" if record.task_digest else "digest not known"
    yield "task", f"{record.task_id}  {made}"
    yield "scored", f"{record.scored_at:%Y-%m-%d %H:%M:%S %Z} by adjudge {record.adjudge_version}"
    if record.run.reused_from:
        yield "reused", f"from evaluation {record.run.reused_from}"
    if record.cost is not None and record.cost.usd is not None:
        yield "cost", f"{record.cost.usd:.4g} USD"


def _entry(label: str, text: str, terminal: Terminal, colour: str | None = None) -> Iterator[str]:
    indent = len(text) - len(text.lstrip())
    lines = wrap(terminal.safe(text), max(terminal.width - _LABEL - indent, 20))
    for number, line in enumerate(lines):
        painted = terminal.paint(line, colour) if colour else line
        yield f"{label if number == 0 else '':<{_LABEL}}{' ' * indent}{painted}".rstrip()


def _score(value: float | None) -> str:
    return "absent" if value is None else f"{value:.4g}"
