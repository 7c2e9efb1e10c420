"""One page of a list of trials, in the order that a person asks for.

The ledger sorts by time and by reward. By task and by agent is sorted here, on columns: names are few, so a
million trials are in order within a second, and only the records of the page are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from adjudge.contracts import TrialRecord
from adjudge.ledger import Sort, TrialFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adjudge.ledger import Coded, Ledger


class TrialOrder(StrEnum):
    """In which order trials are listed. Equal ones of `task` and `agent` follow each other by attempt."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LOWEST = "reward"
    HIGHEST = "-reward"
    TASK = "task"
    AGENT = "agent"


def iterate_trials(
    ledger: Ledger, wanted: TrialFilter, order: TrialOrder, *, skip: int = 0, streams: bool = True
) -> Iterator[TrialRecord]:
    """The matching trials in this order, without the first `skip`."""
    if order in (TrialOrder.TASK, TrialOrder.AGENT):
        for trial_id in _ids_by_name(ledger, wanted, order)[skip:]:
            yield ledger.get(trial_id)
        return
    yield from islice(ledger.iterate(wanted, sort=Sort(order.value), streams=streams), skip, None)


def _ids_by_name(ledger: Ledger, wanted: TrialFilter, order: TrialOrder) -> list[str]:
    import numpy as np

    columns = ledger.columns(wanted)
    task, agent, model = columns.task, columns.agent, columns.model
    first, second = (task, agent) if order is TrialOrder.TASK else (agent, task)
    keys = (columns.trial, columns.attempt, model.codes, _places(second), _places(first))
    numbers = columns.trial[np.lexsort(keys)].tolist()
    ids = ledger.trial_ids(numbers)
    return [ids[number] for number in numbers]


def _places(names: Coded) -> NDArray[np.int64]:
    """The place of each row's name in the alphabet."""
    import numpy as np

    ranks = np.empty(len(names.categories), np.int64)
    ranks[sorted(range(len(names.categories)), key=names.categories.__getitem__)] = np.arange(len(ranks))
    return ranks[names.codes]
