"""A report in a terminal: lines of text for any width, with and without colour and Unicode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.reports.models.report import Group, Report
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.sentences import (
    JUDGE_HEADS,
    REVIEWER_HEADS,
    SPEND_HEADS,
    agreement_sentences,
    judge_table,
    pass_notes,
    reviewer_rows,
    reward_notes,
    spend_cells,
    trend_notes,
    trend_rows,
)
from adjudge.reports.rendering.terminal.canvas import Terminal, cells, cut, joined, pad, wrap
from adjudge.reports.rendering.terminal.layout import (
    fitting_names,
    name_cell,
    name_width,
    safe,
    sentence_lines,
    short_names,
    table_lines,
    title_lines,
)
from adjudge.scoring import Outcome
from adjudge.stats import Estimate

MOST_TASKS = 8
MOST_FIELDS = 8
MOST_CATEGORIES = 8
MOST_NAMES = 4
_ESTIMATE = len("0.000 [0.000, 0.000]")


@joined
def render_report(report: Report, terminal: Terminal) -> Iterator[str]:
    """The whole report. Without trials it says what to do."""
    yield from title_lines(_title(report), terminal, first=True)
    if not report.groups:
        for note in report.notes:
            yield from sentence_lines(note, terminal)
        yield from sentence_lines(
            "adjudge trials shows what the ledger holds; adjudge run fills it.", terminal
        )
        return
    yield from _rewards(report, terminal)
    yield from _passes(report, terminal)
    yield from _trend(report, terminal)
    yield from _validity(report, terminal)
    yield from _tasks(report, terminal)
    yield from _fields(report, terminal)
    yield from _taxonomy(report, terminal)
    yield from _judges(report, terminal)
    yield from _agreement(report, terminal)
    yield from _spend(report, terminal)
    yield from _said("not counted", report.excluded, terminal)
    yield from _said("know this", report.notes, terminal)
    made = f"adjudge {report.provenance.adjudge_version}, seed {report.choices.seed}, data sha256 "
    yield ""
    yield from sentence_lines(made + report.provenance.data_sha256[:16], terminal, "dim")


def _title(report: Report) -> str:
    parts = [wording.count(report.trials, "trial"), wording.count(report.task_count, "task")]
    noun = report.choices.group_by.removeprefix("metadata.")
    parts.append(wording.count(len(report.groups), noun) if noun in ("agent", "model") else f"by {noun}")
    shown = ", ".join(report.experiments[:MOST_NAMES])
    more = len(report.experiments) - MOST_NAMES
    parts.append(
        f"experiment{'' if len(report.experiments) == 1 else 's'} {shown}" + f", {more} more" * (more > 0)
    )
    return " · ".join(parts) if report.trials else "no trials"


def _rewards(report: Report, terminal: Terminal) -> Iterator[str]:
    policy = (
        "machinery failures count 0.0" if report.choices.policy == "zero" else "machinery failures left out"
    )
    level = wording.percent(report.choices.level)
    yield from title_lines(f"mean reward, {level} intervals ({policy})", terminal)
    names = _labels(report, terminal)
    name = name_width(names, terminal)
    scored = [wording.scored(g.reward.coverage) for g in report.groups]
    beside = max(map(len, scored))
    inline = name + _ESTIMATE + 4 + beside <= terminal.width
    plot = min(40, terminal.width - name - _ESTIMATE - 6 - beside)
    details = [_detail(group, terminal)[inline:] for group in report.groups]
    room = terminal.width - name - _ESTIMATE - 8 - beside - plot
    level_with = plot >= 12 and max(map(cells, map(" · ".join, details))) <= room
    if plot >= 12:
        head = f"{'':<{name}}  {'':<{_ESTIMATE}}  {'usable':<{beside}}  0{'1':>{plot - 1}}"
        yield terminal.paint(head, "dim")
    for group, label, share, detail in zip(report.groups, names, scored, details, strict=True):
        line = f"{name_cell(label, name, terminal)}  {pad(wording.estimate(group.reward), _ESTIMATE)}"
        if inline:
            line += f"  {share:<{beside}}"
        if plot >= 12:
            line += f"  {forest(group.reward, plot, terminal)}"
        odd = group.reward.bounds or group.reward.reason or group.outcomes[Outcome.SUSPECTED.value]
        colour = "yellow" if odd else "dim"
        said = safe(terminal, " · ").join(detail)
        if level_with:
            yield f"{line}  {terminal.paint(said, colour)}".rstrip()
            continue
        yield line.rstrip()
        for part in wrap(said, terminal.width - 4) if said else ():
            yield "    " + terminal.paint(part, colour)
    for note in reward_notes(report):
        yield from sentence_lines(note, terminal, "dim")


def _labels(report: Report, terminal: Terminal) -> list[str]:
    """What the groups are called in this terminal."""
    return fitting_names([g.name for g in report.groups], terminal)


def _detail(group: Group, terminal: Terminal) -> list[str]:
    suspected = group.outcomes[Outcome.SUSPECTED.value]
    return [safe(terminal, part) for part in wording.beside(group.reward, suspected=suspected)]


def forest(found: Estimate, width: int, terminal: Terminal) -> str:
    """The interval as a bar between 0 and 1, the value as a dot; the axis alone where there is no value."""
    dot, bar, rest = ("●", "─", "·") if terminal.unicode else ("o", "-", ".")
    line = [rest] * width
    if found.interval is not None:
        for at in range(_at(found.interval.low, width), _at(found.interval.high, width) + 1):
            line[at] = bar
    if found.value is not None:
        line[_at(found.value, width)] = dot
    return "".join(line)


def _at(value: float, width: int) -> int:
    return round(value * (width - 1))


def _passes(report: Report, terminal: Terminal) -> Iterator[str]:
    names = [named.name for named in report.groups[0].passes]
    yield from title_lines(
        f"success: a reward of {report.choices.success:g}" + " or more" * (report.choices.success < 1),
        terminal,
    )
    rows = [
        [label, *(wording.estimate(p.estimate) for p in g.passes)]
        for label, g in zip(_labels(report, terminal), report.groups, strict=True)
    ]
    yield from table_lines(["", *names], rows, terminal)
    for note in pass_notes(report):
        yield from sentence_lines(note, terminal, "dim")


def _trend(report: Report, terminal: Terminal) -> Iterator[str]:
    if report.trend is None:
        return
    yield from title_lines("mean reward over experiments, the oldest first", terminal)
    yield from table_lines(["", *report.trend.experiments], trend_rows(report), terminal)
    for note in trend_notes(report):
        yield from sentence_lines(note, terminal, "dim")


def _validity(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("what became of the trials (scored: a reward above 0)", terminal)
    columns = {o.value: [g.outcomes[o.value] for g in report.groups] for o in Outcome}
    columns["wrong shape"] = [g.schema_invalid for g in report.groups]
    seen = {head: counts for head, counts in columns.items() if any(counts)}
    rows = [
        [label, *(f"{counts[at]:,}" for counts in seen.values())]
        for at, label in enumerate(_labels(report, terminal))
    ]
    yield from table_lines(["", *seen], rows, terminal)


def _tasks(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("hardest tasks", terminal)
    if report.tasks_reason:
        yield from sentence_lines(report.tasks_reason, terminal)
        return
    shown = report.tasks[:MOST_TASKS]
    names = [safe(terminal, name) for name in short_names([g.name for g in report.groups])]
    width = name_width([t.task for t in shown], terminal)
    room = max(0, terminal.width - width - 8)
    column = max(6, min(max(map(cells, names)), room // len(names) - 2))
    columns = room // (column + 2)
    head = "".join(f"  {cut(n, column, terminal.ellipsis):>{column}}" for n in names[:columns])
    yield terminal.paint(f"{'':<{width}}  {'mean':>6}{head}".rstrip(), "dim")
    for task in shown:
        row = "".join(
            f"  {'-' if cell is None else 'failed' if cell.mean is None else f'{cell.mean:.3f}':>{column}}"
            for cell in task.cells[:columns]
        )
        mean = "-" if task.mean is None else f"{task.mean:.3f}"
        yield f"{name_cell(task.task, width, terminal)}  {mean:>6}{row}".rstrip()
    left = [wording.count(len(report.tasks) - len(shown), "task")] if len(report.tasks) > len(shown) else []
    left += [wording.count(len(names) - columns, "group")] if len(names) > columns else []
    yield from _more(" and ".join(left), terminal)


def _more(what: str, terminal: Terminal) -> Iterator[str]:
    """What a terminal leaves out, and where it is."""
    if what:
        yield from sentence_lines(f"{what} more; -o report.html has all", terminal, "dim")


def _fields(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("fields of the breakdowns, lowest first", terminal)
    shown = report.fields[:MOST_FIELDS]
    rows = [[f.field, wording.estimate(f.overall), f"{f.tasks:,}", f"{f.trials:,}"] for f in shown]
    if rows:
        yield from table_lines(["", "mean share of maximum", "tasks", "trials"], rows, terminal)
    left = len(report.fields) - len(shown)
    yield from _more(wording.count(left, "field") if left else "", terminal)
    if report.fields_reason:
        yield from sentence_lines(report.fields_reason, terminal, "dim")


def _taxonomy(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("errors by category", terminal)
    if report.taxonomy_reason:
        yield from sentence_lines(report.taxonomy_reason, terminal, "dim")
        return
    shown = report.taxonomy[:MOST_CATEGORIES]
    names = short_names([g.name for g in report.groups])
    rows = []
    for row in shown:
        most = max(range(len(row.groups)), key=lambda at: row.groups[at])
        task, times = row.tasks[0]
        rows.append(
            [
                row.category,
                f"{row.trials:,}",
                f"{names[most]} ({row.groups[most]:,})",
                f"{task} ({times:,})",
            ]
        )
    yield from table_lines(["", "trials", "most by", "most in"], rows, terminal, elastic=(2, 3))
    left = len(report.taxonomy) - len(shown)
    yield from _more(f"{left} {'category' if left == 1 else 'categories'}" if left else "", terminal)


def _judges(report: Report, terminal: Terminal) -> Iterator[str]:
    if not report.judges:
        return
    yield from title_lines("judges' scores, beside the rewards", terminal)
    yield from table_lines(list(JUDGE_HEADS), judge_table(report), terminal, elastic=(0,))
    if report.judges_reason:
        yield from sentence_lines(report.judges_reason, terminal, "dim")


def _agreement(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("verifier, judges and people", terminal)
    found = report.agreement
    if found is None:
        yield from sentence_lines(report.agreement_reason or "", terminal, "dim")
        return
    for line in agreement_sentences(report):
        yield from sentence_lines(line, terminal)
    if rows := reviewer_rows(report):
        yield from table_lines(list(REVIEWER_HEADS), rows, terminal)
        more = found.more_by_reviewer
        yield from _more(wording.count(more, "pair") if more else "", terminal)


def _spend(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from title_lines("cost and time", terminal)
    known = [
        (head, column)
        for head, column in zip(SPEND_HEADS, zip(*map(spend_cells, report.groups), strict=True), strict=True)
        if any(cell != wording.NOT_KNOWN for cell in column)
    ]
    if not known:
        yield from sentence_lines("not known", terminal, "dim")
        return
    rows = [
        [label, *(column[at] for _, column in known)] for at, label in enumerate(_labels(report, terminal))
    ]
    yield from table_lines(["", *(head for head, _ in known)], rows, terminal)


def _said(title: str, sentences: Sequence[str], terminal: Terminal) -> Iterator[str]:
    if sentences:
        yield from title_lines(title, terminal)
    for sentence in sentences:
        yield from sentence_lines(sentence, terminal)
