"""Error tags counted: by category, by task, by agent. A trial counts once for each category it carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

AXES = ("category", "task", "agent")


class TagCounts(Struct, frozen=True):
    """How often each (category, task, agent) occurs."""

    trials: int
    """All that match the filter."""
    tagged: int
    """Of them, those with at least one tag."""
    counts: Mapping[tuple[str, str, str], int]


def tag_rows(counted: TagCounts, by: str) -> list[dict[str, Any]]:
    """One row for each name on an axis, the most frequent first, with what the other axes say of it."""
    axis = AXES.index(by)
    others = [name for name in AXES if name != by]
    rows = []
    for name in sorted({key[axis] for key in counted.counts}):
        mine = {key: n for key, n in counted.counts.items() if key[axis] == name}
        row: dict[str, Any] = {"name": name, "tags": sum(mine.values())}
        for other in others:
            tally: Counter[str] = Counter()
            for key, n in mine.items():
                tally[key[AXES.index(other)]] += n
            row[f"by_{other}"] = dict(sorted(tally.items(), key=lambda pair: (-pair[1], pair[0])))
        rows.append(row)
    return sorted(rows, key=lambda row: (-row["tags"], row["name"]))
