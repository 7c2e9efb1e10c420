"""Values that are one of few: what a guess of them earns, if nothing else is right.

A field of two values that is worth a third of the reward gives every other guesser a third. That may be
meant, and is told as low; who compares agents should know it.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import replaced
from adjudge.audit.probes import all_wrong
from adjudge.audit.sections.measure import EPS, FieldTrial, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_ONE_OR_ZERO = re.compile(r"\b[01](?:_| )?or(?:_| )?[01]\b|\b[01] if\b|\b[01] or [01]\b", re.I)
_BETWEEN = re.compile(r"\||/| or ")
_LEAST = 0.125
"""Of the reward: what a guess must be worth on the average to be told."""


def options_of(told: str) -> list[str]:
    """The options of a text such as `pass | fail`."""
    return [part.strip() for part in _BETWEEN.split(told) if part.strip()]


def check_choices(wrongs: WrongAnswers, options: dict[str, str], result: SectionResult) -> None:
    """Try all values that are one of few, right, in an answer in which all else is wrong."""
    wrong = wrongs.whole.get("all-wrong")
    if wrong is None or len(wrongs.fields) < 2:
        return
    binary = _ONE_OR_ZERO.search(wrongs.bench.task.instruction) is not None
    ways = [(trial, _ways(trial, options, binary=binary)) for trial in wrongs.fields if trial.scored]
    chosen = [(trial, few) for trial, few in ways if few > 1]
    average = sum(trial.due / few for trial, few in chosen)
    if not chosen or average < _LEAST * wrongs.base - EPS or len(chosen) == len(ways):
        return  # where all is a choice, there is nothing else to be right in
    value = replaced(
        all_wrong(wrongs.document.value), [(trial.leaf.path, trial.leaf.value) for trial, _ in chosen]
    )
    names = ", ".join(trial.leaf.name for trial, _ in chosen[:3])
    probe = wrongs.probe("lucky-guess", f"nothing right but a guess of {names}", value, alone=True)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    gain = seen.reward - wrong[1].reward
    if seen.broke or gain < 2 * _LEAST * wrongs.base - EPS:
        return
    few = min(few for _, few in chosen)
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW,
            Section.DISCRIMINATION,
            f"{names}: one of {few} values, and a lucky guess alone earns {seen.reward:g}",
            cause=Cause.GUESSED,
            seen=f"The right answer earns {wrongs.base:g}; this one, with every other value wrong, "
            f"{seen.reward:g}.",
            advice="Give credit for such a value only beside the numbers that it follows from, or little.",
            probe=probe,
            before=wrongs.base,
        )
    )


def _ways(trial: FieldTrial, options: dict[str, str], *, binary: bool) -> int:
    """How many values the field can have, as far as the task says; 0 if it does not say."""
    leaf = trial.leaf
    if any(isinstance(step, int) for step in leaf.path):
        return 0
    if leaf.kind == "truth":
        return 2
    if leaf.kind == "number":
        return 2 if binary and leaf.number in (0, 1) else 0
    told = options_of(options.get(str(leaf.path[-1]), "")) if leaf.path else []
    return len(told) if leaf.value in told else 0


def every_choice(blank: Any, options: dict[str, str], number: int) -> Any | None:
    """The shape with the option of one number in each field that has options; None if few fields have."""
    told = {name: options_of(some) for name, some in options.items()}
    changes: list[tuple[tuple[str | int, ...], Any]] = []
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), blank)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            stack += [((*path, key), child) for key, child in node.items()]
        elif isinstance(node, list):
            stack += [((*path, place), child) for place, child in enumerate(node)]
        elif path and number < len(few := told.get(str(path[-1]), [])):
            changes.append((path, few[number]))
    return replaced(blank, changes) if len(changes) > 1 else None
