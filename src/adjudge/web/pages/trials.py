"""Trials: the one filter as a form, pages by cursor, an address for every choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from adjudge.contracts import Outcome
from adjudge.errors import UsageError
from adjudge.ledger import Sort, TrialFilter
from adjudge.web.access.visitor import Visitor
from adjudge.web.access.who import Here, Viewer
from adjudge.web.pages.page import address, query_of, render, trials_address
from adjudge.web.queries.cache import StillWorking
from adjudge.web.queries.search import choices, meant
from adjudge.web.queries.visible import JudgeFirst, NotThere, Visible
from adjudge.web.site import Site

router = APIRouter()
PAGE = 50
_ID_LENGTH = 6
"""How much of a trial's id finds it; less may be any word."""
_LONGEST_SEARCH = 500
_OWN = frozenset({"sort", "after", "q"})


def filter_of(request: Request) -> TrialFilter:
    """The filter of a query string; a field left empty in a form is not set."""
    return TrialFilter.from_query(
        (name, text) for name, text in request.query_params.multi_items() if name not in _OWN and text
    )


def sort_of(text: str | None) -> Sort:
    """An order by its word."""
    try:
        return Sort(text or Sort.NEWEST)
    except ValueError:
        words = ", ".join(Sort)
        raise UsageError("there is no such order", field="sort", found=text, allowed=words) from None


@router.get("/trials", response_class=HTMLResponse)
def trials(
    request: Request,
    site: Here,
    visitor: Viewer,
    sort: str | None = None,
    after: str | None = None,
    q: str | None = None,
) -> Response:
    """A page of the list."""
    visible = site.visible(visitor)
    if q and (text := q.strip()[:_LONGEST_SEARCH]):
        return _search(request, site, visitor, text)
    wanted, order = filter_of(request), sort_of(sort)
    page = visible.page(wanted, sort=order, limit=PAGE, after=after)
    context: dict[str, Any] = {
        "records": page.records,
        "following": address("/trials", **query_of(wanted), sort=order.value, after=page.next)
        if page.next
        else None,
        "wanted": wanted,
        "sort": order.value,
        "sorts": [s.value for s in Sort],
        "outcomes": [o.value for o in Outcome],
        "chips": _chips(wanted, order.value),
        "beyond": list(_beyond(wanted)),
        "first": after is None,
        "left_out": sorted(item.number for item in visible.waiting.values()),
        "count_address": address("/trials/count", **query_of(wanted)),
    }
    part = request.headers.get("hx-target") == "more"
    return render(request, "trial_rows.html.j2" if part else "trials.html.j2", **context)


@router.get("/trials/count", response_class=HTMLResponse)
def trials_count(request: Request, site: Here, visitor: Viewer) -> HTMLResponse:
    """How many match, as text: counting may take longer than showing the first of them."""
    try:
        found = site.count(visitor, filter_of(request), patience=site.patience).value
    except StillWorking:
        return render(request, "counting.html.j2", again=str(request.url.path) + "?" + request.url.query)
    return HTMLResponse(f"{found:,} trial{'' if found == 1 else 's'}")


def _search(request: Request, site: Site, visitor: Visitor, text: str) -> Response:
    """To the trial whose id begins so, to the trials that the text can only mean, or a choice of them."""
    if len(text) >= _ID_LENGTH and (found := _trial(site.visible(visitor), text)) is not None:
        return RedirectResponse(address(f"/trials/{found}"), 303)
    names = site.names(visitor, patience=site.patience).value
    if (wanted := meant(names, text)) is not None:
        return RedirectResponse(trials_address(wanted), 303)
    return render(request, "search.html.j2", q=text, choices=list(choices(names, text)))


def _trial(visible: Visible, text: str) -> str | None:
    try:
        return visible.find(text)
    except NotThere:
        return None
    except JudgeFirst as error:
        return error.trial_id


def _beyond(wanted: TrialFilter) -> Iterator[tuple[str, str]]:
    """What of a filter the form has no field for: further values, and the rest of its names."""
    for name, value in query_of(wanted).items():
        values = [str(one) for one in value] if isinstance(value, tuple | list) else [str(value)]
        for one in values[1:] if name in SHOWN else values:
            yield name, one


def _chips(wanted: TrialFilter, sort: str) -> list[tuple[str, str]]:
    """What narrows, each with the address that takes it away."""
    query = query_of(wanted)
    found = []
    for name, value in query.items():
        rest = {n: v for n, v in query.items() if n != name}
        shown = ", ".join(value) if isinstance(value, tuple) else str(value)
        found.append(
            (f"{name.replace('_', ' ')}: {shown or '(none)'}", address("/trials", **rest, sort=sort))
        )
    return found


SHOWN = frozenset(
    {
        *("experiment", "agent", "model", "task", "outcome", "tag"),
        *("min_reward", "max_reward", "annotated", "disagreement"),
    }
)
"""The names that the form has fields for."""
