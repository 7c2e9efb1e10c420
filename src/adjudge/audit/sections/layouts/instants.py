"""The same instants with another offset from UTC, if the task says that any will do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, allows, leaves, replaced
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_ANY = re.compile(
    r"\b(?:any|whatever|whichever|either) (?:UTC |valid |explicit )?(?:offset|time ?zone|zone)\b"
    r"|\b(?:local(?: time)?,? or (?:in )?(?:UTC|GMT)|(?:UTC|GMT),? or (?:in )?(?:the )?local)\b"
    r"|\b(?:instants?|moments?)\b.{0,40}\b(?:compared|counts?|is right|are right|matters?)\b"
    r"|\boffsets?\b.{0,40}\b(?:do(?:es)? not matter|(?:is|are) free|up to you|makes? no difference)\b",
    re.I,
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(?:\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)")
_ELSEWHERE = (timedelta(hours=5, minutes=30), timedelta(hours=-4))
_ADVICE = "Compare instants, not what the clock on the wall says: astimezone(UTC) on both sides."


def allowed_instants(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The right answer in UTC, and with an offset that it has nowhere; nothing if it has no such moment."""
    texts = [(leaf.path, str(leaf.value)) for leaf in leaves(document.value) if leaf.kind == "text"]
    moments = [(path, text, match) for path, text in texts if (match := _MOMENT.fullmatch(text))]
    if not moments or not allows(_ANY, instruction, choice=True):
        return
    other = next(o for o in _ELSEWHERE if timezone(o) != datetime.fromisoformat(moments[0][1]).tzinfo)
    for name, what, zone in (
        ("utc", "in UTC", UTC),
        ("offset", "with another offset", timezone(other)),
    ):
        changes = [(path, _at(zone, text, match)) for path, text, match in moments]
        if changes != [(path, text) for path, text, _ in moments]:
            data = document.render(replaced(document.value, changes))
            said = f"the same instants {what}, which the task allows"
            yield Rewrite(f"allowed-{name}", said, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _at(zone: timezone, text: str, match: re.Match[str]) -> str:
    there = datetime.fromisoformat(text).astimezone(zone)
    unit = "minutes" if match[1] is None else "seconds" if "." not in match[1] else "microseconds"
    written = there.isoformat(sep=text[10], timespec=unit)
    return written.replace("+00:00", "Z") if zone is UTC else written
