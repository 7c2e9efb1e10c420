"""Other people's Python as a tree. Nothing is run, and what the compiler remarks on is not printed."""

from __future__ import annotations

import ast
import warnings

NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing raises: not Python, zero bytes, and what is nested or chained without end."""
_FILE = "<source>"
warnings.filterwarnings("ignore", module=_FILE)


def parse_python(source: str | bytes) -> ast.Module:
    """The tree of a program; one of NO_PYTHON if there is none."""
    return ast.parse(source, _FILE)
