"""Values of which a task leaves something to the agent, and values of which a trial shows nothing.

What keeps its credit there in another form is no flaw, or the same flaw as another trial shows.
"""

from __future__ import annotations

import json
import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import dropped, name_of, skeleton, slug
from adjudge.audit.probes import OTHER_NAME, Probe, Seen, Spoof
from adjudge.audit.sections.measure import EPS, KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult

_SENTENCE = 4
_MUCH = 0.5


def is_only_long(wrongs: WrongAnswers, trial: FieldTrial, tried: list[tuple[Spoof, Probe, Seen]]) -> bool:
    """Is it a sentence that only has to be as long, as a remark for people is, and worth the lesser part?"""
    all_dues = sum(other.due for other in wrongs.fields if other.scored)  # each may cost the whole reward
    if len(str(trial.leaf.value).split()) < _SENTENCE or trial.due >= _MUCH * max(wrongs.base, all_dues):
        return False
    return any(
        spoof.cause is Cause.ANY_VALUE and not seen.broke and wrongs.base - seen.reward <= EPS
        for spoof, _, seen in tried
    )


def is_not_asked_for(
    wrongs: WrongAnswers,
    trial: FieldTrial,
    tried: list[tuple[Spoof, Probe, Seen]],
    result: SectionResult,
) -> bool:
    """Is it an item of a list that may as well be left out, and costs something only if it is malformed?"""
    path = trial.leaf.path
    shown = {spoof.name: seen for spoof, _, seen in tried}
    empty = shown.get("nothing")
    if not path or not isinstance(path[-1], int) or empty is None or empty.broke:
        return False
    if wrongs.base - empty.reward > EPS:
        return False
    what = f"{name_of(path)}: left out"
    probe = wrongs.probe(f"{slug(path)}/left-out", what, dropped(wrongs.document.value, path))
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return not seen.broke and wrongs.base - seen.reward <= EPS


def is_just_a_number(spoof: Spoof, trial: FieldTrial) -> bool:
    """Would any number, or any large one, have kept the credit, so that this one shows nothing of its own?"""
    if spoof.name == "longer":  # its digits with an exponent behind them
        return trial.kept("times-1000")
    if spoof.cause is Cause.PATTERN:  # any other text of one or two letters
        return trial.kept("dropped") or trial.kept("zero")
    return spoof.name in ("digits", "first-digit", "exponent") and trial.anything_goes


def is_free_unless_a_number(
    wrongs: WrongAnswers, tried: list[tuple[Spoof, Probe, Seen]], stake: float
) -> bool:
    """Is whatever cannot be read as a number passed over at no cost, nothing and any words alike?"""
    shown = {spoof.name: seen for spoof, _, seen in tried}
    return all(
        name in shown
        and not shown[name].broke
        and share_kept(wrongs.base - shown[name].reward, stake) >= KEPT
        for name in ("empty-text", "null", "denied", "several")
    )


def is_named_freely(
    wrongs: WrongAnswers, trial: FieldTrial, tried: list[tuple[Spoof, Probe, Seen]], stake: float
) -> bool:
    """Is it a path of which the task gives the folder and leaves the name to the agent?"""
    for spoof, _, seen in tried:
        if spoof.name == OTHER_NAME and not seen.broke:
            folder, instruction = str(trial.leaf.value).rpartition("/")[0], wrongs.bench.task.instruction
            left_open = folder in instruction and str(trial.leaf.value) not in instruction
            return left_open and share_kept(wrongs.base - seen.reward, stake) >= KEPT
    return False


def is_unit(wrongs: WrongAnswers, trial: FieldTrial) -> bool:
    """Is it the unit of a number, which an agent has to choose: not one that the instruction gives?"""
    name = str(trial.leaf.path[-1]) if trial.leaf.path else ""
    shown = skeleton(wrongs.bench.task.instruction) or ""
    given = json.dumps(trial.leaf.value, ensure_ascii=False) in shown
    return re.search(r"(?:^|_)units?$", name, re.I) is not None and not given
