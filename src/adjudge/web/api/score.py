"""Score outputs: one, or a batch, as text or as files; what a training loop asks for a reward.

An answer says `scored` with a reward, or `machinery failed` without one. A full queue is 429 with Retry-
After, before anything was scored. With an Idempotency-Key the same request again gets the same answer, for
a day. An output that comes with `record` (experiment, agent, model, attempt) is also recorded as a trial.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Annotated, Any

from fastapi import File, Form, Header, Request, UploadFile
from fastapi.responses import JSONResponse, Response
from msgspec import Struct
from pydantic import Discriminator, Field, Tag

from adjudge.contracts import Task, outcome_of
from adjudge.errors import UsageError
from adjudge.web.access.visitor import Visitor
from adjudge.web.access.who import CHANGES, Here, Reviewer
from adjudge.web.api.once import answer_once
from adjudge.web.api.shapes import ApiFailure, api_router
from adjudge.web.queries.visible import NotThere
from adjudge.web.sent import SentModel
from adjudge.web.service import ScoreAnswer, TrialOwner, check_paths
from adjudge.web.site import Site

router = api_router()
MOST_ITEMS = 64
Key = Annotated[str | None, Header(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
REFUSED: dict[int | str, dict[str, Any]] = {
    409: {"model": ApiFailure, "description": "A request with this Idempotency-Key is under way."},
    504: {"model": ApiFailure, "description": "It was not scored in time."},
    429: {"model": ApiFailure, "description": "The queue is full; Retry-After says when to come back."},
}


class SentOutput(SentModel):
    """One output: its text, or its files by their paths in the workspace, each as text or as Base64."""

    task: Annotated[str, Field(min_length=1, max_length=500)]
    text: str | None = None
    files: dict[str, str] | None = None
    files_base64: dict[str, str] | None = None
    record: TrialOwner | None = None
    """Whose it is; then it is recorded as a trial."""


class SentOutputs(SentModel):
    """A batch."""

    outputs: Annotated[list[SentOutput], Field(min_length=1, max_length=MOST_ITEMS)]


def _kind(sent: Any) -> str:
    """Is it a batch? What is wrong is then said of what was meant."""
    return (
        "batch"
        if isinstance(sent, SentOutputs) or (isinstance(sent, dict) and "outputs" in sent)
        else "output"
    )


Sent = Annotated[
    Annotated[SentOutput, Tag("output")] | Annotated[SentOutputs, Tag("batch")], Discriminator(_kind)
]


class NotInTime(UsageError):  # noqa: N818 - names a state, and is read as one
    """The time for a request is over; what was being scored is finished, and what waited is given up."""

    status = 504


@router.post("/score", dependencies=CHANGES, responses=REFUSED)
async def score(
    request: Request,
    site: Here,
    visitor: Reviewer,
    sent: Sent,
    idempotency_key: Key = None,
) -> Response:
    """Score one output (`task` and `text` or `files`), or a batch (`outputs`), in the sandbox."""
    many = sent.outputs if isinstance(sent, SentOutputs) else [sent]
    items = [ScoreWork(_task(site, one.task), _content(one), one.record) for one in many]
    asked = ScoreRequest(items, await request.body(), is_batch=isinstance(sent, SentOutputs))
    return await _answered(site, visitor, asked, idempotency_key)


@router.post("/score/upload", dependencies=CHANGES, responses=REFUSED)
async def score_upload(
    site: Here,
    visitor: Reviewer,
    task: Annotated[str, Form(min_length=1, max_length=500)],
    output: Annotated[UploadFile, File()],
    idempotency_key: Key = None,
) -> Response:
    """Score one uploaded file."""
    found = _task(site, task)
    data = await output.read(found.limits.output_mb << 20)
    if await output.read(1):
        raise UsageError("the output is too large", allowed=f"up to {found.limits.output_mb} MB")
    asked = ScoreRequest([ScoreWork(found, data)], f"upload {found.id}\n".encode() + data)
    return await _answered(site, visitor, asked, idempotency_key)


class ScoreWork(Struct, frozen=True):
    """One output to score."""

    task: Task
    content: bytes | dict[str, bytes]
    owner: TrialOwner | None = None


class ScoreRequest(Struct, frozen=True):
    """What one request asks for, and the bytes by which the same request is known again."""

    items: list[ScoreWork]
    body: bytes
    is_batch: bool = False


async def _score_all(site: Site, visitor: Visitor, work: list[ScoreWork]) -> list[dict[str, Any]]:
    service = site.service
    service.take(len(work))
    made = [service.submit(one.task, one.content, one.owner, visitor.name) for one in work]
    waiting = asyncio.gather(*map(asyncio.wrap_future, made))
    try:
        return [_shown(answer) for answer in await asyncio.wait_for(waiting, site.settings.score_sec)]
    except TimeoutError:
        raise NotInTime(
            "this was not scored in time", allowed=f"up to {site.settings.score_sec:g} s"
        ) from None


def _shown(answer: ScoreAnswer) -> dict[str, Any]:
    result = answer.evaluation
    scored = answer.status == "scored"
    return {
        "task": answer.task,
        "status": answer.status,
        "reward": result.reward if result is not None and scored else None,
        "outcome": answer.status if result is None else outcome_of(result).value,
        "evaluation": None if result is None else result.model_dump(mode="json"),
        "error": None if answer.problem is None else answer.problem.as_json(),
        "seconds": round(answer.seconds, 4),
        "trial_id": answer.trial_id,
    }


def _task(site: Site, task_id: str) -> Task:
    if site.shelf.root is None:
        raise UsageError("this server has no tasks", remedy="Start it with --tasks ROOT.")
    found = site.shelf.get(task_id)
    if found is None:
        raise NotThere("there is no such task", field="task", found=task_id)
    return found


def _content(sent: SentOutput) -> bytes | dict[str, bytes]:
    given = [kind for kind in ("text", "files", "files_base64") if getattr(sent, kind) is not None]
    if len(given) != 1:
        raise UsageError("an output is one of these", found=given, allowed="text, files, files_base64")
    try:
        if sent.text is not None:
            return sent.text.encode()
        if sent.files is not None:
            check_paths(sent.files)
            return {name: text.encode() for name, text in sent.files.items()}
        coded = sent.files_base64 or {}
        check_paths(coded)
        return {name: base64.b64decode(text, validate=True) for name, text in coded.items()}
    except UnicodeEncodeError:
        raise UsageError("a text holds half of a surrogate pair", field=given[0]) from None
    except ValueError as error:  # also for what is not ASCII, which is no `binascii.Error`
        raise UsageError(f"this is no Base64: {error}", field="files_base64") from None


async def _answered(site: Site, visitor: Visitor, work: ScoreRequest, key: str | None) -> Response:
    """The answer to a request; with a key it is made once. Without one it is simply made."""

    async def make() -> dict[str, Any]:
        answers = await _score_all(site, visitor, work.items)
        return {"results": answers} if work.is_batch else answers[0]

    if key is None:
        return JSONResponse(await make())
    answer = await answer_once(
        site.desk,
        visitor.name,
        key,
        work.body,
        check=lambda: site.service.check_room(len(work.items)),
        make=make,
    )
    return Response(answer, media_type="application/json")
