"""Many agents: every pair compared, Holm over all pairs, and a ranking that shows what is tied.

An agent's rank is a range. Its best is one below the agents that are shown to be better, its worst one
above those shown to be worse; two agents between whom nothing is shown overlap. "Shown" is: Holm's adjusted
p of the paired difference is at most 1 - level, and no machinery failure could undo it. So the chance of even
one false "better" anywhere is at most 1 - level.

Holm tests the pair with the smallest p at 1 - level divided by the number of pairs, the next by one less, and
so on until one is not shown; all that are left are tested like that one. `AgentPair.interval` is the pair's
interval at the level at which it was tested, so it excludes zero exactly if a better agent is named or
withheld. The interval in its `comparison` is for this pair alone. Single-step intervals for all pairs at once
would show less (docs/design/statistics.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from pydantic import Field

from adjudge.contracts import Interval, StrictModel
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.mean import mean_reward
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.difference import DifferenceTest
from adjudge.stats.pairs.multiplicity import holm
from adjudge.stats.pairs.paired import PairedComparison, compare_sides, undone
from adjudge.stats.pairs.sides import Side, reduce_side
from adjudge.stats.trial_table import TrialTable


class AgentPair(StrictModel):
    """A against B, with the p and the interval that count all the pairs looked at."""

    a: str
    b: str
    comparison: PairedComparison
    """For this pair alone."""
    interval: Interval | None = None
    """At the level at which Holm tests this pair; None if the pair has none of its own."""
    caveats: tuple[str, ...] = ()
    """What may make this interval, or the claim read off it, untrue."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    better: str | None = None
    """The one that is shown to be better; None if nothing is shown."""
    withheld: str | None = None
    """The one that the interval shows to be better, if machinery failures could undo that."""


class RankedAgent(StrictModel):
    """An agent, its mean reward over its own tasks, and the ranks the data allow."""

    agent: str
    reward: Estimate
    best_rank: int | None = Field(default=None, ge=1)
    """None for an agent without a mean reward."""
    worst_rank: int | None = Field(default=None, ge=1)


class Ranking(StrictModel):
    """All agents, the highest mean reward first; equal ones by name. And every pair of them."""

    level: float
    agents: tuple[RankedAgent, ...]
    pairs: tuple[AgentPair, ...]


def rank_agents(
    agents: Mapping[str, TrialTable],
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> Ranking:
    """Compare every pair on its shared tasks and rank. One agent has rank 1 and no pairs; none give nothing.

    A pair without a p-value (no shared task, or only one) is shown to be nothing.
    """
    rewards = {
        name: mean_reward(trials, threshold=threshold, method=method) for name, trials in agents.items()
    }
    order = sorted(agents, key=lambda name: (-_or_below(rewards[name].value), name))
    sides = {name: reduce_side(agents[name], policy=method.policy, threshold=threshold) for name in order}
    compare = partial(compare_sides, threshold=threshold, method=method)
    compared = [(a, b, *compare(sides[a], sides[b], names=(a, b))) for a, b in combinations(order, 2)]
    adjusted = holm([comparison.p for _, _, comparison, _ in compared])
    levels = _levels([test for *_, test in compared], method.level)
    pairs = tuple(
        AgentPair(
            a=a,
            b=b,
            comparison=comparison,
            interval=None if test is None else test.interval(level),
            caveats=() if test is None else test.caveats(level),
            p_adjusted=p,
            **_claim(a, b, sides, test, level),
        )
        for (a, b, comparison, test), p, level in zip(compared, adjusted, levels, strict=True)
    )
    beaten = dict.fromkeys(order, 0)
    beats = dict.fromkeys(order, 0)
    for pair in pairs:
        if pair.better is not None:
            beats[pair.better] += 1
            beaten[pair.b if pair.better == pair.a else pair.a] += 1
    ranked = [name for name in order if rewards[name].value is not None]
    return Ranking(
        level=method.level,
        agents=tuple(
            RankedAgent(
                agent=name,
                reward=rewards[name],
                best_rank=1 + beaten[name] if name in ranked else None,
                worst_rank=len(ranked) - beats[name] if name in ranked else None,
            )
            for name in order
        ),
        pairs=pairs,
    )


def _claim(
    a: str, b: str, sides: Mapping[str, Side], test: DifferenceTest | None, level: float
) -> dict[str, str | None]:
    """Who is better, or who would be if machinery failures could not undo it; nobody without a test."""
    if test is None:
        return {}
    side = (None, a, b)[test.shows(level)]
    return {"withheld" if undone(sides[a], sides[b], test, level) else "better": side}


def _or_below(value: float | None) -> float:
    return -1.0 if value is None else value


def _levels(tests: Sequence[DifferenceTest | None], level: float) -> list[float]:
    """The level at which Holm tests each pair; `level` itself for pairs without a test."""
    order = sorted((at for at, test in enumerate(tests) if test), key=lambda at: (tests[at].p, at))  # type: ignore[union-attr]  # those without are left out
    levels = [level] * len(tests)
    strictest = level
    shown = True
    for place, at in enumerate(order):
        test = tests[at]
        if shown and test is not None:
            strictest = 1 - (1 - level) / (len(order) - place)
            shown = test.shows(strictest) != 0
        levels[at] = strictest
    return levels
