"""Every command of a script, wherever it stands, with what stands around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.held import Held
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step
from adjudge.audit.reading.shell.words import Kind, pieces


class ScriptPlace(NamedTuple):
    """Where a step stands: in which part of which block, and after which other steps."""

    block: ShellBlock | None
    role: str
    """condition, body, top, or inside (of `$(...)`)."""
    part: int
    steps: Sequence[Step]
    at: int


class CommandUse(NamedTuple):
    """A command where it stands, with what is piped into it."""

    command: ShellCommand
    scope: str
    """The function that it is in."""
    piped: OutputLevel
    stage: int
    around: tuple[ScriptPlace, ...]
    """The nearest last."""

    @property
    def step(self) -> Step:
        """The pipeline that it is part of."""
        place = self.around[-1]
        return place.steps[place.at]


def walk(held: Held, steps: Sequence[Step]) -> list[CommandUse]:
    """The commands of these steps, of their blocks and of every `$(...)`."""
    return list(_walk(held, steps, "", OutputLevel.NONE, (), ScriptPlace(None, "top", 0, steps, 0)))


def _walk(
    held: Held,
    steps: Sequence[Step],
    scope: str,
    piped: OutputLevel,
    around: tuple[ScriptPlace, ...],
    place: ScriptPlace,
) -> Iterator[CommandUse]:
    """Each command with the function it stands in and what is piped into it."""
    for index, step in enumerate(steps):
        reads, here = piped, (*around, place._replace(steps=steps, at=index))
        for number, stage in enumerate(step.stages):
            if isinstance(stage, ShellCommand):
                use = CommandUse(stage, scope, reads, number, here)
                yield use
                for word in _words_of(stage):
                    yield from _inside(held, word, stage.line, scope, here)
                reads = held.gives(stage, scope, reads)
            else:
                yield from _in_block(held, stage, scope, reads, here)
                reads = held.of_step(Step(";", False, [stage], step.line), scope, reads)


def _in_block(
    held: Held, block: ShellBlock, scope: str, piped: OutputLevel, around: tuple[ScriptPlace, ...]
) -> Iterator[CommandUse]:
    if block.kind == "function":
        held.functions[block.heads[0]] = block
        scope = block.heads[0]
    reads = held.into(block, scope, piped)
    for role, parts in (("condition", block.conditions), ("body", block.bodies)):
        for number, part in enumerate(parts):
            yield from _walk(held, part, scope, reads, around, ScriptPlace(block, role, number, part, 0))
    heads = block.heads if block.kind in ("for", "case") else ()
    for word in (*heads, *(target for operator, target in block.redirects if "<<" not in operator)):
        yield from _inside(held, word, block.line, scope, around)


def _inside(
    held: Held, word: str, line: int, scope: str, around: tuple[ScriptPlace, ...]
) -> Iterator[CommandUse]:
    for piece in pieces(word):
        if piece.kind is Kind.COMMAND:
            steps = held.parsed(piece.text, line)
            yield from _walk(
                held, steps, scope, OutputLevel.NONE, around, ScriptPlace(None, "inside", 0, steps, 0)
            )


def _words_of(command: ShellCommand) -> list[str]:
    """Every word in which there may be a command: also what is assigned and where to it goes."""
    targets = [
        target for operator, target in command.redirects if operator.lstrip("0123456789") not in ("<<", "<<'")
    ]
    values = [value for _, value in command.assigned] if not command.words else []
    return [*command.words, *values, *targets]
