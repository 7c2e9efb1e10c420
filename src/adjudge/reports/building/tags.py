"""Count the error tags of a ledger, and find an example of each."""

from __future__ import annotations

from collections import Counter

from adjudge.ledger import Ledger, Sort, TrialFilter
from adjudge.reports.models.tags import TagCounts


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
    return TagCounts(len(columns), len({trial for trial, _ in seen}), counts)


def read_tag_example(ledger: Ledger, wanted: TrialFilter, category: str) -> str | None:
    """The evidence of one tag of a category: of the trial recorded last; None where it has none."""
    page = ledger.query(
        wanted.model_copy(update={"tag": (category,)}), sort=Sort.NEWEST, limit=1, streams=False
    )
    tags = [tag for record in page.records for tag in record.evaluation.error_taxonomy or ()]
    return next((tag.description for tag in tags if tag.category == category and tag.description), None)
