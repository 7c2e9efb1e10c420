"""A report in a terminal: lines of text for any width, with and without colour and Unicode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.reports import wording
from adjudge.reports.model import Group, Report
from adjudge.reports.terminal import Terminal, cells, cut, pad, wrap
from adjudge.scoring import Outcome
from adjudge.stats import Estimate

MOST_TASKS = 10
MOST_FIELDS = 12
MOST_CATEGORIES = 12
MOST_NAMES = 4
NARROWEST_COLUMN = 14
_ASCII = {ord("·"): "|", ord("≥"): ">=", ord("×"): "x", ord("–"): "-", ord("…"): "..."}
"""For terminals that show nothing else."""


def report_lines(report: Report, terminal: Terminal) -> Iterator[str]:
    """The whole report. Without trials it says what to do."""
    yield terminal.paint(_safe(terminal, _title(report)), "bold")
    if not report.groups:
        for note in report.notes:
            yield from _text(note, terminal)
        yield from _text("adjudge trials shows what the ledger holds; adjudge run fills it.", terminal)
        return
    yield from _rewards(report, terminal)
    yield from _passes(report, terminal)
    yield from _validity(report, terminal)
    yield from _tasks(report, terminal)
    yield from _fields(report, terminal)
    yield from _taxonomy(report, terminal)
    yield from _agreement(report, terminal)
    yield from _spend(report, terminal)
    yield from _said("not counted", report.excluded, terminal)
    yield from _said("know this", report.notes, terminal)
    made = f"adjudge {report.provenance.adjudge_version}, seed {report.choices.seed}, data sha256 "
    yield ""
    yield terminal.paint(made + report.provenance.data_sha256[:16], "dim")


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
    yield from _heading(f"mean reward, {level} intervals ({policy})", terminal)
    name = _name_width([g.name for g in report.groups], terminal)
    plot = min(40, terminal.width - name - 24)
    for group in report.groups:
        value = pad(wording.estimate(group.reward), 22)
        strip = forest(group.reward, plot, terminal) if plot >= 12 else ""
        yield f"{_name(group.name, name, terminal)}  {value}{strip}".rstrip()
        detail = " · ".join(wording.beside(group.reward, suspected=group.outcomes[Outcome.SUSPECTED.value]))
        odd = (
            group.reward.bounds is not None or group.reward.reason or group.outcomes[Outcome.SUSPECTED.value]
        )
        for line in wrap(_safe(terminal, detail), max(20, terminal.width - 4)):
            yield "    " + terminal.paint(line, "yellow" if odd else "dim")


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
    yield from _heading(
        f"success: a reward of {report.choices.success:g}" + " or more" * (report.choices.success < 1),
        terminal,
    )
    rows = [[g.name, *(wording.estimate(p.estimate) for p in g.passes)] for g in report.groups]
    yield from _table(["", *names], rows, terminal)
    seen = dict.fromkeys(
        f"{p.name}: {note}"
        for g in report.groups
        for p in g.passes
        for note in (p.estimate.reason, *p.estimate.notes)
        if note
    )
    for note in list(seen)[:3]:
        yield from _text(note, terminal, "dim")


def _validity(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("what became of the trials", terminal)
    outcomes = [o.value for o in Outcome]
    rows = [
        [g.name, *(f"{g.outcomes[o]:,}" for o in outcomes), f"{g.schema_invalid:,}"] for g in report.groups
    ]
    yield from _table(["", *outcomes, "wrong shape"], rows, terminal)


def _tasks(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("hardest tasks", terminal)
    if report.tasks_reason:
        yield from _text(report.tasks_reason, terminal)
        return
    shown = report.tasks[:MOST_TASKS]
    names = [g.name for g in report.groups]
    width = _name_width([t.task for t in shown], terminal)
    room = max(0, (terminal.width - width - 9) // 7)
    head = "".join(f"{cut(_safe(terminal, n), 6, terminal.ellipsis):>7}" for n in names[:room])
    yield terminal.paint(f"{'':<{width}}  {'mean':>6} {head}".rstrip(), "dim")
    for task in shown:
        row = "".join(
            f"{'-' if cell is None else 'failed' if cell.mean is None else f'{cell.mean:.3f}':>7}"
            for cell in task.cells[:room]
        )
        mean = "-" if task.mean is None else f"{task.mean:.3f}"
        yield f"{_name(task.task, width, terminal)}  {mean:>6} {row}"
    left = [wording.count(len(report.tasks) - len(shown), "task")] if len(report.tasks) > len(shown) else []
    left += [wording.count(len(names) - room, "group")] if len(names) > room else []
    if left:
        yield terminal.paint(f"{' and '.join(left)} more; --format html shows all", "dim")


def _fields(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("fields of the breakdowns, lowest first", terminal)
    shown = report.fields[:MOST_FIELDS]
    rows = [[f.field, wording.estimate(f.overall), f"{f.tasks:,}", f"{f.trials:,}"] for f in shown]
    if rows:
        yield from _table(["", "mean share of maximum", "tasks", "trials"], rows, terminal)
    if len(report.fields) > len(shown):
        yield terminal.paint(f"{wording.count(len(report.fields) - len(shown), 'field')} more", "dim")
    if report.fields_reason:
        yield from _text(report.fields_reason, terminal, "dim")


def _taxonomy(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("errors by category", terminal)
    if report.taxonomy_reason:
        yield from _text(report.taxonomy_reason, terminal, "dim")
        return
    shown = report.taxonomy[:MOST_CATEGORIES]
    rows = []
    for row in shown:
        most = max(range(len(row.groups)), key=lambda at: row.groups[at])
        task, times = row.tasks[0]
        rows.append(
            [
                row.category,
                f"{row.trials:,}",
                f"{report.groups[most].name} ({row.groups[most]:,})",
                f"{task} ({times:,})",
            ]
        )
    yield from _table(["", "trials", "most by", "most in"], rows, terminal, elastic=(2, 3))
    if len(report.taxonomy) > len(shown):
        yield terminal.paint(f"{len(report.taxonomy) - len(shown)} categories more", "dim")


def _agreement(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("verifier, judges and people", terminal)
    found = report.agreement
    if found is None:
        yield from _text(report.agreement_reason or "", terminal, "dim")
        return
    for line in agreement_sentences(report):
        yield from _text(line, terminal)


def agreement_sentences(report: Report) -> Iterator[str]:
    """The agreement section in sentences; shared with Markdown. Nothing where there is no such section."""
    found = report.agreement
    if found is None:
        return
    yield (
        f"{wording.count(found.reviewers, 'reviewer')} judged {wording.count(found.annotated, 'trial')}: "
        f"{wording.count(found.annotations, 'judgment')}, {found.deferred:,} deferred."
    )
    for pair in found.pairs:
        both = pair.both_pass + pair.both_fail
        total = both + pair.only_a + pair.only_b
        yield (
            f"{pair.a.capitalize()} and {pair.b} agree on {both:,} of {total:,} trials "
            f"({pair.only_a:,} passed by the {pair.a} alone, {pair.only_b:,} by the {pair.b} alone): {_measure(pair.kappa)}; "
            f"{_measure(pair.ac1)}."
        )
    if found.among_reviewers:
        yield "Reviewers among themselves: " + "; ".join(map(_measure, found.among_reviewers)) + "."
    for named in found.people:
        yield f"{named.name[:1].upper()}{named.name[1:]}: {_plain(named.estimate)}."
    total = len(found.disagreements) + found.more_disagreements
    if total:
        where = wording.count(total, "trial")
        yield f"People contradict the reward on {where}; adjudge trials --disagreement lists them."


def _measure(found: Estimate) -> str:
    return f"{found.method} {_plain(found)}"


def _plain(found: Estimate) -> str:
    return wording.estimate(found) + (f" ({found.reason})" if found.reason else "")


def _spend(report: Report, terminal: Terminal) -> Iterator[str]:
    yield from _heading("cost and time", terminal)
    rows = [[g.name, *spend_cells(g)] for g in report.groups]
    yield from _table(["", "cost a trial", "in all", "agent's time a trial", "verifier's"], rows, terminal)


def spend_cells(group: Group) -> list[str]:
    """Cost a trial, cost in all, the agent's and the verifier's time a trial; `not known` where unknown."""
    agent = group.agent_sec.per_trial if group.agent_sec else None
    return [
        wording.money(group.cost_usd.per_trial),
        wording.money(group.cost_usd.total),
        wording.seconds(agent),
        wording.seconds(group.verifier_sec.per_trial),
    ]


def _said(title: str, sentences: Sequence[str], terminal: Terminal) -> Iterator[str]:
    if sentences:
        yield from _heading(title, terminal)
    for sentence in sentences:
        yield from _text(sentence, terminal)


def _safe(terminal: Terminal, text: str) -> str:
    return terminal.safe(text if terminal.unicode else text.translate(_ASCII))


def _heading(text: str, terminal: Terminal) -> Iterator[str]:
    yield ""
    yield terminal.paint(cut(_safe(terminal, text), terminal.width, terminal.ellipsis), "bold")


def _text(text: str, terminal: Terminal, *colours: str) -> Iterator[str]:
    for line in wrap(_safe(terminal, text), terminal.width):
        yield terminal.paint(line, *colours) if colours else line


def _name_width(names: Sequence[str], terminal: Terminal) -> int:
    longest = max((cells(_safe(terminal, name)) for name in names), default=0)
    return min(longest, max(12, terminal.width // 3))


def _name(name: str, width: int, terminal: Terminal) -> str:
    return pad(cut(_safe(terminal, name), width, terminal.ellipsis), width)


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, elastic: Sequence[int] = ()
) -> Iterator[str]:
    """Columns side by side; where they do not fit, one block a row with a line for each column.

    Names and the `elastic` columns are cut first, to no less than `NARROWEST_COLUMN`.
    """
    name = _name_width([row[0] for row in rows], terminal)
    heads = [_safe(terminal, head) for head in heads]
    clean = [[_safe(terminal, cell) for cell in row] for row in rows]
    widths = [max(cells(heads[at]), *(cells(row[at]) for row in clean)) for at in range(1, len(heads))]
    over = name + sum(width + 2 for width in widths) - terminal.width
    for at in sorted(elastic, reverse=True):
        less = max(0, min(over, widths[at - 1] - NARROWEST_COLUMN))
        widths[at - 1] -= less
        over -= less
    less = max(0, min(over, name - NARROWEST_COLUMN))
    name -= less
    over -= less
    if over <= 0:
        head = "".join(f"  {pad(text, width)}" for text, width in zip(heads[1:], widths, strict=True))
        yield terminal.paint(f"{'':<{name}}{head}".rstrip(), "dim")
        for row in clean:
            line = "".join(
                f"  {text.rjust(width) if text.replace(',', '').isdigit() else pad(text, width)}"
                for text, width in zip(
                    (cut(t, w, terminal.ellipsis) for t, w in zip(row[1:], widths, strict=True)),
                    widths,
                    strict=True,
                )
            )
            yield (_name(row[0], name, terminal) + line).rstrip()
        return
    for row in clean:
        yield cut(row[0], terminal.width, terminal.ellipsis)
        for head, text in zip(heads[1:], row[1:], strict=True):
            yield cut(f"    {head}: {text}", terminal.width, terminal.ellipsis)
