"""Numbers that the task gives in place of those that it asks for.

A tolerance may be narrow as tolerances go and still hold an input of the calculation: 4.8 ohm for an
impedance of 4.826 ohm, if the reactance is 4.8. Whoever copies it has worked out nothing. Only numbers with
the unit of the field count, since any other is near by chance. Where the two agree as far as people round,
nothing is wrong with the tolerance; the field then tells nobody apart, which is told as low.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import replaced, slug, stated_tolerance
from adjudge.audit.sections.fields import report_field
from adjudge.audit.sections.measure import KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_QUANTITY = re.compile(r"(?<![\w.,-])(\d+(?:\.\d+)?)[ \t]*\|?[ \t]*([A-Za-z%°Ωµ][\w/%°·^²³]*)")
_WORDS = {"%": "pct", "Ω": "ohm", "²": "2", "³": "3", "µ": "u"}
_MAX_FIELDS = 6
_NEAR = 0.1
_FIGURES = 3
_ADVICE = "Make the tolerance narrower than the distance between the answer and its inputs, or change these."


def check_given(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try the quantity of the instruction that is nearest to each right one and not the same."""
    instruction = wrongs.bench.task.instruction
    shown = [(float(number), _unit(unit)) for number, unit in _QUANTITY.findall(instruction)]
    granted = stated_tolerance(instruction) or 0.0
    tried: list[tuple[FieldTrial, float]] = []
    for trial in wrongs.fields:
        given = _nearest(trial, shown)
        if given is not None and abs(given / trial.leaf.number - 1) > granted:
            tried.append((trial, given))
    tried = tried[:_MAX_FIELDS]
    probes = [
        wrongs.probe(
            f"{slug(trial.leaf.path)}/given",
            f"{trial.leaf.name}: {given:g}, which the task gives",
            replaced(wrongs.document.value, [(trial.leaf.path, _like(trial, given))]),
        )
        for trial, given in tried
    ]
    result.probes += probes
    for (trial, given), probe, seen in zip(tried, probes, wrongs.bench.run(probes), strict=True):
        if seen.broke or share_kept(wrongs.base - seen.reward, trial.due) < KEPT:
            continue
        trial.probes["given"] = probe
        apart = f"{given:.{_FIGURES}g}" != f"{trial.leaf.number:.{_FIGURES}g}"
        title = f"{trial.leaf.name}: {given:g}, which the task gives, passes for {trial.leaf.number:g}"
        severity = Severity.MEDIUM if apart else Severity.LOW
        report_field(wrongs.bench, severity, trial, "given", title, _ADVICE, Cause.TOLERANCE, result)


def _unit(text: str) -> str:
    """A unit as it stands at the end of a field's name: `m3_s` for `m³/s`."""
    for mark, word in _WORDS.items():
        text = text.replace(mark, word)
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _nearest(trial: FieldTrial, shown: list[tuple[float, str]]) -> float | None:
    """The number nearest to the right one, but not the same; None in a list, or if all are far."""
    right = trial.leaf.number
    listed = any(isinstance(step, int) for step in trial.leaf.path)
    if trial.leaf.kind != "number" or not trial.scored or not right or listed or trial.kept("half"):
        return None
    name = str(trial.leaf.path[-1]).lower() if trial.leaf.path else ""
    alike = [n if right > 0 else -n for n, unit in shown if unit and name.endswith(f"_{unit}")]
    if right in alike:
        return None  # it is itself given, which the author knows
    near = [n for n in alike if abs(n - right) <= _NEAR * abs(right)]
    return min(near, key=lambda n: abs(n - right), default=None)


def _like(trial: FieldTrial, given: float) -> object:
    """The number as the right one is written: whole if that is whole."""
    whole = isinstance(trial.leaf.number, int) and given.is_integer()
    return trial.leaf.with_number(int(given) if whole else given)
