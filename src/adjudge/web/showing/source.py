"""Source code in colours: classes of ours on escaped text, no inline style."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from markupsafe import escape

_LANGUAGES = {
    ".py": "python",
    ".json": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".xml": "xml",
    ".svg": "xml",
    ".html": "html",
    ".htm": "html",
    ".sh": "bash",
    ".js": "javascript",
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".rs": "rust",
    ".go": "go",
    ".java": "java",
    ".sql": "sql",
    ".r": "r",
    ".m": "matlab",
    ".css": "css",
    ".diff": "diff",
    ".patch": "diff",
}
_LOADING = threading.Lock()
"""Pygments puts other modules in the place of its own while it is imported: one thread at a time."""
_LONGEST_LINE = 5_000
"""Lexers take long over very long lines."""


def language_of(suffix: str) -> str | None:
    """What is written in a file of this suffix, if we colour that."""
    return _LANGUAGES.get(suffix)


def highlight(text: str, language: str) -> str:
    """Safe HTML: spans with classes around escaped text."""
    if max(map(len, text.split("\n")), default=0) > _LONGEST_LINE:
        return str(escape(text))
    with _LOADING:
        from pygments import highlight as coloured

        lexer, formatter = _lexer(language), _formatter()
    return str(coloured(text, lexer, formatter))


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, stripnl=False)


@cache
def _formatter() -> Any:
    from pygments.formatters.html import HtmlFormatter

    return HtmlFormatter(nowrap=True, classprefix="hl-")
