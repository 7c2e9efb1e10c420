"""Trials, their evaluations, annotations and tags."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from adjudge.contracts import ErrorSource, ErrorTag, Judgment, TrialRecord
from adjudge.errors import AdjudgeError
from adjudge.web.access.visitor import UserRole
from adjudge.web.access.who import CHANGES, Here, NotKnown, Reviewer, Viewer, find_visitor
from adjudge.web.api.shapes import (
    FILTER_PARAMETERS,
    MOST_LIMIT,
    OrderWord,
    api_router,
    filter_from,
    json_answer,
    shown_as,
)
from adjudge.web.failures import status_of
from adjudge.web.guard import CutOff
from adjudge.web.pages.trials import sort_of
from adjudge.web.review.book import REVIEW
from adjudge.web.review.submit import FieldReview, Note, SentReview, Short, annotate_once
from adjudge.web.sent import SentModel

router = api_router()
WITH_FILTER = {"parameters": FILTER_PARAMETERS}
_TOGETHER = 100
"""Lines of a stream that are sent at once."""


class SentAnnotation(SentModel):
    """What a reviewer says of a trial. Who says it comes from the log-in or the token."""

    judgment: Judgment
    categories: list[Short] = Field(default_factory=list, max_length=20)
    notes: Note | None = None
    fields: dict[Short, FieldReview] = Field(default_factory=dict, max_length=100)
    seconds: float | None = Field(default=None, ge=0, le=86_400)


class SentTag(SentModel):
    """A failure classified by a person."""

    category: Short
    description: Annotated[str, Field(max_length=2_000)] | None = None


@router.get("/trials", openapi_extra=WITH_FILTER, responses=shown_as("TrialPage", "A page of trials."))
def list_trials(
    request: Request,
    site: Here,
    visitor: Viewer,
    sort: OrderWord = "newest",
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST_LIMIT)] = 50,
) -> Response:
    """Matching trials, a page at a time: pass `next` as `after` for those that follow."""
    wanted = filter_from(request, "sort", "after", "limit")
    page = site.visible(visitor).page(wanted, sort=sort_of(sort), limit=limit, after=after)
    return json_answer({"trials": list(page.records), "next": page.next})


@router.get(
    "/trials.jsonl",
    openapi_extra=WITH_FILTER,
    responses={200: {"description": "One TrialRecord per line.", "content": {"application/jsonl": {}}}},
)
def stream_trials(
    request: Request, site: Here, visitor: Viewer, sort: OrderWord = "oldest"
) -> StreamingResponse:
    """Every matching trial as the ledger stands now, in constant memory.

    Now and then it asks again who this is: the stream of somebody whose token was taken back is cut off.
    """
    wanted = filter_from(request, "sort")
    records = site.visible(visitor).stream(wanted, sort_of(sort))

    def check() -> None:
        if find_visitor(request) != visitor:
            raise NotKnown("this may no longer be read")

    return StreamingResponse(_lines(records, check), media_type="application/jsonl")


def _lines(records: Iterator[TrialRecord], check: Callable[[], None]) -> Iterator[bytes]:
    """The records as lines, many at a time. What goes wrong on the way is the last line, before the stream
    is cut off: a proxy that speaks HTTP/1.0 hides a connection that was broken.
    """
    try:
        while lines := [record.model_dump_json().encode() for record in islice(records, _TOGETHER)]:
            check()
            yield b"\n".join(lines) + b"\n"
    except AdjudgeError as error:
        yield json.dumps({"error": error.problem.as_json(), "status": status_of(error)}).encode() + b"\n"
        raise CutOff(str(error)) from None


@router.get("/trials/{trial_id}", responses=shown_as("TrialRecord", "The trial."))
def get_trial(site: Here, visitor: Viewer, trial_id: str) -> Response:
    """A trial with its current evaluation."""
    return json_answer(site.visible(visitor).trial(trial_id))


@router.get(
    "/trials/{trial_id}/evaluations", responses=shown_as("TrialRecord", "The newest first.", many=True)
)
def get_evaluations(site: Here, visitor: Viewer, trial_id: str) -> Response:
    """A trial with each of its evaluations, the current one first."""
    return json_answer(site.visible(visitor).history(trial_id))


@router.get("/trials/{trial_id}/annotations")
def get_annotations(site: Here, visitor: Viewer, trial_id: str) -> dict[str, Any]:
    """Every annotation of a trial, oldest first; beside them how they came about."""
    found = site.visible(visitor).annotations(trial_id)
    beside = [row.document for row in site.ledger.attached(REVIEW, trial_ids=[trial_id])]
    if not visitor.role.may(UserRole.ADMIN):  # who may get a check must not know that it is one
        beside = [{name: v for name, v in one.items() if name != "known_answer"} for one in beside]
    return {
        "annotations": [
            {**said.annotation.model_dump(mode="json"), "current": said.current} for said in found
        ],
        "reviews": beside,
    }


@router.post("/trials/{trial_id}/annotations", dependencies=CHANGES, status_code=201)
def annotate(site: Here, visitor: Reviewer, trial_id: str, sent: SentAnnotation) -> dict[str, Any]:
    """Say what you think of a trial. No reward changes; what you said before stays, and is replaced."""
    site.visible(visitor).check(trial_id)
    whole = SentReview(**dict(sent), submission=uuid.uuid4().hex)
    annotate_once(site.queue, visitor, trial_id, whole)
    return {"trial_id": trial_id, "reviewer_id": visitor.name, "judgment": sent.judgment.value}


@router.get("/trials/{trial_id}/tags", responses=shown_as("ErrorTag", "The tags.", many=True))
def get_tags(site: Here, visitor: Viewer, trial_id: str) -> Response:
    """The tags of a trial's current evaluation."""
    return json_answer(site.visible(visitor).trial(trial_id).evaluation.error_taxonomy or [])


@router.post("/trials/{trial_id}/tags", dependencies=CHANGES, status_code=201)
def add_tag(site: Here, visitor: Reviewer, trial_id: str, sent: SentTag) -> dict[str, Any]:
    """Classify a failure by hand; the tag's source is `human`. Not before a blind verdict: whether it was
    there already tells what others said.
    """
    site.visible(visitor).trial(trial_id)
    tag = ErrorTag(category=sent.category, description=sent.description, source=ErrorSource.HUMAN)
    [written] = site.ledger.add_tags(trial_id, [tag])
    return {"trial_id": trial_id, "category": tag.category, "written": written}
