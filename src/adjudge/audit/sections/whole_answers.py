"""Answers in which nothing is right: every number zero or NaN, every value wrong, the right keys alone."""

from __future__ import annotations

from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Document,
    leaves,
    replaced,
    several_are_right,
    stated_factor,
)
from adjudge.audit.probes import (
    Probe,
    Seen,
    absurd,
    all_numbers,
    all_scaled,
    all_wrong,
    blank,
)
from adjudge.audit.sections.lists.agreement import asks_for_ratios
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.several import PROSE
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_HUNDREDFOLD = 100
ALONE = ("all-wrong", "blank", "empty")
"""Those that stand alone: whatever else is right in the workspace goes, too."""
_NUMBER_CAUSES = {
    "all-zeros": Cause.ZEROS,
    "nulls": Cause.EMPTY,
    "all-times-10": Cause.SCALE,
    "all-half": Cause.TOLERANCE,
}


def whole_answers(document: Document) -> dict[str, tuple[str, Any]]:
    """Name -> what it is, and the value: each a whole answer in which nothing is right."""
    value = document.value
    numbers = [leaf for leaf in leaves(value) if leaf.kind == "number"]
    made: dict[str, tuple[str, Any]] = {}
    if any(leaf.number for leaf in numbers):
        made["absurd-numbers"] = ("every number absurd", all_numbers(value, absurd))
        made["all-zeros"] = ("every number zero", all_numbers(value, lambda leaf: leaf.with_number(0)))
        made["all-times-10"] = (
            "every number ten or a hundred times",
            all_scaled(value, 10, 100),
        )
        made["all-half"] = (
            "every number about half",
            all_scaled(value, 0.5, 0.6),
        )
        made["nan"] = ("every number NaN", all_numbers(value, lambda _: float("nan")))
        made["nan-as-text"] = ('every number "NaN"', all_numbers(value, lambda _: "NaN"))
        made["infinity"] = ("every number Infinity", all_numbers(value, lambda _: float("inf")))
    if document.structured:
        made["all-wrong"] = ("every value wrong, the shape right", all_wrong(value))
        made["blank"] = ("the right keys with nothing in them", blank(value))
        made["empty"] = ("nothing but an empty object or list", type(value)())
        if any(leaf.kind == "number" for leaf in numbers):
            made["nulls"] = ("every number null", all_numbers(value, lambda _: None))
    return made


