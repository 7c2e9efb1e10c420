"""Markdown as HTML in which nothing of the writer's is a tag.

Raw HTML stays text, links keep only http and https and say so to nobody, and pictures become their address:
the page loads nothing from anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_DEEPEST = 20
_PAGE_LEVEL = 2
"""Headings of a text stand below the page's own, which end at this level."""


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": _DEEPEST}).enable("table")
    made.validateLink = _is_web_address  # type: ignore[method-assign]  # the library's own way to say it
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    return made


def render_markdown(text: str) -> str:
    """Safe HTML for a text that nobody vouches for."""
    made = _markdown()
    tokens = made.parse(text)
    _fit_headings(tokens)
    for token in tokens:
        token.attrs.pop("style", None)  # a table's alignment; the page allows no inline style
    return str(made.renderer.render(tokens, made.options, {}))


def _fit_headings(tokens: Sequence[Token]) -> None:
    """Below the page's headings, and none more than one level below the one before it: people who hear a page
    move by these levels, and a writer may have begun anywhere."""
    levels: list[int] = []
    for token in tokens:
        if token.type not in ("heading_open", "heading_close"):
            continue
        if token.type == "heading_open":
            level = int(token.tag.removeprefix("h"))
            while levels and levels[-1] >= level:
                levels.pop()
            levels.append(level)
        token.tag = f"h{min(6, _PAGE_LEVEL + len(levels))}"


def _is_web_address(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def _link(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    tokens[at].attrSet("target", "_blank")
    return str(self.renderToken(tokens, at, options, env))


def _image(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    from markupsafe import escape

    token = tokens[at]
    where = str(token.attrs.get("src", ""))
    return f'<span class="pill">picture: {escape(token.content)} {escape(where)}</span>'
