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
    if difference.bounds is not None:
        low, high = wording.signed(difference.bounds.low), wording.signed(difference.bounds.high)
        undone = pair.better is not None and difference.bounds.low <= 0 <= difference.bounds.high
        yield (
            f"Machinery failures leave the difference anywhere in [{low}, {high}]"
            + (": they alone could have made it." if undone else ".")
        )
    yield from (f"{note[:1].upper()}{note[1:]}." for note in (*difference.caveats, *difference.notes))
    if difference.reason:
        yield f"No interval: {difference.reason}."
    yield from plan_sentences(pair.plan, settled=pair.better is not None)


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


def plan_sentences(plan: PowerPlan, *, settled: bool = False) -> Iterator[str]:
    """What this data could have shown, and what would settle it, unless it is settled."""
    power = wording.percent(plan.power)
    if plan.detectable is not None:
        yield (
            f"The smallest difference these {plan.tasks:,} tasks could have shown, with {power} power: "
            f"{wording.number(plan.detectable)}."
        )
    elif plan.parts is not None:
        yield f"These {plan.tasks:,} tasks could not have shown any difference with {power} power."
    if settled:
        return
    if plan.reason:
        yield f"No plan for more data: {plan.reason}."
    if plan.delta is not None and plan.tasks_needed is not None:
        more = plan.tasks_needed - plan.tasks
        show = f"a difference of {wording.number(plan.delta)} with {power} power"
        if more <= 0:
            yield f"To show {show}, these tasks are enough: it takes {plan.tasks_needed:,}."
            return
        attempts = (
            f"or {wording.count(plan.attempts_needed, 'attempt')} a task on the present tasks"
            if plan.attempts_needed is not None
            else "and no number of attempts on the present tasks alone would do"
        )
        yield f"To show {show}: {plan.tasks_needed:,} tasks ({more:,} more), {attempts}."


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
            wording.scored(a.reward.coverage),
        ]
        for a in found.ranking
    ]
    yield from table_lines(["", "rank", measure(found.threshold), "scored"], rows, terminal)
    for agent in found.ranking:
        if beside := wording.beside(agent.reward)[1:]:
            yield from sentence_lines(f"{agent.agent}: {' · '.join(beside)}", terminal, "yellow")
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
    if rows := _task_rows(found):
        yield from title_lines("tasks where they differ most", terminal)
        yield from table_lines(["", *found.sides, "difference"], rows, terminal, elastic=(1, 2))
    elif found.tasks:
        yield ""
        yield from sentence_lines(_ALL_EQUAL, terminal, "dim")
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
        ["", "rank", measure(found.threshold), "stands on"],
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
    if rows := _task_rows(found):
        lines += ["## Tasks where they differ most", ""]
        lines += table(["", *(name(side) for side in found.sides), "difference"], rows)
    elif found.tasks:
        lines += [_ALL_EQUAL, ""]
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


def measure(threshold: float | None) -> str:
    """What is compared: the reward, or how often it reaches a threshold."""
    return "mean reward" if threshold is None else f"share of attempts with reward ≥ {threshold:g}"


def _stands(agent: RankedAgent) -> str:
    return " · ".join(wording.beside(agent.reward))


def _pair_cells(pair: Pair) -> list[str]:
    difference = pair.comparison.difference
    return [
        wording.estimate(difference, sign=True),
        wording.p_value(pair.p_adjusted).removeprefix("p ").removeprefix("= "),
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
        wording.p_value(found.p_adjusted).removeprefix("p ").removeprefix("= "),
    ]


_ALL_EQUAL = "They have the same mean on every task they share."


def _task_rows(found: Comparison) -> list[list[str]]:
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
