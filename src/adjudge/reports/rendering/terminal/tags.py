"""Counts of error tags as a table in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudge.reports.models.tags import AXES, TagCounts
from adjudge.reports.rendering.terminal.canvas import Terminal, joined
from adjudge.reports.rendering.terminal.layout import sentence_lines, table_lines

MOST_NAMED = 3


@joined
def render_tags(
    counted: TagCounts,
    rows: Sequence[Mapping[str, Any]],
    by: str,
    limit: int,
    examples: Mapping[str, str | None],
    terminal: Terminal,
) -> Iterator[str]:
    """The table, then one example for each category."""
    others = [name for name in AXES if name != by]
    heads = (by, "trials" if by == "category" else "tags", *others)
    cells = [
        (str(row["name"]), str(row["tags"]), *(_named(row[f"by_{other}"]) for other in others))
        for row in rows[:limit]
    ]
    yield from table_lines(heads, cells, terminal, elastic=(2, 3))
    if len(rows) > limit:
        yield f"and {len(rows) - limit} more; --limit N shows them"
    yield ""
    yield from sentence_lines(
        f"{counted.tagged:,} of {counted.trials:,} trials carry a tag.", terminal, "dim"
    )
    for row in rows[:limit]:
        if turns := row.get("began_at_turns"):
            middle = turns[len(turns) // 2]
            spread = "" if len(turns) == 1 else f", from {turns[0]} to {turns[-1]} in {len(turns)} trials"
            yield from sentence_lines(f"{row['name']} began at turn {middle}{spread}, judges say.", terminal)
    for name, example in examples.items():
        if example is not None:
            yield from sentence_lines(f"{name}, for example: {example}", terminal, "dim")


def _named(tally: Mapping[str, int]) -> str:
    """`P-7 12, P-3 4, and 5 more`."""
    parts = [f"{name} {n}" for name, n in list(tally.items())[:MOST_NAMED]]
    rest = len(tally) - MOST_NAMED
    return ", ".join(parts) + (f", and {rest} more" if rest > 0 else "")
