"""Fill a `Report` from columns: group the trials, ask `adjudge.stats`, lay the answers out.

Pure: columns and what was read beside them go in, a report comes out. No number is computed here that
`adjudge.stats` defines; what is counted here is counted (trials, tags, tasks), nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import UsageError
from adjudge.ledger import Coded, TagColumns, TrialColumns, TrialFilter
from adjudge.reports.building.agreement import agreement_by_group, build_agreement
from adjudge.reports.building.comparison import compare_groups
from adjudge.reports.building.field_scores import field_rows
from adjudge.reports.building.groups import group, statuses, trials_of
from adjudge.reports.building.judgements import JudgedScores, judge_rows
from adjudge.reports.building.provenance import excluded, notes, provenance
from adjudge.reports.building.task_rows import task_rows
from adjudge.reports.building.taxonomy import category_rows
from adjudge.reports.building.trends import build_trend
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import Comparison
from adjudge.reports.models.report import Group, Named, Report, Spend
from adjudge.reports.rendering import wording
from adjudge.scoring import Outcome
from adjudge.stats import (
    Estimate,
    ShortTask,
    Status,
    TrialTable,
    confidence_of,
    largest_k,
    left_out,
    mean_reward,
    pass_at_k,
    pass_hat_k,
    split,
    task_table,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adjudge.reports.building.documents import Documents
    from adjudge.reports.building.reviews import Reviews

MOST_GROUPS = 1_000
MOST_SHORT = 5
"""Tasks with too few attempts that are named beside pass@k."""
MOST_COMPARED = 6
NO_DOCUMENTS = "the trials' documents were not read"


def build_report(
    columns: TrialColumns,
    choices: Choices,
    *,
    tags: TagColumns | None = None,
    documents: Documents | str = NO_DOCUMENTS,
    reviews: Reviews | None = None,
    judged: list[JudgedScores] | None = None,
    wanted: TrialFilter | None = None,
) -> Report:
    """The report of these trials. No trials give a report without groups, and a note that says so.

    `documents` that were not read are a sentence that says why; the per-field table repeats it.
    """
    by = group(columns, choices.group_by)
    if len(by.categories) > MOST_GROUPS:
        raise UsageError(
            f"{len(by.categories):,} groups are more than anybody reads",
            field=choices.group_by,
            allowed=f"up to {MOST_GROUPS}",
            remedy="Group by a key with fewer values, or narrow the report with a filter.",
        )
    trials = trials_of(columns, choices.cluster)
    parts: dict[int, TrialTable] = split(trials, by.codes) if len(columns) else {}
    ks = choices.ks if choices.ks is not None else _usual_attempts(parts.values())
    rewards = {code: _mean(part, choices) for code, part in parts.items()}
    order = sorted(parts, key=lambda code: (_rank(rewards[code]), by.categories[code]))
    place = np.full(len(by.categories), -1, np.int32)
    place[order] = np.arange(len(order))
    grouped = Coded(place[by.codes] if order else by.codes, tuple(by.categories[c] for c in order))
    agreed = agreement_by_group(reviews, grouped, columns, choices)
    rows = _rows_of(grouped)
    groups = tuple(
        _group(
            grouped.categories[at],
            parts[code],
            rewards[code],
            columns,
            rows[at],
            choices,
            ks,
            agreed[at] if agreed else None,
            documents,
        )
        for at, code in enumerate(order)
    )
    tasks, tasks_reason = task_rows(columns, trials, [parts[code] for code in order], choices.policy)
    fields, fields_reason = field_rows(documents, columns, grouped, choices)
    taxonomy, taxonomy_reason = category_rows(tags, columns, grouped, documents)
    agreement, agreement_reason = build_agreement(reviews, columns, grouped, choices)
    judges, judges_reason = judge_rows(judged or [], columns, grouped, choices)
    compared, compared_reason = _compare(columns, grouped, choices, documents, wanted)
    return Report(
        choices=choices.model_copy(update={"ks": tuple(ks)}),
        trials=len(columns),
        task_count=len(columns.task.categories),
        experiments=columns.experiment.categories,
        groups=groups,
        tasks=tasks,
        tasks_reason=tasks_reason,
        fields=fields,
        fields_reason=fields_reason,
        taxonomy=taxonomy,
        taxonomy_reason=taxonomy_reason,
        judges=judges,
        judges_reason=judges_reason,
        agreement=agreement,
        agreement_reason=agreement_reason,
        comparison=compared,
        comparison_reason=compared_reason,
        trend=build_trend(trials, columns, grouped, groups, choices),
        excluded=excluded(columns, groups, choices, wanted, reviews),
        notes=notes(columns, groups, choices, wanted),
        provenance=provenance(columns, groups, agreement, wanted, documents),
    )


def _compare(
    columns: TrialColumns,
    grouped: Coded,
    choices: Choices,
    documents: Documents | str,
    wanted: TrialFilter | None,
) -> tuple[Comparison | None, str | None]:
    """The groups held against each other, or none and why."""
    count = len(grouped.categories)
    if not 2 <= count <= MOST_COMPARED:
        few = "there is one group alone" if count < 2 else f"{count:,} groups are too many pairs for a report"
        return None, f"{few}; adjudge compare takes the ones you name"
    if choices.group_by == "category":
        return None, "categories share no tasks"
    names = grouped.categories if count == 2 else ()
    return compare_groups(columns, names, choices, documents=documents, wanted=wanted), None


def _mean(trials: TrialTable, choices: Choices, *, threshold: float | None = None) -> Estimate:
    return mean_reward(trials, threshold=threshold, method=choices.how)


def _rank(estimate: Estimate) -> float:
    return math.inf if estimate.value is None else -estimate.value


def _usual_attempts(parts: Any) -> tuple[int, ...]:
    """The most common number of attempts at a task, as the one k; nothing where tasks were tried once."""
    counts: dict[int, int] = {}
    for part in parts:
        for attempts, times in zip(*np.unique(task_table(part).attempts, return_counts=True), strict=True):
            counts[int(attempts)] = counts.get(int(attempts), 0) + int(times)
    if not counts:
        return ()
    usual = max(counts, key=lambda attempts: (counts[attempts], attempts))
    return (usual,) if usual > 1 else ()


def _rows_of(grouped: Coded) -> list[NDArray[np.int64]]:
    order = np.argsort(grouped.codes, kind="stable")
    ends = np.cumsum(np.bincount(grouped.codes, minlength=len(grouped.categories)))
    return np.split(order, ends[:-1]) if len(grouped.categories) else []


def _group(
    name: str,
    trials: TrialTable,
    reward: Estimate,
    columns: TrialColumns,
    rows: NDArray[np.int64],
    choices: Choices,
    ks: Sequence[int],
    agreement: tuple[int, Estimate] | None,
    documents: Documents | str,
) -> Group:
    attempts = task_table(trials).attempts
    return Group(
        name=name,
        trials=len(trials),
        tasks=len(attempts),
        attempts=(int(attempts.min()), int(attempts.max())),
        reward=reward,
        passes=_passes(trials, choices, ks, columns.task.categories),
        outcomes=_outcomes(columns, rows),
        schema_invalid=int((columns.output_parseable[rows] & ~columns.schema_valid[rows]).sum()),
        distribution=_distribution(trials),
        cost_usd=spend(columns.cost_usd[rows]),
        verifier_sec=spend(columns.duration_sec[rows]),
        agent_sec=None if isinstance(documents, str) else spend(documents.agent_sec[rows]),
        input_tokens=None if isinstance(documents, str) else spend(documents.tokens[rows, 0]),
        output_tokens=None if isinstance(documents, str) else spend(documents.tokens[rows, 1]),
        cost_per_success=_cost_per_success(columns, rows, choices),
        confidence=confidence_of(
            reward,
            agreement=agreement[1] if agreement else None,
            annotator_count=agreement[0] if agreement else None,
        ),
    )


def _passes(
    trials: TrialTable, choices: Choices, ks: Sequence[int], tasks: Sequence[str]
) -> tuple[Named, ...]:
    """The pass rate, then pass@k and pass^k for each k above 1; at k = 1 all three are one number.

    Beside those that leave tasks out stand the tasks, and the number for the most attempts that all have.
    """
    common: dict[str, Any] = {"threshold": choices.success, "method": choices.how_graded}
    rate = _mean(trials, choices, threshold=choices.success)
    passes = [Named(name="pass rate", estimate=rate)]
    everywhere = largest_k(trials, method=choices.how_graded)
    for k in ks:
        if k == 1:
            continue
        short = left_out(trials, k, **common)
        for sign, measure in (("@", pass_at_k), ("^", pass_hat_k)):
            found = measure(trials, k, **common)
            notes = [_short_tasks(short, tasks)] if short and sign == "@" else []
            if short and everywhere and everywhere > 1:
                offered = wording.estimate(measure(trials, everywhere, **common))
                notes.append(f"pass{sign}{everywhere}, which counts every task: {offered}")
            passes.append(
                Named(
                    name=f"pass{sign}{k}",
                    estimate=found.model_copy(update={"notes": (*found.notes, *notes)}),
                )
            )
    return tuple(passes)


def _short_tasks(short: Sequence[ShortTask], tasks: Sequence[str]) -> str:
    named = ", ".join(
        f"{tasks[int(one.task)]} ({one.successes} of {one.attempts} passed)" for one in short[:MOST_SHORT]
    )
    more = f" and {len(short) - MOST_SHORT:,} more" if len(short) > MOST_SHORT else ""
    return f"tasks left out, worst first: {named}{more}"


def _outcomes(columns: TrialColumns, rows: NDArray[np.int64]) -> dict[str, int]:
    counts: Mapping[str, int] = dict(
        zip(
            columns.outcome.categories,
            np.bincount(columns.outcome.codes[rows], minlength=len(columns.outcome.categories)).tolist(),
            strict=True,
        )
    )
    return {outcome.value: counts.get(outcome.value, 0) for outcome in Outcome}


def _distribution(trials: TrialTable) -> tuple[int, ...]:
    known = trials.reward[trials.status != Status.VERIFIER_FAILED]
    inside = known[(known > 0) & (known < 1)]
    tenths = np.bincount(np.minimum((inside * 10).astype(np.int64), 9), minlength=10).tolist()
    return (int((known == 0).sum()), *tenths, int((known == 1).sum()))


def _cost_per_success(columns: TrialColumns, rows: NDArray[np.int64], choices: Choices) -> float | None:
    scored = statuses(columns.outcome)[rows] == Status.SCORED  # a failed machinery may have left a reward
    succeeded = int((scored & (columns.reward[rows] >= choices.success)).sum())
    costs = columns.cost_usd[rows]
    return math.fsum(costs.tolist()) / succeeded if succeeded and not np.isnan(costs).any() else None


def spend(values: NDArray[np.float64]) -> Spend:
    """What is known of a cost or a time; NaN is not known."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Spend(known=0)
    total = math.fsum(known.tolist())
    median, p95 = np.quantile(known, [0.5, 0.95], method="inverted_cdf").tolist()
    return Spend(known=len(known), total=total, per_trial=total / len(known), median=median, p95=p95)
