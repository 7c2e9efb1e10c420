"""What works on this machine, in a terminal: a mark, a name, what was found, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.reports.rendering.terminal.canvas import Terminal, cells, joined, pad, wrap
from adjudge.reports.rendering.terminal.layout import safe, sentence_lines, title_lines
from adjudge.sandbox import Health, HealthCheck

_MARKS = {
    Health.WORKS: ("ok", "green"),
    Health.DEGRADED: ("limited", "yellow"),
    Health.ABSENT: ("-", "dim"),
    Health.MISSING: ("missing", "red"),
}
_MARK = max(len(word) for word, _ in _MARKS.values())
_NARROW = 70


@joined
def render_diagnosis(
    system: str,
    sandbox: Sequence[HealthCheck],
    extras: Sequence[HealthCheck],
    ready: bool,
    terminal: Terminal,
) -> Iterator[str]:
    """The machine, both lists of checks, and whether scoring works."""
    yield from sentence_lines(system, terminal)
    for heading, checks in (("Sandbox", sandbox), ("Optional parts", extras)):
        yield from title_lines(heading, terminal)
        yield from _checks(checks, terminal)
    yield ""
    if ready:
        works = any(check.name == "bubblewrap" and check.health is Health.WORKS for check in sandbox)
        with_what = "bubblewrap" if works else "the container engine"
        yield from sentence_lines(f"Scoring works here, with {with_what}.", terminal, "bold", "green")
    else:
        yield from sentence_lines("Scoring is not possible here: no sandbox works.", terminal, "bold", "red")


def _checks(checks: Sequence[HealthCheck], terminal: Terminal) -> Iterator[str]:
    """What was found stands beside the name; on a narrow terminal, below it."""
    names = max(cells(check.name) for check in checks)
    beside = terminal.width >= _NARROW
    left = _MARK + 2 + (names + 2 if beside else 0)
    for check in checks:
        word, colour = _MARKS[check.health]
        head = terminal.paint(pad(word, _MARK), colour) + "  " + pad(check.name, names)
        said = wrap(safe(terminal, check.detail), terminal.width - left)
        remedy = wrap(safe(terminal, check.remedy), terminal.width - left) if check.remedy else []
        lines = [*said, *(terminal.paint(line, "bold") for line in remedy)]
        if beside:
            yield f"{head}  {lines.pop(0)}"
        else:
            yield head
        yield from (" " * left + line for line in lines)
