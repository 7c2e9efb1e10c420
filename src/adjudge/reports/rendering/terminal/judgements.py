"""What judges made of a trial, on a terminal: beside the reward, with how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.judges import (
    Calibrations,
    CriterionResult,
    JudgeRecord,
    JudgeReward,
    is_calibrated,
    standing_reward,
)
from adjudge.reports.rendering.terminal.canvas import Terminal, joined, wrap

_LABEL = 11
UNCALIBRATED = "UNCALIBRATED"


@joined
def render_judgements(
    records: Sequence[JudgeRecord], known: Calibrations, terminal: Terminal
) -> Iterator[str]:
    """Each judgement, the newest last: its score or why it abstained, then every criterion."""
    for made in records:
        yield ""
        models = ", ".join(made.models) + (f" × {made.samples}" if made.samples > 1 else "")
        what = f"abstained: {made.abstained}" if made.score is None else f"{made.score:.4g}"
        label = "calibrated" if is_calibrated(made, known) else UNCALIBRATED
        yield from _lines("judge", f"{what}  by {models}, rubric {made.rubric}  {label}", terminal, "bold")
        for one in made.dimensions:
            yield from _lines("", _criterion(one, made, known), terminal)
            for quote in one.quotes[:2]:
                yield from _lines("", f'  at {quote.start}: "{quote.text}"', terminal, "dim")
        if made.reward is not None or made.reward_refused is not None:
            yield from _lines("", _reward(made, known), terminal, "bold")
        for text in made.suspected[:3]:
            yield from _lines("", f"injection suspected: {text}", terminal, "yellow")
        for text in made.cut:
            yield from _lines("", f"not shown to the judge: {text}", terminal, "dim")


def _criterion(one: CriterionResult, made: JudgeRecord, known: Calibrations) -> str:
    value = f"abstained: {one.abstained}" if one.score is None else f"{one.score:.4g}"
    if one.by != "judge":
        return f"{one.id}: {value} (from the breakdown)"
    if one.score is None:
        return f"{one.id}: {value}"
    parts = [f"{len(one.votes)} verdict{'' if len(one.votes) == 1 else 's'}"]
    if one.agreement is not None:
        parts.append(f"agreement {one.agreement:.2f}")
    if one.dissent:
        parts.append(f"{one.dissent} dissent")
    if one.invented_quotes:
        parts.append(f"{one.invented_quotes} invented quotes")
    found = known.get((made.judge, one.id))
    if found is None or not found.calibrated:
        parts.append("uncalibrated")
    return f"{one.id}: {value} ({', '.join(parts)})  {one.votes[0].reason}"


def _reward(made: JudgeRecord, known: Calibrations) -> str:
    found = standing_reward(made, known)
    if isinstance(found, JudgeReward):
        keys = ", ".join(key[:12] for key in found.calibrations)
        return f"judge reward {found.value:.4g}, by calibration {keys}; the trial's reward is the verifier's"
    return f"no judge reward: {found.why}"


def _lines(label: str, text: str, terminal: Terminal, colour: str | None = None) -> Iterator[str]:
    for number, line in enumerate(wrap(terminal.safe(text), max(terminal.width - _LABEL, 20))):
        painted = terminal.paint(line, colour) if colour else line
        yield f"{label if number == 0 else '':<{_LABEL}}{painted}".rstrip()
