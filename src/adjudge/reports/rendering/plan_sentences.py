"""A plan in words and cells, shared by the terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.reports.models.comparison import DataPlan
from adjudge.reports.rendering import wording
from adjudge.stats import PowerPlan, fewest_groups

MOST_STEPS = 10
OUT_OF_REACH = "no number of tasks up to ten million would do"


def plan_title(found: DataPlan) -> str:
    """What is planned, and from what."""
    goal = "passing a gate" if found.goal == "gate" else "showing a difference"
    source = "from assumptions" if found.sides is None else f"from {found.sides[0]} and {found.sides[1]}"
    return f"a plan for {goal}, {source}"


def plan_facts(found: DataPlan) -> Iterator[str]:
    """What it takes, in sentences; the reason if nobody can tell."""
    plan = found.plan
    power, level = wording.percent(plan.power), wording.percent(plan.level)
    if plan.reason:
        yield f"No plan: {plan.reason}."
        return
    if plan.delta is None:
        yield "No plan: there is no difference to plan for. --delta names one."
        return
    goal = (
        f"rule out a loss of {plan.delta:g} if there is none"
        if found.goal == "gate"
        else f"show a difference of {small(plan.delta)}"
    )
    if plan.tasks_needed is not None:
        more = max(0, plan.tasks_needed - plan.tasks)
        clusters = f" in {wording.count(plan.clusters_needed, 'cluster')}" if plan.clusters_needed else ""
        have = f"; the pilot has {plan.tasks:,}, so {more:,} more" if plan.tasks else ""
        yield f"To {goal} with {power} power, at level {level}: {plan.tasks_needed:,} tasks{clusters}{have}."
    elif plan.delta:
        yield f"To {goal} with {power} power, at level {level}: {OUT_OF_REACH}."
    if plan.tasks and plan.attempts_needed is not None:
        attempts = wording.count(plan.attempts_needed, "attempt")
        yield f"On the present {plan.tasks:,} tasks: {attempts} per task and side."
    elif plan.tasks and (plan.tasks_needed or 0) > plan.tasks:
        yield f"On the present {plan.tasks:,} tasks no number of attempts would do: {_why_not(plan)}."
    if plan.power_now is not None:
        yield f"The present data would do with a chance of {wording.percent(round(plan.power_now, 3))}."
    if plan.detectable is not None:
        what = "margin they pass" if found.goal == "gate" else "difference they show"
        yield f"The smallest {what} with {power} power: {wording.number(plan.detectable)}."
    if found.cost is not None:
        each = wording.money(found.cost_per_trial)
        yield f"It would cost about {wording.money(found.cost)}, at {each} per trial."
    if plan.parts is not None:
        parts = plan.parts
        yield (
            f"Variance: {parts.between:.4f} between tasks, {parts.within_a:.4f} and {parts.within_b:.4f} "
            f"between attempts of the two sides; {parts.attempts_a:g} and {parts.attempts_b:g} per task."
        )
    yield f"Method: {plan.method}."


def small(delta: float | None) -> str:
    """A difference to show, never as a zero that it is not."""
    return f"{delta:.2g}" if delta and abs(delta) < 0.0005 else wording.number(delta)


def _why_not(plan: PowerPlan) -> str:
    """Why more attempts do not help; the fewest groups that show anything need no variance to be too few."""
    groups, unit = (plan.tasks, "tasks") if plan.clusters is None else (plan.clusters, "clusters")
    needed = fewest_groups(plan.level)
    if plan.goal == "difference" and groups < needed:
        return f"it takes {needed} {unit} to show anything at this level, whatever the rewards"
    if plan.parts is not None and plan.parts.within_a + plan.parts.within_b == 0:
        return "no two attempts at a task differ, so all variance is taken to lie between tasks"
    return "tasks differ too much"


def curve_heads(found: DataPlan) -> list[str]:
    """`tasks`, then one head per number of attempts."""
    return ["tasks", *("1 attempt" if k == 1 else f"{k:.3g} attempts" for k in curve_attempts(found))]


def curve_attempts(found: DataPlan) -> list[float]:
    """The numbers of attempts that the curve has a line for."""
    return sorted({point.attempts for point in found.curve})


def curve_rows(found: DataPlan) -> list[list[str]]:
    """Power by tasks: about `MOST_STEPS` rows, and those that the plan names."""
    by_tasks: dict[int, dict[float, float]] = {}
    for point in found.curve:
        by_tasks.setdefault(point.tasks, {})[point.attempts] = point.power
    tasks = sorted(by_tasks)
    step = max(1, -(-len(tasks) // MOST_STEPS))
    named = {found.plan.tasks_needed, found.plan.tasks}
    chosen = [n for at, n in enumerate(tasks, 1) if at % step == 0 or n in named]
    return [[f"{n:,}", *(f"{100 * by_tasks[n][k]:.0f} %" for k in curve_attempts(found))] for n in chosen]
