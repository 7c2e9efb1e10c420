"""A trace on a terminal: turn by turn, what was said, called and returned; long parts cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.errors import clip
from adjudge.reports.rendering.terminal.canvas import Terminal, joined, wrap
from adjudge.traces import BadTurn, Turn

_INDENT = 2


@joined
def render_trace(
    name: str, turns: Iterable[Turn | BadTurn], terminal: Terminal, *, longest: int = 600
) -> Iterator[str]:
    """Each turn with its number and line. `longest` bounds the characters of each part; 0 shows all."""
    yield ""
    yield terminal.paint(terminal.safe(f"trace: {name}"), "bold")
    for turn in turns:
        if isinstance(turn, BadTurn):
            yield from _part(f"line {turn.line} cannot be read: {turn.why}", terminal, longest, "yellow")
            continue
        cut = f"  {turn.cut:,} characters cut" if turn.cut else ""
        when = f"  {turn.at:%H:%M:%S}" if turn.at else ""
        yield terminal.paint(f"turn {turn.index}  {turn.role.value}{when}  line {turn.line}{cut}", "cyan")
        yield from _part(turn.reasoning, terminal, longest, "dim")
        yield from _part(turn.text, terminal, longest)
        for call in turn.tool_calls:
            yield from _part(f"-> {call.name} {call.arguments}", terminal, longest, "bold")
        for result in turn.results:
            code = "" if result.exit_code is None else f" exit {result.exit_code}"
            yield from _part(f"<-{code} {result.text}".rstrip(), terminal, longest, "dim")


def _part(text: str, terminal: Terminal, longest: int, colour: str | None = None) -> Iterator[str]:
    shown = clip(text, longest) if longest else text
    for line in shown.splitlines():
        for piece in wrap(terminal.safe(line), max(terminal.width - _INDENT, 20)):
            yield f"{' ' * _INDENT}{terminal.paint(piece, colour) if colour else piece}".rstrip()
