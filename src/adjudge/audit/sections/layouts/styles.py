"""The same data in another style of its format, which every parser of that format reads alike.

A verifier that reads YAML, TOML or CSV line by line refuses what an agent's library writes: quotes around
texts (as R writes tables), no blanks around an equals sign, quotes of the other kind. Of CSV that is low,
because many take it for lines with commas. So are accents apart from their letters, which few write.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, leaves, replaced
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import OutputFormat, Severity

_ADVICE = "Read the format with a parser of it; lines and patterns know only one style."
_NORMAL = "Compare texts in one normal form: unicodedata.normalize('NFC', text)."
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PLAIN = re.compile(r'"([^"\'\\\n]*)"')


def other_styles(text: str, kind: OutputFormat, document: Document) -> Iterator[Rewrite]:
    """The right answer in a style that its format allows; `document` is structured."""
    apart = unicodedata.normalize("NFD", text)
    if apart != text:
        what = "accents apart from their letters (NFD)"
        yield Rewrite("decomposed", what, apart.encode(), Severity.LOW, _NORMAL, Cause.SPELLING)
    if kind is OutputFormat.YAML and (data := _quoted_yaml(document)) is not None:
        yield Rewrite("quoted-texts", "texts in quotes", data, Severity.MEDIUM, _ADVICE)
    elif kind is OutputFormat.TOML:
        data = "".join(_tight(line) for line in text.splitlines(keepends=True)).encode()
        what = "no blanks around =, and texts in single quotes"
        yield Rewrite("tight", what, data, Severity.MEDIUM, _ADVICE)
    elif kind is OutputFormat.CSV and (data := _quoted_csv(text)) is not None:
        yield Rewrite("quoted-texts", "texts in quotes", data, Severity.LOW, _ADVICE)


def _quoted_yaml(document: Document) -> bytes | None:
    """None if there is no text in it."""
    import yaml

    class Quoted(str):
        __slots__ = ()

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(
        Quoted, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
    )
    texts = [
        (leaf.path, Quoted(leaf.value)) for leaf in leaves(document.value) if isinstance(leaf.value, str)
    ]
    if not texts:
        return None
    value = replaced(document.value, texts)
    written: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1000)
    return written.encode()


def _tight(line: str) -> str:
    """`a = "b"` as `a='b'`; what is more than that stays as it is."""
    key, equals, value = line.partition(" = ")
    if not equals or '"' in key:
        return line
    return key + "=" + _PLAIN.sub(r"'\1'", value)


def _quoted_csv(text: str) -> bytes | None:
    """Header and texts in quotes, numbers without; None if there are no rows, or a quote stands there."""
    head = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=head.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    if not rows or '"' in text or not head.count(separator):
        return None
    lines = [separator.join(cell if _NUMBER.fullmatch(cell) else f'"{cell}"' for cell in row) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode()
