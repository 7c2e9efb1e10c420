"""Markdown as HTML in which nothing of the writer's is a tag.

Raw HTML stays text, links keep only http and https and say so to nobody, and pictures become their address:
the page loads nothing from anywhere else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_DEEPEST = 20
_HEADINGS = {f"h{level}": f"h{min(6, level + 3)}" for level in range(1, 7)}
"""Headings stand below those of the page."""


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
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
        token.attrs.pop("style", None)  # a table's alignment; the page allows no inline style
    return str(made.renderer.render(tokens, made.options, {}))


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
