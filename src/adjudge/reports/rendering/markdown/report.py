"""A report in Markdown: for a pull request, a wiki, a release note."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.reports.models.report import Report
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.markdown.text import name, table, text
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
from adjudge.scoring import Outcome

MOST_ROWS = 50


def render_report(report: Report) -> str:
    """The whole report. Long tables are cut at `MOST_ROWS` and say so."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# adjudge report"
    yield ""
    if not report.groups:
        yield from report.notes
        return
    experiments = ", ".join(name(e) for e in report.experiments[:10])
    yield (
        f"{wording.count(report.trials, 'trial')}, {wording.count(report.task_count, 'task')}, "
        f"by {name(report.choices.group_by)}; experiments: {experiments}."
    )
    yield ""
    yield from _rewards(report)
    yield from _trend(report)
    yield from _validity(report)
    yield from _tasks(report)
    yield from _fields(report)
    yield from _taxonomy(report)
    if report.judges:
        yield "## Judges' scores, beside the rewards"
        yield ""
        yield from table(list(JUDGE_HEADS), judge_table(report))
        if report.judges_reason:
            yield text(report.judges_reason)
            yield ""
    yield "## Verifier, judges and people"
    yield ""
    said = list(agreement_sentences(report)) or [report.agreement_reason or ""]
    yield from (f"- {text(sentence)}" for sentence in said)
    yield ""
    if rows := reviewer_rows(report):
        yield from table(list(REVIEWER_HEADS), rows)
    yield "## Cost and time"
    yield ""
    yield from table(
        ["", *SPEND_HEADS],
        [[g.name, *(cell.replace("$", "\\$") for cell in spend_cells(g))] for g in report.groups],
    )
    for title, sentences in (("Not counted", report.excluded), ("Know this", report.notes)):
        if sentences:
            yield f"## {title}"
            yield ""
            yield from (f"- {text(sentence)}" for sentence in sentences)
            yield ""
    yield "## How these numbers were made"
    yield ""
    yield from (f"- {text(method)}" for method in report.provenance.methods)
    yield (
        f"- adjudge {report.provenance.adjudge_version}, seed {report.choices.seed}, "
        f"data SHA-256 `{report.provenance.data_sha256}`"
    )


def _rewards(report: Report) -> Iterator[str]:
    yield f"## Mean reward, {wording.percent(report.choices.level)} intervals"
    yield ""
    names = [p.name for p in report.groups[0].passes]
    yield from table(
        ["", "mean reward", "stands on", *(text(n) for n in names)],
        [
            [
                g.name,
                f"**{wording.estimate(g.reward)}**",
                text(" · ".join(wording.beside(g.reward, suspected=g.outcomes[Outcome.SUSPECTED.value]))),
                *(wording.estimate(p.estimate) for p in g.passes),
            ]
            for g in report.groups
        ],
    )
    notes = [*reward_notes(report), *pass_notes(report)]
    yield from (f"- {text(note)}" for note in notes)
    if notes:
        yield ""


def _trend(report: Report) -> Iterator[str]:
    if report.trend is None:
        return
    yield "## Mean reward over experiments"
    yield ""
    yield from table(["", *(name(found) for found in report.trend.experiments)], trend_rows(report))
    yield from (f"- {text(note)}" for note in trend_notes(report))
    yield ""


def _validity(report: Report) -> Iterator[str]:
    yield "## What became of the trials"
    yield ""
    outcomes = [o.value for o in Outcome]
    yield from table(
        ["", *outcomes, "wrong shape"],
        [[g.name, *(f"{g.outcomes[o]:,}" for o in outcomes), f"{g.schema_invalid:,}"] for g in report.groups],
    )


def _tasks(report: Report) -> Iterator[str]:
    yield "## Tasks, hardest first"
    yield ""
    if report.tasks_reason:
        yield text(report.tasks_reason)
        yield ""
        return
    rows = [
        [
            t.task,
            "–" if t.mean is None else wording.number(t.mean),
            *(
                "–" if cell is None else "failed" if cell.mean is None else wording.number(cell.mean)
                for cell in t.cells
            ),
        ]
        for t in report.tasks[:MOST_ROWS]
    ]
    yield from table(["", "mean", *(name(g.name) for g in report.groups)], rows)
    yield from _more(len(report.tasks), "tasks")


def _fields(report: Report) -> Iterator[str]:
    yield "## Fields of the breakdowns, lowest first"
    yield ""
    if report.fields:
        yield from table(
            ["", "mean share of maximum", "tasks", "trials"],
            [
                [f.field, wording.estimate(f.overall), f"{f.tasks:,}", f"{f.trials:,}"]
                for f in report.fields[:MOST_ROWS]
            ],
        )
        yield from _more(len(report.fields), "fields")
    if report.fields_reason:
        yield text(report.fields_reason)
        yield ""


def _taxonomy(report: Report) -> Iterator[str]:
    yield "## Errors by category"
    yield ""
    if report.taxonomy_reason:
        yield text(report.taxonomy_reason)
        yield ""
        return
    yield from table(
        ["", "trials", *(name(g.name) for g in report.groups), "most in"],
        [
            [
                row.category,
                f"{row.trials:,}",
                *(f"{n:,}" for n in row.groups),
                f"{name(row.tasks[0][0])} ({row.tasks[0][1]:,})",
            ]
            for row in report.taxonomy[:MOST_ROWS]
        ],
    )
    yield from _more(len(report.taxonomy), "categories")


def _more(found: int, noun: str) -> Iterator[str]:
    if found > MOST_ROWS:
        yield f"{found - MOST_ROWS:,} {noun} more; `--format html` shows all."
        yield ""
