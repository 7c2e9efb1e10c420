"""Error tags counted: by category, by task, by agent. A trial counts once for each category it carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.ledger import Ledger, Sort, TrialFilter
from adjudge.reports.layout import sentence_lines, table_lines
from adjudge.reports.terminal import Terminal

MOST_NAMED = 3
AXES = ("category", "task", "agent")


@dataclass(frozen=True)
class TagCounts:
    """How often each (category, task, agent) occurs."""

    trials: int
    """All that match the filter."""
    tagged: int
    """Of them, those with at least one tag."""
    counts: Mapping[tuple[str, str, str], int]
    wanted: TrialFilter

    def example(self, ledger: Ledger, category: str) -> str | None:
        """The evidence of one tag of a category: of the trial recorded last; None where it has none."""
        page = ledger.query(replace(self.wanted, tag=(category,)), sort=Sort.NEWEST, limit=1, streams=False)
        tags = [tag for record in page.records for tag in record.evaluation.error_taxonomy or ()]
        return next((tag.description for tag in tags if tag.category == category and tag.description), None)


def read_tag_counts(ledger: Ledger, wanted: TrialFilter) -> TagCounts:
    """Count the tags of the trials that match; no document is read."""
    columns = ledger.columns(wanted)
    tags = ledger.tag_columns(wanted)
    place = {trial: row for row, trial in enumerate(columns.trial.tolist())}
    tasks, agents = columns.task, columns.agent
    seen: set[tuple[int, str]] = set()
    counts: Counter[tuple[str, str, str]] = Counter()
    for trial, code in zip(tags.trial.tolist(), tags.category.codes.tolist(), strict=True):
        category = tags.category.categories[code]
        row = place.get(trial)
        if row is None or (trial, category) in seen:  # recorded since, or tagged twice
            continue
        seen.add((trial, category))
        task = tasks.categories[int(tasks.codes[row])]
        agent = agents.categories[int(agents.codes[row])]
        counts[category, task, agent] += 1
    return TagCounts(len(columns), len({trial for trial, _ in seen}), counts, wanted)


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


def tag_lines(
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
    for name, example in examples.items():
        if example is not None:
            yield from sentence_lines(f"{name}, for example: {example}", terminal, "dim")


def _named(tally: Mapping[str, int]) -> str:
    """`P-7 12, P-3 4, and 5 more`."""
    parts = [f"{name} {n}" for name, n in list(tally.items())[:MOST_NAMED]]
    rest = len(tally) - MOST_NAMED
    return ", ".join(parts) + (f", and {rest} more" if rest > 0 else "")
