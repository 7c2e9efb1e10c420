"""Two or more sides held against each other on the tasks they share: what `adjudge compare` shows.

A side is an agent, a model, an experiment, a metadata value; or the same trials before and after they were
scored again. Every number is `adjudge.stats`': `rank_agents` for the claims, `paired_difference` for A - B in
the order in which the sides were named, `plan_power` for what more data would do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from adjudge.contracts import JsonObject
from adjudge.errors import UsageError
from adjudge.ledger import Coded, ReplacedColumns, TrialColumns, TrialFilter
from adjudge.reports.building.field_scores import field_trials
from adjudge.reports.building.groups import group, statuses, trials_of
from adjudge.reports.building.provenance import data_digest, plain_filter
from adjudge.reports.building.ruler import ruler_notes, same_ruler
from adjudge.reports.building.selection import scope_notes
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import Comparison, FieldDifference, Pair, Ruler, TaskDifference
from adjudge.stats import (
    PairedComparison,
    RankedAgent,
    TrialTable,
    benjamini_hochberg,
    fewest_groups,
    paired_difference,
    plan_power,
    rank_agents,
    reduce_side,
)

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents

MOST_SIDES = 40
BEFORE, AFTER = "before", "after"


def compare_groups(
    columns: TrialColumns,
    names: Sequence[str],
    choices: Choices,
    *,
    threshold: float | None = None,
    documents: Documents | str,
    wanted: TrialFilter | None = None,
    any_verifier: bool = False,
) -> Comparison:
    """Compare groups by their names; none named means all, by rank.

    UsageError for an unknown name, and where there are not two sides to compare.
    """
    grouped = group(columns, choices.group_by)
    sides = pick_sides(grouped, columns, choices.group_by, names)
    every = trials_of(columns, choices.cluster)
    counted, ruler = same_ruler(columns, grouped, sides, any_verifier=any_verifier)
    parts = {
        name: every.rows(np.flatnonzero(counted & (grouped.codes == code))) for name, code in sides.items()
    }
    codes = list(sides.values()) if names else []
    fields, reason = _fields(documents, every, grouped, codes, counted, choices)
    return _compare(
        parts,
        columns.task.categories,
        choices,
        threshold=threshold,
        fields=fields,
        fields_reason=reason,
        ruler=ruler,
        notes=(
            *ruler_notes(ruler),
            *scope_notes(choices, wanted),
            *_notes(columns, grouped, sides, choices.group_by),
        ),
        narrowed=plain_filter(wanted),
        in_order=bool(names),
        data_sha256=data_digest(columns),
    )


def compare_rescored(
    columns: TrialColumns,
    replaced: ReplacedColumns,
    choices: Choices,
    *,
    threshold: float | None = None,
    wanted: TrialFilter | None = None,
) -> Comparison:
    """The trials that were scored again: after against before. UsageError where none was."""
    if not len(replaced):
        raise UsageError(
            "none of these trials was scored again, so there is no before and after",
            remedy="adjudge rescore scores them again.",
        )
    order = np.argsort(columns.trial, kind="stable")
    rows = order[np.searchsorted(columns.trial[order], replaced.trial)]
    after = trials_of(columns, choices.cluster).rows(rows)
    before = TrialTable.of(
        after.task,
        replaced.reward,
        status=statuses(replaced.outcome),
        cluster=after.cluster,
        cluster_key=after.cluster_key,
    )
    moved = int((columns.reward[rows] != replaced.reward).sum())
    return _compare(
        {AFTER: after, BEFORE: before},
        columns.task.categories,
        choices.model_copy(update={"group_by": "evaluation"}),
        threshold=threshold,
        fields_reason="adjudge show --history has the fields that moved",
        notes=(
            f"{len(replaced):,} of {len(columns):,} trials were scored again; the reward of {moved:,} moved.",
            *scope_notes(choices, wanted),
        ),
        narrowed=plain_filter(wanted),
        data_sha256=data_digest(columns),
    )


def pick_sides(grouped: Coded, columns: TrialColumns, by: str, names: Sequence[str]) -> dict[str, int]:
    """Name -> code of the sides. An agent may be named without its model where that is not ambiguous."""
    if not names:
        if len(grouped.categories) < 2:
            raise UsageError(
                "a comparison needs two sides",
                field=f"--by {by}",
                found=f"only {grouped.categories[0]}" if grouped.categories else "no trials",
                remedy="adjudge report tells of one side alone; adjudge trials shows what the ledger holds.",
            )
        if len(grouped.categories) > MOST_SIDES:
            raise UsageError(
                f"{len(grouped.categories)} groups make too many pairs", remedy="Name the ones to compare."
            )
        return {name: code for code, name in enumerate(grouped.categories)}
    short: dict[str, list[str]] = {}
    if by == "agent":
        for agent in columns.agent.categories:
            short[agent] = [
                name for name in grouped.categories if name == agent or name.startswith(f"{agent} (")
            ]
    sides: dict[str, int] = {}
    for name in names:
        found = [name] if name in grouped.categories else short.get(name, [])
        if len(found) != 1:
            raise UsageError(
                f"{'several groups are' if found else 'no group is'} called so",
                field=f"--by {by}",
                found=name,
                allowed=", ".join((found or grouped.categories)[:20]) or "there are no trials",
            )
        sides[found[0]] = grouped.categories.index(found[0])
    if len(sides) < 2:
        raise UsageError("a comparison needs two different sides", found=list(names))
    return sides


def _compare(
    parts: Mapping[str, TrialTable],
    tasks: Sequence[str],
    choices: Choices,
    *,
    threshold: float | None,
    data_sha256: str,
    in_order: bool = True,
    fields: tuple[FieldDifference, ...] = (),
    fields_reason: str | None = None,
    notes: tuple[str, ...] = (),
    ruler: Ruler | None = None,
    narrowed: JsonObject | None = None,
) -> Comparison:
    common: dict[str, Any] = {"threshold": threshold, "method": choices.how}
    ranking = rank_agents(parts, **common)
    named = list(parts) if in_order else [agent.agent for agent in ranking.agents]
    pairs = []
    for pair in ranking.pairs:
        a, b = sorted((pair.a, pair.b), key=named.index)
        comparison = (
            pair.comparison if a == pair.a else paired_difference(parts[a], parts[b], names=(a, b), **common)
        )
        interval = pair.interval
        if interval is not None and interval.level == choices.level:
            interval = comparison.difference.interval  # the same, to the last digit of this order of sides
        elif interval is not None and a != pair.a:
            interval = interval.model_copy(update={"low": -interval.high, "high": -interval.low})
        level = choices.level if interval is None else interval.level
        pairs.append(
            Pair(
                a=a,
                b=b,
                comparison=comparison,
                p_adjusted=pair.p_adjusted,
                better=pair.better,
                withheld=pair.withheld,
                interval=interval,
                caveats=pair.caveats,
                plan=plan_power(
                    parts[a],
                    parts[b],
                    threshold=threshold,
                    method=replace(choices.how, level=level),
                    simulate=len(parts) == 2,
                ),
            )
        )
    pairs.sort(key=lambda pair: (named.index(pair.a), named.index(pair.b)))
    return Comparison(
        by=choices.group_by,
        choices=choices,
        threshold=threshold,
        sides=tuple(named),
        ranking=tuple(map(_known_trials, ranking.agents)),
        pairs=tuple(pairs),
        tasks=_tasks([parts[name] for name in named], tasks, choices, threshold) if len(named) == 2 else (),
        fields=fields,
        fields_reason=fields_reason,
        notes=(*notes, *_many(pairs, choices.level)),
        ruler=ruler or Ruler(),
        filter=narrowed or {},
        data_sha256=data_sha256,
    )


def _known_trials(agent: RankedAgent) -> RankedAgent:
    """Of a side none of whose trials count, that they were left out: a side has trials, or it is none."""
    if agent.reward.coverage is None or agent.reward.coverage.trials:
        return agent
    why = "all of its trials are left out: other versions of the verifier scored them"
    return agent.model_copy(update={"reward": agent.reward.model_copy(update={"reason": why})})


def _many(pairs: Sequence[Pair], level: float) -> tuple[str, ...]:
    """With several pairs: at which levels their intervals are, and what that is for."""
    levels = [pair.interval.level for pair in pairs if pair.interval is not None]
    if not levels or max(levels) == level:
        return ()
    withheld = " or withheld" if any(pair.withheld for pair in pairs) else ""
    span = " to ".join(dict.fromkeys(f"{100 * end:.4g}" for end in (min(levels), max(levels))))
    return (
        f"Intervals, and what each pair could show, are at the level at which Holm tests the pair among "
        f"{len(levels):,} ({span} %): an interval excludes 0 exactly if a better side is named{withheld}.",
        *_too_few(pairs, len(levels), level),
    )


def _too_few(pairs: Sequence[Pair], tested: int, level: float) -> tuple[str, ...]:
    """Said if no pair shares enough tasks for Holm's first step, whatever the rewards."""
    needed = fewest_groups(1 - (1 - level) / tested)
    estimates = [pair.comparison.difference for pair in pairs]
    most = max(e.n if e.clusters is None else e.clusters for e in estimates)
    if most >= needed:
        return ()
    unit = "tasks" if all(e.clusters is None for e in estimates) else "clusters"
    return (
        f"Among {tested:,} pairs it takes {needed} shared {unit} to show anything, whatever the rewards; no "
        f"pair has more than {most}. Name fewer sides to compare.",
    )


