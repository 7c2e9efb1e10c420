"""The gate, and the mean, for who watches results arrive: intervals that hold at every look.

Tasks count in an order that follows from their names and the seed alone, so it is fixed before the run. A
task whose result is missing holds back those behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from adjudge.ledger import TrialColumns, TrialFilter
from adjudge.reports.building.comparison import pick_sides
from adjudge.reports.building.gate import EXIT_CODES
from adjudge.reports.building.groups import METADATA, group, trials_of
from adjudge.reports.building.provenance import data_digest, plain_filter
from adjudge.reports.building.ruler import ruler_notes, same_ruler
from adjudge.reports.building.selection import scope_notes
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import SequentialGate
from adjudge.stats import GateOutcome, TrialTable, Watched, fixed_order, sequential_gate, watch_mean


def build_sequential_gate(
    columns: TrialColumns,
    baseline: str,
    candidate: str,
    choices: Choices,
    *,
    margin: float,
    threshold: float | None = None,
    wanted: TrialFilter | None = None,
    any_verifier: bool = False,
    attempts: Mapping[str, int] | None = None,
) -> SequentialGate:
    """Hold a candidate that is still running against its baseline, over the baseline's tasks.

    `attempts` is how many the candidate will make at each task: a task counts when it has them all, because
    a value that still moves must not be bet on; a task that it will not try is none to wait for. If nothing
    is planned, it is taken to make as many attempts at each task as the baseline made. Clusters are those
    that the baseline's trials name: they are known before the first result.
    """
    grouped = group(columns, choices.group_by)
    sides = pick_sides(grouped, columns, choices.group_by, (candidate, baseline))
    (a, code_a), (b, code_b) = sides.items()
    every = trials_of(_named_by(columns, grouped.codes == code_b, choices.cluster), choices.cluster)
    counted, ruler = same_ruler(columns, grouped, sides, any_verifier=any_verifier)
    known = [columns.task.categories[task] for task in np.unique(columns.task.codes[grouped.codes == code_b])]
    ours = counted & (grouped.codes == code_a)
    planned = _made(columns, counted & (grouped.codes == code_b)) if attempts is None else attempts
    verdict = sequential_gate(
        every.rows(ours & _finished(columns, ours, planned)),
        every.rows(counted & (grouped.codes == code_b)),
        _order(
            [task for task in known if attempts is None or task in attempts],
            columns,
            choices.seed,
            every,
        ),
        margin=margin,
        threshold=threshold,
        method=choices.how,
    )
    if ruler.differing and not any_verifier:
        why = "different versions of the verifier scored tasks that both sides share"
        verdict = verdict.model_copy(update={"outcome": GateOutcome.UNDECIDED, "reason": why})
    return SequentialGate(
        by=choices.group_by,
        baseline=b,
        candidate=a,
        threshold=threshold,
        choices=choices,
        verdict=verdict,
        ruler=ruler,
        exit_code=EXIT_CODES[verdict.outcome],
        notes=(*_held_back(columns, ours, planned), *ruler_notes(ruler), *scope_notes(choices, wanted)),
        filter=plain_filter(wanted),
        data_sha256=data_digest(columns),
    )


def watch_rewards(columns: TrialColumns, attempts: Mapping[str, int], choices: Choices) -> Watched:
    """The mean reward so far, with an interval that holds at every look, over tasks and planned attempts."""
    finished = _finished(columns, np.ones(len(columns), np.bool_), attempts)
    order = _order(list(attempts), columns, choices.seed)
    return watch_mean(trials_of(columns, choices.cluster).rows(finished), order, method=choices.how)


def _finished(
    columns: TrialColumns, ours: NDArray[np.bool_], attempts: Mapping[str, int]
) -> NDArray[np.bool_]:
    """Which trials are of tasks that have all their planned attempts."""
    made = np.bincount(columns.task.codes[ours], minlength=len(columns.task.categories))
    wanted = np.array([attempts.get(task, 0) for task in columns.task.categories], np.int64)
    return np.asarray((made >= wanted)[columns.task.codes], np.bool_)


def _made(columns: TrialColumns, rows: NDArray[np.bool_]) -> dict[str, int]:
    """How many of these trials each task has."""
    made = np.bincount(columns.task.codes[rows], minlength=len(columns.task.categories))
    return dict(zip(columns.task.categories, made.tolist(), strict=True))


def _held_back(columns: TrialColumns, ours: NDArray[np.bool_], planned: Mapping[str, int]) -> tuple[str, ...]:
    """Said if the candidate has begun tasks and not made all attempts at them."""
    made = _made(columns, ours)
    begun = sum(0 < made[task] < planned.get(task, 0) for task in made)
    if not begun:
        return ()
    those = "1 task counts" if begun == 1 else f"{begun:,} tasks count"
    return (
        f"{those} only when all attempts are made: as many as planned, or as --attempts says, or else as "
        "the baseline made.",
    )


def _named_by(columns: TrialColumns, rows: NDArray[np.bool_], cluster: str | None) -> TrialColumns:
    """The columns as if only these rows named a cluster: else the order would move as trials arrive."""
    key = (cluster or "").removeprefix(METADATA)
    if cluster is None or key not in columns.metadata:
        return columns
    found = columns.metadata[key]
    named = replace(found, codes=np.where(rows, found.codes, -1))
    return replace(columns, metadata={**columns.metadata, key: named})


def _order(
    planned: Sequence[str], columns: TrialColumns, seed: int, trials: TrialTable | None = None
) -> list[int | str]:
    """The planned tasks in their fixed order, as the codes of the columns; below 0 what has no trial yet.

    Whole clusters, if these trials have any. A cluster is called like the first of its tasks, so that the
    order depends on nothing but which tasks belong together.
    """
    code = {name: number for number, name in enumerate(columns.task.categories)}
    clusters = None
    if trials is not None and trials.cluster is not None:
        of = dict(zip(trials.task.tolist(), trials.cluster.tolist(), strict=True))
        first: dict[int | str, str] = {}
        for name in sorted(planned):
            first.setdefault(of[code[name]], name)
        clusters = [first[of[code[name]]] for name in planned]
    names = fixed_order(list(planned), seed=seed, clusters=clusters)
    return [code.get(str(name), -1 - at) for at, name in enumerate(names)]
