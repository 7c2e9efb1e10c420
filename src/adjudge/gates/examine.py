"""Parse an answer and compare it with its schema, in a process that can do no harm.

Small answers in the formats that adjudge reads with linear, bounded parsers are examined here and now. Every
other is examined in a throw-away child with limits (`adjudge._confined`): what exhausts it is unparseable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from adjudge.contracts import OutputFormat
from adjudge.errors import printable
from adjudge.gates.parse import parse_output
from adjudge.gates.parsed import Unparseable
from adjudge.tasks import schema_problems

_LINEAR = frozenset(
    {
        OutputFormat.JSON,
        OutputFormat.JSONL,
        OutputFormat.CSV,
        OutputFormat.MARKDOWN,
        OutputFormat.MARKDOWN_JSON,
        OutputFormat.TEXT,
        OutputFormat.BINARY,
    }
)
_SMALL = 1 << 20
_SHARED = 1 << 16
"""The largest answer, in bytes, that shares a child with others."""
_HALF = "a string holds half of a surrogate pair, which no schema can check"


Answer = tuple[bytes, OutputFormat, dict[str, Any] | None]
"""The bytes, the format and the schema, if there is one."""


class Examined(Struct, frozen=True):
    """What was found: why it does not parse, or what readers dispute and where it differs from its schema."""

    unparseable: str | None = None
    has_value: bool = False
    problems: list[str] = field(default_factory=list)
    shape: list[tuple[str | None, str]] = field(default_factory=list)
    """Place and difference."""
    more: bool = False
    """May there be further differences?"""


def examine(data: bytes, kind: OutputFormat, schema: dict[str, Any] | None) -> Examined:
    """Examine an answer of any size and content, within bounds."""
    if kind in _LINEAR and len(data) <= _SMALL:
        return _examine(data, kind, schema)
    from adjudge._confined import Exhausted, confined

    arguments = {"format": kind.value, "schema": schema}
    try:
        found = confined("adjudge.gates.examine:examine_confined", arguments, data)
    except Exhausted as error:
        return Examined(unparseable=f"parsing it as {kind.value} takes {error}")
    return _from_json(found)


def expect_answers(kinds: Iterable[OutputFormat]) -> None:
    """Let what parses answers of these formats start while the caller does something else."""
    if any(kind not in _LINEAR for kind in kinds):
        from adjudge._confined import start_ahead

        start_ahead()


def examine_many(answers: Sequence[Answer]) -> list[Examined]:
    """Examine several answers. Those that need a child share one; if it gives up, each has its own."""
    apart = [n for n, answer in enumerate(answers) if _may_share(answer)]
    found: dict[int, Examined] = {}
    if len(apart) > 1:
        from adjudge._confined import Exhausted, confined

        rows = [[len(answers[n][0]), answers[n][1].value, answers[n][2]] for n in apart]
        try:
            told = confined(
                "adjudge.gates.examine:examine_many_confined",
                {"answers": rows},
                b"".join(answers[n][0] for n in apart),
            )
        except Exhausted:
            told = []
        found = {n: _from_json(row) for n, row in zip(apart, told, strict=False)}
    return [found[n] if n in found else examine(*answer) for n, answer in enumerate(answers)]


def _may_share(answer: Answer) -> bool:
    data, kind, _ = answer
    return kind not in _LINEAR and len(data) <= _SHARED


def _from_json(found: dict[str, Any]) -> Examined:
    return Examined(**{**found, "shape": [(place, what) for place, what in found["shape"]]})


def examine_many_confined(arguments: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    """Several answers, one after another in `data`; called in a child."""
    found, at = [], 0
    for size, kind, schema in arguments["answers"]:
        found.append(examine_confined({"format": kind, "schema": schema}, data[at : at + size]))
        at += size
    return found


def examine_confined(arguments: dict[str, Any], data: bytes) -> dict[str, Any]:
    """The same as JSON; called in a child."""
    return asdict(_examine(data, OutputFormat(arguments["format"]), arguments["schema"]))


def _examine(data: bytes, kind: OutputFormat, schema: dict[str, Any] | None) -> Examined:
    try:
        parsed = parse_output(data, kind, schema)
    except Unparseable as error:
        return Examined(unparseable=printable(str(error)))  # a library may quote what the file holds
    if schema is None or not parsed.has_value:
        return Examined(has_value=parsed.has_value, problems=list(parsed.problems))
    try:
        differences, more = schema_problems(schema, parsed.value)
    except UnicodeEncodeError:
        return Examined(has_value=True, problems=list(parsed.problems), shape=[(None, _HALF)])
    return Examined(
        has_value=True,
        problems=list(parsed.problems),
        shape=[(difference.path, difference.what) for difference in differences],
        more=more,
    )
