"""The application: every route, the guard before them, and one shape for every error."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, MissingExtra, Problem
from adjudge.web.settings import ServeSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from adjudge.ledger import Ledger


def make_app(ledger: Ledger, settings: ServeSettings) -> FastAPI:
    """The app over an open ledger, which stays the caller's. MissingExtra without the web part."""
    try:
        from fastapi import FastAPI
    except ImportError:
        raise MissingExtra("web", needed_for="the review app") from None
    from adjudge.web.api import routers as api_routers
    from adjudge.web.api.document import document
    from adjudge.web.guard import Guard
    from adjudge.web.pages import routers as page_routers
    from adjudge.web.pages.static import router as static_router
    from adjudge.web.site import Site

    site = Site(ledger, settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="adjudge",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.site = site
    apis, pages = api_routers(), (*page_routers(), static_router)
    for router in apis:  # a request looks for its route from the first to the last
        app.include_router(router)
    for router in pages:
        app.include_router(router, include_in_schema=False)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]  # FastAPI's own way to say it
    _answer_errors(app, [route for router in (*apis, *pages) for route in router.routes])
    app.add_middleware(Guard, settings=settings, counts=site.requests)
    return app


def _answer_errors(app: FastAPI, routes: list[Any]) -> None:
    """One way to tell what went wrong: JSON with the problem's parts, or a page with the same."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    from adjudge.web.failures import answer_problem, status_of
    from adjudge.web.guard import HEADERS

    @app.exception_handler(AdjudgeError)
    async def refused(request: Any, error: AdjudgeError) -> Any:
        wait = getattr(error, "retry_after", None)
        headers = None if wait is None else {"retry-after": str(wait)}
        return answer_problem(request, status_of(error), error.problem, headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Any, error: RequestValidationError) -> Any:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or None
        problem = Problem(str(first["msg"]), field=place, found=first.get("input"))
        return answer_problem(request, 422, problem)

    @app.exception_handler(Exception)
    async def unforeseen(request: Any, _: Exception) -> Any:
        words = Problem("this server has made a mistake", remedy="Its log says which; please report it.")
        return answer_problem(request, 500, words, HEADERS)

    @app.exception_handler(HTTPException)
    async def not_served(request: Any, error: HTTPException) -> Any:
        words = "there is nothing at this address" if error.status_code == 404 else str(error.detail)
        headers = error.headers
        if error.status_code == 405:  # the routes of an address are apart, each with a method
            found = {m for r in routes if r.path_regex.match(request.url.path) for m in r.methods}
            headers = {"allow": ", ".join(sorted(found))}
        return answer_problem(request, error.status_code, Problem(words), headers)
