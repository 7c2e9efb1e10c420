"""Trials as a table in a terminal, one line each; nothing untrusted reaches the terminal raw.

Lines are produced as records come, so a list of a million begins at once. Column widths are therefore fixed
by the width of the terminal and not by the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.contracts import Judgment, TrialRecord
from adjudge.ledger import disagrees
from adjudge.reports.terminal import Terminal, cut, pad
from adjudge.scoring import Outcome, outcome_of

_ID = 25
_REWARD = 6
_COLOURS = {
    Outcome.SCORED: "green",
    Outcome.WRONG: "red",
    Outcome.NOTHING_USABLE: "red",
    Outcome.SUSPECTED: "yellow",
    Outcome.MACHINERY_FAILED: "yellow",
}


def trial_lines(records: Iterable[TrialRecord], terminal: Terminal, threshold: float) -> Iterator[str]:
    """A heading and a line for each record; nothing at all for no records."""
    widths = _widths(terminal.width)
    first = True
    for record in records:
        if first:
            yield terminal.paint(_line(_HEADINGS, widths, terminal), "dim").rstrip()
            first = False
        yield _line(_cells(record, threshold), widths, terminal, outcome_of(record.evaluation)).rstrip()


_HEADINGS = ("trial", "reward", "outcome", "task", "agent", "review")


def review_cell(record: TrialRecord, threshold: float) -> str:
    """What people said, in short: `2 pass, 1 fail`; `!` where that contradicts the reward; empty for none."""
    said = record.evaluation.annotations or []
    parts = []
    for judgment in Judgment:
        count = sum(note.judgment is judgment for note in said)
        if count:
            parts.append(f"{count} {judgment}")
    against = any(disagrees(note.judgment, record.evaluation.reward, threshold) for note in said)
    return ("! " if against else "") + ", ".join(parts)


def _cells(record: TrialRecord, threshold: float) -> tuple[str, ...]:
    agent = record.agent.name if record.agent.model is None else f"{record.agent.name}/{record.agent.model}"
    return (
        record.trial_id,
        f"{record.evaluation.reward:.4g}",
        outcome_of(record.evaluation).value,
        record.task_id,
        agent if record.attempt == 1 else f"{agent} #{record.attempt}",
        review_cell(record, threshold),
    )


def _widths(width: int) -> tuple[int, ...]:
    """The widths of the columns; what is narrow loses the review, then shortens names."""
    rest = width - _ID - _REWARD - 16 - 10
    if rest < 34:
        task = max((width - _ID - _REWARD - 4) // 2, 0)
        return (_ID, _REWARD, 0, max(width - _ID - _REWARD - 6 - task, 0), task, 0)
    review = min(16, rest // 4)
    task = (rest - review) * 3 // 5
    return (_ID, _REWARD, 16, task, rest - review - task, review)


def _line(
    cells: tuple[str, ...], widths: tuple[int, ...], terminal: Terminal, outcome: Outcome | None = None
) -> str:
    parts = []
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if width == 0:
            continue
        text = cut(terminal.safe(cell), width, terminal.ellipsis)
        text = text.rjust(width) if place == 1 else pad(text, width)
        parts.append(terminal.paint(text, _COLOURS[outcome]) if outcome and place in (1, 2) else text)
    return "  ".join(parts)
