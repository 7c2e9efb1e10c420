"""What every page is made of: style and script from `parts`, a policy that allows nothing else, packed data.

Data inside a page is compressed, then Base64, so that no byte can end a script or begin a tag.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import MissingExtra, printable
from adjudge.reports.rendering import wording

if TYPE_CHECKING:
    from jinja2 import Environment

PARTS = Path(__file__).parent / "parts"


@cache
def parts(*names: str) -> str:
    """Files of `parts`, one after the other."""
    return "".join((PARTS / name).read_text(encoding="utf-8") for name in names)


@cache
def environment(*folders: Path) -> Environment:
    """The templates, those of further folders too; every text is made printable and then escaped."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("reports", needed_for="an HTML page") from None
    made = Environment(
        loader=FileSystemLoader([*folders, PARTS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    made.globals.update(w=wording)
    made.filters["percents"] = _percents
    return made


def _safe(value: Any) -> Any:
    """Control characters and bidirectional overrides are spelled out before they are escaped."""
    return printable(value, keep_newlines=True) if type(value) is str else value


def _percents(text: str) -> Any:
    """The text, safe and escaped, with every percent sign kept on the line of its number."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=\d) (?=%)", "&nbsp;", escape(_safe(text))))  # noqa: S704 - escaped just here


def policy(style: str, script: str | None = None) -> str:
    """The Content-Security-Policy of a page: its own style and script, by their hashes, and nothing else."""
    scripts = "" if script is None else f"script-src '{_hash(script)}'; "
    return f"default-src 'none'; {scripts}style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"


def pack(value: object) -> str:
    """A JSON value as text of A-Z, a-z, 0-9, +, / and = alone. Half of a surrogate pair becomes `?`."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(data.encode("utf-8", "replace"), 6)).decode("ascii")


def unpack(text: str) -> object:
    """What was packed; for tests, and for whoever wants the data of a page without a browser."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