def weigh_whole(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report those that keep more than they may; they have been seen by now."""
    worth = 0.0
    if "absurd-numbers" in wrongs.whole:
        worth = wrongs.base - wrongs.whole["absurd-numbers"][1].reward
    for name in ("all-zeros", "nan", "nan-as-text", "infinity", "nulls", "all-times-10", "all-half"):
        if name in wrongs.whole and worth > EPS:
            _weigh_numbers(wrongs, name, worth, result)
    if "all-wrong" in wrongs.whole:
        _weigh_wrong(wrongs, result)
    elif worth <= EPS and "absurd-numbers" in wrongs.whole:
        _unread(wrongs, result)


def _weigh_numbers(wrongs: WrongAnswers, name: str, worth: float, result: SectionResult) -> None:
    probe, seen = wrongs.whole[name]
    kept = share_kept(wrongs.base - seen.reward, worth)
    wrongs.lost.append(1 - kept)
    if kept < 0.5 or worth < 0.1:
        return
    severity = Severity.MEDIUM if seen.held else Severity.HIGH
    if name in ("all-half", "all-times-10"):  # short of KEPT it may be credit that falls with the distance
        meant = _is_granted(wrongs.bench.task.instruction, name)
        severity = Severity.MEDIUM if kept >= KEPT and not meant else Severity.LOW
    advice = {
        "all-zeros": "Compare with a relative tolerance, abs(x - ref) <= rel * abs(ref); an absolute one is "
        "for a reference of zero.",
        "all-half": "Tighten the tolerance, or say in the task why half the value is right.",
        "all-times-10": "Tighten the tolerance, or say in the task why ten times the value is right.",
    }.get(
        name,
        "Refuse what is not a finite number before comparing: NaN is neither larger nor smaller "
        "than anything.",
    )
    held = (
        " adjudge itself gives 0.0, because the output does not parse; other runners would not."
        if seen.held
        else ""
    )
    result.findings.append(
        wrongs.bench.finding(
            severity,
            _HERE,
            f"{probe.what} scores {seen.reward:g}",
            cause=_NUMBER_CAUSES.get(name, Cause.NOT_A_NUMBER),
            seen=f"The numbers are worth {worth:.3g} of the reward; with {probe.what} {kept:.0%} of "
            f"that is kept.{held}",
            advice=advice,
            probe=probe,
            before=wrongs.base,
        )
    )


def _is_granted(instruction: str, name: str) -> bool:
    """May half, or ten times, the value be right, as the task says: a design, or within a factor?"""
    granted = stated_factor(instruction) or 1.0
    if name == "all-half":
        return granted >= 2 or several_are_right(instruction)
    return granted >= _HUNDREDFOLD


def _weigh_wrong(wrongs: WrongAnswers, result: SectionResult) -> None:
    for name in ALONE:
        probe, seen = wrongs.whole[name]
        if name == "all-wrong" and seen.reward > EPS and asks_for_ratios(wrongs.bench.task.instruction):
            probe, seen = _out_of_step(wrongs, result)  # what is far off may be in step, nearly
        share = seen.reward / wrongs.base
        wrongs.lost.append(1 - min(1.0, share))
        if share <= 0.05 or (name == "blank" and share < 0.5):
            continue  # a false that happens to be right is no flaw
        severity = Severity.HIGH if share >= 0.5 else Severity.MEDIUM if share >= 0.25 else Severity.LOW
        if name == "blank" and severity is Severity.HIGH:
            severity = _blank_severity(wrongs, share)
        result.findings.append(
            wrongs.bench.finding(
                severity if not seen.held else Severity.MEDIUM,
                _HERE,
                f"{probe.what}: scores {seen.reward:g}",
                cause=Cause.KEYS_ONLY if name == "all-wrong" else Cause.EMPTY,
                seen=f"The right answer earns {wrongs.base:g}; this one, in which nothing is right, "
                f"{seen.reward:g}.",
                advice="Give credit for values, not for keys that are there; an empty list is not a "
                "perfect one.",
                probe=probe,
                before=wrongs.base,
            )
        )


def _out_of_step(wrongs: WrongAnswers, result: SectionResult) -> tuple[Probe, Seen]:
    """Every value wrong, and every other number of the opposite sign: no answer in any scale."""
    wrong = all_wrong(wrongs.document.value)
    numbers = [leaf for leaf in leaves(wrong) if leaf.kind == "number"][::2]
    turned = replaced(wrong, [(leaf.path, leaf.with_number(-leaf.number)) for leaf in numbers])
    what = "every value wrong, the shape right, every other number of the opposite sign"
    probe = wrongs.probe("all-wrong-out-of-step", what, turned, alone=True)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return probe, seen


def _blank_severity(wrongs: WrongAnswers, share: float) -> Severity:
    """Blank fields are right by chance if the right value is zero, false or nothing."""
    blanks = [trial for trial in wrongs.fields if trial.leaf.value in (0, False, "")]
    by_chance = sum(trial.stake for trial in blanks) / wrongs.base
    return Severity.HIGH if share - by_chance >= 0.5 else Severity.LOW


def _unread(wrongs: WrongAnswers, result: SectionResult) -> None:
    """In prose the numbers may be by the way; a file of data whose numbers do not matter is not read."""
    probe, seen = wrongs.whole["absurd-numbers"]
    prose = wrongs.bench.task.output.format in PROSE
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW if prose else Severity.MEDIUM,
            _HERE,
            "no number in the text matters",
            cause=Cause.UNSCORED,
            seen=f"With every number absurd the reward is still {seen.reward:g}.",
            advice="Where the task asks for numbers, read and compare them.",
            probe=probe,
            before=wrongs.base,
        )
    )
