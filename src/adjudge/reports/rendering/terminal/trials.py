"""Trials as a table in a terminal, one line each; nothing untrusted reaches the terminal raw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.contracts import Judgment, TrialRecord
from adjudge.ledger import disagrees
from adjudge.reports.rendering.terminal.canvas import UNBOUNDED, Terminal, cells, cut, joined, pad
from adjudge.reports.rendering.terminal.layout import sentence_lines
from adjudge.scoring import Outcome, outcome_of

_ID = 25
_SHORT_ID = 13
"""Enough of an id that adjudge made; `adjudge show` takes the beginning of one."""
_REWARD = 8
"""Room for ` !`, which marks a disagreement in every width."""
_OUTCOME = 16
_OURS = re.compile(r"t[0-9a-f]{24}")
_COLOURS = {
    Outcome.SCORED: "green",
    Outcome.WRONG: "red",
    Outcome.NOTHING_USABLE: "red",
    Outcome.SUSPECTED: "yellow",
    Outcome.MACHINERY_FAILED: "yellow",
}


@joined
def render_trials(
    records: Sequence[TrialRecord], terminal: Terminal, threshold: float, *, footer: str = ""
) -> Iterator[str]:
    """A heading, a line for each record, and the footer, wrapped; nothing at all for no records."""
    if not records:
        return
    rows = [_cells(record, threshold) for record in records]
    longest = [
        max(cells(terminal.safe(text)) for text in column) for column in zip(_HEADINGS, *rows, strict=True)
    ]
    widths = tuple(map(min, _widths(terminal.width), longest))
    yield terminal.paint(_line(_HEADINGS, widths, terminal), "dim")
    for record, row in zip(records, rows, strict=True):
        yield _line(row, widths, terminal, _colour(record))
    if footer:
        yield from sentence_lines(footer, terminal, "dim")


_HEADINGS = ("trial", "reward  ", "outcome", "task", "agent", "review")


def _review_cell(record: TrialRecord) -> str:
    """What people said, in short: `2 pass, 1 fail`; empty for none."""
    said = record.evaluation.annotations or []
    parts = []
    for judgment in Judgment:
        count = sum(note.judgment is judgment for note in said)
        if count:
            parts.append(f"{count} {judgment}")
    return ", ".join(parts)


def _reward_cell(record: TrialRecord, threshold: float) -> str:
    reward = record.evaluation.reward
    said = record.evaluation.annotations or ()
    against = any(disagrees(note.judgment, reward, threshold) for note in said)
    return f"{reward:.4g} {'!' if against else ' '}"


def _cells(record: TrialRecord, threshold: float) -> tuple[str, ...]:
    agent = record.agent.name if record.agent.model is None else f"{record.agent.name}/{record.agent.model}"
    return (
        record.trial_id,
        _reward_cell(record, threshold),
        outcome_of(record.evaluation).value,
        record.task_id,
        agent if record.attempt == 1 else f"{agent} #{record.attempt}",
        _review_cell(record),
    )


def _colour(record: TrialRecord) -> str:
    """Green is for the full reward alone: a part of it must not look like a pass."""
    outcome = outcome_of(record.evaluation)
    partial = outcome is Outcome.SCORED and record.evaluation.reward < 1
    return "yellow" if partial else _COLOURS[outcome]


def _widths(width: int) -> tuple[int, ...]:
    """The widths of the columns. Narrow: short ids and no reviews; very narrow: no outcome either."""
    if width >= UNBOUNDED:
        return (width,) * len(_HEADINGS)
    identifier = _ID if width >= 120 else _SHORT_ID
    outcome = _OUTCOME if width >= 72 else 0
    review = 16 if width >= 100 else 0
    rest = width - identifier - _REWARD - outcome - review - 2 * (3 + (outcome > 0) + (review > 0))
    task = rest * 3 // 5
    return (identifier, _REWARD, outcome, task, rest - task, review)


def _line(
    row: tuple[str, ...], widths: tuple[int, ...], terminal: Terminal, colour: str | None = None
) -> str:
    parts = []
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        if width == 0:
            continue
        short = place == 0 and _OURS.fullmatch(cell)
        text = cell[:width] if short else cut(terminal.safe(cell), width, terminal.ellipsis)
        text = text.rjust(width) if place == 1 else pad(text, width)
        parts.append(terminal.paint(text, colour) if colour and place in (1, 2) else text)
    return "  ".join(parts)
