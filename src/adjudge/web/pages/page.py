"""How a page is made: one set of templates, in which every text is made printable and then escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from adjudge._version import __version__
from adjudge.contracts import outcome_of
from adjudge.ledger import TrialFilter
from adjudge.reports import html
from adjudge.web.access.visitor import UserRole
from adjudge.web.access.who import KEPT_COOKIE, PAGE_COOKIE, NotKnown, kept_name, page_token, visitor_of
from adjudge.web.site import Site

TEMPLATES = Path(__file__).parent.parent / "templates"
NAV = (
    ("/", "Overview", UserRole.VIEWER),
    ("/review", "Review", UserRole.REVIEWER),
    ("/trials", "Trials", UserRole.VIEWER),
    ("/tasks", "Tasks", UserRole.VIEWER),
    ("/compare", "Compare", UserRole.VIEWER),
    ("/agreement", "Agreement", UserRole.VIEWER),
    ("/adjudication", "Adjudication", UserRole.REVIEWER),
    ("/runs", "Runs", UserRole.VIEWER),
)


def render(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Fill a template. What every page needs beside its own values is added here."""
    site: Site = request.app.state.site
    try:
        visitor = visitor_of(request)
    except NotKnown:
        visitor = None
    shown = [(href, name) for href, name, role in NAV if visitor is not None and visitor.role.may(role)]
    page = html.environment(TEMPLATES).get_template(template)
    text = page.render(
        **context,
        status=status,
        nav=shown,
        here=request.url.path,
        visitor=visitor,
        is_local=site.settings.is_local,
        version=__version__,
        when=when,
        address=address,
        trials_address=trials_address,
        outcome_of=outcome_of,
        raw=Markup,  # for what our own renderers made from escaped text
    )
    answer = HTMLResponse(text, status)
    if visitor is not None:
        secure = site.settings.behind_tls
        for name, make in ((PAGE_COOKIE, page_token), (KEPT_COOKIE, kept_name)):
            if request.cookies.get(name) != (value := make(site, visitor)):
                answer.set_cookie(name, value, samesite="strict", secure=secure, path="/")
    return answer


def compile_templates() -> None:
    """Make every template ready, so that nobody's first page waits for it."""
    environment = html.environment(TEMPLATES)
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


def when(moment: datetime | float | None) -> str:
    """A moment as people read it, in UTC; empty for none."""
    if moment is None:
        return ""
    if isinstance(moment, float):
        moment = datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def address(path: str, **query: Any) -> str:
    """A path with a query; None and empty values are left out."""
    pairs = {name: value for name, value in query.items() if value not in (None, "", ())}
    return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path


def trials_address(wanted: TrialFilter | None = None, **more: Any) -> str:
    """The list of these trials: an address that can be shared."""
    return address("/trials", **(query_of(wanted) if wanted else {}), **more)


def query_of(wanted: TrialFilter) -> dict[str, Any]:
    """A filter as the values of a query string, from which `TrialFilter.from_query` makes it again."""
    found: dict[str, Any] = {}
    for name, value in wanted.set_fields().items():
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, datetime):
            found[name] = value.isoformat()
        else:
            found[name] = value
    return found
