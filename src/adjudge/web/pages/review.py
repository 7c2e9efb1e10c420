"""Review: one trial at a time, by number. A page shows nothing of reward, agent or other votes until judged.

What a blind page shows comes from the task and the output alone, so it is the same byte for byte whatever the
verifier, the agent or others had to say. The categories offered are those that the task declares.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from adjudge.web.access.visitor import Visitor
from adjudge.web.access.who import CHANGES, Here, Reviewer
from adjudge.web.pages.page import address, render
from adjudge.web.pages.trial import instruction_of, raw_file
from adjudge.web.queries.visible import NotThere
from adjudge.web.review.items import QueueItem
from adjudge.web.review.submit import SentDraft, SentReview, reveal, submit, withdraw
from adjudge.web.showing.output import output_files, show_output
from adjudge.web.site import Site

router = APIRouter(prefix="/review")


@router.get("", response_class=HTMLResponse)
def review(request: Request, site: Here, visitor: Reviewer, discipline: str = "") -> Response:
    """To the reviewer's next item; a page that says so if there is none."""
    item = site.queue.next(visitor, discipline or None)
    if item is not None:
        return RedirectResponse(address(f"/review/{item.number}", discipline=discipline), 303)
    judged = site.queue.judged(visitor)
    return render(request, "review_done.html.j2", judged=judged, discipline=discipline)


@router.get("/next")
def following(site: Here, visitor: Reviewer, after: int = 0, discipline: str = "") -> JSONResponse:
    """The number of the next item: one that was given before, else a new one; null if there is none."""
    found = site.queue.next(visitor, discipline or None, after=after, judged=True)
    return JSONResponse({"number": None if found is None else found.number})


@router.get("/{number}", response_class=HTMLResponse)
def item_page(request: Request, site: Here, visitor: Reviewer, number: int) -> HTMLResponse:
    """One item."""
    item = _item(site, visitor, number)
    record = site.ledger.get(item.trial_id)
    task = site.shelf.get(record.task_id)
    output = show_output(site.ledger, record, task)
    own = site.book.reviews_of(item.trial_id).said.get(visitor.name)
    return render(
        request,
        "review.html.j2",
        number=number,
        task_id=record.task_id,
        instruction=instruction_of(task, record),
        output=output,
        categories=site.shelf.categories(record.task_id),
        fields=list(dict.fromkeys(key for file in output.files for key in file.view.keys))[:60],
        draft=site.queue.draft(visitor, number),
        shown=reveal(record, visitor, own) if item.judged else None,
        judged=site.queue.judged(visitor),
        disciplines=disciplines(site),
    )


@router.get("/{number}/file/{at}")
def item_file(site: Here, visitor: Reviewer, number: int, at: int) -> Response:
    """The raw bytes of a file of the output."""
    record = site.ledger.get(_item(site, visitor, number).trial_id)
    return raw_file(output_files(site.ledger, record, site.shelf.get(record.task_id)) or [], at)


@router.put("/{number}/draft", dependencies=CHANGES)
def save_draft(site: Here, visitor: Reviewer, number: int, draft: SentDraft) -> JSONResponse:
    """Keep what was typed so far."""
    item = _item(site, visitor, number)
    if not item.judged:
        site.queue.save_draft(visitor, number, draft.model_dump())
    return JSONResponse({"saved": not item.judged})


@router.post("/{number}", dependencies=CHANGES)
def judge(site: Here, visitor: Reviewer, number: int, sent: SentReview) -> JSONResponse:
    """Record the verdict; answers with where the others stood, and with the next item."""
    item = _item(site, visitor, number)
    submit(site.queue, visitor, number, sent)
    record = site.ledger.get(item.trial_id)
    return JSONResponse(
        {"shown": reveal(record, visitor, sent.judgment.value), "judged": site.queue.judged(visitor)}
    )


@router.post("/{number}/show", dependencies=CHANGES)
def show(site: Here, visitor: Reviewer, number: int) -> Response:
    """Show the whole trial before it is judged; the verdict will then count as not blind."""
    item = _item(site, visitor, number)
    site.queue.show(visitor, number)
    return RedirectResponse(f"/trials/{item.trial_id}", 303)


@router.post("/{number}/undo", dependencies=CHANGES)
def undo(site: Here, visitor: Reviewer, number: int) -> JSONResponse:
    """Withdraw the verdict on an item; it is open again."""
    _item(site, visitor, number)
    withdraw(site.queue, visitor, number)
    return JSONResponse({"number": number})


def _item(site: Site, visitor: Visitor, number: int) -> QueueItem:
    found = site.queue.item(visitor, number)
    if found is None:
        raise NotThere("you have no item of this number", found=number, remedy="/review leads to the next.")
    return found


def disciplines(site: Site) -> list[str]:
    """What a queue can be narrowed to: the domains and categories of the tasks."""
    found = {t.metadata.domain for t in site.shelf.all().values()}
    found |= {t.metadata.category for t in site.shelf.all().values()}
    return sorted(word for word in found if word)