def _tasks(
    sides: Sequence[TrialTable], names: Sequence[str], choices: Choices, threshold: float | None
) -> tuple[TaskDifference, ...]:
    # A task on which every verifier failed has no result: it is no tie, and not in the list.
    left, right = (
        dict(zip(table.task.tolist(), table.mean.tolist(), strict=True))
        for table in (reduce_side(t, policy=choices.policy, threshold=threshold).table for t in sides)
    )
    rows = [TaskDifference(task=names[t], a=left[t], b=right[t]) for t in left.keys() & right.keys()]
    return tuple(sorted(rows, key=lambda row: (row.b - row.a, row.task)))


def _fields(
    documents: Documents | str,
    every: TrialTable,
    grouped: Coded,
    codes: Sequence[int],
    counted: npt.NDArray[np.bool_],
    choices: Choices,
) -> tuple[tuple[FieldDifference, ...], str | None]:
    """Two sides, field by field, on the rows that are counted; the smallest p first."""
    if isinstance(documents, str):
        return (), documents
    if len(codes) != 2:
        return (), "they are compared where two sides are named"
    found: list[tuple[str, PairedComparison]] = []
    for name, scores in sorted(documents.fields.items()):
        trials, rows_of = field_trials(scores, every), np.array(scores.rows)
        owner = np.where(counted[rows_of], grouped.codes[rows_of], -1)
        a, b = (trials.rows(np.flatnonzero(owner == code)) for code in codes)
        if len(a) and len(b):
            compared = paired_difference(a, b, method=choices.how_graded)
            found.append((name, compared))
    adjusted = benjamini_hochberg([comparison.p for _, comparison in found])
    rows = [
        FieldDifference(field=name, comparison=comparison, p_adjusted=p)
        for (name, comparison), p in zip(found, adjusted, strict=True)
    ]
    rows.sort(
        key=lambda r: (
            2.0 if r.comparison.p is None else r.comparison.p,
            -abs(r.comparison.difference.value or 0.0),
            r.field,
        )
    )
    return tuple(rows), None if rows else "the two sides share no field"


def _notes(columns: TrialColumns, grouped: Coded, sides: Mapping[str, int], by: str) -> tuple[str, ...]:
    """Where the sides differ in more than what is compared."""
    notes = []
    for name, column in (("agent", columns.agent), ("model", columns.model)):
        if by in (name, "agent"):
            continue
        made_by = {
            side: np.unique(column.codes[grouped.codes == code]).tolist() for side, code in sides.items()
        }
        if len({tuple(found) for found in made_by.values()}) > 1:
            notes.append(f"The sides were not made by the same {name}s; --{name} picks one.")
    return tuple(notes)
