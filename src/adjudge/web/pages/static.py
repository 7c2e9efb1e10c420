"""Styles and scripts, from memory. They are public: nothing in them is about a ledger."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from adjudge.reports import html
from adjudge.web.queries.visible import NotThere

router = APIRouter()
_FOLDER = Path(__file__).parent.parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """Name -> bytes, media type, tag. The look is the report's, with what an app adds."""
    own = {p.name: p.read_text(encoding="utf-8") for p in sorted(_FOLDER.iterdir()) if p.suffix in _TYPES}
    own["app.css"] = html.parts(*html.STYLES) + own["app.css"]
    own["app.js"] = own["app.js"] + html.parts("tables.js")
    found = {}
    for name, text in own.items():
        data = text.encode()
        found[name] = (data, _TYPES[Path(name).suffix], f'"{hashlib.sha256(data).hexdigest()[:16]}"')
    return found


@router.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    """One file of ours."""
    if name not in _files():
        raise NotThere("there is no such file", found=name)
    data, media, tag = _files()[name]
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media, headers=headers)
