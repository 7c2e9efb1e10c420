"""Comparisons and gates in words and cells, shared by the terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.reports.models.comparison import (
    Comparison,
    FieldDifference,
    Pair,
    RegressionGate,
    SequentialGate,
    TaskDifference,
)
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.plan_sentences import OUT_OF_REACH, small
from adjudge.stats import GateOutcome, PowerPlan, RankedAgent

MOST_TASKS = 8
MOST_FIELDS = 12
MOST_PAIRS = 45
"""Pairs that are listed in a text, or in the open on a page: all of ten sides."""
ALL_EQUAL = "They have the same mean on every task they share."
_GATE_TITLES = {
    GateOutcome.PASS: "gate passed",
    GateOutcome.REGRESSED: "gate failed: the candidate regressed",
    GateOutcome.UNDECIDED: "gate undecided",
}


def pair_sentences(pair: Pair) -> Iterator[str]:
    """What the data say about A and B. Undefined numbers come with their reason."""
    found, difference = pair.comparison, pair.shown
    if difference.value is None:
        yield f"{pair.a} and {pair.b} cannot be compared: {difference.reason}."
        return
    yield (
        f"{pair.a} minus {pair.b}: {wording.estimate(difference, sign=True)} on "
        f"{wording.count(found.shared, 'shared task')} ({wording.number(found.mean_a)} against "
        f"{wording.number(found.mean_b)})."
    )
    yield _verdict(pair)
    yield (
        f"{pair.a} is higher on {wording.count(found.wins, 'task')}, lower on {found.losses:,}, "
        f"equal on {found.ties:,}."
    )
    if difference.bounds is not None:
        low, high = wording.signed(difference.bounds.low), wording.signed(difference.bounds.high)
        yield f"Machinery failures leave the difference anywhere in [{low}, {high}]."
    yield from (f"{note[:1].upper()}{note[1:]}." for note in (*difference.caveats, *difference.notes))
    if difference.reason:
        yield f"No interval: {difference.reason}."
    yield from plan_sentences(pair.plan, settled=named(pair) is not None)


def _verdict(pair: Pair) -> str:
    found = pair.comparison
    if found.p is None:
        return f"Nothing is shown: {found.p_reason}."
    how = f"{wording.p_value(found.p)}, {found.p_method}"
    if pair.p_adjusted is not None and pair.p_adjusted != found.p:
        how += f"; Holm {wording.p_value(pair.p_adjusted)}"
    if pair.withheld is not None:
        failed = found.difference.coverage.verifier_failed if found.difference.coverage else 0
        return (
            f"{pair.withheld} is ahead ({how}), but is not called better: "
            f"{wording.count(failed, 'machinery failure')} could undo it. "
            "Score those trials again with adjudge rescore."
        )
    if pair.better is None:
        return f"Neither is shown to be better ({how})."
    return f"{pair.better} is better ({how})."


def plan_sentences(plan: PowerPlan, *, settled: bool = False) -> Iterator[str]:
    """What this data could have shown, and what would settle it, unless it is settled."""
    power = wording.percent(plan.power)
    for_gate = plan.goal == "gate"
    if plan.detectable is not None:
        what = "margin that a candidate without a loss would pass on" if for_gate else "difference"
        done = "" if for_gate else " could have shown"
        yield (
            f"The smallest {what} these {plan.tasks:,} tasks{done}, with {power} power: "
            f"{wording.number(plan.detectable)}."
        )
    elif plan.parts is not None:
        what = "passed any margin" if for_gate else "shown any difference"
        yield f"These {plan.tasks:,} tasks could not have {what} with {power} power."
    if settled:
        return
    if plan.reason:
        yield f"No plan for more data: {plan.reason}."
    if plan.delta is not None and not plan.reason:
        show = (
            f"rule out a loss of {plan.delta:g}, if there is none, with {power} power"
            if for_gate
            else f"show a difference of {small(plan.delta)} with {power} power"
        )
        if plan.tasks_needed is None:
            yield f"To {show}: {OUT_OF_REACH}."
            return
        more = plan.tasks_needed - plan.tasks
        if more <= 0:
            yield f"To {show}, these tasks are enough: it takes {plan.tasks_needed:,}."
            return
        attempts = (
            f"or {wording.count(plan.attempts_needed, 'attempt')} a task on the present tasks"
            if plan.attempts_needed is not None
            else "and no number of attempts on the present tasks alone would do"
        )
        yield f"To {show}: {plan.tasks_needed:,} tasks ({more:,} more), {attempts}."


def gate_title(found: RegressionGate | SequentialGate) -> str:
    """The verdict in a few words."""
    title = _GATE_TITLES[found.verdict.outcome]
    return f"sequential {title}" if isinstance(found, SequentialGate) else title


def gate_sentences(found: RegressionGate | SequentialGate) -> Iterator[str]:
    """Why the gate decided as it did."""
    if isinstance(found, SequentialGate):
        yield from _sequential_sentences(found)
        return
    comparison, difference = found.verdict.comparison, found.verdict.comparison.difference
    yield f"{found.verdict.reason[:1].upper()}{found.verdict.reason[1:]}."
    yield (
        f"{found.candidate} minus {found.baseline}: {wording.estimate(difference, sign=True)} on "
        f"{wording.count(comparison.shared, 'shared task')}; higher on {comparison.wins:,}, lower on "
        f"{comparison.losses:,}, equal on {comparison.ties:,}."
    )
    if difference.coverage is not None:
        yield f"Trials of both: {', '.join(wording.coverage(difference.coverage))}."
    said = (*found.verdict.caveats, *difference.caveats, *difference.notes)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in said)
    if found.verdict.outcome is GateOutcome.UNDECIDED and not found.ruler.differing:
        yield from plan_sentences(found.verdict.plan)
    yield from found.notes


def _sequential_sentences(found: SequentialGate) -> Iterator[str]:
    """Why a gate that is watched says what it says now, and what watching costs."""
    verdict, watched = found.verdict, found.verdict.watched
    yield f"{verdict.reason[:1].upper()}{verdict.reason[1:]}."
    yield (
        f"{found.candidate} minus {found.baseline}: {wording.estimate(watched.estimate, sign=True)} on "
        f"{watched.estimate.n:,} of {watched.planned:,} planned tasks, in an order fixed by the seed "
        f"{found.choices.seed}; {watched.waiting:,} finished ones wait for one before them."
    )
    if watched.estimate.value is None:
        yield f"{(watched.estimate.reason or '').capitalize()}."
    said = (*watched.estimate.caveats, *watched.estimate.notes)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in said)
    if watched.price is not None:
        yield (
            f"Looking at any time has its price: the interval is {watched.price:.2g} times as wide as that "
            "for one look, so this gate decides later than the one without --sequential, by design."
        )
    yield from found.notes


def ranks(agent: RankedAgent) -> str:
    """`1`, `2–4`; `–` for an agent without a mean."""
    if agent.best_rank is None or agent.worst_rank is None:
        return "–"
    return (
        f"{agent.best_rank}"
        if agent.best_rank == agent.worst_rank
        else f"{agent.best_rank}–{agent.worst_rank}"
    )


def comparison_title(found: Comparison) -> str:
    """What is compared with what."""
    return f"comparison by {found.by}: {', '.join(found.sides[:6])}" + (
        f" and {len(found.sides) - 6} more" if len(found.sides) > 6 else ""
    )


def measure(threshold: float | None) -> str:
    """What is compared: the reward, or how often it reaches a threshold."""
    return "mean reward" if threshold is None else f"share of attempts with reward ≥ {threshold:g}"


def stands_on(agent: RankedAgent) -> str:
    """What a mean is made of: coverage, bounds, and why something is missing."""
    return " · ".join(wording.beside(agent.reward))


def listed_pairs(found: Comparison) -> list[Pair]:
    """The pairs that a text lists: all, or of very many those with the smallest p, in the usual order."""
    if len(found.pairs) <= MOST_PAIRS:
        return list(found.pairs)

    def chance(at: int) -> tuple[float, float]:
        pair = found.pairs[at]
        return tuple(2.0 if p is None else p for p in (pair.p_adjusted, pair.comparison.p))  # type: ignore[return-value]  # two

    smallest = sorted(range(len(found.pairs)), key=chance)[:MOST_PAIRS]
    return [found.pairs[at] for at in sorted(smallest)]


def unlisted_pairs(found: Comparison) -> str | None:
    """What was left out of the list, and where it is; None if nothing was."""
    rest = len(found.pairs) - len(listed_pairs(found))
    if not rest:
        return None
    shown = sum(pair.better is not None for pair in found.pairs)
    return (
        f"These are the {MOST_PAIRS} pairs with the smallest p; {rest:,} more are in --format html and json. "
        f"A better side is named in {shown:,} of all {len(found.pairs):,}."
    )


def pair_warnings(found: Comparison) -> Iterator[str]:
    """What a list of pairs does not say: what may make a claim untrue, and why a pair has no number."""
    said: dict[str, list[str]] = {}
    for pair in listed_pairs(found):
        if pair.shown.value is None:
            said.setdefault(f"cannot be compared: {pair.shown.reason}", []).append(f"{pair.a} and {pair.b}")
        for caveat in pair.shown.caveats:
            said.setdefault(caveat, []).append(f"{pair.a} minus {pair.b}")
    for what, pairs in said.items():
        yield f"{wording.some(pairs)}: {what}."


def named(pair: Pair) -> str | None:
    """Who is shown to be better, in a cell; None if nobody is."""
    return f"{pair.withheld}, unless failures undo it" if pair.withheld else pair.better


def pair_cells(pair: Pair) -> list[str]:
    """Difference, p, which is better, and what could have been shown."""
    return [
        wording.estimate(pair.shown, sign=True),
        wording.p_value(pair.p_adjusted).removeprefix("p ").removeprefix("= "),
        named(pair) or "not shown",
        "–" if pair.plan.detectable is None else wording.number(pair.plan.detectable),
    ]


def field_heads(found: Comparison) -> list[str]:
    """Without the p where no field has one, as where each occurs in a single task."""
    tested = any(f.p_adjusted is not None for f in found.fields)
    return ["", "difference", "shared tasks", *(["p"] if tested else [])]


def field_cells(found: FieldDifference) -> list[str]:
    """What `field_heads` name, without the field."""
    return [
        wording.estimate(found.comparison.difference, sign=True),
        f"{found.comparison.shared:,}",
        wording.p_value(found.p_adjusted).removeprefix("p ").removeprefix("= "),
    ]


def task_cells(found: Comparison) -> list[list[str]]:
    """The tasks that differ most: name, the two means, their difference."""
    return [
        [t.task, wording.number(t.a), wording.number(t.b), wording.signed(t.a - t.b)]
        for t in _extremes(found)
    ]


def _extremes(found: Comparison) -> list[TaskDifference]:
    """The largest wins and the largest losses of A; tasks on which the two are equal are left out."""
    apart = [row for row in found.tasks if row.a != row.b]
    if len(apart) <= 2 * MOST_TASKS:
        return apart
    return [*apart[:MOST_TASKS], *apart[-MOST_TASKS:]]
