"""What an import and a Harbor run say on a terminal. Everything printed from a job is made safe first."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adjudge.errors import printable
from adjudge.integrations.harbor.recorder import ImportSummary
from adjudge.ledger import Ledger, TrialFilter

PLAIN_EVERY_SEC = 2.0


def import_lines(summary: ImportSummary, ledger: str) -> Iterator[str]:
    """The end of an import in a few sentences; every trial folder is in exactly one of the counts."""
    parts = [f"{_count(summary.trials, 'trial')} imported from {_count(summary.jobs, 'job')}"]
    parts += (
        [f"{_count(summary.evaluations, 'newer evaluation')} of known ones"] if summary.evaluations else []
    )
    parts += [f"{summary.already} were there already"] if summary.already else []
    yield f"{', '.join(parts)}; ledger {printable(ledger)}"
    recorded = summary.trials + summary.evaluations
    if recorded:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(summary.outcomes.items()))
        yield f"mean reward {summary.rewards / recorded:.4f} over {recorded}, failures as 0.0 ({kinds})"
    for category, times in summary.tags.most_common(12):
        yield f"  {times:6d}  {printable(category)}"
    for note in summary.notes:
        yield f"note: {printable(note)}"


def import_json(summary: ImportSummary) -> dict[str, Any]:
    """The same for programs."""
    return {
        "jobs": summary.jobs,
        "trials": summary.trials,
        "evaluations": summary.evaluations,
        "already": summary.already,
        "conflicts": summary.conflicts,
        "outcomes": dict(sorted(summary.outcomes.items())),
        "tags": dict(sorted(summary.tags.items())),
        "notes": summary.notes,
    }


@contextmanager
def import_progress(*, quiet: bool) -> Iterator[Callable[[ImportSummary], None]]:
    """A line on stderr now and then; nothing for an import that is over before anybody could wonder."""
    started = last = time.monotonic()

    def show(summary: ImportSummary) -> None:
        nonlocal last
        now = time.monotonic()
        if not quiet and now - last >= PLAIN_EVERY_SEC:
            last = now
            rate = summary.seen / (now - started)
            print(f"importing: {summary.seen} trials, {rate:.0f}/s", file=sys.stderr, flush=True)

    yield show


def experiment_lines(ledger: Ledger, experiment: str) -> Iterator[str]:
    """One line per agent: how many trials, the mean reward, how many have no verifier result."""
    columns = ledger.columns(TrialFilter(experiment=(experiment,)))
    groups: dict[tuple[str, str | None], list[tuple[float, bool]]] = {}
    models = (*columns.model.categories, None)  # the code of "none" is -1
    rows = zip(
        columns.agent.codes, columns.model.codes, columns.reward, columns.verifier_completed, strict=True
    )
    for agent, model, reward, completed in rows:
        key = (columns.agent.categories[agent], models[model])
        groups.setdefault(key, []).append((float(reward), bool(completed)))
    where = printable(ledger.location)
    yield f"experiment {printable(experiment)}: {_count(len(columns), 'trial')} in {where}"
    for (agent, model), trials in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or "")):
        who = agent if model is None else f"{agent} ({model})"
        mean = sum(reward for reward, _ in trials) / len(trials)
        without = sum(not completed for _, completed in trials)
        yield (
            f"  {printable(who)}: {_count(len(trials), 'trial')}, mean reward {mean:.4f}, "
            f"{without} without a verifier result"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
