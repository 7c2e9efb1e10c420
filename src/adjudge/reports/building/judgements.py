"""What judges said, for reports: of one trial, and averaged like a reward, with how far it can be trusted.

The table has one row per judge for its whole score, one per criterion, and one for the reward that includes
the judge, if calibrations vouch for any. The newest judgement of a trial by each judge counts. Abstentions
are counted and have no number, so they are in no mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field

from adjudge.errors import clip
from adjudge.judges import (
    Calibrations,
    JudgeRecord,
    JudgeReward,
    has_judgements,
    is_calibrated,
    newest_calibrations,
    read_judgements,
    standing_reward,
    trust_label,
)
from adjudge.ledger import Coded, Ledger, TrialColumns
from adjudge.reports.building.groups import trials_of
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import JudgeRow
from adjudge.stats import Estimate, TrialTable, mean_reward, split

_LONGEST = 800
MOST_ROWS = 60
_AT_ONCE = 500
_WHOLE, _REWARD = "score", "judge reward"


class JudgedScores(Struct):
    """The numbers behind one row of the table."""

    rubric: str
    models: tuple[str, ...]
    samples: int
    judge: str
    what: str
    trust: str
    rows: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    abstained: int = 0


def read_judged(ledger: Ledger, columns: TrialColumns) -> list[JudgedScores]:
    """What judges said of the trials of a report, by judge and criterion; nothing if nobody was judged."""
    if not has_judgements(ledger):
        return []
    known = newest_calibrations(ledger)
    found: dict[tuple[str, str], JudgedScores] = {}
    numbers = columns.trial.tolist()
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        ids = ledger.trial_ids(some)
        judged = read_judgements(ledger, ids.values())
        for row, number in enumerate(some, start):
            newest = {made.judge: made for made in judged.get(ids[number], ())}
            for made in newest.values():
                reward = standing_reward(made, known)
                lines = list(_lines(made))
                if isinstance(reward, JudgeReward):
                    lines.append((_REWARD, reward.value))
                for what, score in lines:
                    trusted = known.get((made.judge, what))
                    label = trust_label(made, known)
                    if what not in (_WHOLE, _REWARD):
                        label = "calibrated" if trusted is not None and trusted.calibrated else "uncalibrated"
                    row_of = found.setdefault(
                        (made.judge, what),
                        JudgedScores(made.rubric, tuple(made.models), made.samples, made.judge, what, label),
                    )
                    if score is None:
                        row_of.abstained += 1
                    else:
                        row_of.rows.append(row)
                        row_of.shares.append(score)
    return sorted(found.values(), key=lambda one: (one.rubric, one.judge, *_order(one.what)))


def judge_rows(
    scores: list[JudgedScores], columns: TrialColumns, grouped: Coded, choices: Choices
) -> tuple[tuple[JudgeRow, ...], str | None]:
    """The table, or nothing and why."""
    if not scores:
        return (), "no trial was judged"
    every = trials_of(columns, choices.cluster)
    more = len(scores) - MOST_ROWS
    why = f"{more:,} rows are left out; adjudge export judgements has them all" if more > 0 else None
    return tuple(_row(one, every, grouped, choices) for one in scores[:MOST_ROWS]), why


def _lines(made: JudgeRecord) -> Iterator[tuple[str, float | None]]:
    yield _WHOLE, made.score
    for one in made.dimensions:
        if one.by == "judge":
            yield one.id, one.score


def _order(what: str) -> tuple[int, str]:
    return ({_REWARD: 0, _WHOLE: 1}.get(what, 2), what)


def _row(one: JudgedScores, every: TrialTable, grouped: Coded, choices: Choices) -> JudgeRow:
    rows = np.array(one.rows, np.int64)
    cluster = None if every.cluster is None else every.cluster[rows]
    trials = TrialTable.of(every.task[rows], one.shares, cluster=cluster, cluster_key=every.cluster_key)
    parts = split(trials, grouped.codes[rows]) if one.rows else {}
    return JudgeRow(
        rubric=one.rubric,
        models=one.models,
        samples=one.samples,
        judge=one.judge,
        what=one.what,
        trust=one.trust,
        trials=len(one.rows),
        abstained=one.abstained,
        overall=_mean(trials, choices) if one.rows else None,
        groups=tuple(
            _mean(parts[code], choices) if code in parts else None for code in range(len(grouped.categories))
        ),
    )


def _mean(trials: TrialTable, choices: Choices) -> Estimate:
    return mean_reward(trials, method=choices.how_graded)


def judgement_documents(records: Sequence[JudgeRecord], known: Calibrations) -> list[dict[str, Any]]:
    """Plain JSON, the newest last; an abstention has a reason and no number."""
    return [
        {
            "head": clip(
                f"{'abstained' if made.score is None else f'{made.score:.4g}'} by {', '.join(made.models)}"
                f", rubric {made.rubric}",
                _LONGEST,
            ),
            "calibrated": is_calibrated(made, known),
            "lines": [
                clip(f"{one.id}: {one.abstained or f'{one.score:.4g}'}  {one.evidence or ''}", _LONGEST)
                for one in made.dimensions
            ]
            + _reward_lines(made, known)
            + [clip(f"injection suspected: {text}", _LONGEST) for text in made.suspected[:3]],
        }
        for made in records
    ]


def _reward_lines(made: JudgeRecord, known: Calibrations) -> list[str]:
    """The reward that includes the judge, or why a rubric that asks for one got none."""
    if made.reward is None and made.reward_refused is None:
        return []
    found = standing_reward(made, known)
    if isinstance(found, JudgeReward):
        keys = ", ".join(key[:12] for key in found.calibrations)
        return [clip(f"judge reward {found.value:.4g}, calibration {keys}", _LONGEST)]
    return [clip(f"no judge reward: {found.why}", _LONGEST)]
