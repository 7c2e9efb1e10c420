"""Columns of trials into groups and clusters: which rows belong to which agent, model or metadata value.

One definition for report, compare and gate. An agent is named with its model where it has one, because
pooling two models under one agent compares nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adjudge.contracts import Outcome
from adjudge.errors import UsageError
from adjudge.ledger import Coded, TrialColumns
from adjudge.stats import Status, TrialTable

METADATA = "metadata."
GROUPS = ("agent", "model", "experiment", "category")
NONE = "(none)"
"""What a group is called whose trials have no value for the key."""


def metadata_keys(*names: str | None) -> tuple[str, ...]:
    """The metadata keys that these groupings need read."""
    return tuple(
        dict.fromkeys(name.removeprefix(METADATA) for name in names if name and name.startswith(METADATA))
    )


def group(columns: TrialColumns, by: str) -> Coded:
    """Which group each trial is in. UsageError for a grouping that does not exist."""
    if by == "agent":
        return _agents(columns)
    if by in ("model", "experiment"):
        return _named(getattr(columns, by))
    if by == "category":
        return _folders(columns.task)
    if by.startswith(METADATA) and by.removeprefix(METADATA) in columns.metadata:
        return _named(columns.metadata[by.removeprefix(METADATA)])
    raise UsageError("cannot group by this", found=by, allowed=f"{', '.join(GROUPS)} or metadata.KEY")


def statuses(outcome: Coded) -> npt.NDArray[np.int8]:
    """What statistics call the outcome of each trial: by the outcome and not by `verifier_completed`, since a
    verifier that is unfit here may have written a reward, and an agent's program may have prevented one."""
    known = {Outcome.NOTHING_USABLE: Status.UNPARSEABLE, Outcome.MACHINERY_FAILED: Status.VERIFIER_FAILED}
    codes = [known.get(Outcome(name), Status.SCORED) for name in outcome.categories]
    return np.array([*codes, Status.SCORED], np.int8)[outcome.codes]


def trials_of(columns: TrialColumns, cluster: str | None = None) -> TrialTable:
    """All trials as statistics take them. A task without a cluster is a cluster of its own.

    A task has one cluster, that of whichever of its trials name one: else a comparison would depend on the
    order of its sides. UsageError for a task in two.
    """
    clusters = None
    if cluster is not None:
        if cluster == "category":
            found = _folders(columns.task)
            alone = found.codes == (found.categories.index(NONE) if NONE in found.categories else -1)
        elif cluster.startswith(METADATA) and cluster.removeprefix(METADATA) in columns.metadata:
            found = columns.metadata[cluster.removeprefix(METADATA)]
            alone = found.codes < 0
        else:
            raise UsageError("cannot cluster by this", found=cluster, allowed="category or metadata.KEY")
        clusters = _clusters_of_tasks(columns, found, alone, cluster)
    return TrialTable.of(
        columns.task.codes,
        columns.reward,
        status=statuses(columns.outcome),
        cluster=clusters,
        cluster_key=cluster,
    )


def _clusters_of_tasks(
    columns: TrialColumns, found: Coded, alone: npt.NDArray[np.bool_], key: str
) -> npt.NDArray[np.int64]:
    task, named = columns.task.codes, np.flatnonzero(~alone)
    of_task = np.full(len(columns.task.categories), -1, np.int64)
    of_task[task[named]] = found.codes[named]
    apart = named[found.codes[named] != of_task[task[named]]]
    if len(apart):
        one = apart[0]
        two = sorted(found.categories[code] for code in (found.codes[one], of_task[task[one]]))
        raise UsageError(
            f"a task lies in two clusters: {columns.task.categories[task[one]]}",
            field=key,
            found=" and ".join(two),
            remedy="Give every trial of a task the same cluster, or make the seed part of the task's id; "
            "--cluster none takes tasks as independent.",
        )
    return np.where(of_task[task] < 0, len(found.categories) + task, of_task[task])


def _agents(columns: TrialColumns) -> Coded:
    agent, model = columns.agent, columns.model
    width = len(model.categories) + 1
    keys, inverse = np.unique(agent.codes.astype(np.int64) * width + model.codes + 1, return_inverse=True)
    labels = []
    for key in keys.tolist():
        name, which = agent.categories[key // width], key % width
        labels.append(f"{name} ({model.categories[which - 1]})" if which else name)
    return _recoded(labels, inverse)


def _folders(task: Coded) -> Coded:
    """The task's folder: `circuits` in `circuits/voltage-drop`; none for a task without one."""
    folders = [name.rpartition("/")[0] or NONE for name in task.categories]
    return _recoded(folders, task.codes)


def _named(column: Coded) -> Coded:
    return _recoded([*column.categories, NONE], column.codes)  # -1, none, picks the last


def _recoded(labels: Sequence[str], codes: np.ndarray[tuple[int], np.dtype[np.signedinteger]]) -> Coded:
    """Equal labels become one category; categories that no row has are left out."""
    names = np.array(labels, dtype=object)
    used = np.zeros(len(labels), bool)
    used[codes] = True
    categories = tuple(sorted(set(names[used].tolist())))
    place = {name: number for number, name in enumerate(categories)}
    table = np.array([place.get(name, -1) for name in labels], np.int32)
    return Coded(table[codes] if len(labels) else np.empty(0, np.int32), categories)
