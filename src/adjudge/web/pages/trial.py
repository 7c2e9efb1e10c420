"""One trial: instruction and output side by side, breakdown, gates, tags, streams, history, annotations."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from adjudge.contracts import TrialRecord, outcome_of
from adjudge.errors import LedgerError
from adjudge.judges import read_judgements
from adjudge.ledger import disagrees
from adjudge.runs import changed_fields
from adjudge.scoring import breakdown_rows
from adjudge.traces import Turn, find_traces, turns_of
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import render
from adjudge.web.queries.raters import judge_name
from adjudge.web.queries.visible import JudgeFirst, NotThere
from adjudge.web.review.book import REVIEW
from adjudge.web.showing.output import output_files, show_output
from adjudge.web.showing.text import render_markdown
from adjudge.web.showing.view import media_type_of
from adjudge.web.site import Site

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.judges import JudgeRecord
    from adjudge.ledger import StoredAnnotation

router = APIRouter()
LONGEST_STREAM = 20_000
MOST_TURNS = 200
MOST_SAID = 100
"""Annotations on the page; those that count now come before those that were replaced."""
LONGEST_INSTRUCTION = 60_000
_INLINE = ("image/", "application/pdf")
SEALED = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For a file of an agent's: whatever it is, it runs nothing and loads nothing."""


@router.get("/trials/{trial_id}", response_class=HTMLResponse)
def trial(request: Request, site: Here, visitor: Viewer, trial_id: str) -> HTMLResponse:
    """The page of a trial."""
    visible = site.visible(visitor)
    try:
        history = visible.history(trial_id)
    except JudgeFirst as error:
        return render(request, "judge_first.html.j2", status=error.status, number=error.number)
    record = history[0]
    site.book.refresh()
    task = site.shelf.get(record.task_id)
    return render(
        request,
        "trial.html.j2",
        record=record,
        outcome=outcome_of(record.evaluation).value,
        fields=breakdown_rows(record.evaluation.breakdown or {})[:300],
        output=show_output(site.ledger, record, task),
        instruction=instruction_of(task, record),
        history=list(_history(history)),
        **annotations_shown(visible.annotations(trial_id)),
        beside=reviews_beside(site, trial_id),
        decisions=site.book.reviews_of(trial_id).decisions,
        known=site.book.known.get(trial_id),
        turns=turns_shown(site, trial_id),
        judgements=judgements_shown(site, trial_id),
        against=[
            a for a in record.evaluation.annotations or () if disagrees(a.judgment, record.evaluation.reward)
        ],
        longest=LONGEST_STREAM,
    )


@router.get("/trials/{trial_id}/file/{at}")
def file(site: Here, visitor: Viewer, trial_id: str, at: int) -> Response:
    """The raw bytes of a file of the output; a picture or a PDF is shown, the rest is text or bytes."""
    record = site.visible(visitor).trial(trial_id)
    return raw_file(output_files(site.ledger, record, site.shelf.get(record.task_id)) or [], at)


def raw_file(files: list[tuple[str, bytes]], at: int) -> Response:
    """One of these files, sealed. Its type is what its bytes are, never what its name says."""
    if not 0 <= at < len(files):
        raise NotThere("the output has no such file", found=at)
    data = files[at][1]
    media = media_type_of(data)
    is_pdf = media == "application/pdf"
    headers = {
        # a browser shows a PDF with a viewer of its own, which a sandbox would keep from starting
        "content-security-policy": "default-src 'none'; object-src 'self'; frame-ancestors 'self'"
        if is_pdf
        else SEALED,
        "content-disposition": "inline" if media.startswith(_INLINE) else "attachment; filename=output",
    }
    if is_pdf:
        headers["x-frame-options"] = "SAMEORIGIN"
    if media == "application/octet-stream" and b"\0" not in data[:8192]:
        media = "text/plain; charset=utf-8"
        headers["content-disposition"] = "inline"
    return Response(data, media_type=media, headers=headers)


def instruction_of(task: Task | None, record: TrialRecord) -> dict[str, Any]:
    """The instruction as safe HTML, or why there is none."""
    if task is None:
        return {"html": "", "note": "The instruction is not known: start with --tasks ROOT to see it here."}
    note = None
    if record.task_digest is not None and task.digest != record.task_digest:
        note = "The task has changed since this trial was scored; this is its instruction now."
    return {"html": render_markdown(task.instruction[:LONGEST_INSTRUCTION]), "note": note}


def reviews_beside(site: Site, trial_id: str) -> dict[str, dict[str, Any]]:
    """How each annotation came about, by its reviewer and time; those made elsewhere have nothing."""
    return {
        f"{row.document['reviewer_id']} {row.document['timestamp']}": row.document
        for row in site.ledger.attached(REVIEW, trial_ids=[trial_id])
    }


def annotations_shown(said: list[StoredAnnotation]) -> dict[str, Any]:
    """The annotations that a page shows, oldest first, and how many it leaves out."""
    newest = sorted(range(len(said)), key=lambda at: (said[at].current, at))[-MOST_SAID:]
    return {"annotations": [said[at] for at in sorted(newest)], "unsaid": len(said) - len(newest)}


def judgements_shown(site: Site, trial_id: str) -> list[tuple[str, JudgeRecord]]:
    """What each judge says of a trial, the newest of each, by its name."""
    found = read_judgements(site.ledger, [trial_id]).get(trial_id, [])
    return sorted({judge_name(made): made for made in found}.items())


def turns_shown(site: Site, trial_id: str) -> list[Turn]:
    """What the agent did, turn by turn; nothing if no trace is kept with the trial."""
    trace = find_traces(site.ledger, [trial_id]).get(trial_id)
    try:
        found = turns_of(site.ledger, trace) if trace is not None else iter(())
        return list(islice((turn for turn in found if isinstance(turn, Turn)), MOST_TURNS))
    except LedgerError:
        return []


def _history(records: list[TrialRecord]) -> Any:
    """Earlier evaluations, the newest first, with what the next one changed."""
    for after, before in pairwise(records):
        yield {
            "before": before,
            "outcome": outcome_of(before.evaluation).value,
            "moved": changed_fields(before.evaluation, after.evaluation)[:40],
            "difference": after.evaluation.reward - before.evaluation.reward,
        }
