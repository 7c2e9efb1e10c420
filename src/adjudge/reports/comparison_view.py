"""A comparison in words: for the terminal and for Markdown, the same sentences."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.reports import wording
from adjudge.reports.comparison import Comparison, FieldDifference, Pair, TaskDifference
from adjudge.reports.layout import sentence_lines, table_lines, title_lines
from adjudge.reports.markdown_text import name, table, text
from adjudge.reports.terminal import Terminal
from adjudge.stats import PowerPlan, RankedAgent

MOST_TASKS = 8
MOST_FIELDS = 12


def pair_sentences(pair: Pair) -> Iterator[str]:
    """What the data say about A and B. Undefined numbers come with their reason."""
    found, difference = pair.comparison, pair.comparison.difference
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
    if found.mcnemar is not None:
        yield (
            f"Passed by {pair.a} alone: {found.mcnemar.only_a:,}; by {pair.b} alone: "
            f"{found.mcnemar.only_b:,}; McNemar's exact {wording.p_value(found.mcnemar.p)}."
        )
    if difference.bounds is not None:
        low, high = wording.signed(difference.bounds.low), wording.signed(difference.bounds.high)
        yield f"Machinery failures leave the difference anywhere in [{low}, {high}]."
    yield from (f"{note[:1].upper()}{note[1:]}." for note in difference.notes)
    if difference.reason:
        yield f"No interval: {difference.reason}."
    yield from plan_sentences(pair.plan)


def _verdict(pair: Pair) -> str:
    found = pair.comparison
    if found.p is None:
        return f"Nothing is shown: {found.p_reason}."
    how = f"{wording.p_value(found.p)}, {found.p_method}"
    if pair.p_adjusted is not None and pair.p_adjusted != found.p:
        how += f"; Holm {wording.p_value(pair.p_adjusted)}"
    if pair.better is None:
        return f"Neither is shown to be better ({how})."
    return f"{pair.better} is better ({how})."


def plan_sentences(plan: PowerPlan) -> Iterator[str]:
    """What this data could have shown, and what would settle it."""
    power = wording.percent(plan.power)
    if plan.detectable is not None and plan.detectable > 1:
        yield f"These {plan.tasks:,} tasks could not have shown any difference with {power} power."
    elif plan.detectable is not None:
        yield (
            f"The smallest difference these {plan.tasks:,} tasks could have shown, with {power} power: "
            f"{wording.number(plan.detectable)}."
        )
    if plan.reason:
        yield f"No plan for more data: {plan.reason}."
    if plan.delta is not None and plan.tasks_needed is not None:
        more = plan.tasks_needed - plan.tasks
        tasks = f"{plan.tasks_needed:,} tasks" + (f" ({more:,} more)" if more > 0 else ", which are there")
        attempts = (
            f"or {wording.count(plan.attempts_needed, 'attempt')} a task on the present tasks"
            if plan.attempts_needed is not None
            else "and no number of attempts on the present tasks alone would do"
        )
        yield f"To show a difference of {wording.number(plan.delta)} with {power} power: {tasks}, {attempts}."


def ranks(agent: RankedAgent) -> str:
    """`1`, `2–4`; `–` for an agent without a mean."""
    if agent.best_rank is None or agent.worst_rank is None:
        return "–"
    return (
        f"{agent.best_rank}"
        if agent.best_rank == agent.worst_rank
        else f"{agent.best_rank}–{agent.worst_rank}"
    )


def comparison_lines(found: Comparison, terminal: Terminal) -> Iterator[str]:
    """The whole comparison for a terminal."""
    yield from title_lines(_title(found), terminal, first=True)
    number = {agent.agent: f"{at}" for at, agent in enumerate(found.ranking, 1)}
    several = len(found.pairs) > 1
    rows = [
        [
            f"{number[a.agent]}. {a.agent}" if several else a.agent,
            ranks(a),
            wording.estimate(a.reward),
            _stands(a),
        ]
        for a in found.ranking
    ]
    yield from table_lines(["", "rank", _measure(found), "stands on"], rows, terminal, elastic=(3,))
    if not several:
        yield ""
        for sentence in pair_sentences(found.pairs[0]):
            yield from sentence_lines(sentence, terminal)
    else:
        yield from title_lines("every pair, Holm's p over all of them", terminal)
        rows = [
            [
                f"{number[p.a]} minus {number[p.b]}",
                cells[0],
                cells[1],
                number.get(cells[2], cells[2]),
                cells[3],
            ]
            for p in found.pairs
            for cells in [_pair_cells(p)]
        ]
        yield from table_lines(["", "difference", "p", "better", "could show"], rows, terminal)
    if found.tasks:
        yield from title_lines("tasks where they differ most", terminal)
        rows = [
            [t.task, wording.number(t.a), wording.number(t.b), wording.signed(t.a - t.b)]
            for t in _extremes(found)
        ]
        yield from table_lines(["", *found.sides, "difference"], rows, terminal, elastic=(1, 2))
    if found.fields:
        heads = _field_heads(found)
        order = "smallest p first (Benjamini-Hochberg)" if len(heads) == 4 else "largest difference first"
        yield from title_lines(f"fields, {order}", terminal)
        rows = [[f.field, *_field_cells(f)][: len(heads)] for f in found.fields[:MOST_FIELDS]]
        yield from table_lines(heads, rows, terminal)
    elif found.fields_reason:
        yield ""
        yield from sentence_lines(f"Fields: {found.fields_reason}.", terminal, "dim")
    for note in found.notes:
        yield from sentence_lines(note, terminal, "yellow")
    yield ""
    yield from sentence_lines(
        f"seed {found.choices.seed}, data sha256 {found.data_sha256[:16]}", terminal, "dim"
    )


def comparison_markdown(found: Comparison) -> str:
    """The whole comparison in Markdown."""
    lines = [f"# {text(_title(found))}", ""]
    lines += table(
        ["", "rank", _measure(found), "stands on"],
        [[a.agent, ranks(a), f"**{wording.estimate(a.reward)}**", text(_stands(a))] for a in found.ranking],
    )
    if len(found.pairs) == 1:
        lines += [f"- {text(sentence)}" for sentence in pair_sentences(found.pairs[0])] + [""]
    else:
        lines += table(
            ["", "difference", "p", "better", "could show"],
            [
                [f"{p.a} − {p.b}", cells[0], cells[1], name(cells[2]), cells[3]]
                for p in found.pairs
                for cells in [_pair_cells(p)]
            ],
        )
    if found.tasks:
        lines += ["## Tasks where they differ most", ""]
        lines += table(
            ["", *(name(side) for side in found.sides), "difference"],
            [
                [t.task, wording.number(t.a), wording.number(t.b), wording.signed(t.a - t.b)]
                for t in _extremes(found)
            ],
        )
    if found.fields:
        lines += ["## Fields", ""]
        heads = _field_heads(found)
        lines += table(heads, [[f.field, *_field_cells(f)][: len(heads)] for f in found.fields[:MOST_FIELDS]])
    lines += [f"- {text(note)}" for note in found.notes]
    lines += ["", f"Seed {found.choices.seed}, data SHA-256 `{found.data_sha256}`."]
    return "\n".join(lines) + "\n"


def _title(found: Comparison) -> str:
    return f"comparison by {found.by}: {', '.join(found.sides[:6])}" + (
        f" and {len(found.sides) - 6} more" if len(found.sides) > 6 else ""
    )


def _measure(found: Comparison) -> str:
    if found.threshold is None:
        return "mean reward"
    return f"share of attempts with reward ≥ {found.threshold:g}"


def _stands(agent: RankedAgent) -> str:
    return " · ".join(wording.beside(agent.reward))


def _pair_cells(pair: Pair) -> list[str]:
    difference = pair.comparison.difference
    return [
        wording.estimate(difference, sign=True),
        wording.p_value(pair.p_adjusted),
        pair.better or "not shown",
        "–" if pair.plan.detectable is None else wording.number(pair.plan.detectable),
    ]


def _field_heads(found: Comparison) -> list[str]:
    """Without the p where no field has one, as where each occurs in a single task."""
    tested = any(f.p_adjusted is not None for f in found.fields)
    return ["", "difference", "shared tasks", *(["p"] if tested else [])]


def _field_cells(found: FieldDifference) -> list[str]:
    return [
        wording.estimate(found.comparison.difference, sign=True),
        f"{found.comparison.shared:,}",
        wording.p_value(found.p_adjusted),
    ]


def _extremes(found: Comparison) -> list[TaskDifference]:
    """The largest wins and the largest losses of A; tasks on which the two are equal are left out."""
    apart = [row for row in found.tasks if row.a != row.b]
    if len(apart) <= 2 * MOST_TASKS:
        return apart
    return [*apart[:MOST_TASKS], *apart[-MOST_TASKS:]]
